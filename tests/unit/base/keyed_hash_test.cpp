// Keyed hashes: collisions cannot be found without the key and can be found with it. A table with too many
// collisions draws another key.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "fingerpost/base/keyed_hash.hpp"
#include "tests/support/tables/collisions.hpp"

namespace fingerpost::testing::of_keyed_hash {
namespace {

// For any pair of numbers, 1 in 64 keys puts both into the same one of 64 slots, whatever they have in
// common.
template <class Number>
void expect_no_pair_collides_often(const std::vector<std::pair<Number, Number>>& pairs) {
    constexpr std::uint64_t keys = 64 * 400;
    for (const auto& [one, other] : pairs) {
        std::size_t same = 0;
        for (std::uint64_t seed = 0; seed < keys; ++seed) {
            const hash_key key(seed);
            same += hash_key::bucket(key.hash(one), 64) == hash_key::bucket(key.hash(other), 64);
        }
        EXPECT_GT(same, 300u); // expected 400, standard deviation 20
        EXPECT_LT(same, 500u);
    }
}
TEST(hash_key, gives_no_pair_of_numbers_that_collides_under_many_keys) {
    using four = std::uint32_t;
    using eight = std::uint64_t;
    expect_no_pair_collides_often<four>({{0, 1}, {0, 1u << 31}, {0x0a000000, 0x0a000100}, {5, ~5u}});
    expect_no_pair_collides_often<eight>({{0, 1}, {0, eight{1} << 63}, {eight{1} << 32, 1}, {3, 3u << 30}});
    const auto cell = [](std::uint64_t top) { return static_cast<u128>(top) << 64; };
    expect_no_pair_collides_often<u128>({{0, 1}, {0, cell(eight{1} << 63)}, {cell(1 << 16), cell(2 << 16)}});
    // Numbers that collided under the earlier hash.
    expect_no_pair_collides_often<u128>({{cell(old_colliding_cell(1)), cell(old_colliding_cell(2))}});
}
TEST(hash_key, gives_no_pair_of_texts_that_collides_under_many_keys) {
    using text = std::string_view;
    using namespace std::string_view_literals;
    expect_no_pair_collides_often<text>({{"", "\0"sv}, {"\0"sv, "\0\0"sv}, {"192.0.2.1", "192.0.2.2"}});
    expect_no_pair_collides_often<text>(
        {{"abcdefg", "abcdefgh"}, {"a long name of a hop", "A long name of a hop"}});
}
TEST(hash_key, takes_each_byte_of_a_text_and_none_beside_it) {
    const hash_key key(7);
    for (std::size_t size = 0; size < 40; ++size) {
        const std::string text(size, 'a');
        const std::uint32_t hash = key.hash(text);
        for (std::size_t before = 0; before < 8; ++before) {
            const std::string around = std::string(before, '<') + text + "/0123456789";
            ASSERT_EQ(key.hash(std::string_view(around).substr(before, size)), hash) << size << " " << before;
        }
        std::set<std::uint32_t> hashes{hash};
        for (std::size_t i = 0; i < size; ++i) {
            std::string other = text;
            other[i] = 'b';
            hashes.insert(key.hash(other));
        }
        EXPECT_EQ(hashes.size(), size + 1) << size;
    }
}
TEST(hash_key, is_another_each_time_and_the_same_from_its_seed) {
    std::set<std::uint64_t> drawn;
    std::set<std::uint64_t> made_up;
    for (unsigned i = 0; i < 1'000; ++i) {
        const hash_key key = hash_key::random();
        drawn.insert(key.seed());
        made_up.insert(detail::seed_without_entropy());
        ASSERT_EQ(hash_key(key.seed()).hash(i), key.hash(i));
    }
    EXPECT_EQ(drawn.size(), 1'000u);
    EXPECT_EQ(made_up.size(), 1'000u);
}

} // namespace
} // namespace fingerpost::testing::of_keyed_hash
