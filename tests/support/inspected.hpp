// Checks what a FIB shows of its structure: the steps of a lookup end in its answer, the parts add up to its
// memory, and the nodes cover the addresses that the FIB answers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/shown_nodes.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::testing {

struct shown {
    std::size_t tables = 0;
    std::size_t steps = 0;
    std::size_t nodes = 0;
    std::size_t patches = 0;
    std::size_t kinds = 0;   // steps that read a node
    std::size_t answers = 0; // next hops in the contents of nodes
    std::size_t matches = 0; // steps that find a prefix in a bitmap
    std::map<std::string, std::size_t> nodes_of_kind{};
    std::set<std::string> parts_read{};
};

using part_sizes = std::map<std::string_view, std::size_t>;

template <class A>
part_sizes parts_of(const any_fib<A>& fib) {
    part_sizes sizes;
    std::size_t total = 0;
    for (const memory_part& part : fib.memory_parts()) {
        EXPECT_FALSE(part.name.empty());
        EXPECT_TRUE(sizes.emplace(part.name, part.bytes).second) << part.name << " comes twice";
        total += part.bytes;
    }
    EXPECT_EQ(total, fib.memory_bytes());
    return sizes;
}

inline void expect_within(const part_sizes& parts, std::string_view part, std::uint64_t offset,
                          std::uint64_t bytes) {
    const auto found = parts.find(part);
    ASSERT_NE(found, parts.end()) << "no part is called '" << part << "'";
    EXPECT_LE(offset + bytes, found->second) << "of " << part;
}

// The rank of the counted bits leads to the offset that the next step reads.
inline void expect_true_count(const trace_step& step, std::uint64_t next_offset) {
    const bit_count& counted = step.counted;
    ASSERT_LE(counted.first_word + counted.words, step.values.size());
    std::uint64_t set = 0;
    for (const std::uint64_t word : step.values.subspan(counted.first_word, counted.words))
        set += static_cast<std::uint64_t>(std::popcount(word));
    EXPECT_LT(counted.rank, set);
    EXPECT_EQ(counted.base + counted.rank, next_offset / counted.unit);
}

// The matched bit is set and corresponds to a route that covers the address.
template <class A>
void expect_true_match(const trace_step& step, A a, const std::set<prefix<A>>& routes) {
    const unsigned bit = step.matched->bit, length = step.matched->length;
    ASSERT_LT(bit / 64, step.values.size());
    EXPECT_NE(step.values[bit / 64] >> bit % 64 & 1, 0U) << "bit " << bit;
    ASSERT_LE(length, step.bits);
    EXPECT_TRUE(routes.contains(prefix<A>::make(a, step.first_bit + length))) << "of " << length << " bits";
}

template <class A>
void expect_true_steps(const any_fib<A>& fib, std::span<const A> addresses, std::span<const route<A>> routes,
                       shown& done) {
    std::set<prefix<A>> prefixes;
    for (const route<A>& one : routes)
        prefixes.insert(one.where);
    const part_sizes parts = parts_of(fib);
    const node_map<A> nodes(fib);
    for (const A a : addresses) {
        SCOPED_TRACE("lookup of " + text_of(a));
        std::size_t steps = 0;
        bool strayed = false; // a step read a node that does not cover the address, and no miss has followed
        std::optional<trace_step> last;
        std::vector<std::uint64_t> last_values;
        const auto check = [&](const trace_step& step) {
            expect_within(parts, step.part, step.offset, step.bytes);
            done.parts_read.emplace(step.part);
            EXPECT_NE(step.at, nullptr);
            EXPECT_GT(step.bytes, 0U);
            EXPECT_LE(step.first_bit + step.bits, A::bits);
            // A node without keys has nothing to compare with.
            EXPECT_TRUE(step.with != compared::nothing || step.values.empty());
            if (nodes.has_nodes(step.part)) {
                const auto* const node = nodes.at(step);
                EXPECT_NE(node, nullptr) << "no node at " << step.offset << " of " << step.part;
                strayed = strayed || node == nullptr || a < node->first || node->last < a;
                ++done.kinds;
            }
            strayed = strayed && step.result != outcome::missed;
            if (step.matched) {
                expect_true_match(step, a, prefixes);
                ++done.matches;
            }
            if (last) {
                EXPECT_NE(last->result, outcome::answered) << "a step behind the answer";
                if (last->counted.words != 0)
                    expect_true_count(*last, step.offset);
            }
            ++steps;
            last_values.assign(step.values.begin(), step.values.end());
            last = step;
            last->values = last_values;
        };
        const next_hop traced = fib.trace(a, check);
        const next_hop right = fib.lookup(a);
        ASSERT_EQ(traced, right);
        if (!routes.empty()) {
            ASSERT_GT(steps, 0U);
        }
        if (last) {
            ASSERT_NE(last->result, outcome::goes_on) << "the last step leads on";
        }
        EXPECT_FALSE(strayed) << "a node that does not cover the address leads to the answer";
        if (last && last->best != next_hop::none) {
            ASSERT_EQ(last->best, right) << "the best so far is not the answer";
        }
        done.steps += steps;
        if (::testing::Test::HasFailure())
            return;
    }
}

