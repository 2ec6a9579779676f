// The updates between two tables are written as text, read back and applied to the first table, which must
// then equal the second. Each table numbers its next hops independently, so the test compares names.
#include "cli/diff/table_difference.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <unistd.h>
#include <variant>

#include "fingerpost/rib/rib.hpp"
#include "io/format/updates/update_line.hpp"
#include "io/source/updates_file.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/tables/real_data.hpp"
#include "tests/support/tables/tables.hpp"
#include "tests/support/tables/text_tables.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::cli::of_table_difference {
namespace {

using namespace fingerpost::testing;

template <class A>
using named_routes = std::map<prefix<A>, std::string>;

template <class A>
named_routes<A> by_name(const io::loaded_table<A>& table) {
    named_routes<A> named;
    for (const route<A>& r : table.routes)
        named[r.where] = std::string(table.values[r.hop]);
    return named;
}

// A file that is removed after the test.
class scratch_file {
  public:
    explicit scratch_file(const std::string& text)
        : path_(std::filesystem::path(::testing::TempDir()) /
                ("table_difference_" + std::to_string(::getpid()) + "_" + std::to_string(number_++))) {
        std::ofstream(path_, std::ios::binary) << text;
    }
    ~scratch_file() { std::filesystem::remove(path_); }
    scratch_file(const scratch_file&) = delete;
    scratch_file& operator=(const scratch_file&) = delete;

    std::string path() const { return path_.string(); }

