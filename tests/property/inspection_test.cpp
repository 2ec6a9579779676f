// The things that a scheme shows of itself are true: the steps of a lookup end in its answer, the parts add
// up to its memory, and the structure covers the addresses that it answers. One case for each scheme and
// width, on all its ISAs.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "tests/support/shown_nodes.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::testing {
namespace {

struct shown {
    std::size_t tables = 0;
    std::size_t steps = 0;
    std::size_t nodes = 0;
    std::size_t patches = 0;
    std::size_t kinds = 0;   // steps that read a node
    std::size_t answers = 0; // next hops in the contents of nodes
    std::size_t matches = 0; // steps that find a prefix in a bitmap
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

void expect_within(const part_sizes& parts, std::string_view part, std::uint64_t offset,
                   std::uint64_t bytes) {
    const auto found = parts.find(part);
    ASSERT_NE(found, parts.end()) << "no part is called '" << part << "'";
    EXPECT_LE(offset + bytes, found->second) << "of " << part;
}

// Bits that are counted lead to what the next step reads.
void expect_true_count(const trace_step& step, std::uint64_t next_offset) {
    const bit_count& counted = step.counted;
    ASSERT_LE(counted.first_word + counted.words, step.values.size());
    std::uint64_t set = 0;
    for (const std::uint64_t word : step.values.subspan(counted.first_word, counted.words))
        set += static_cast<std::uint64_t>(std::popcount(word));
    EXPECT_LT(counted.rank, set);
    EXPECT_EQ(counted.base + counted.rank, next_offset / counted.unit);
}

// A matched bit is set, and stands for a route that covers the address.
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
        bool strayed = false; // read a node that does not cover the address, and has not missed since
        std::optional<trace_step> last;
        std::vector<std::uint64_t> last_values;
        const auto check = [&](const trace_step& step) {
            expect_within(parts, step.part, step.offset, step.bytes);
            EXPECT_NE(step.at, nullptr);
            EXPECT_GT(step.bytes, 0U);
            EXPECT_LE(step.first_bit + step.bits, A::bits);
            // A node without keys has none to compare with.
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
    };
    fib.visit(check);
    open.close(0);
    node_map<A>(fib).expect_none_overlaps();
    if (::testing::Test::HasFailure())
        return;
    // In addition to the nodes at the root nothing can be found.
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
    // Both ends and some addresses between.
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

template <class A>
std::vector<table<A>> tables_to_show(random_numbers& random) {
    const auto host = [](typename A::value_type number, std::uint32_t hop) {
        return route<A>{prefix<A>::make(A{number}, A::bits), {hop}};
    };
    std::vector<table<A>> all{
        {},
        {{prefix<A>::make(A{}, 0), {7}}},
        sorted<A>({host(0, 1), host(5, 2), host(A::last().value, 3)}),
        sorted<A>({{prefix<A>::make(A{}, 0), {7}}, host(9, 0xfffffffe), host(A::last().value, 0xfffffffd)}),
    };
    for (const std::size_t size : {3U, 20U, 200U, 3000U})
        for (const std::uint32_t hops : {1U, 5U, 70'000U, 0xffffffffU})
            all.push_back(clustered_table<A>(random, size, hops));
    // Host routes in one place, enough for long runs and deep trees.
    table<A> hosts;
    for (std::uint32_t i = 0; i < 1000; ++i)
        hosts.push_back(
            host(static_cast<typename A::value_type>(random.below(3000)) & A::last().value, i % 50));
    all.push_back(sorted(std::move(hosts)));
    return all;
}

// A FIB that changes have been applied to shows its present state.
template <class A>
void patch_and_look(const scheme_entry<A>& scheme, random_numbers& random, shown& done) {
    rib<A> truth;
    clustered_prefixes<A> prefixes(random);
    std::vector<prefix<A>> known;
    auto fib = scheme.build(truth.to_routes(), {});
    ASSERT_TRUE(fib);
    for (unsigned round = 0; round < 400; ++round) {
        const bool leaves = !known.empty() && random.below(3) == 0;
        if (!leaves)
            known.push_back(prefixes.next());
        const prefix<A> where = leaves ? known[random.below(known.size())] : known.back();
        const auto told = leaves ? truth.withdraw(where)
                                 : truth.announce(where, {static_cast<std::uint32_t>(random.below(40))});
        if (!told) {
            ASSERT_EQ(told.error(), errc::not_found);
            continue;
        }
        if ((*fib)->apply(*told) != errc::ok) {
            fib = scheme.build(truth.to_routes(), {});
            ASSERT_TRUE(fib);
        } else {
            ++done.patches;
        }
        if (round % 50 == 49) {
            const routes<A> now = truth.to_routes();
            expect_truth<A>(scheme, **fib, now.sorted(), done);
        }
    }
}

template <class A>
void show_all(std::string_view name, shown& done) {
    const scheme_entry<A>& scheme = *find_scheme<A>(name);
    random_numbers random(17);
    static const std::vector<table<A>> tables = tables_to_show<A>(random);
    for (const table<A>& routes_of_it : tables) {
        const routes<A> from(routes_of_it);
        for (const candidate<A>& one : candidates<A>()) {
            if (one.scheme->facts.name != name)
                continue;
            SCOPED_TRACE(one.name + ", " + std::to_string(routes_of_it.size()) + " routes");
            const auto fib = one.build(from);
            ASSERT_TRUE(fib) << message(fib.error());
            expect_truth<A>(scheme, **fib, routes_of_it, done);
            ++done.tables;
            if (::testing::Test::HasFailure())
                return;
        }
    }
    if (scheme.patchable)
        patch_and_look(scheme, random, done);
}

struct inspected {
    std::string_view name;
    unsigned width;
    bool traceable;
    bool visitable;
    void (*show)(std::string_view, shown&);
};
void PrintTo(const inspected& one, std::ostream* out) {
    *out << one.name << " of " << one.width << " bits";
}

template <class A>
void collect(std::vector<inspected>& list) {
    for (const scheme_entry<A>& entry : schemes<A>())
        if (entry.traceable || entry.visitable)
            list.push_back({entry.facts.name, A::bits, entry.traceable, entry.visitable, show_all<A>});
}
std::vector<inspected> all_inspected() {
    std::vector<inspected> list;
    collect<address<12>>(list);
    collect<ipv4_address>(list);
    collect<ipv6_address>(list);
    return list;
}

class inspection : public ::testing::TestWithParam<inspected> {};

TEST_P(inspection, shows_what_is_there) {
    const inspected& one = GetParam();
    shown done;
    one.show(one.name, done);
    RecordProperty("tables", std::to_string(done.tables));
    RecordProperty("steps", std::to_string(done.steps));
    RecordProperty("nodes", std::to_string(done.nodes));
    RecordProperty("patches", std::to_string(done.patches));
    RecordProperty("kinds", std::to_string(done.kinds));
    RecordProperty("matches", std::to_string(done.matches));
    RecordProperty("answers", std::to_string(done.answers));
    EXPECT_GE(done.tables, 20U);
    EXPECT_GE(done.steps, one.traceable ? scaled(20'000) : 0U);
    // A table of 12 bits may be few nodes, or one.
    EXPECT_GE(done.kinds, one.traceable && one.visitable ? scaled(5'000) : 0U);
    EXPECT_GE(done.answers, one.visitable ? 100U : 0U);
    if (one.name == "bart" || one.name == "tree_bitmap") {
        EXPECT_GE(done.matches, scaled(1'000));
    }
    EXPECT_GE(done.nodes, !one.visitable ? 0U : (one.width == 12 ? 150U : 1000U) / (effort() < 0.5 ? 2 : 1));
}
INSTANTIATE_TEST_SUITE_P(schemes, inspection, ::testing::ValuesIn(all_inspected()), [](const auto& one) {
    std::string name(one.param.name);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; },
        '_');
    return name + "_" + std::to_string(one.param.width);
});

// Without this the other tests would pass when no scheme showed anything.
TEST(inspection_of_all, is_offered_by_many) {
    std::set<std::string_view> traced;
    std::set<std::string_view> visited;
    for (const inspected& one : all_inspected()) {
        if (one.traceable)
            traced.insert(one.name);
        if (one.visitable)
            visited.insert(one.name);
    }
    EXPECT_GE(traced.size(), 12U);
    EXPECT_GE(visited.size(), 12U);
}

} // namespace
} // namespace fingerpost::testing
