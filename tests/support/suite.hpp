// The check that all tests of schemes share: builds every scheme with each ISA and compares it with the
// oracle at all boundaries.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/oracle/by_length.hpp"
#include "tests/oracle/by_parent.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/oracle/verify.hpp"
#include "tests/support/chosen_schemes.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/halves.hpp"
#include "tests/support/tables/shrink.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/test_widths.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing {

// A scheme with one choice of kernels. Schemes without kernels are built once.
template <class A>
struct candidate {
    std::string name;
    const scheme_entry<A>* scheme;
    build_options options;

    expected<fib_pointer<A>> build(const routes<A>& from) const { return scheme->build(from, options); }
};

template <class A>
const std::vector<candidate<A>>& candidates() {
    static const std::vector<candidate<A>> all = [] {
        std::vector<candidate<A>> list;
        for (const scheme_entry<A>& entry : chosen_schemes<A>()) {
            const std::string name(entry.facts.name);
            // Where every instruction is slow, variants run on one ISA only.
            if (!entry.facts.vectorised || (effort() < 0.5 && !entry.facts.is_standard())) {
                list.push_back({name, &entry, {}});
                continue;
            }
            for (const simd::isa isa : simd::available_isas())
                list.push_back({name + " on " + std::string(simd::name_of(isa)), &entry, {.isa = isa}});
        }
        return list;
    }();
    return all;
}

// Counts the work of a test. report() writes the counts to the test log and fails the test when they are too
// low.
struct tally {
    std::size_t tables = 0;
    std::size_t builds = 0;
    std::size_t answers = 0;
    std::size_t refusals = 0;

    void report(std::size_t least_tables, std::size_t least_answers) const {
        ::testing::Test::RecordProperty("tables", std::to_string(tables));
        ::testing::Test::RecordProperty("builds", std::to_string(builds));
        ::testing::Test::RecordProperty("answers", std::to_string(answers));
        ::testing::Test::RecordProperty("refusals", std::to_string(refusals));
        EXPECT_GE(tables, least_tables);
        EXPECT_GE(answers, least_answers);
        EXPECT_GE(builds + refusals, tables) << "a scheme should have been built of each table";
    }
};

// Whether a scheme may refuse a table with errc::capacity, for example a scheme with 16-bit codes when the
// table has too many next hops. A wrong answer is never allowed.
enum class refusal : bool { forbidden, allowed };

// Whether these routes have more distinct next hops than the scheme supports.
template <class A>
refusal refusal_of(const scheme_facts& facts, std::span<const route<A>> routes) {
    if (facts.most_next_hops == 0)
        return refusal::forbidden;
    std::vector<std::uint32_t> ids;
    for (const route<A>& r : routes)
        ids.push_back(r.hop.id);
    std::sort(ids.begin(), ids.end());
    const auto distinct = std::unique(ids.begin(), ids.end()) - ids.begin();
    return static_cast<std::uint64_t>(distinct) > facts.most_next_hops ? refusal::allowed
                                                                       : refusal::forbidden;
}

