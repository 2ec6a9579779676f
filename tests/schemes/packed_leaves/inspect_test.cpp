// The inspection of packed leaves: traces against lookups and the oracle, steps and parts against the arrays
// that images hold, visits against both.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "fingerpost/schemes/packed_leaves/packed_leaves.hpp"
#include "tests/oracle/by_length.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_packed_leaves {
namespace {

using packed_leaves::size_bounds;
namespace part = packed_leaves::part;

template <class A>
using fib = packed_leaves::fib<A>;

static_assert(traceable<fib<ipv4_address>, ipv4_address> && visitable<fib<ipv4_address>, ipv4_address>);
static_assert(traceable<fib<ipv6_address>, ipv6_address> && visitable<fib<ipv6_address>, ipv6_address>);

constexpr size_bounds trees_only{};
constexpr size_bounds bitmaps_always{.bitmaps_from = 0};

using part_sizes = std::map<std::string, std::size_t>;
using name_set = std::set<std::string>;

template <class A>
part_sizes sizes_of(const fib<A>& of) {
    part_sizes sizes;
    for (const memory_part& one : of.memory_parts())
        EXPECT_TRUE(sizes.emplace(one.name, one.bytes).second) << one.name << " twice";
    return sizes;
}
std::size_t size_of(const part_sizes& sizes, std::string_view name) {
    const auto at = sizes.find(std::string(name));
    return at == sizes.end() ? 0 : at->second;
}
std::size_t sum_of(const part_sizes& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0},
                           [](std::size_t sum, const auto& one) { return sum + one.second; });
}

// Parts add up to the whole, and those that lookups read are the arrays of an image.
template <class A>
void expect_parts(const fib<A>& of) {
    const part_sizes sizes = sizes_of(of);
    ASSERT_EQ(sum_of(sizes), of.memory_bytes());
    std::size_t saved = 0;
    for (const saved_section& one : of.save().sections)
        saved += one.bytes.size();
    ASSERT_EQ(saved,
              of.memory_bytes() - size_of(sizes, part::changed_words) - size_of(sizes, part::for_changes));
}

template <class A>
struct covered {
    A first;
    A last;
};
// Collects what a visit reports, and checks it meanwhile.
template <class A>
class visited {
  public:
    explicit visited(const fib<A>& of) {
        of.visit([&](const structure_node<A>& n) { add(n); });
        close_down_to(0);
        const part_sizes sizes = sizes_of(of);
        for (const auto& [name, bytes] : bytes_) {
            EXPECT_TRUE(sizes.contains(name)) << name;
            EXPECT_LE(bytes, size_of(sizes, name)) << name;
        }
    }

    bool is_inside_leaf(const std::string& part, A a) const {
        const auto at = ends_.find(part);
        return at != ends_.end() &&
               std::any_of(at->second.begin(), at->second.end(),
                           [a](const covered<A>& c) { return c.first <= a && a <= c.last; });
    }
    // Whether index or words cover all addresses, without tiers and regions.
    bool covers_all() const {
        std::vector<covered<A>> all;
        for (const std::string_view name : {part::index_lines, part::index_pages, part::bitmap_answers})
            if (const auto at = ends_.find(std::string(name)); at != ends_.end())
                all.insert(all.end(), at->second.begin(), at->second.end());
        std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        if (all.empty() || all.front().first != A::first())
            return false;
        A reached = all.front().last;
        for (const covered<A>& one : all) {
            if (reached != A::last() && one.first.value > reached.value + 1)
                return false;
            reached = std::max(reached, one.last);
        }
        return reached == A::last();
    }
    // Whether the read lies in a node that covers the address, if its part has nodes.
    bool is_inside_node(const trace_step& s, A a) const {
        const auto of_part = places_.find(std::string(s.part));
        if (of_part == places_.end())
            return true;
        auto at = of_part->second.upper_bound(s.offset);
        if (at == of_part->second.begin())
            return false;
        --at;
        return s.offset + s.bytes <= at->first + at->second.bytes && at->second.first <= a &&
               a <= at->second.last;
    }
    std::size_t nodes(const std::string& kind) const {
        const auto at = kinds_.find(kind);
        return at == kinds_.end() ? 0 : at->second;
    }
    std::uint64_t bytes(std::string_view part) const {
        const auto at = bytes_.find(std::string(part));
        return at == bytes_.end() ? 0 : at->second;
    }