  private:
    static inline int number_ = 0;
    std::filesystem::path path_;
};

// Applies the updates that were read to a RIB. Its next hops are the numbers of names.
template <class A>
void apply(const io::loaded_updates<A>& updates, const named_routes<A>& before, named_routes<A>& after) {
    value_rows names;
    rib<A> truth;
    for (const auto& [where, name] : before)
        ASSERT_TRUE(truth.insert(where, names.intern(name)));
    for (const route<A>& update : updates.updates) {
        if (update.hop == next_hop::none) {
            ASSERT_TRUE(truth.erase(update.where)) << "withdraws what is not there";
            continue;
        }
        const next_hop hop = names.intern(updates.values[update.hop]);
        const auto replaced = truth.insert(update.where, hop);
        ASSERT_TRUE(replaced);
        ASSERT_NE(*replaced, hop) << "announces what is there";
    }
    after.clear();
    for (const route<A>& r : truth)
        after[r.where] = std::string(names[r.hop]);
}

const common_columns next_hops{{"next_hop"}, {0}, {0}};

template <class A>
void append_update(const route_difference<A>& d, std::string& text) {
    if (d.kind == difference_kind::removed)
        io::append_withdrawal(to_string(d.where), text);
    else
        io::append_announcement(to_string(d.where), d.after, text);
}

template <class A>
void expect_difference(const io::loaded_table<A>& before, const io::loaded_table<A>& after) {
    std::string text;
    const difference_counts counts = for_each_difference(
        before, after, next_hops, [&](const route_difference<A>& d) { append_update(d, text); });
    EXPECT_EQ(counts.same + counts.changed + counts.removed, before.routes.size());
    EXPECT_EQ(counts.same + counts.changed + counts.added, after.routes.size());
    EXPECT_EQ(counts.has_any(), !text.empty());
    const scratch_file file(text);
    const auto updates = io::load_updates<A>(file.path(), host_bits::refuse);
    ASSERT_TRUE(updates) << io::message(updates.error());
    EXPECT_EQ(updates->counts.announced, counts.added + counts.changed);
    EXPECT_EQ(updates->counts.withdrawn, counts.removed);
    named_routes<A> got;
    apply(*updates, by_name(before), got);
    EXPECT_EQ(got, by_name(after));
}

// Some routes stay, some disappear, some change their next hop, and some are new.
template <class A>
named_routes<A> altered(const named_routes<A>& table, random_numbers& random) {
    static constexpr std::string_view names[] = {"",       "a", "192.0.2.1", "2001:db8::1",
                                                 "peer-7", "7", "W",         "A"};
    clustered_prefixes<A> prefixes(random);
    named_routes<A> out;
    const auto name = [&] { return std::string(names[random.below(std::size(names))]); };
    for (const auto& [where, hop] : table) {
        const auto fate = random.below(10);
        if (fate > 1)
            out[where] = fate > 3 ? hop : name();
    }
    for (std::uint64_t fresh = random.below(60); fresh > 0; --fresh)
        out[prefixes.next()] = name();
    return out;
}

// Goes through text, so that each table numbers its next hops in the order of its own lines.
template <class A>
io::loaded_table<A> table_of(const named_routes<A>& named) {
    std::string text;
    for (const auto& [where, name] : named)
        text += to_string(where) + " " + name + "\n";
    return read_table<A>(text);
}

template <class A>
class table_difference : public ::testing::Test {};
using families = ::testing::Types<ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(table_difference, families);

TYPED_TEST(table_difference, AppliedToTheFirstTableGivesTheSecond) {
    random_numbers random(41);
    named_routes<TypeParam> before, after;
    for (std::size_t round = 0; round < scaled(600); ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        expect_difference(table_of(before), table_of(after));
        if (::testing::Test::HasFailure())
            return;
        before = round % 50 == 0 ? named_routes<TypeParam>{} : after;
        after = altered(before, random);
    }
    EXPECT_FALSE(before.empty());
}

TYPED_TEST(table_difference, OfATableAndItselfIsNone) {
    random_numbers random(7);
    const auto table = table_of(altered(altered(named_routes<TypeParam>{}, random), random));
    ASSERT_FALSE(table.routes.empty());
    const auto counts =
        for_each_difference(table, table, next_hops, [](const auto&) { FAIL() << "a difference"; });
    EXPECT_FALSE(counts.has_any());
    EXPECT_EQ(counts.same, table.routes.size());
}

TYPED_TEST(table_difference, NumbersOfNextHopsDoNotCount) {
    const std::string one = to_string(prefix<TypeParam>::make(TypeParam{}, 8)) + " ";
    const std::string two = to_string(prefix<TypeParam>::make(TypeParam::last(), 8)) + " ";
    // a and b number next hops differently: equal numbers are different names.
    const auto first = read_table<TypeParam>(one + "a\n" + two + "b\n");
    const auto second = read_table<TypeParam>(two + "b\n" + one + "a\n");
    ASSERT_NE(first.routes[0].hop, second.routes[0].hop);
    EXPECT_FALSE(for_each_difference(first, second, next_hops, [](const auto&) {}).has_any());
    const auto third = read_table<TypeParam>(one + "c\n" + two + "d\n");
    ASSERT_EQ(first.routes[0].hop, third.routes[0].hop);
    EXPECT_EQ(for_each_difference(first, third, next_hops, [](const auto&) {}).changed, 2U);
}

struct table_pair {
    const char* before;
    const char* after;
};
class real_difference : public ::testing::TestWithParam<table_pair> {};

TEST_P(real_difference, AppliedToTheFirstTableGivesTheSecond) {
    const auto before = load_real_table(GetParam().before);
    if (!before)
        return;
    const auto after = load_real_table(GetParam().after);
    if (!after)
        return;
    using table = io::loaded_table<ipv6_address>;
    expect_difference(std::get<table>(*before), std::get<table>(*after));
}
INSTANTIATE_TEST_SUITE_P(internet, real_difference,
                         ::testing::Values(table_pair{"ipv6-2021-as293", "tier1-v6"},
                                           table_pair{"tier1-v6", "ipv6-2014-linx"},
                                           table_pair{"ipv6-2021-as19653", "ipv6-2021-as53828"}),
                         [](const auto& one) { return test_name_of(one.param.after); });

} // namespace
} // namespace fingerpost::cli::of_table_difference
