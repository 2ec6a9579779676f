// DXR: the four forms of a chunk, shared chunks, and limits.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "fingerpost/schemes/dxr/dxr.hpp"
#include "tests/support/changed_fib.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/tables/collisions.hpp"

namespace fingerpost::testing::of_dxr {
namespace {

using ipv4_table = std::vector<route<ipv4_address>>;

route<ipv4_address> one(std::uint32_t base, unsigned length, std::uint32_t hop) {
    return {prefix<ipv4_address>::make({base}, length), {hop}};
}
// Two /24 with small ids in 10.0.0.0/20, a /25 in 10.1.0.0/20, 1,100 hosts in 10.2.0.0/20, and nothing else.
ipv4_table table_of_all_forms() {
    rib<ipv4_address> all;
    for (const auto& r : {one(0x0a000000, 24, 1), one(0x0a000200, 24, 2), one(0x0a010080, 25, 3)})
        EXPECT_TRUE(all.insert(r.where, r.hop));
    for (std::uint32_t i = 0; i < 1100; ++i)
        EXPECT_TRUE(all.insert(prefix<ipv4_address>::make({0x0a020000 + 2 * i}, 32), {i}));
    return routes_of(all);
}
template <class Fib>
std::map<std::string, int> kinds_of(const Fib& fib) {
    std::map<std::string, int> kinds;
    fib.visit([&](const structure_node<ipv4_address>& n) { ++kinds[std::string(n.kind)]; });
    return kinds;
}
template <class Fib>
std::size_t bytes_of(const Fib& fib, std::string_view part) {
    for (const memory_part& p : fib.memory_parts())
        if (p.name == part)
            return p.bytes;
    return 0;
}

template <class Fib>
void expect_all_forms() {
    const ipv4_table all = table_of_all_forms();
    const auto fib = Fib::build(routes<ipv4_address>(all));
    ASSERT_TRUE(fib);
    EXPECT_EQ(kinds_of(*fib), (std::map<std::string, int>{
                                  {"table", 1}, {"short ranges", 1}, {"long ranges", 1}, {"XL ranges", 1}}));
    expect_right(*fib, all);
}

TEST(Dxr, HasAllForms) {
    expect_all_forms<dxr::fib<ipv4_address, 16>>();
    expect_all_forms<dxr::fib<ipv4_address, 18>>();
    expect_all_forms<dxr::fib<ipv4_address, 20>>();
    expect_all_forms<dxr::fib<ipv4_address, 20, true>>();
}

template <class A>
using d18r = dxr::fib<A, 18>;

// Changes turn a chunk without ranges into one with short ranges, then long ones, and back.
TEST(Dxr, ChangesTakeAChunkThroughAllForms) {
    changed_fib<ipv4_address, d18r<ipv4_address>> fib;
    fib.set({0x0a000000}, 24, {5});
    for (std::uint32_t i = 0; i < 4; ++i)
        fib.set({0x0a000000 + 512 * i}, 24, {100 + i});
    EXPECT_EQ(fib.nodes()[1].substr(0, 6), " short");
    fib.set({0x0a000080}, 26, {2000});
    EXPECT_EQ(fib.nodes()[1].substr(0, 5), " long");
    fib.set({0x0a000000}, 18, {7});
    fib.set({0x0a000080}, 26, next_hop::none);
    EXPECT_EQ(fib.nodes()[1].substr(0, 6), " short");
    fib.set({0x0a000000}, 8, {8}); // a range that spans several chunks
    for (std::uint32_t i = 0; i < 4; ++i)
        fib.set({0x0a000000 + 512 * i}, 24, next_hop::none);
    fib.set({0x0a000000}, 18, next_hop::none);
    EXPECT_EQ(fib.nodes().size(), 1U);
}

TEST(Dxr, SharesEqualChunks) {
    ipv4_table all;
    for (std::uint32_t i = 0; i < 1000; ++i)
        all.push_back(one(0x0a000000 + (i << 14), 24, 2000));
    const auto fib = d18r<ipv4_address>::build(routes<ipv4_address>(all));
    ASSERT_TRUE(fib);
    // One node that covers all their addresses.
    EXPECT_EQ(kinds_of(*fib)["long ranges"], 1);
    fib->visit([&](const structure_node<ipv4_address>& n) {
        if (n.kind != "long ranges")
            return;
        EXPECT_EQ(n.slot, 0x0a000000U >> 14);
        EXPECT_EQ(n.first, ipv4_address{0x0a000000});
        EXPECT_EQ(n.last, ipv4_address{0x0a000000 + (1000U << 14) - 1});
        EXPECT_EQ(n.bytes, 2 * sizeof(std::uint32_t));
    });
    EXPECT_EQ(bytes_of(*fib, "ranges"), 3 * sizeof(std::uint32_t)) << "word 0 and two entries";
}

// Bases run out: a build is refused, and so is a change.
TEST(Dxr, SaysThatItsRangesHaveEnded) {
    rib<ipv4_address> truth;
    for (std::uint32_t i = 0; i < 10; ++i)
        ASSERT_TRUE(truth.insert(prefix<ipv4_address>::make({i << 14}, 24), {2000 + i}));
    constexpr std::size_t words = 20; // two for each of ten chunks
    const auto build = [&](std::size_t most) {
        return d18r<ipv4_address>::build(truth.to_routes(), {}, d18r<ipv4_address>::most_codes, most);
    };
    const auto refused = build(words - 1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::capacity);
    auto fib = build(words);
    ASSERT_TRUE(fib);
    const auto told = truth.announce(prefix<ipv4_address>::make({20 << 14}, 24), {3000});
    ASSERT_TRUE(told);
    EXPECT_EQ(fib->apply(*told), errc::capacity);
}

// An attacker who has the key can create chunks with equal positions in the index. Most of these are not
// shared; answers stay right, and no search probes more than 32 positions.
TEST(Dxr, SharesLessOnlyForWhoKnowsItsKey) {
    const hash_key key(known_seed);
    ipv4_table all;
    for (std::uint32_t hop = 2000; all.size() < 2000; ++hop) {
        // The long entries of a chunk whose first /24 has this next hop and whose rest has no route.
        const std::uint32_t first = key.hash(std::uint64_t{hop + 1});
        const std::uint32_t hash = key.hash(std::uint64_t{first} << 32 | 256 << 18);
        if (hash >> 26 == 0)
            for (unsigned twice = 0; twice < 2; ++twice)
                all.push_back(one(static_cast<std::uint32_t>(all.size()) << 14, 24, hop));
    }
    const auto known = d18r<ipv4_address>::build(routes<ipv4_address>(all), {.hash_seed = known_seed});
    const auto random = d18r<ipv4_address>::build(routes<ipv4_address>(all));
    ASSERT_TRUE(known && random);
    EXPECT_LT(bytes_of(*random, "ranges"), (2 * 1000 + 100) * sizeof(std::uint32_t));
    EXPECT_GT(bytes_of(*known, "ranges"), 3 * 1000 * sizeof(std::uint32_t));
    expect_right(*known, all);
    expect_right(*random, all);
}

} // namespace
} // namespace fingerpost::testing::of_dxr
