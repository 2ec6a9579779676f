// Specifics of ranked cells: codes of all widths, and two FIBs that share words.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "fingerpost/schemes/ranked_cells/ranked_cells.hpp"
#include "tests/oracle/verify.hpp"
#include "tests/support/images.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::testing::of_ranked_cells {
namespace {

using A = ipv4_address;
using fib = ranked_cells::fib<A>;

expected<fib> build(const routes<A>& table, simd::isa isa) {
    return fib::build(table, {.isa = isa});
}
void expect_right(const fib& of, const routes<A>& table) {
    const std::vector<A> at = addresses_to_try<A>(table.sorted());
    const std::vector<next_hop> right = oracle_answers<A>(table.sorted(), at);
    const auto wrong = oracle::verify<A>(of, at, right);
    ASSERT_FALSE(wrong) << text_of(wrong->address) << " in a batch of " << wrong->batch;
}

TEST(ranked_cells, tables_of_every_size_on_every_instruction_set) {
    random_numbers random(7);
    std::size_t tables = 0;
    for (const simd::isa isa : simd::available_isas())
        for (const std::uint32_t size : {0U, 1U, 2U, 30U, 3'000U, 70'000U}) {
            clustered_prefixes<A> prefixes(random);
            rib<A> truth;
            // Codes of one byte, of two, and for this many next hops of four.
            const bool is_large = size > 65'536;
            for (std::uint32_t i = 0; i < size; ++i)
                ASSERT_TRUE(truth.insert(is_large ? prefix<A>{A{i << 14}, 24} : prefixes.next(),
                                         {is_large ? i : static_cast<std::uint32_t>(random.below(300))}));
            const routes<A> table = truth.to_routes();
            const auto made = build(table, isa);
            ASSERT_TRUE(made);
            ASSERT_NO_FATAL_FAILURE(expect_right(*made, table));
            ++tables;
        }
    EXPECT_GE(tables, 5U);
}

// Two FIBs read the same words, and each answers for its own table: before the words are in transit, during
// the transit, and when they are settled.
TEST(ranked_cells, fibs_that_share_words_show_their_own_table) {
    random_numbers random(13);
    std::size_t rounds = 0;
    for (const simd::isa isa : simd::available_isas()) {
        clustered_prefixes<A> prefixes(random);
        rib<A> truth;
        for (std::size_t i = 0; i < 1'500; ++i)
            ASSERT_TRUE(truth.insert(prefixes.next(), {static_cast<std::uint32_t>(random.below(200))}));
        auto one = build(truth.to_routes(), isa);
        auto two = build(routes<A>(), isa);
        ASSERT_TRUE(one && two);
        fib* newer = &*one;
        fib* older = &*two;
        for (std::size_t round = 0; round < scaled(8); ++round, ++rounds) {
            ASSERT_EQ(older->sync_from(*newer), errc::ok);
            std::swap(newer, older);
            const routes<A> before = truth.to_routes();
            for (std::uint64_t left = 1 + random.below(120); left > 0; --left) {
                const auto& all = before.sorted();
                const auto told = left % 3 == 0
                                      ? truth.withdraw(all[random.below(all.size())].where)
                                      : truth.announce(left % 3 == 1 ? prefixes.next()
                                                                     : all[random.below(all.size())].where,
                                                       {static_cast<std::uint32_t>(random.below(200))});
                if (told) {
                    ASSERT_EQ(newer->apply(*told), errc::ok);
                }
            }
            const routes<A> after = truth.to_routes();
            const auto expect_both = [&] {
                expect_right(*older, before);
                expect_right(*newer, after);
            };
            ASSERT_NO_FATAL_FAILURE(expect_right(*older, before));
            newer->begin_publish();
            EXPECT_FALSE(newer->is_publish_finished());
            ASSERT_NO_FATAL_FAILURE(expect_both());
            // Two FIBs do not need memory for the words twice.
            EXPECT_LT(older->memory_bytes(), newer->memory_bytes() / 8);
            if (round % 2 == 0) {
                newer->finish_publish();
                EXPECT_TRUE(newer->is_publish_finished());
                ASSERT_NO_FATAL_FAILURE(expect_right(*newer, after));
            }
        }
        // The older FIB must not be changed any more, nor the published one, and a third FIB cannot share the
        // words.
        const auto told = truth.announce(prefixes.next(), {201});
        ASSERT_TRUE(told);
        EXPECT_NE(older->apply(*told), errc::ok);
        EXPECT_NE(newer->apply(*told), errc::ok);
        auto third = build(routes<A>(), isa);
        ASSERT_TRUE(third);
        EXPECT_NE(third->sync_from(*newer), errc::ok);
    }
    EXPECT_GE(rounds, 1U);
}

// Damaged arrays are refused.
TEST(ranked_cells, damaged_arrays_are_found) {
    using arrays = decltype(fib().arrays());
    const auto all = mixed_routes<A>(4, 400, 300);
    const auto built = fib::build(routes<A>(all), {});
    ASSERT_TRUE(built && built->arrays().long_level_count == 1);
    const auto good = built->arrays();
    EXPECT_FALSE(cells::validate(good));
    const auto expect_fault = [&](std::function<void(arrays&)> change) {
        auto bad = good;
        change(bad);
        EXPECT_TRUE(cells::validate(bad));
    };
    expect_fault([](auto& p) { p.front.words = p.front.words.first(p.front.words.size() - 1); });
    expect_fault(
        [](auto& p) { p.front.answers = p.front.answers.first(p.front.answers.size() - p.code_bytes); });
    expect_fault([](auto& p) { p.long_level_count = 0; });
    expect_fault([](auto& p) { p.long_level_count = 2; });
    expect_fault([](auto& p) { p.long_levels[0].lines = p.long_levels[0].lines.first(64); });
    expect_fault([](auto& p) {
        p.long_levels[0].cells = p.long_levels[0].cells.first(p.long_levels[0].cells.size() - 1);
    });
    expect_fault([](auto& p) { p.long_levels[0].levels = 0; });
    expect_fault([](auto& p) { p.long_levels[0].levels += 1; });
    expect_fault([](auto& p) { p.code_bytes = 3; });
    std::vector<ranked_cells::bitmap_word> words(good.front.words.begin(), good.front.words.end());
    words[77] = ranked_cells::bitmap_word::make(words[77].ends(), 0xffffffffu);
    expect_fault([&](auto& p) { p.front.words = words; });
}

} // namespace
} // namespace fingerpost::testing::of_ranked_cells
