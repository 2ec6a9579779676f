// The limits of packed leaves, with small numbers instead of the real ones. Exceeding a limit always returns
// errc::capacity and changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "fingerpost/fib/make_entry.hpp"
#include "fingerpost/schemes/packed_leaves/packed_leaves.hpp"
#include "fingerpost/table/table.inl.hpp"
#include "tests/support/limits.hpp"

namespace fingerpost::testing::of_packed_leaves {
namespace {

using namespace packed_leaves;

// Regression test for issue 14: lines that fit the reserved room were allocated beyond the largest line
// number.
TEST(PackedLeavesLimits, LinesEndWhereverTheirMemoryDoes) {
    for (const std::size_t most : {std::size_t{3}, std::size_t{64}, std::size_t{1000}, std::size_t{70'000}}) {
        line_store lines(2, most);
        std::size_t given = 0;
        const auto give = [&](std::size_t count) {
            ASSERT_EQ(lines.allocate(count), given * line_store::line);
            given += count;
        };
        while (given + 2 <= most) {
            ASSERT_NO_FATAL_FAILURE(give(2));
            if (given == most / 2)
                lines.shrink();
        }
        EXPECT_THROW((void)lines.allocate(most - given + 1), std::length_error);
        EXPECT_EQ(lines.used(), given);
        if (given < most) {
            ASSERT_NO_FATAL_FAILURE(give(1));
        }
        EXPECT_THROW((void)lines.allocate(1), std::length_error);
        EXPECT_THROW(lines.reserve(most + 1), std::length_error);
        EXPECT_EQ(lines.used(), most);
        EXPECT_EQ(lines.bytes().size(), most * line_store::line);
        line_store second;
        second.sync_from(lines, false);
        EXPECT_EQ(second.most_lines(), most);
        EXPECT_THROW((void)second.allocate(1), std::length_error);
        second.release(0, 1);
        EXPECT_EQ(second.allocate(1), 0u);
    }
}

// Changes come to a live table until no FIB can hold them. Those that fit give right answers, the first that
// does not fit changes nothing, and the table stays usable.
template <class A, class Fib>
void fill_up(policy how, std::size_t least) {
    const auto scheme = make_entry<A, Fib>({.name = "bounded"});
    table_options options;
    options.update = how;
    auto live = fingerpost::table<A>::create(scheme, options);
    ASSERT_TRUE(live);
    random_numbers random(8);
    std::vector<route<A>> there;
    const auto commit = [&](std::span<const edit<A>> edits) {
        auto changes = live->begin();
        EXPECT_EQ(changes.change(edits).failure, errc::ok);
        const auto done = changes.commit();
        return done ? errc::ok : done.error();
    };
    std::size_t largest = 0;
    unsigned refused = 0;
    for (std::uint32_t i = 0; refused < 3 && i < 20'000; ++i) {
        const auto where = prefix<A>::make(random.template address<A>(), A::bits == 32 ? 24 : 48);
        if (live->get(where) != next_hop::none)
            continue;
        const edit<A> added{where, {i % 200}};
        const errc told = commit({&added, 1});
        if (told == errc::ok) {
            there.push_back({where, {i % 200}});
            continue;
        }
        ASSERT_EQ(told, errc::capacity) << i;
        ++refused;
        ASSERT_EQ(live->size(), there.size());
        ASSERT_EQ(live->pending(), 0u);
        auto all = there;
        std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.where < b.where; });
        ASSERT_EQ(live->copy_routes(), all);
        ASSERT_NO_FATAL_FAILURE(expect_right<A>(live->newest_fib(), all));
        largest = std::max(largest, there.size());
        // There is room for some changes again: a patched FIB may be fuller than a new one.
        std::vector<edit<A>> gone;
        for (std::size_t left = there.size() / 2 + 1; left-- > 0; there.pop_back())
            gone.push_back({there.back().where, next_hop::none});
        ASSERT_EQ(commit(gone), errc::ok);
    }
    EXPECT_EQ(refused, 3u);
    EXPECT_GE(largest, least);
}

// A FIB with limits so low that small tables reach them.
template <class A, class Front, typename Front::limits Most>
class bounded : public cells::fib<A, Front> {
    using base = cells::fib<A, Front>;

  public:
    explicit bounded(base made) : base(std::move(made)) {}
    static expected<bounded> build(const routes<A>& table, const build_options& options = {}) {
        auto made = base::build(table, options, Most);
        if (!made)
            return unexpected{made.error()};
        return bounded(std::move(*made));
    }
};
template <class A>
using few_lines = bounded<A, index_front, index_front::limits{.lines = 300}>;
using few_entries = bounded<ipv6_address, index_front, index_front::limits{.entries = 4096}>;
using few_answers =
    bounded<ipv4_address, ranked_cells::word_front, ranked_cells::word_front::limits{.answers = 500}>;
constexpr std::array rebuilt_or_patched{policy::rebuild, policy::left_right};

TEST(PackedLeavesLimits, ALiveTableSaysThatItsLinesHaveEnded) {
    for (const policy how : rebuilt_or_patched) {
        fill_up<ipv6_address, few_lines<ipv6_address>>(how, 20);
        fill_up<ipv4_address, few_lines<ipv4_address>>(how, 20);
    }
}
TEST(PackedLeavesLimits, ALiveTableSaysThatItsIndexEntriesHaveEnded) {
    for (const policy how : rebuilt_or_patched)
        fill_up<ipv6_address, few_entries>(how, 2);
}
TEST(PackedLeavesLimits, ALiveTableSaysThatItsAnswersHaveEnded) {
    for (const policy how : rebuilt_or_patched)
        fill_up<ipv4_address, few_answers>(how, 100);
}

} // namespace
} // namespace fingerpost::testing::of_packed_leaves