template <class A>
void expect_true_contents(const structure_node<A>& node, const std::set<std::uint32_t>& hops, shown& done) {
    node_contents held;
    node.contents(held);
    EXPECT_EQ(held.with == compared::nothing, held.values.empty()) << node.kind;
    EXPECT_LE(held.padding, held.values.size());
    if (!held.bitmaps.empty()) {
        EXPECT_EQ(held.with, compared::bitmap) << node.kind;
        EXPECT_EQ(held.values.size() % held.bitmaps.size(), 0U) << node.kind;
    }
    EXPECT_LE(node.first_bit + node.bits, A::bits) << node.kind;
    if (held.with == compared::keys && node.bits < 64) {
        for (const std::uint64_t key : held.values)
            EXPECT_LE(key, low_mask<std::uint64_t>(node.bits)) << "a key of a " << node.kind;
    }
    for (std::size_t i = 0; i < held.answers.size(); ++i) {
        if (i > 0) {
            EXPECT_LT(held.answers[i - 1].slot, held.answers[i].slot) << node.kind;
        }
        EXPECT_TRUE(held.answers[i].hop == next_hop::none || hops.contains(held.answers[i].hop.id))
            << "a " << node.kind << " holds " << held.answers[i].hop.id;
        done.answers += held.answers[i].hop == next_hop::none ? 0U : 1U;
    }
    for (const node_contents::number& number : held.numbers)
        EXPECT_FALSE(number.name.empty());
}

template <class A>
void expect_true_structure(const any_fib<A>& fib, std::span<const A> addresses,
                           std::span<const route<A>> routes, shown& done) {
    const part_sizes parts = parts_of(fib);
    std::set<std::uint32_t> hops;
    for (const route<A>& r : routes)
        hops.insert(r.hop.id);
    std::vector<address_range<A>> roots;
    open_nodes<A> open;
    const auto check = [&](const structure_node<A>& node) {
        if (::testing::Test::HasFailure())
            return;
        ASSERT_FALSE(node.last < node.first);
        ASSERT_FALSE(node.kind.empty());
        expect_within(parts, node.part, node.offset, node.bytes);
        open.add(node);
        expect_true_contents(node, hops, done);
        if (node.level == 0)
            roots.push_back({node.first, node.last});
        ++done.nodes;
        ++done.nodes_of_kind[std::string(node.kind)];
    };
    fib.visit(check);
    open.close(0);
    node_map<A>(fib).expect_none_overlaps();
    if (::testing::Test::HasFailure())
        return;
    // Addresses outside all roots have no route.
    for (const A a : addresses) {
        const auto covers = [&](const address_range<A>& root) { return !(a < root.first || root.last < a); };
        if (std::none_of(roots.begin(), roots.end(), covers)) {
            ASSERT_EQ(fib.lookup(a), next_hop::none) << text_of(a);
        }
    }
}

template <class A>
void expect_truth(const scheme_entry<A>& scheme, const any_fib<A>& fib, std::span<const route<A>> routes,
                  shown& done) {
    // Try both ends and some addresses in between.
    const std::vector<A> all = addresses_to_try<A>(routes);
    const std::size_t step = std::max<std::size_t>(1, all.size() / scaled(4000));
    std::vector<A> some;
    for (std::size_t i = 0; i < all.size(); i += step)
        some.push_back(all[i]);
    some.push_back(A::last());
    if (scheme.traceable)
        expect_true_steps<A>(fib, some, routes, done);
    if (scheme.visitable)
        expect_true_structure<A>(fib, some, routes, done);
}

} // namespace fingerpost::testing
