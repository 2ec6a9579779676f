// Hashed quarters of addresses with tries between them: entries and nodes of a real table, boundaries of the
// quarters, and limits.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "fingerpost/schemes/expanded_lengths/hybrid.hpp"
#include "tests/support/tables/real_data.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_expanded_lengths {
namespace {

using expanded_lengths::hybrid;

template <class A>
std::map<std::string, std::size_t, std::less<>> kinds_of(const hybrid<A>& of) {
    std::map<std::string, std::size_t, std::less<>> kinds;
    of.visit([&](const structure_node<A>& n) { ++kinds[std::string(n.kind)]; });
    return kinds;
}

TEST(hybrid, has_the_entries_and_nodes_of_a_real_table) {
    const auto six = load_real_routes<ipv6_address>("tier1-v6");
    if (!six)
        return;
    const auto built = hybrid<ipv6_address>::build(routes<ipv6_address>(*six));
    ASSERT_TRUE(built);
    EXPECT_EQ(built->entries(), 29'369u + 264 + 83);
    const auto kinds = kinds_of(*built);
    EXPECT_EQ(kinds.at("node") + kinds.at("packed node"), 6'565u + 30'166 + 328);
}

// A route of exactly 32, 64 or 96 bits is stored in the trie above and adds a hash entry.
TEST(hybrid, has_routes_at_the_borders_twice) {
    using A = ipv6_address;
    const routes<A> some(sorted<A>({{leading<A>(0x20010db8, 32), {1}},
                                    {prefix<A>::make(from_halves<A>(0x20010db8'00000001, 0), 64), {2}}}));
    const auto built = hybrid<A>::build(some);
    ASSERT_TRUE(built);
    EXPECT_EQ(kinds_of(*built).at("entry"), 2u);
    EXPECT_EQ(built->lookup(from_halves<A>(0x20010db8'00000001, 5)), next_hop{2});
    EXPECT_EQ(built->lookup(from_halves<A>(0x20010db8'00000000, 5)), next_hop{1});
    EXPECT_EQ(built->lookup(from_halves<A>(0x20010db9'00000000, 5)), next_hop::none);
}

TEST(hybrid, is_refused_beyond_its_limits) {
    using A = ipv6_address;
    const routes<A> some(
        sorted<A>({{leading<A>(0x20010db8, 32), {1}}, {leading<A>(0x20010db80001, 48), {2}}}));
    EXPECT_TRUE(hybrid<A>::build(some));
    EXPECT_EQ(hybrid<A>::build(some, {}, 3).error(), errc::capacity);
}

} // namespace
} // namespace fingerpost::testing::of_expanded_lengths
