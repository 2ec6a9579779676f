// Operations that throw or are refused do not change a map.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "fingerpost/map/map.hpp"
#include "fingerpost/registry/registry.hpp"

namespace fingerpost::testing::of_map_failures {
namespace {

// Throws on demand.
struct fragile {
    static inline int fails_in = -1;
    static void step() {
        if (fails_in >= 0 && fails_in-- == 0)
            throw std::runtime_error("fragile");
    }

    explicit fragile(int of) : number(of) { step(); }
    fragile(const fragile& other) : number(other.number) { step(); }
    fragile& operator=(const fragile&) = delete;
    friend bool operator==(const fragile& a, const fragile& b) {
        step();
        return a.number == b.number;
    }

    int number;
};

} // namespace
} // namespace fingerpost::testing::of_map_failures

template <>
struct std::hash<fingerpost::testing::of_map_failures::fragile> {
    std::size_t operator()(const fingerpost::testing::of_map_failures::fragile& value) const {
        fingerpost::testing::of_map_failures::fragile::step();
        return std::size_t(value.number % 2);
    }
};

namespace fingerpost::testing::of_map_failures {
namespace {

TEST(map_failures, what_throws_has_changed_nothing) {
    static_assert(usual_map_values<fragile> == map_values::shared);
    fragile::fails_in = -1;
    map<fragile> of;
    for (int i = 0; i < 6; ++i)
        ASSERT_TRUE(of.try_emplace(ipv4_prefix::make({std::uint32_t(i) << 28}, 4), i));
    int thrown = 0;
    for (int at = 0; at < 12; ++at) {
        const int number = 100 + 2 * at;
        fragile::fails_in = at;
        bool failed = false;
        try {
            ASSERT_TRUE(of.insert_or_assign(*parse_prefix<ipv4_address>("16.0.0.0/4"), fragile(number)));
        } catch (const std::runtime_error&) {
            failed = true;
            ++thrown;
        }
        fragile::fails_in = -1;
        ASSERT_EQ(of.size(), 6U);
        const int now = of.lookup(ipv4_address{0x10000000})->number;
        if (failed)
            EXPECT_NE(now, number);
        else
            EXPECT_EQ(now, number);
        for (int i = 2; i < 6; ++i)
            EXPECT_EQ(of.lookup(ipv4_address{std::uint32_t(i) << 28})->number, i);
    }
    EXPECT_GE(thrown, 3);
}
TEST(map_failures, wrong_arguments) {
    map<int> of;
    const ipv4_prefix wrong{{0}, 33};
    EXPECT_EQ(of.insert_or_assign(wrong, 1).error(), errc::invalid);
    EXPECT_EQ(of.try_emplace(wrong, 1).error(), errc::invalid);
    EXPECT_EQ(of.erase(wrong), errc::invalid);
    EXPECT_EQ(of.find(wrong), nullptr);
    EXPECT_TRUE(of.covered(wrong).empty());
    EXPECT_TRUE(of.covering(wrong).empty());
    auto changes = of.transaction();
    EXPECT_EQ(changes.insert_or_assign(wrong, 1), errc::invalid);
    EXPECT_EQ(changes.erase(*parse_prefix<ipv4_address>("10.0.0.0/8")), errc::not_found);
    EXPECT_EQ(changes.size(), 0U);
    // Host bits are cleared.
    ASSERT_TRUE(of.insert_or_assign(ipv4_prefix{{0x0a010203}, 8}, 8));
    EXPECT_EQ(of.match(ipv4_address{0x0a000000})->where, *parse_prefix<ipv4_address>("10.0.0.0/8"));
    map_options options;
    options.most_old_versions = 0;
    EXPECT_EQ(map<int>::create(options).error(), errc::invalid);
    options = {};
    options.ipv6_scheme = find_scheme<ipv6_address>("binary_search_on_lengths");
    options.update = policy::in_place;
    EXPECT_EQ(map<int>::create(options).error(), errc::unsupported);
}

} // namespace
} // namespace fingerpost::testing::of_map_failures
