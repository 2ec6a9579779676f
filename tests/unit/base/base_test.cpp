// The containers of fingerpost/base, beyond what the tests of their users cover.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "fingerpost/base/dirty_list.hpp"
#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/node_pool.hpp"

namespace fingerpost::testing {
namespace {

TEST(aligned_array, extends_into_its_room_and_no_further) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{1000}, 3 * huge_page_bytes / 8}) {
        auto made = aligned_array<std::uint64_t>::make(size, size / 2 + 7);
        ASSERT_TRUE(made);
        aligned_array<std::uint64_t> array = std::move(*made);
        std::iota(array.begin(), array.end(), 1);
        const std::uint64_t* const place = array.data();
        EXPECT_EQ(array.memory_bytes(), size * sizeof(std::uint64_t));
        EXPECT_TRUE(array.extend(size - 1)) << "it is that large already";
        EXPECT_EQ(array.size(), size);
        EXPECT_TRUE(array.extend(size + 3));
        EXPECT_TRUE(array.extend(size + size / 2 + 7));
        EXPECT_FALSE(array.extend(size + size / 2 + 8));
        EXPECT_EQ(array.data(), place);
        ASSERT_EQ(array.size(), size + size / 2 + 7);
        for (std::size_t i = 0; i < array.size(); ++i)
            ASSERT_EQ(array[i], i < size ? i + 1 : 0) << i;

        // Memory that is released and reused is zero; otherwise at least the requested size is kept.
        ASSERT_TRUE(array.resize(size - size / 2));
        ASSERT_TRUE(array.resize(size));
        ASSERT_TRUE(array.move_to(size + 5, 1, size));
        EXPECT_NE(array.data(), place);
        ASSERT_EQ(array.size(), size + 5);
        for (std::size_t i = 0; i < array.size(); ++i)
            ASSERT_EQ(array[i], i < size - size / 2 ? i + 1 : 0) << i;
        EXPECT_FALSE(array.move_to(~std::size_t{0} / 8, 0, 1));
        EXPECT_EQ(array.size(), size + 5);
        EXPECT_TRUE(array.extend(size + 6));
        EXPECT_FALSE(array.resize(size + 7));
    }
    EXPECT_FALSE(aligned_array<std::uint64_t>::make(1, ~std::size_t{0} / 8));
    EXPECT_FALSE(aligned_array<std::uint64_t>().extend(1));
}

TEST(node_pool, keeps_every_node_while_it_grows_and_wastes_little) {
    node_pool<std::uint64_t> pool;
    ASSERT_TRUE(pool.reserve(1000));
    EXPECT_EQ(pool.capacity(), 1000U);
    std::vector<std::uint32_t> numbers;
    for (std::uint64_t i = 0; i < 600'000; ++i) { // two chunks and a part
        const auto number = pool.allocate();
        ASSERT_NE(number, pool.nil);
        pool[number] = i;
        numbers.push_back(number);
        ASSERT_LE(pool.capacity(), std::max<std::size_t>(1000, i + i / 16 + 16)) << i;
    }
    for (std::uint64_t i = 0; i < numbers.size(); ++i)
        ASSERT_EQ(pool[numbers[i]], i);
}

TEST(dirty_list, are_known_until_they_are_many) {
    dirty_list written;
    written.add(7);
    EXPECT_FALSE(written.are_known()) << "nobody has had a copy";
    written.start(25'600);
    written.add(7);
    written.add(7);
    written.add(3);
    EXPECT_TRUE(written.are_known());
    EXPECT_TRUE(std::ranges::equal(written.list(), std::vector<std::uint32_t>{7, 3}));
    for (std::size_t i = 0; i < 114; ++i)
        written.add(i);
    EXPECT_TRUE(written.are_known());
    EXPECT_LE(written.list().size() * sizeof(std::uint32_t), 25'600U / 50);
    written.add(1000);
    EXPECT_FALSE(written.are_known());
    written.start(25'600);
    EXPECT_TRUE(written.are_known() && written.list().empty());
    written.add_all();
    EXPECT_FALSE(written.are_known());
}

} // namespace
} // namespace fingerpost::testing