  private:
    void add(const structure_node<A>& n) {
        ASSERT_LE(n.first, n.last);
        ASSERT_LE(n.level, open_.size()) << "a child before its parent";
        close_down_to(n.level);
        if (n.level > 0) {
            structure_node<A>& parent = open_.back();
            ASSERT_GT(parent.children, 0U);
            --parent.children;
            ASSERT_LE(parent.first, n.first);
            ASSERT_LE(n.last, parent.last);
        }
        if (n.children == 0 && (n.kind == "leaf" || n.kind == "answer" || n.kind == "answers"))
            ends_[std::string(n.part)].push_back({n.first, n.last});
        if (n.bytes > 0) {
            const bool is_new =
                places_[std::string(n.part)].emplace(n.offset, place{n.bytes, n.first, n.last}).second;
            ASSERT_TRUE(is_new) << "two nodes at " << n.offset << " of " << n.part;
        }
        bytes_[std::string(n.part)] += n.bytes;
        ++kinds_[std::string(n.kind)];
        open_.push_back(n);
    }
    void close_down_to(unsigned level) {
        for (; open_.size() > level; open_.pop_back())
            EXPECT_EQ(open_.back().children, 0U) << "children that were announced and did not come";
    }

    struct place {
        std::uint64_t bytes;
        A first;
        A last;
    };

    std::map<std::string, std::map<std::uint64_t, place>> places_; // by part and offset
    std::vector<structure_node<A>> open_; // from the root down, with the children that are still to come
    std::map<std::string, std::uint64_t> bytes_;
    std::map<std::string, std::size_t> kinds_;
    std::map<std::string, std::vector<covered<A>>> ends_;
};

// Traces one address, and adds the parts that it reads.
template <class A>
class checked_trace {
  public:
    checked_trace(const fib<A>& of, name_set& parts)
        : of_(of), sizes_(sizes_of(of)), saved_(of.save()), parts_(parts) {}

    // The part that the last leaf or answer lies in goes to `end`.
    void expect(A a, next_hop right, std::string* end = nullptr) {
        std::size_t steps = 0;
        outcome last = outcome::goes_on;
        std::uint64_t key = 0;
        std::string_view line_of; // the part of the line before
        const std::byte* line = nullptr;
        std::vector<std::uint64_t> values;
        const next_hop hop = of_.trace(a, [&](const trace_step& s) {
            EXPECT_NE(last, outcome::answered) << "a step behind the answer";
            ++steps;
            expect_step(s);
            // A line behind another one of the same part: the earlier was a node, and this is its child.
            if (s.bytes == packed_leaves::line_bytes && s.part == line_of) {
                EXPECT_EQ(s.key, key);
                const std::size_t child =
                    (s.offset - packed_leaves::first_child_of(line)) / packed_leaves::line_bytes;
                ASSERT_LE(child, values.size());
                EXPECT_TRUE(child == values.size() || key <= values[child]);
                EXPECT_TRUE(child == 0 || key > values[child - 1]);
            }
            line = static_cast<const std::byte*>(s.at);
            line_of = s.bytes == packed_leaves::line_bytes ? s.part : std::string_view{};
            key = s.key;
            values.assign(s.values.begin(), s.values.end());
            last = s.result;
            parts_.emplace(s.part);
            if (end != nullptr && (s.bytes == packed_leaves::line_bytes || s.part == part::bitmap_answers))
                *end = s.part;
        });
        ASSERT_EQ(hop, right) << text_of(a);
        ASSERT_EQ(of_.lookup(a), right) << text_of(a);
        ASSERT_GE(steps, 1U);
        ASSERT_EQ(last, outcome::answered) << text_of(a);
    }

  private:
    void expect_step(const trace_step& s) const {
        ASSERT_LE(s.first_bit + s.bits, A::bits);
        ASSERT_GT(s.bytes, 0U);
        ASSERT_LE(s.offset + s.bytes, size_of(sizes_, s.part)) << s.part;
        ASSERT_TRUE(s.with != compared::keys || std::is_sorted(s.values.begin(), s.values.end())) << s.part;
        if (s.part == part::changed_words)
            return;
        const auto* const at = static_cast<const std::byte*>(s.at);
        ASSERT_TRUE(std::any_of(saved_.sections.begin(), saved_.sections.end(),
                                [&](const saved_section& one) {
                                    return one.bytes.data() + s.offset == at &&
                                           s.offset + s.bytes <= one.bytes.size();
                                }))
            << s.part;
    }

    const fib<A>& of_;
    part_sizes sizes_;
    saved_arrays saved_;
    name_set& parts_;
};

