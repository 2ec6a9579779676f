// Tables of up to three routes on five bits at every offset of 32- and 128-bit addresses, and so across every
// stride boundary.
//
// FINGERPOST_EXHAUSTIVE=full runs all 202,525 tables at each offset; otherwise each offset gets a sample.
// Near the top of the address few universes fit into one table (one at offset 0), so there are many builds.
// There, schemes with a large empty table get a sample, and all tables from offset 6 on (full: from 64 tables
// per build on).
#include <gtest/gtest.h>

#include "tests/support/suite.hpp"
#include "tests/support/tables/packed_universes.hpp"

namespace fingerpost::testing {
namespace {

constexpr unsigned offsets_a_test = 8;
constexpr std::size_t largest_pack = 50'000;

std::size_t tables_at_an_offset() {
    return scaled(1200);
}
std::size_t builds_of_large_schemes() {
    return exhaustive() ? 4096 : 16;
}
std::size_t builds_of_schemes() {
    return exhaustive() ? ~std::size_t{0} : scaled(240);
}

// A random sample of all tables with all patterns. The list is shuffled once; each draw continues where the
// last one stopped.
std::span<const tiny_table> drawn_tables(const tiny_universe<5>& universe, std::size_t count,
                                         random_numbers& random) {
    static std::vector<tiny_table> all;
    if (all.empty())
        for (std::size_t number = 0; number < universe.size(); ++number)
            for (std::size_t pattern = 0; pattern < universe.patterns(number); ++pattern)
                all.push_back({number, pattern});
    count = std::min(count, all.size());
    for (std::size_t i = 0; i < count; ++i)
        std::swap(all[i], all[i + random.below(all.size() - i)]);
    return std::span(all).first(count);
}

// For schemes such as a direct table on 24 bits, a build costs megabytes and milliseconds, however few routes
// there are.
template <class A>
std::vector<bool> large_when_empty() {
    std::vector<bool> out;
    for (const candidate<A>& one : candidates<A>())
        out.push_back(one.scheme->facts.large_when_empty);
    return out;
}

template <class A>
::testing::AssertionResult answers_as_packed(const packed<A>& pack, const std::vector<bool>& skip,
                                             std::size_t turn, tally& done) {
    const routes<A> from(pack.routes);
    for (std::size_t i = 0; i < skip.size(); ++i) {
        if (skip[i] || !is_turn_of(i, skip.size(), turn))
            continue;
        const candidate<A>& one = candidates<A>()[i];
        const std::string fault = fault_of<A>(one, from, pack.addresses, pack.answers, done);
        if (fault.empty())
            continue;
        tally ignored;
        return ::testing::AssertionFailure() << fault << "\n" << agree<A>(pack.routes, ignored).message();
    }
    return ::testing::AssertionSuccess();
}

template <class A>
void try_offset(unsigned offset, tally& done) {
    random_numbers random(80 + offset);
    static const tiny_universe<5> universe;
    const std::span<const tiny_table> tables =
        drawn_tables(universe, exhaustive() ? ~std::size_t{0} : tables_at_an_offset(), random);
    universe_packer<A> packer(universe, offset, random);
    const std::size_t together = std::min(packer.room(), largest_pack);
    // Outside the universe: no route, a next hop that is not inside, and one that is also inside.
    constexpr std::array backgrounds{next_hop::none, next_hop{100}, next_hop{1}};

    std::vector<bool> skip(candidates<A>().size(), false);
    const std::vector<bool> large = large_when_empty<A>();
    std::size_t builds = 0;
    for (std::size_t at = 0; at < tables.size() && builds < builds_of_schemes(); at += together, ++builds) {
        const std::size_t count = std::min(together, tables.size() - at);
        const auto pack = packer.pack(tables.subspan(at, count), backgrounds[(builds + offset) % 3]);
        if (builds == builds_of_large_schemes())
            skip = large;
        ASSERT_TRUE(answers_as_packed<A>(pack, skip, builds + offset, done))
            << "five bits at offset " << offset;
        done.tables += count;
    }
}

template <class A>
void try_offsets(unsigned first) {
    if (candidates<A>().empty())
        GTEST_SKIP() << "no chosen scheme serves these addresses";
    tally done;
    std::size_t offsets = 0;
    for (unsigned offset = first; offset < first + offsets_a_test && offset + 5 <= A::bits;
         ++offset, ++offsets) {
        try_offset<A>(offset, done);
        if (::testing::Test::HasFatalFailure())
            return;
    }
    ::testing::Test::RecordProperty("offsets", std::to_string(offsets));
    ::testing::Test::RecordProperty("tables", std::to_string(done.tables));
    ::testing::Test::RecordProperty("builds", std::to_string(done.builds));
    ::testing::Test::RecordProperty("answers", std::to_string(done.answers));
    EXPECT_GE(done.tables, offsets * std::min(tables_at_an_offset(), builds_of_schemes()));
    const std::vector<bool> large = large_when_empty<A>();
    if (std::find(large.begin(), large.end(), false) == large.end()) {
        EXPECT_GE(done.builds, offsets);
    } else {
        // At least one scheme, 32 addresses per table, and both forms of lookup.
        EXPECT_GE(done.answers, done.tables * 32 * 2);
    }
}

class offsets_of_32_bits : public ::testing::TestWithParam<unsigned> {};
TEST_P(offsets_of_32_bits, five_bits_from) {
    try_offsets<ipv4_address>(GetParam());
}
INSTANTIATE_TEST_SUITE_P(offset, offsets_of_32_bits, ::testing::Range(0U, 28U, offsets_a_test),
                         ::testing::PrintToStringParamName());

class offsets_of_128_bits : public ::testing::TestWithParam<unsigned> {};
TEST_P(offsets_of_128_bits, five_bits_from) {
    try_offsets<ipv6_address>(GetParam());
}
INSTANTIATE_TEST_SUITE_P(offset, offsets_of_128_bits, ::testing::Range(0U, 124U, offsets_a_test),
                         ::testing::PrintToStringParamName());

} // namespace
} // namespace fingerpost::testing