// All addresses when the space is tiny, otherwise the boundaries and their neighbours. A table of several
// 100,000 routes has millions of boundaries; both ends and a sample in between are enough here, because
// tests/property/real_tables_test.cpp tries all of them with the real tables.
template <class A>
std::vector<A> addresses_to_try(std::span<const route<A>> routes) {
    if constexpr (A::bits > 12) {
        std::vector<A> all = oracle::probes<A>(routes);
        const std::size_t most = scaled(200'000), ends = most / 4;
        if (all.size() <= most)
            return all;
        const std::size_t step = all.size() / (most - 2 * ends) | 1U;
        std::vector<A> some(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(ends));
        for (std::size_t i = ends; i < all.size() - ends; i += step)
            some.push_back(all[i]);
        some.insert(some.end(), all.end() - static_cast<std::ptrdiff_t>(ends), all.end());
        return some;
    } else {
        std::vector<A> all(std::size_t{1} << A::bits);
        for (std::uint32_t i = 0; i < all.size(); ++i)
            all[i] = A{i};
        return all;
    }
}

template <class A>
std::vector<next_hop> oracle_answers(std::span<const route<A>> routes, std::span<const A> at) {
    // For larger tables the maps of by_length would dominate the time of the test.
    if (routes.size() > (all_samples() ? 2000 : 10))
        return oracle::answers<A>(oracle::by_parent<A>(routes), at);
    return oracle::answers<A>(oracle::by_length<A>(routes), at);
}

// Whether a candidate runs with this table. With all samples each candidate runs with each table, otherwise
// with every third one, because the variants of a scheme share most of their code.
inline bool is_turn_of(std::size_t candidate, std::size_t candidates, std::size_t number_of_table) {
    return all_samples() || candidates < 3 || (candidate + number_of_table) % 3 == 0;
}

// Describes the fault of the candidate's FIB for these routes; empty when the FIB is right.
template <class A>
std::string fault_of(const candidate<A>& one, const routes<A>& from, std::span<const A> addresses,
                     std::span<const next_hop> expected_answers, tally& done,
                     refusal policy = refusal::forbidden) {
    const auto built = one.build(from);
    if (!built) {
        ++done.refusals;
        if (policy == refusal::allowed && built.error() == errc::capacity)
            return {};
        return one.name + " could not be built: " + std::string(message(built.error()));
    }
    ++done.builds;
    const auto words = [&](const std::optional<oracle::difference<A>>& wrong, const char* by) -> std::string {
        if (!wrong)
            return {};
        const std::string form =
            wrong->batch == 0 ? "alone" : "in a batch of " + std::to_string(wrong->batch);
        return one.name + " answers " + text_of(wrong->got) + " instead of " + text_of(wrong->expected) +
               " for " + text_of(wrong->address) + " looked up " + form + by;
    };
    const any_fib<A>& fib = **built;
    std::string fault = words(oracle::verify<A>(fib, addresses, expected_answers, &done.answers), "");
    if constexpr (A::bits > 64) {
        if (fault.empty())
            fault = words(
                oracle::verify<A>(by_halves<A, any_fib<A>>{fib}, addresses, expected_answers, &done.answers),
                ", by halves");
        if (fault.empty() && any_beyond_64(from.sorted()))
            fault = fault_of_refusal(fib);
        else if (fault.empty())
            fault = words(
                oracle::verify<A>(by_first64<A, any_fib<A>>{fib}, addresses, expected_answers, &done.answers),
                ", by first halves");
    }
    return fault;
}

// Checks all candidates. For a failure, shrinks the table to the few routes that matter.
template <class A>
::testing::AssertionResult agree(table<A> sorted_routes, tally& done, refusal policy = refusal::forbidden) {
    const std::span<const route<A>> all(sorted_routes);
    const std::vector<A> addresses = addresses_to_try<A>(all);
    const std::vector<next_hop> right = oracle_answers<A>(all, addresses);
    const routes<A> from(sorted_routes);
    ++done.tables;
    const std::vector<candidate<A>>& tried = candidates<A>();
    for (std::size_t i = 0; i < tried.size(); ++i) {
        const candidate<A>& one = tried[i];
        // Tests of refusals count builds, so they try all candidates.
        if (policy == refusal::forbidden && !is_turn_of(i, tried.size(), done.tables))
            continue;
        const std::string fault = fault_of<A>(one, from, addresses, right, done, policy);
        if (fault.empty())
            continue;
        const auto still = [&](const table<A>& fewer) {
            tally ignored;
            const std::vector<A> at = addresses_to_try<A>(std::span<const route<A>>(fewer));
            const std::vector<next_hop> answers = oracle_answers<A>(std::span<const route<A>>(fewer), at);
            return !fault_of<A>(one, routes<A>(fewer), at, answers, ignored, policy).empty();
        };
        const table<A> small = shrink<A>(sorted_routes, still);
        return ::testing::AssertionFailure() << fault << "\n  of " << sorted_routes.size() << " routes; "
                                             << small.size() << " are enough to go wrong:\n"
                                             << text_of<A>(std::span<const route<A>>(small));
    }
    return ::testing::AssertionSuccess();
}

// Most scheme tests use these functions, so suite.cpp compiles them once, with optimization.
#define FINGERPOST_SUITE(EXTERN, bits)                                                                       \
    EXTERN template const std::vector<candidate<address<bits>>>& candidates<address<bits>>();                \
    EXTERN template table<address<bits>> clustered_table(random_numbers&, std::size_t, std::uint32_t);       \
    EXTERN template std::vector<address<bits>> addresses_to_try(std::span<const route<address<bits>>>);      \
    EXTERN template std::vector<next_hop> oracle_answers(std::span<const route<address<bits>>>,              \
                                                         std::span<const address<bits>>);                    \
    EXTERN template std::string fault_of(const candidate<address<bits>>&, const routes<address<bits>>&,      \
                                         std::span<const address<bits>>, std::span<const next_hop>, tally&,  \
                                         refusal);                                                           \
    EXTERN template ::testing::AssertionResult agree<address<bits>>(table<address<bits>>, tally&, refusal);
#define FINGERPOST_EXTERN_SUITE(bits) FINGERPOST_SUITE(extern, bits)
FINGERPOST_FOR_EACH_TEST_WIDTH(FINGERPOST_EXTERN_SUITE)
FINGERPOST_EXTERN_SUITE(32)
FINGERPOST_EXTERN_SUITE(128)

} // namespace fingerpost::testing
