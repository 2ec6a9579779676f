// Checks what every scheme shows of its structure: the steps of a lookup end in its answer, the parts add up
// to the memory, and the nodes cover the addresses that it answers. One case per scheme and width, on all its
// ISAs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "tests/support/inspected.hpp"

namespace fingerpost::testing {
namespace {

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
    // Host routes within one prefix, enough for long runs and deep trees.
    table<A> hosts;
    for (std::uint32_t i = 0; i < 1000; ++i)
        hosts.push_back(
            host(static_cast<typename A::value_type>(random.below(3000)) & A::last().value, i % 50));
    all.push_back(sorted(std::move(hosts)));
    return all;
}

// A FIB that was patched shows its current state.
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
    // A table of 12 bits may consist of a few nodes, or of one.
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

// The nodes account for the memory up to 5 % (15 % for schemes with spare nodes) plus a constant for small
// tables, unless the scheme stores more than nodes.
template <class A>
void expect_memory_in_nodes(std::size_t& seen) {
    static constexpr std::array hold_more{"cp_trie",        "hi_bst",    "hbs",
                                          "lc_trie",        "dxr:split", "binary_search_on_prefixes",
                                          "hash_by_length", "planb"};
    static constexpr std::array with_spare_nodes{"packed_leaves", "multibit_fixed:packed",
                                                 "multibit_variable:packed_open", "expanded_lengths:hybrid"};
    random_numbers random(3);
    const routes<A> from(clustered_table<A>(random, 4000, 1000));
    for (const scheme_entry<A>& scheme : chosen_schemes<A>()) {
        const std::string_view name = scheme.facts.name;
        const auto is_of = [&](std::string_view one) {
            return name == one || name.substr(0, name.find(':')) == one;
        };
        if (!scheme.visitable || std::ranges::any_of(hold_more, is_of))
            continue;
        const std::size_t spare = std::ranges::any_of(with_spare_nodes, is_of) ? 15 : 5;
        const auto fib = scheme.build(from, {});
        ASSERT_TRUE(fib);
        std::size_t nodes = 0;
        (*fib)->visit([&](const structure_node<A>& node) { nodes += node.bytes; });
        EXPECT_LE((*fib)->memory_bytes(), nodes + nodes * spare / 100 + 4096) << name;
        ++seen;
    }
}
TEST(inspection_of_all, shows_most_of_the_memory_in_nodes) {
    std::size_t seen = 0;
    expect_memory_in_nodes<ipv4_address>(seen);
    expect_memory_in_nodes<ipv6_address>(seen);
    EXPECT_GE(seen, std::min<std::size_t>(60, chosen_schemes<ipv4_address>().size()));
}

// Without this check the other tests would pass even if no scheme showed anything.
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