// Steps read nodes that cover the address, and counted bits lead to what the next one reads.
template <class A>
void expect_steps_in_nodes(const fib<A>& of, const visited<A>& seen, A a) {
    bit_count counted;
    of.trace(a, [&](const trace_step& s) {
        ASSERT_TRUE(seen.is_inside_node(s, a)) << s.offset << " of " << s.part << " " << text_of(a);
        if (counted.words != 0) {
            EXPECT_EQ((counted.base + counted.rank) * counted.unit, s.offset);
        }
        counted = s.counted;
        if (counted.words != 0) {
            ASSERT_EQ(s.values.size(), 1U);
            EXPECT_LT(counted.rank, static_cast<std::uint64_t>(std::popcount(s.values[0])));
        }
    });
}

// Of many probes only one in `every`.
template <class A>
void expect_shown(const fib<A>& of, const routes<A>& from, name_set& parts, std::size_t every = 1) {
    ASSERT_NO_FATAL_FAILURE(expect_parts(of));
    const visited<A> seen(of);
    EXPECT_TRUE(seen.covers_all());
    const oracle::by_length<A> truth(from.sorted());
    checked_trace<A> trace(of, parts);
    const std::vector<A> all = oracle::probes<A>(from.sorted());
    for (std::size_t i = 0; i < all.size(); i += every) {
        std::string end;
        ASSERT_NO_FATAL_FAILURE(trace.expect(all[i], truth.lookup(all[i]), &end));
        ASSERT_TRUE(end.empty() || seen.is_inside_leaf(end, all[i])) << end << " " << text_of(all[i]);
        ASSERT_NO_FATAL_FAILURE(expect_steps_in_nodes(of, seen, all[i]));
    }
}

// Next hops whose ids need a list in codes of one byte.
template <class A>
table<A> with_distant_hops(table<A> from) {
    for (route<A>& r : from)
        r.hop.id = r.hop.id * 1'000'003 + 70'000;
    return from;
}

template <class A>
class PackedLeavesInspect : public ::testing::Test {
  protected:
    static void expect_shown_at_random(const size_bounds& bounds, name_set& parts) {
        random_numbers random(A::bits);
        for (unsigned round = 0; round < std::max<std::size_t>(10, scaled(16)); ++round) {
            const std::size_t size = round < 2 ? round : random.below(600);
            const table<A> small = clustered_table<A>(random, size, 40);
            const routes<A> from(round % 2 == 0 ? small : with_distant_hops<A>(small));
            const auto built = fib<A>::build(from, {}, bounds);
            ASSERT_TRUE(built);
            ASSERT_NO_FATAL_FAILURE(expect_shown(*built, from, parts));
        }
    }
};
using widths = ::testing::Types<address<7>, ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(PackedLeavesInspect, widths);

TYPED_TEST(PackedLeavesInspect, TreesAtAllProbesOfClusteredTables) {
    using A = TypeParam;
    name_set parts;
    ASSERT_NO_FATAL_FAILURE(TestFixture::expect_shown_at_random(trees_only, parts));
    name_set expected{"index root codes", "regions", "next hops"};
    if (A::bits > 8) // else the root answers
        expected.insert({"index root", "index pages"});
    if (A::bits > 16)
        expected.insert("index lines");
    if (A::bits > 32)
        expected.insert({"tier 1 cells", "tier 1 lines"});
    if (A::bits > 112)
        expected.insert({"tier 2 cells", "tier 2 lines", "tier 3 cells", "tier 3 lines"});
    EXPECT_EQ(parts, expected);
}

TYPED_TEST(PackedLeavesInspect, AsTheTableChanges) {
    using A = TypeParam;
    for (const bool uses_bitmaps : {false, true}) {
        if (uses_bitmaps && A::bits != 32)
            continue;
        const size_bounds bounds = uses_bitmaps ? bitmaps_always : trees_only;
        random_numbers random(A::bits + 1);
        clustered_prefixes<A> prefixes(random);
        rib<A> truth;
        name_set parts;
        auto now = fib<A>::build(truth.to_routes(), {}, bounds);
        ASSERT_TRUE(now);
        for (std::size_t i = 0; i < std::max<std::size_t>(1'200, scaled(2'400)); ++i) {
            const bool leaves = truth.size() > 500 || (truth.size() > 0 && random.below(3) == 0);
            const prefix<A> where =
                leaves ? truth.match(random.template address<A>()).value_or(*truth.begin()).where
                       : prefixes.next();
            const auto told = leaves ? truth.withdraw(where)
                                     : truth.announce(where, {static_cast<std::uint32_t>(random.below(200))});
            ASSERT_TRUE(told);
            if (now->apply(*told) != errc::ok) {
                now = fib<A>::build(truth.to_routes(), {}, bounds);
                ASSERT_TRUE(now);
            }
            if (i % 300 == 299) {
                ASSERT_NO_FATAL_FAILURE(expect_shown(*now, truth.to_routes(), parts));
            }
        }
        EXPECT_EQ(parts.contains("bitmap words"), uses_bitmaps);
    }
}

