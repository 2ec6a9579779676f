// Real Internet tables: every scheme and ISA at all boundaries, their neighbours, and inside every interval.
//
// The tables are in $FINGERPOST_DATA/fib. Without them the tests skip, or fail when
// FINGERPOST_REQUIRE_DATA=1. One test a table, so that ctest runs them side by side. Little effort means a
// part of the probes, not of the routes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include "io/source/table_file.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::testing {
namespace {

namespace fs = std::filesystem;

struct real_table {
    const char* name;
    std::size_t routes;
};
void PrintTo(const real_table& t, std::ostream* out) {
    *out << t.name;
}

// What the files are known to hold; a reader that loses lines shows here.
constexpr std::array known_tables{
    real_table{"tier1-v4", 901'899},          real_table{"tier1-v6", 160'147},
    real_table{"ipv6-2014-linx", 20'440},     real_table{"ipv6-2021-as19016", 79'431},
    real_table{"ipv6-2021-as19151", 103'067}, real_table{"ipv6-2021-as19653", 105'957},
    real_table{"ipv6-2021-as23367", 102'739}, real_table{"ipv6-2021-as293", 105'363},
    real_table{"ipv6-2021-as53828", 104'235},
};

fs::path data_folder() {
    const char* folder = std::getenv("FINGERPOST_DATA");
    return fs::path(folder != nullptr ? folder : "../shared/data") / "fib";
}
bool data_required() {
    const char* text = std::getenv("FINGERPOST_REQUIRE_DATA");
    return text != nullptr && std::string_view(text) == "1";
}

// Tables without next hops get some: `few` are shared by blocks of neighbours, as inherited ones are, so that
// intervals merge; else each route has its own, which takes answers of four bytes in the largest table.
template <class A>
void deal_next_hops(table<A>& routes, bool few) {
    for (std::size_t i = 0; i < routes.size(); ++i)
        routes[i].hop = {static_cast<std::uint32_t>(few ? i / 3 % 40 : i)};
}

template <class A>
void expect_right_answers(const table<A>& routes, tally& done) {
    const std::span<const route<A>> all(routes);
    std::vector<A> addresses = oracle::probes<A>(all);
    if (const auto step = static_cast<std::size_t>(1.0 / effort()); step > 1) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < addresses.size(); i += step)
            addresses[kept++] = addresses[i];
        addresses.resize(kept);
    }
    const std::vector<next_hop> right = oracle::answers<A>(oracle::by_parent<A>(all), addresses);
    const fingerpost::routes<A> from(routes);
    ++done.tables;
    for (const candidate<A>& one : candidates<A>())
        ASSERT_EQ(fault_of<A>(one, from, addresses, right, done), "") << "in " << routes.size() << " routes";
    EXPECT_GE(addresses.size(), static_cast<std::size_t>(static_cast<double>(2 * routes.size()) * effort()));
}

class real_tables : public ::testing::TestWithParam<real_table> {};

TEST_P(real_tables, all_boundaries_and_neighbours) {
    const fs::path file = data_folder() / (std::string(GetParam().name) + ".txt.xz");
    if (!fs::exists(file)) {
        if (data_required())
            FAIL() << file << " is not there and FINGERPOST_REQUIRE_DATA=1";
        GTEST_SKIP() << file << " is not there";
    }
#if !FINGERPOST_HAVE_LZMA
    GTEST_SKIP() << "built without liblzma";
#endif
    auto loaded = io::load_table(file.string());
    ASSERT_TRUE(loaded);
    std::visit(
        [](auto& got) {
            auto& routes = got.routes;
            EXPECT_EQ(routes.size() + got.counts.duplicates, GetParam().routes);
            // Next hops are numbered in the order of their appearance: any but 0 means that the file has
            // them.
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
                // Once more with as many next hops as routes.
                deal_next_hops(routes, false);
                expect_right_answers(routes, done);
            }
            EXPECT_GE(done.builds, 2 * done.tables);
            done.report(
                1, static_cast<std::size_t>(static_cast<double>(done.builds * routes.size()) * effort()));
        },
        *loaded);
}
INSTANTIATE_TEST_SUITE_P(internet, real_tables, ::testing::ValuesIn(known_tables), [](const auto& one) {
    std::string name = one.param.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(real_data, every_file_has_its_test) {
    if (!fs::exists(data_folder())) {
        if (data_required())
            FAIL() << data_folder() << " is not there and FINGERPOST_REQUIRE_DATA=1";
        GTEST_SKIP() << data_folder() << " is not there";
    }
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(data_folder())) {
        const std::string name = entry.path().filename().string();
        if (!name.ends_with(".txt.xz"))
            continue;
        ++files;
        const bool known = std::any_of(known_tables.begin(), known_tables.end(), [&](const real_table& t) {
            return name == std::string(t.name) + ".txt.xz";
        });
        EXPECT_TRUE(known) << name << " is tested by nothing";
    }
    EXPECT_GE(files, known_tables.size());
}

} // namespace
} // namespace fingerpost::testing
