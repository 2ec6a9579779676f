// The trie of 24 and 8 bits: the number of groups that routes take, and the limit of codes.
#include <gtest/gtest.h>

#include <vector>

#include "fingerpost/schemes/trie_24_8/trie_24_8.hpp"
#include "tests/support/limits.hpp"

namespace fingerpost::testing::of_trie_24_8 {
namespace {

using A = ipv6_address;
template <class Address>
using tested = trie_24_8::fib<Address>;

prefix<A> at(std::uint64_t first_half, std::uint64_t second_half, unsigned length) {
    return prefix<A>::make(from_halves<A>(first_half, second_half), length);
}
template <class Fib>
std::size_t groups_of(const Fib& fib) {
    std::size_t groups = 0;
    fib.visit([&](const structure_node<A>& n) { groups += n.kind == "chunk" ? 1 : 0; });
    return groups;
}

// A /48 takes three groups, a /128 thirteen.
TEST(Trie, HasTheGroupsThatLengthsAskFor) {
    table<A> all{{at(0, 0, 0), {7}}};
    const auto groups_with = [&](unsigned length) {
        all.push_back({at(0x20010db800010000, 1, length), {length}});
        return groups_of(*tested<A>::build(routes<A>(all)));
    };
    EXPECT_EQ(groups_of(*tested<A>::build(routes<A>(all))), 0U);
    EXPECT_EQ(groups_with(48), 3U);
    EXPECT_EQ(groups_with(128), 13U);
}

TEST(Trie, SaysThatItsCodesHaveEnded) {
    std::vector<route<A>> all;
    for (std::uint32_t i = 0; i < 9; ++i)
        all.push_back({at(std::uint64_t{i} << 56, 0, 8), {0xfffffff0 - i}});
    expect_least<tested<A>>(all, 10); // one code is for no route
}

} // namespace
} // namespace fingerpost::testing::of_trie_24_8