// Blocks of 16 bits with more intervals than a tree holds: cells of one table share trees, also across cells
// that have an answer of their own. Then trees lose all in their first cells, and fill up again.
template <class A>
void expect_dense_blocks_shown() {
    constexpr std::uint32_t blocks[] = {0x1400, 0x1401, 0x2001};
    random_numbers random(A::bits + 2);
    rib<A> truth;
    auto now = fib<A>::build(truth.to_routes());
    const auto hop = [&] { return next_hop{static_cast<std::uint32_t>(random.below(50))}; };
    // Most lie in one cell of 20 bits, which makes the block's table fine. Every fourth of its cells has one
    // route at most.
    const auto some_prefix = [&] {
        const bool is_dense = random.below(5) < 3;
        const std::uint64_t inside = is_dense ? 0x9000 + random.below(1U << 12) : random.below(1U << 16);
        const bool is_whole = !is_dense && (inside >> 11) % 4 == 0;
        const unsigned length = is_dense ? 32 : is_whole ? 21 : static_cast<unsigned>(25 + random.below(6));
        return prefix<A>::make(leading<A>(blocks[random.below(3)] << 16 | inside, 32).base, length);
    };
    const auto change_to = [&](const prefix<A>& where, next_hop to) {
        const auto told = to == next_hop::none ? truth.withdraw(where) : truth.announce(where, to);
        ASSERT_TRUE(told);
        if (now->apply(*told) != errc::ok)
            now = fib<A>::build(truth.to_routes());
        ASSERT_TRUE(now);
    };
    name_set parts;
    const auto expect_now = [&] {
        ASSERT_NO_FATAL_FAILURE(expect_shown(*now, truth.to_routes(), parts, 5));
        const visited<A> seen(*now);
        EXPECT_GE(seen.nodes("table"), 3U);
        EXPECT_GE(seen.nodes("answer"), 30U);
    };
    for (unsigned i = 0; i < 15'000; ++i)
        (void)truth.insert(some_prefix(), hop());
    now = fib<A>::build(truth.to_routes());
    ASSERT_TRUE(now);
    ASSERT_NO_FATAL_FAILURE(expect_now());
    // The first half of each block goes, and its cells get answers of their own.
    std::vector<prefix<A>> leaving;
    for (const route<A>& r : truth)
        if (slice(r.where.base, 16, 1) == 0)
            leaving.push_back(r.where);
    for (const prefix<A>& where : leaving)
        ASSERT_NO_FATAL_FAILURE(change_to(where, next_hop::none));
    for (const std::uint32_t block : blocks)
        for (std::uint32_t cell = 0; cell < 16; ++cell)
            ASSERT_NO_FATAL_FAILURE(change_to(leading<A>(block << 5 | cell, 21), hop()));
    ASSERT_NO_FATAL_FAILURE(expect_now());
    // Built anew, trees start with leaves whose addresses these cells answer.
    now = fib<A>::build(truth.to_routes());
    ASSERT_TRUE(now);
    ASSERT_NO_FATAL_FAILURE(expect_now());
    for (unsigned i = 0; i < 15'000; ++i)
        ASSERT_NO_FATAL_FAILURE(change_to(some_prefix(), hop()));
    ASSERT_NO_FATAL_FAILURE(expect_now());
}
TEST(PackedLeavesInspectDense, Ipv4) {
    expect_dense_blocks_shown<ipv4_address>();
}
TEST(PackedLeavesInspectDense, Ipv6) {
    expect_dense_blocks_shown<ipv6_address>();
}

using PackedLeavesInspectIpv4 = PackedLeavesInspect<ipv4_address>;

TEST_F(PackedLeavesInspectIpv4, BitmapsAtAllProbesOfClusteredTables) {
    name_set parts;
    ASSERT_NO_FATAL_FAILURE(expect_shown_at_random(bitmaps_always, parts));
    EXPECT_EQ(parts, (name_set{"bitmap words", "bitmap answers", "tier 1 cells", "tier 1 lines", "regions",
                               "next hops"}));
}

// Routes enough for tables in both steps and full trees, with codes of four bytes.
TEST_F(PackedLeavesInspectIpv4, LargeTreesWithWideAnswers) {
    using A = ipv4_address;
    table<A> many;
    for (std::uint32_t i = 0; i < 70'000; ++i)
        many.push_back({prefix<A>{A{0x14000000 + (i << 8)}, 24}, {i * 61'000}});
    many.push_back({prefix<A>{A{0xc0000000}, 16}, {0xfff00000}});
    const routes<A> from(many);
    const auto built = fib<A>::build(from);
    ASSERT_TRUE(built);
    ASSERT_NO_FATAL_FAILURE(expect_parts(*built));
    const visited<A> seen(*built);
    EXPECT_TRUE(seen.covers_all());
    EXPECT_GT(seen.nodes("table"), 1U);
    // All parts except those for addresses that the index answers, two nodes and a leaf.
    EXPECT_EQ(seen.bytes(part::index_lines) + 3 * packed_leaves::line_bytes,
              size_of(sizes_of(*built), part::index_lines));
    name_set parts;
    checked_trace<A> trace(*built, parts);
    random_numbers random(5);
    for (const route<A>& r : many) {
        if (random.below(8) != 0 && r.where.length == 24)
            continue;
        for (const A a : {r.where.first(), r.where.last()})
            ASSERT_NO_FATAL_FAILURE(trace.expect(a, r.hop));
    }
}

// Two FIBs that share words: each shows what its own readers find, before, while and after words change.
TEST_F(PackedLeavesInspectIpv4, WordsInTransit) {
    using A = ipv4_address;
    random_numbers random(9);
    rib<A> truth;
    for (const route<A>& r : clustered_table<A>(random, 400, 40))
        ASSERT_TRUE(truth.insert(r.where, r.hop));
    std::array<expected<fib<A>>, 2> both{fib<A>::build(truth.to_routes(), {}, bitmaps_always),
                                         fib<A>::build(routes<A>(table<A>{}), {}, bitmaps_always)};
    ASSERT_TRUE(both[0] && both[1]);
    both[0]->begin_publish();
    name_set parts;
    for (unsigned turn = 1; turn <= 12; ++turn) {
        fib<A>& older = *both[1 - turn % 2];
        fib<A>& newer = *both[turn % 2];
        ASSERT_EQ(newer.sync_from(older), errc::ok);
        const routes<A> before = truth.to_routes();
        for (unsigned i = 0; i < 30; ++i) {
            const bool leaves = random.below(2) == 0;
            const prefix<A> p =
                prefix<A>::make(random.address<A>(), static_cast<unsigned>(13 + random.below(16)));
            const prefix<A> where =
                leaves ? truth.match(random.address<A>()).value_or(*truth.begin()).where : p;
            const auto told = leaves ? truth.withdraw(where)
                                     : truth.announce(where, {static_cast<std::uint32_t>(random.below(40))});
            ASSERT_TRUE(told);
            ASSERT_EQ(newer.apply(*told), errc::ok);
        }
        const routes<A> after = truth.to_routes();
        newer.begin_publish();
        ASSERT_FALSE(newer.is_publish_finished());
        const auto expect_both = [&] {
            const oracle::by_length<A> old_truth(before.sorted());
            const oracle::by_length<A> new_truth(after.sorted());
            for (const std::span<const route<A>> some : {before.sorted(), after.sorted()})
                for (const A a : oracle::probes<A>(some)) {
                    const auto read = [&](const trace_step& s) { parts.emplace(s.part); };
                    ASSERT_EQ(older.trace(a, read), old_truth.lookup(a)) << text_of(a);
                    ASSERT_EQ(older.lookup(a), old_truth.lookup(a)) << text_of(a);
                    ASSERT_EQ(newer.trace(a, read), new_truth.lookup(a)) << text_of(a);
                }
        };
        ASSERT_NO_FATAL_FAILURE(expect_both());
        ASSERT_NO_FATAL_FAILURE(expect_shown(newer, after, parts));
        // Words count for the newer FIB.
        EXPECT_EQ(sum_of(sizes_of(older)), older.memory_bytes());
        EXPECT_EQ(size_of(sizes_of(older), part::bitmap_words), 0U);
        const visited<A> shown(older);
        EXPECT_TRUE(shown.covers_all());
        EXPECT_EQ(shown.bytes(part::bitmap_words), 0U);
        newer.finish_publish();
        ASSERT_NO_FATAL_FAILURE(expect_shown(newer, after, parts));
    }
    EXPECT_TRUE(parts.contains("changed words"));
}

} // namespace
} // namespace fingerpost::testing::of_packed_leaves
