// The points of binary search on prefixes, the levels above them, and the second column.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "fingerpost/schemes/binary_search_on_prefixes/binary_search_on_prefixes.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_binary_search_on_prefixes {
namespace {

using binary_search_on_prefixes::end_points;
using binary_search_on_prefixes::point_list;
using binary_search_on_prefixes::search;
template <class A, search Search = search::multiway>
using points_fib = binary_search_on_prefixes::fib<A, Search>;

template <class A>
point_list<A> points_of(const table<A>& some) {
    std::vector<next_hop> hops;
    for (const route<A>& r : some)
        hops.push_back(r.hop);
    return end_points<A>(some, next_hop_codec::choose(hops, 2));
}
template <class A>
std::vector<unsigned> keys_of(const point_list<A>& points) {
    std::vector<unsigned> keys;
    for (const A a : points.keys)
        keys.push_back(static_cast<unsigned>(a.value));
    return keys;
}
using codes = std::vector<std::uint32_t>;

// Handmade, with six bits. The code of next hop n is n + 1; 0 means no route.
TEST(EndPoints, NestedRoutesShareFirstAndLastAddresses) {
    using A = address<6>;
    const table<A> some = sorted<A>({{leading<A>(0b01, 2), {1}},       // 16 to 31
                                     {leading<A>(0b0100, 4), {2}},     // 16 to 19
                                     {leading<A>(0b011111, 6), {3}}}); // 31
    const point_list<A> points = points_of<A>(some);
    EXPECT_EQ(keys_of(points), (std::vector<unsigned>{16, 19, 31, 63}));
    EXPECT_EQ(points.below, (codes{0, 3, 2, 0}));
    EXPECT_EQ(points.equal, (codes{3, 3, 4, 0}));
}
TEST(EndPoints, NeighboursAreTwoPointsWithNothingBetween) {
    using A = address<6>;
    const table<A> some = sorted<A>({{leading<A>(0b000, 3), {0}},  // 0 to 7
                                     {leading<A>(0b001, 3), {5}},  // 8 to 15
                                     {leading<A>(0b11, 2), {6}}}); // 48 to 63, the last address
    const point_list<A> points = points_of<A>(some);
    EXPECT_EQ(keys_of(points), (std::vector<unsigned>{0, 7, 8, 15, 48, 63}));
    EXPECT_EQ(points.below, (codes{0, 1, 0, 6, 0, 7}));
    EXPECT_EQ(points.equal, (codes{1, 1, 6, 6, 7, 7}));
}
TEST(EndPoints, WithoutRoutesTheLastAddressIsThePoint) {
    using A = address<6>;
    const point_list<A> points = points_of<A>({});
    EXPECT_EQ(keys_of(points), (std::vector<unsigned>{63}));
    EXPECT_EQ(points.below, codes{0});
    EXPECT_EQ(points.equal, codes{0});
}

// Each host route gives one point. The numbers of points are near those that fill a level, all in one slot of
// the front array or in many, so that lookups enter on every level.
template <class A, search Search>
void expect_right_around(std::size_t full, unsigned shift) {
    for (std::size_t count = full - 1; count <= full + 1; ++count) {
        table<A> some;
        for (std::size_t i = 0; i + 1 < count; ++i) { // the last address is a point too
            const auto number = static_cast<typename A::value_type>(2 * i + 1);
            some.push_back({prefix<A>::make(A{shift_left(number, shift)}, A::bits),
                            {static_cast<std::uint32_t>(i % 7)}});
        }
        const auto fib = points_fib<A, Search>::build(routes<A>(some));
        ASSERT_TRUE(fib);
        ASSERT_NO_FATAL_FAILURE(expect_right<A>(*fib, some));
    }
}
template <class A>
void expect_right_where_levels_are_full(unsigned most_shift) {
    constexpr std::size_t node = A::bits == 32 ? 16 : 8;
    for (std::size_t full = node; full <= node * node * node; full *= node)
        for (const unsigned shift : {0u, most_shift}) {
            ASSERT_NO_FATAL_FAILURE((expect_right_around<A, search::multiway>(full, shift)));
            ASSERT_NO_FATAL_FAILURE((expect_right_around<A, search::binary>(full, shift)));
        }
}
TEST(BinarySearchOnPrefixes, IsRightWhereLevelsAreFull) {
    expect_right_where_levels_are_full<ipv4_address>(18);
    expect_right_where_levels_are_full<ipv6_address>(117);
}

// All points share one first half: the longest possible run.
TEST(BinarySearchOnPrefixes, GoesOnInTheSecondColumnWhereFirstHalvesAreEqual) {
    using A = ipv6_address;
    const u128 half = u128{0x20010db800000001} << 64;
    table<A> some{{leading<A>(0x20010db800000001, 64), {9}}};
    for (std::uint32_t i = 0; i < 1000; ++i)
        some.push_back({prefix<A>::make(A{half | (u128{i} * 3 + 1)}, 128), {i}});
    const routes<A> all(some);
    const auto multiway = points_fib<A>::build(all);
    const auto binary = points_fib<A, search::binary>::build(all);
    ASSERT_TRUE(multiway && binary);
    expect_right<A>(*multiway, some);
    expect_right<A>(*binary, some);
}

template <class Fib>
std::size_t bytes_of_part(const Fib& fib, std::string_view name) {
    for (const memory_part& part : fib.memory_parts())
        if (part.name == name)
            return part.bytes;
    ADD_FAILURE() << "no part " << name;
    return 0;
}
// The figures of the page: 8 bytes per point for IPv4 and 24 for IPv6. The tables have 65,534 next hops,
// which fit into two bytes, and 65,536, which do not.
TEST(BinarySearchOnPrefixes, TakesWhatTheSheetSaysForEachPoint) {
    using A = ipv4_address;
    for (const std::uint32_t count : {65534u, 65536u}) {
        table<A> some;
        for (std::uint32_t i = 0; i < count; ++i)
            some.push_back({prefix<A>::make(A{i << 8}, 24), {i}});
        const auto fib = points_fib<A>::build(routes<A>(some));
        ASSERT_TRUE(fib);
        const std::size_t points = 2 * count + 1, code = count == 65534 ? 2 : 4;
        EXPECT_EQ(bytes_of_part(*fib, "codes"), points * 2 * code);
        EXPECT_EQ(bytes_of_part(*fib, "points"), (points + 15) / 16 * 64);
        EXPECT_LE(bytes_of_part(*fib, "levels"), points * 4 / 14);
        EXPECT_EQ(bytes_of_part(*fib, "front"), 65537 * 4u);
    }
    const table<ipv6_address> some{{leading<ipv6_address>(0x2001, 16), {0}}};
    const routes<ipv6_address> all(some);
    const auto fib = points_fib<ipv6_address>::build(all);
    ASSERT_TRUE(fib);
    EXPECT_EQ(bytes_of_part(*fib, "second halves") + bytes_of_part(*fib, "run ends"), 3 * 12u);
}

TEST(BinarySearchOnPrefixes, RefusesMorePointsThanRanksCanNumber) {
    using A = ipv4_address;
    const table<A> of_five_points{{leading<A>(0x0a, 8), {1}}, {leading<A>(0x0b, 8), {2}}};
    expect_least<points_fib<A>>(of_five_points, 5);
}

} // namespace
} // namespace fingerpost::testing::of_binary_search_on_prefixes
