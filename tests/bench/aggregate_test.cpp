// Aggregates real tables with the next hops that the benchmark assigns to them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <variant>

#include "bench/workloads/generate/next_hops.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/tables/aggregated.hpp"
#include "tests/support/tables/real_data.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing {
namespace {

class aggregate_real : public ::testing::TestWithParam<const char*> {};

template <class A>
void record(const std::string& what, const table<A>& routes) {
    const auto start = std::chrono::steady_clock::now();
    const table<A> fewer = aggregated(routes);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    const auto runs = elementary_intervals<A>(std::span<const route<A>>(routes)).size();
    const std::string text = std::to_string(routes.size()) + " routes became " +
                             std::to_string(fewer.size()) + " of " + std::to_string(runs) + " intervals in " +
                             std::to_string(took.count()) + " ms";
    ::testing::Test::RecordProperty(what, text);
    if (std::getenv("FINGERPOST_VERBOSE") != nullptr)
        std::printf("%s: %s\n", what.c_str(), text.c_str());
    // A failure message must not contain a table of this size.
    ASSERT_TRUE(keeps_promises(routes).operator bool()) << what;
}

TEST_P(aggregate_real, keeps_every_answer) {
    auto loaded = load_real_table(GetParam());
    if (!loaded)
        return;
    std::visit(
        []<class T>(T& got) {
            using A = decltype(got.routes.front().where.base);
            if (std::any_of(got.routes.begin(), got.routes.end(),
                            [](const auto& r) { return r.hop.id != 0; }))
                record<A>("next hops of the file", got.routes);
            for (const char* policy : {"clustered:64", "clustered:8", "random:64", "unmerged", "unique"}) {
                bench::deal_next_hops<A>(got.routes, *bench::parse_dealing(policy));
                record<A>(policy, got.routes);
                if (effort() < 0.5)
                    break;
            }
        },
        *loaded);
}
INSTANTIATE_TEST_SUITE_P(internet, aggregate_real,
                         ::testing::Values("ipv4", "ipv6", "tier1-v4", "tier1-v6", "ipv6-2014-linx",
                                           "ipv6-2021-as293"),
                         [](const auto& one) { return test_name_of(one.param); });

} // namespace
} // namespace fingerpost::testing
