// Inspection of two FIBs that share words; tests/property/inspection_test.cpp has the rest.
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "tests/oracle/by_length.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/support/inspected.hpp"

namespace fingerpost::testing::of_ranked_cells {
namespace {

// Two FIBs that share words: each shows what its own readers find, before, while and after words change.
TEST(RankedCellsInspect, WordsInTransit) {
    using A = ipv4_address;
    random_numbers random(9);
    rib<A> truth;
    for (const route<A>& r : clustered_table<A>(random, 400, 40))
        ASSERT_TRUE(truth.insert(r.where, r.hop));
    const scheme_entry<A>& scheme = *find_scheme<A>("ranked_cells");
    auto first = scheme.build(truth.to_routes(), {}), second = scheme.build(routes<A>(), {});
    ASSERT_TRUE(first && second);
    any_fib<A>* const both[] = {first->get(), second->get()};
    both[0]->begin_publish();
    shown seen;
    for (unsigned turn = 1; turn <= 12; ++turn) {
        any_fib<A>& older = *both[1 - turn % 2];
        any_fib<A>& newer = *both[turn % 2];
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
                    const auto read = [&](const trace_step& s) { seen.parts_read.emplace(s.part); };
                    ASSERT_EQ(older.trace(a, read), old_truth.lookup(a)) << text_of(a);
                    ASSERT_EQ(older.lookup(a), old_truth.lookup(a)) << text_of(a);
                    ASSERT_EQ(newer.trace(a, read), new_truth.lookup(a)) << text_of(a);
                }
        };
        ASSERT_NO_FATAL_FAILURE(expect_both());
        ASSERT_NO_FATAL_FAILURE(expect_truth<A>(scheme, newer, after.sorted(), seen));
        // The newer FIB accounts for the shared words.
        for (const memory_part& one : older.memory_parts()) {
            EXPECT_TRUE(one.name != "bitmap words" || one.bytes == 0);
        }
        newer.finish_publish();
        ASSERT_NO_FATAL_FAILURE(expect_truth<A>(scheme, newer, after.sorted(), seen));
    }
    EXPECT_TRUE(seen.parts_read.contains("changed words"));
}

} // namespace
} // namespace fingerpost::testing::of_ranked_cells
