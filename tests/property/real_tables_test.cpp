// Internet tables: checks every scheme and ISA at all boundaries, at their neighbours, and inside every
// interval.
//
// With little effort all routes are used, but only some of the probes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include "tests/support/suite.hpp"
#include "tests/support/tables/real_data.hpp"

namespace fingerpost::testing {
namespace {

struct real_table {
    const char* name;
    std::size_t routes;
};
void PrintTo(const real_table& t, std::ostream* out) {
    *out << t.name;
}

// The known sizes of the files, so that a reader that loses lines is noticed.
constexpr std::array known_tables{
    real_table{"ipv4", 5'015},
    real_table{"ipv6", 4'548},
    real_table{"tier1-v4", 901'899},
    real_table{"tier1-v6", 160'147},
    real_table{"ipv6-2014-linx", 20'440},
    real_table{"ipv6-2021-as19016", 79'431},
    real_table{"ipv6-2021-as19151", 103'067},
    real_table{"ipv6-2021-as19653", 105'957},
    real_table{"ipv6-2021-as23367", 102'739},
    real_table{"ipv6-2021-as293", 105'363},
    real_table{"ipv6-2021-as53828", 104'235},
};

// Assigns next hops to tables that have none. With `few`, blocks of neighbouring routes share a next hop, as
// real ones do, so that intervals merge. Otherwise each route has its own, which needs 4-byte codes in the
// largest table.
template <class A>
void deal_next_hops(table<A>& routes, bool few) {
    for (std::size_t i = 0; i < routes.size(); ++i)
        routes[i].hop = {static_cast<std::uint32_t>(few ? i / 3 % 40 : i)};
}

template <class A>
void expect_right_answers(const table<A>& routes, tally& done) {
    const std::span<const route<A>> all(routes);
    std::vector<A> addresses = oracle::probes<A>(all);
    if (effort() < 1.0) {
        const std::size_t all_of_them = addresses.size();
        const std::size_t kept = scaled(all_of_them);
        for (std::size_t i = 0; i < kept; ++i)
            addresses[i] = addresses[i * all_of_them / kept];
        addresses.resize(kept);
    }
    const std::vector<next_hop> right = oracle::answers<A>(oracle::by_parent<A>(all), addresses);
    const fingerpost::routes<A> from(routes);
    ++done.tables;
    for (const candidate<A>& one : candidates<A>())
        ASSERT_EQ(fault_of<A>(one, from, addresses, right, done, refusal_of<A>(one.scheme->facts, all)), "")
            << "in " << routes.size() << " routes";
    EXPECT_GE(addresses.size(), static_cast<std::size_t>(static_cast<double>(2 * routes.size()) * effort()));
}

class real_tables : public ::testing::TestWithParam<real_table> {};

TEST_P(real_tables, all_boundaries_and_neighbours) {
    auto loaded = load_real_table(GetParam().name);
    if (!loaded)
        return;
    std::visit(
        []<class A>(io::loaded_table<A>& got) {
            if (candidates<A>().empty())
                GTEST_SKIP() << "no chosen scheme serves this family";
            auto& routes = got.routes;
            EXPECT_EQ(routes.size() + got.counts.duplicates, GetParam().routes);
            // Next hops are numbered by first appearance, so an id other than 0 means that the file has next
            // hops.
            const bool has_hops =
                std::any_of(routes.begin(), routes.end(), [](const auto& r) { return r.hop.id != 0; });
            tally done;
            if (has_hops) {
                expect_right_answers(routes, done);
            } else {
                deal_next_hops(routes, true);
                expect_right_answers(routes, done);
                if (::testing::Test::HasFatalFailure())
                    return;
                // Try once more with a distinct next hop for each route.
                deal_next_hops(routes, false);
                expect_right_answers(routes, done);
            }
            EXPECT_GE(done.builds, done.tables);
            done.report(
                1, static_cast<std::size_t>(static_cast<double>(done.builds * routes.size()) * effort()));
        },
        *loaded);
}
INSTANTIATE_TEST_SUITE_P(internet, real_tables, ::testing::ValuesIn(known_tables),
                         [](const auto& one) { return test_name_of(one.param.name); });

TEST(real_data, every_file_has_its_test) {
    const std::filesystem::path folder = real_tables_folder();
    if (!std::filesystem::exists(folder)) {
        real_data_missing(folder.string() + " is not there");
        return;
    }
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (!name.ends_with(".txt.xz"))
            continue;
        ++files;
        const bool known = std::any_of(known_tables.begin(), known_tables.end(), [&](const real_table& t) {
            return name == std::string(t.name) + ".txt.xz";
        });
        EXPECT_TRUE(known) << name << " is tested by nothing";
    }
    EXPECT_GE(files + 2, known_tables.size()); // two tables are in the repository
}

} // namespace
} // namespace fingerpost::testing
