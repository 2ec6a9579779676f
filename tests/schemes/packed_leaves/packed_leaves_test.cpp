// The parts of packed leaves that the suites over all schemes reach only with large tables: the form with
// bitmaps, trees that split and join, and the run of intervals that all changes go through.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "fingerpost/schemes/packed_leaves/packed_leaves.hpp"
#include "tests/oracle/by_length.hpp"
#include "tests/oracle/verify.hpp"
#include "tests/small_schemes/bounded_leaves.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::testing::of_packed_leaves {
namespace {

using namespace packed_leaves;

TEST(interval_editor, agrees_with_an_array_under_random_changes) {
    random_numbers random(3);
    for (const std::uint32_t step : {1U, 4U}) {
        interval_editor<std::uint32_t> run;
        run.first = 100 * step;
        run.step = step;
        run.push(163 * step, 7);
        std::vector<std::uint32_t> plain(64, 7);
        for (unsigned i = 0; i < 5'000; ++i) {
            const auto low = static_cast<std::uint32_t>(random.below(64));
            const auto high = static_cast<std::uint32_t>(low + random.below(64 - low));
            const auto code = static_cast<std::uint32_t>(random.below(5));
            run.assign((100 + low) * step, (100 + high) * step, code);
            std::fill(plain.begin() + low, plain.begin() + high + 1, code);
            std::size_t intervals = 1;
            for (std::uint32_t k = 0; k < 64; ++k) {
                ASSERT_EQ(run.code_of((100 + k) * step), plain[k]);
                intervals += k > 0 && plain[k] != plain[k - 1];
            }
            ASSERT_EQ(run.size(), intervals);
            ASSERT_EQ(run.last(), 163 * step);
        }
    }
}

// One tree against a map of its ends, grown until it is full and taken down again.
TEST(tree_store, splits_and_joins_as_it_grows_and_shrinks) {
    for (const unsigned kind : {0U, 1U, 2U, 3U, 4U, 5U}) {
        const unsigned code_bytes = 1U << (kind / 2);
        const bool is_large = kind % 2 != 0;
        random_numbers random(5);
        tree_store trees(code_bytes, 2, 0);
        const std::uint32_t last[] = {0x00ffffff};
        const std::uint32_t code[] = {1};
        const std::uint32_t tree = trees.make(last, code);
        if (is_large) { // leaves of some trees among thousands may have more room than others
            const std::uint32_t few[] = {1, 2, 3, 4, 0x00ffffff};
            const std::uint32_t codes[] = {1, 2, 3, 4, 5};
            for (unsigned i = 0; i < 2'000; ++i)
                (void)trees.make(few, codes);
            trees.shrink();
        }
        const std::size_t others = trees.used_lines() - 6;
        interval_editor<std::uint32_t> plain;
        plain.push(last[0], code[0]);
        const auto check = [&] {
            std::vector<std::uint32_t> ends;
            std::vector<std::uint32_t> codes;
            trees.read(tree, last[0], ends, codes);
            for (std::size_t i = 0; i < ends.size(); ++i)
                ASSERT_EQ(plain.code_of(ends[i]), codes[i]);
            for (const std::uint32_t end : plain.ends)
                ASSERT_TRUE(std::binary_search(ends.begin(), ends.end(), end));
        };
        const std::size_t most = trees.capacity() * 3 / 4;
        std::size_t grown = 0;
        for (unsigned round = 0; round < 3; ++round) {
            while (plain.size() < most) {
                const auto low = static_cast<std::uint32_t>(random.below(0x00fffff0));
                const auto value = static_cast<std::uint32_t>(random.below(200)) + 1;
                trees.assign({tree, 0, last[0]}, {low, low + 7}, value, 0, [](auto...) {});
                plain.assign(low, low + 7, value);
                ++grown;
            }
            ASSERT_NO_FATAL_FAILURE(check());
            while (plain.size() > 1) {
                const auto low = static_cast<std::uint32_t>(random.below(0x00ffffff));
                const std::uint32_t high = std::min(last[0], low + 0x1ffff);
                trees.assign({tree, 0, last[0]}, {low, high}, 1, 0, [](auto...) {});
                plain.assign(low, high, 1);
            }
            ASSERT_NO_FATAL_FAILURE(check());
            EXPECT_LE(trees.used_lines() - others, is_large ? 3U + 3U + 300U : 3U + 3U + 4U);
        }
        EXPECT_GE(grown, most);
    }
}

// Trees of all sizes grow and shrink in turn, until lines lie idle between others; packing moves these
// together.
TEST(tree_store, pack_leaves_no_line_free_and_keeps_what_trees_hold) {
    for (const unsigned code_bytes : {1U, 2U, 4U}) {
        random_numbers random(6);
        constexpr std::uint32_t last = 0x00ffffff;
        tree_store trees(code_bytes, 2, 0);
        std::vector<std::uint32_t> all;
        for (unsigned i = 0; i < 40; ++i) {
            const std::uint32_t ends[] = {last};
            const std::uint32_t codes[] = {i};
            all.push_back(trees.make(ends, codes));
        }
        trees.shrink();
        const auto read = [&](std::size_t i) {
            std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> held;
            trees.read(all[i], last, held.first, held.second);
            return held;
        };
        for (unsigned round = 0; round < 4; ++round) {
            for (unsigned i = 0; i < 4'000; ++i) {
                const auto low = static_cast<std::uint32_t>(random.below(last));
                const auto high =
                    static_cast<std::uint32_t>(low + random.below(std::min(last - low, 99U) + 1));
                (void)trees.assign({all[random.below(all.size())], 0, last}, {low, high},
                                   static_cast<std::uint32_t>(random.below(3)), 99,
                                   [](std::uint32_t, std::uint32_t) {});
            }
            std::vector<decltype(read(0))> before;
            for (std::size_t i = 0; i < all.size(); ++i)
                before.push_back(read(i));
            const std::size_t used = trees.used_lines();
            ASSERT_GT(trees.bytes().size(), used * line_bytes);
            const std::vector<std::uint32_t> now = trees.pack(all);
            for (std::size_t i = 0; i < all.size(); ++i) {
                all[i] = now[all[i] / line_bytes];
                ASSERT_EQ(read(i), before[i]);
            }
            EXPECT_EQ(trees.used_lines(), used);
            EXPECT_EQ(trees.bytes().size(), used * line_bytes);
            EXPECT_EQ(trees.memory_bytes(), trees.bytes().size());
        }
    }
}

// There is room for this many intervals more without another line; a tree without room splits its first leaf
// at once.
TEST(tree_store, room_takes_changes_without_a_line_more) {
    for (const unsigned room : {0U, 32U}) {
        tree_store trees(2, 2, 0, room);
        constexpr std::uint32_t count = 1'760;
        constexpr std::uint32_t step = 1'000;
        std::vector<std::uint32_t> ends;
        std::vector<std::uint32_t> codes;
        for (std::uint32_t i = 1; i <= count; ++i) {
            ends.push_back(i * step);
            codes.push_back(i % 7);
        }
        const std::uint32_t tree = trees.make(ends, codes);
        trees.shrink();
        const std::size_t built = trees.used_lines();
        EXPECT_GE(built, room == 0 ? count / 11 : count / 11 * 9 / 8);
        for (std::uint32_t i = 0; i < count; i += 50)
            ASSERT_TRUE(trees.assign({tree, 0, ends.back()}, {i * step + 500, (i + 1) * step}, 9, 99,
                                     [](auto...) {}));
        if (room == 0)
            EXPECT_GT(trees.used_lines(), built);
        else
            EXPECT_EQ(trees.used_lines(), built);
    }
}

// A tree takes changes until it may be too small for one more, and then stays as it was.
TEST(tree_store, a_full_tree_refuses_changes_and_stays) {
    constexpr std::uint32_t last = 0x00ffffff;
    tree_store trees(2, 2, 0);
    const std::uint32_t ends[] = {last};
    const std::uint32_t codes[] = {1};
    const std::uint32_t tree = trees.make(ends, codes);
    trees.shrink();
    std::uint32_t taken = 0;
    const auto add_one = [&] {
        return trees.assign({tree, 0, last}, {taken * 16, taken * 16 + 7}, 2, 99, [](auto...) {});
    };
    while (taken < 10'000 && add_one())
        ++taken;
    std::vector<std::uint32_t> held;
    std::vector<std::uint32_t> held_codes;
    trees.read(tree, last, held, held_codes);
    EXPECT_EQ(held.size(), 2 * taken);
    EXPECT_GE(held.size() + 2, trees.capacity());
    for (std::uint32_t i = 0; i < taken; ++i)
        ASSERT_EQ(trees.code_of({tree, 0, last}, i * 16 + 7), 2U);
    EXPECT_EQ(trees.code_of({tree, 0, last}, taken * 16), 1U);
}

class bitmap_form : public ::testing::Test {
  protected:
    using A = ipv4_address;
    static expected<forced_bitmap_form> build(const routes<A>& table, simd::isa isa) {
        return forced_bitmap_form::build(table, {.isa = isa});
    }
    static void expect_right(const forced_bitmap_form& fib, const routes<A>& table) {
        const std::vector<A> at = addresses_to_try<A>(table.sorted());
        const std::vector<next_hop> right = oracle_answers<A>(table.sorted(), at);
        const auto wrong = oracle::verify<A>(fib, at, right);
        ASSERT_FALSE(wrong) << text_of(wrong->address) << " in a batch of " << wrong->batch;
    }
};

TEST_F(bitmap_form, tables_of_every_size_on_every_instruction_set) {
    random_numbers random(7);
    std::size_t tables = 0;
    for (const simd::isa isa : simd::available_isas())
        for (const std::uint32_t size : {0U, 1U, 2U, 30U, 3'000U, 70'000U}) {
            clustered_prefixes<A> prefixes(random);
            rib<A> truth;
            // Codes of one byte, of two and, for this many next hops, of four.
            const bool is_large = size > 65'536;
            for (std::uint32_t i = 0; i < size; ++i)
                ASSERT_TRUE(truth.insert(is_large ? prefix<A>{A{i << 14}, 24} : prefixes.next(),
                                         {is_large ? i : static_cast<std::uint32_t>(random.below(300))}));
            const routes<A> table = truth.to_routes();
            const auto fib = build(table, isa);
            ASSERT_TRUE(fib);
            ASSERT_NO_FATAL_FAILURE(expect_right(*fib, table));
            ++tables;
        }
    EXPECT_GE(tables, 5U);
}

TEST_F(bitmap_form, right_around_every_change) {
    random_numbers random(11);
    clustered_prefixes<A> prefixes(random);
    rib<A> truth;
    oracle::by_length<A> oracle{std::span<const route<A>>{}};
    std::vector<prefix<A>> present;
    auto fib = build(truth.to_routes(), simd::preferred_isa());
    ASSERT_TRUE(fib);
    std::size_t rebuilds = 0;
    const std::size_t changes = scaled(6'000);
    for (std::size_t i = 0; i < changes; ++i) {
        const bool leave = present.size() > 2'000 || (!present.empty() && random.below(3) == 0);
        const std::size_t which = leave ? random.below(present.size()) : 0;
        const prefix<A> where = leave ? present[which] : prefixes.next();
        const next_hop hop{static_cast<std::uint32_t>(random.below(200))};
        const auto told = leave ? truth.withdraw(where) : truth.announce(where, hop);
        ASSERT_TRUE(told);
        oracle.set(told->where, told->after);
        if (leave) {
            present[which] = present.back();
            present.pop_back();
        } else if (told->before == next_hop::none) {
            present.push_back(told->where);
        }
        if (fib->apply(*told) != errc::ok) {
            fib = build(truth.to_routes(), simd::preferred_isa());
            ASSERT_TRUE(fib);
            ++rebuilds;
        }
        for (const auto& [first, last] : told->affected_ranges)
            for (const std::uint32_t at : {first.value - 1, first.value, last.value, last.value + 1})
                ASSERT_EQ(fib->lookup(A{at}), oracle.lookup(A{at})) << text_of(A{at}) << " after " << i;
    }
    ASSERT_NO_FATAL_FAILURE(expect_right(*fib, truth.to_routes()));
    EXPECT_LT(rebuilds, changes / 4);
}

// Two FIBs read the same words, and each shows its own table: before the words are in transit, meanwhile, and
// once they are settled.
TEST_F(bitmap_form, fibs_that_share_words_show_their_own_table) {
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
        forced_bitmap_form* newer = &*one;
        forced_bitmap_form* older = &*two;
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
            // Two FIBs do not take twice the memory for words.
            EXPECT_LT(older->memory_bytes(), newer->memory_bytes() / 8);
            if (round % 2 == 0) {
                newer->finish_publish();
                EXPECT_TRUE(newer->is_publish_finished());
                ASSERT_NO_FATAL_FAILURE(expect_right(*newer, after));
            }
        }
        // A FIB that was left behind may not be changed, nor one that was revealed, and a third one has
        // nothing to share.
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

// Every choice of kernels, batches of every length up to some blocks: words and trees of IPv4, and IPv6.
template <class A>
void expect_right_in_all_kernels(const size_bounds& bounds) {
    random_numbers random(A::bits);
    clustered_prefixes<A> prefixes(random);
    rib<A> truth;
    for (unsigned i = 0; i < 3'000; ++i)
        ASSERT_TRUE(truth.insert(prefixes.next(), {static_cast<std::uint32_t>(random.below(300))}));
    const routes<A> table = truth.to_routes();
    std::vector<A> at(1'000);
    std::vector<next_hop> right;
    for (std::size_t i = 0; i < at.size(); ++i) {
        const A near = table.sorted()[random.below(table.size())].where.last();
        at[i] = i % 2 == 0 ? near : random.template address<A>();
        right.push_back(truth.lookup(at[i]));
    }
    std::size_t choices = 0;
    for (const simd::isa isa : simd::available_isas())
        for (const bool gathers : {false, true})
            for (const unsigned block : {32U, 64U})
                for (const bool prefetch : {false, true}) {
                    const simd::tuning how{.gathers = gathers, .block = block, .prefetch = prefetch};
                    const auto fib = packed_leaves::fib<A>::build(table, {.isa = isa, .tuning = how}, bounds);
                    ASSERT_TRUE(fib);
                    for (std::size_t size = 0; size <= 200; ++size) {
                        const std::size_t from = random.below(at.size() - size);
                        std::vector<next_hop> out(size);
                        fib->lookup(std::span(at).subspan(from, size), out);
                        for (std::size_t i = 0; i < size; ++i)
                            ASSERT_EQ(out[i], right[from + i])
                                << text_of(at[from + i]) << ", " << i << " of " << size << ", "
                                << simd::name_of(isa) << " " << simd::text_of(how);
                    }
                    ++choices;
                }
    EXPECT_GE(choices, 8U);
}
TEST(packed_leaves, every_choice_of_kernels_gives_the_same_answers) {
    expect_right_in_all_kernels<ipv4_address>({});
    expect_right_in_all_kernels<ipv4_address>(bitmaps_always);
    expect_right_in_all_kernels<ipv6_address>({});
}

// Ids too large to be codes: ids that come after the build get the codes that are left, in both FIBs of a
// pair that follow each other.
TEST(packed_leaves, new_next_hops_get_codes_as_long_as_there_are_any) {
    using A = ipv4_address;
    const auto hop_of = [](std::uint32_t i) { return next_hop{0x80000000U - i * 0x1000U}; };
    const auto prefix_of = [](std::uint32_t i) { return prefix<A>::make(A{i << 16}, 16); };
    rib<A> truth;
    ASSERT_TRUE(truth.insert(prefix_of(0), hop_of(0)));
    ASSERT_TRUE(truth.insert(prefix_of(1), hop_of(1)));
    std::vector<packed_leaves::fib<A>> pair;
    for (unsigned i = 0; i < 2; ++i) {
        auto built = packed_leaves::fib<A>::build(truth.to_routes());
        ASSERT_TRUE(built);
        pair.push_back(std::move(*built));
    }
    const auto expect_right = [&](const packed_leaves::fib<A>& fib, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i)
            ASSERT_EQ(fib.lookup(prefix_of(i).last()), hop_of(i));
    };
    constexpr std::uint32_t codes =
        255 - least_regions; // of one byte, except those of regions and the escape
    for (std::uint32_t i = 2; i < codes; ++i) {
        packed_leaves::fib<A>& behind = pair[i % 2];
        ASSERT_EQ(behind.sync_from(pair[1 - i % 2]), errc::ok);
        const auto told = truth.announce(prefix_of(i), hop_of(i));
        ASSERT_TRUE(told);
        ASSERT_EQ(behind.apply(*told), errc::ok) << i;
        behind.begin_publish();
        ASSERT_NO_FATAL_FAILURE(expect_right(behind, i + 1));
        ASSERT_NO_FATAL_FAILURE(expect_right(pair[1 - i % 2], i));
    }
    const auto one_more = truth.announce(prefix_of(codes), hop_of(codes));
    ASSERT_TRUE(one_more);
    EXPECT_EQ(pair[(codes - 1) % 2].apply(*one_more), errc::capacity);
}

// A table gets ten times as many routes as it was built with: each tree overflows and becomes two, between
// cells and, where one cell has nearly all, inside it.
TEST(packed_leaves, trees_that_overflow_are_parted) {
    using A = ipv6_address;
    for (const unsigned spread : {30U, 26U}) { // bits that tell routes apart
        random_numbers random(9);
        const auto some_hop = [&] { return next_hop{static_cast<std::uint32_t>(random.below(1'000))}; };
        constexpr A::value_type block = A::value_type{0x2001} << 112;
        const auto random_prefix = [&] {
            return prefix<A>::make(A{block | A::value_type{random.below(std::uint64_t{1} << spread)} << 80},
                                   48);
        };
        rib<A> truth;
        for (unsigned i = 0; i < 1'500; ++i)
            ASSERT_TRUE(truth.insert(random_prefix(), some_hop()));
        auto fib = packed_leaves::fib<A>::build(truth.to_routes());
        ASSERT_TRUE(fib);
        unsigned built_anew = 0;
        for (unsigned i = 0; i < 15'000; ++i) {
            const auto told = truth.announce(random_prefix(), some_hop());
            ASSERT_TRUE(told);
            if (fib->apply(*told) != errc::ok) {
                fib = packed_leaves::fib<A>::build(truth.to_routes());
                ASSERT_TRUE(fib);
                ++built_anew;
            }
        }
        const routes<A> table = truth.to_routes();
        const std::vector<A> at = addresses_to_try<A>(table.sorted());
        const auto wrong = oracle::verify<A>(*fib, at, oracle_answers<A>(table.sorted(), at));
        EXPECT_FALSE(wrong) << text_of(wrong->address);
        EXPECT_LE(built_anew, 1U) << spread;
    }
}

// Entries of the index that answer, also with codes of 32 bits, stay the same when trees are packed.
TEST(packed_leaves, packs_its_trees_and_keeps_wide_answers) {
    using A = ipv6_address;
    random_numbers random(7);
    const auto some_hop = [&] {
        return next_hop{0x80000000U + static_cast<std::uint32_t>(random.next() >> 33)};
    };
    // Half of a /16 has routes of 24 bits and nothing below them, the other half many longer ones.
    constexpr A::value_type block = A::value_type{0x2001} << 112;
    const auto wide = [&](std::uint64_t i) { return A{block | A::value_type{i} << 104}; };
    const auto random_prefix = [&] {
        const std::uint64_t below = (std::uint64_t{1} << 47) | random.next() >> 17;
        return prefix<A>::make(A{block | A::value_type{below} << 64},
                               static_cast<unsigned>(36 + random.below(13)));
    };
    rib<A> truth;
    for (std::uint64_t i = 0; i < 128; ++i)
        ASSERT_TRUE(truth.insert(prefix<A>::make(wide(i), 24), some_hop()));
    for (unsigned i = 0; i < 70'000; ++i)
        ASSERT_TRUE(truth.insert(random_prefix(), some_hop()));
    auto built = packed_leaves::fib<A>::build(truth.to_routes());
    ASSERT_TRUE(built);
    packed_leaves::fib<A> fib = std::move(*built);

    const auto expect_right = [&](unsigned probes) {
        for (unsigned i = 0; i < probes; ++i) {
            const A a = i % 4 == 0 ? wide(random.below(128)) : random_prefix().last();
            ASSERT_EQ(fib.lookup(a), truth.lookup(a));
        }
    };
    unsigned packed = 0;
    unsigned built_anew = 0;
    for (unsigned i = 0; i < 25'000; ++i) {
        const prefix<A> p = random_prefix();
        // In half of the cases the withdrawn route is one near a random one.
        const auto there = random.below(2) == 0 ? truth.match(p.base) : std::nullopt;
        const auto told = there ? truth.withdraw(there->where) : truth.announce(p, some_hop());
        ASSERT_TRUE(told);
        const std::size_t before = fib.memory_bytes();
        if (fib.apply(*told) != errc::ok) {
            auto again = packed_leaves::fib<A>::build(truth.to_routes());
            ASSERT_TRUE(again);
            fib = std::move(*again);
            ++built_anew;
        } else if (fib.memory_bytes() < before - before / 50) {
            ++packed;
            ASSERT_NO_FATAL_FAILURE(expect_right(3'000));
        }
    }
    ASSERT_NO_FATAL_FAILURE(expect_right(10'000));
    EXPECT_GT(packed, 0U);
    EXPECT_LT(built_anew, 10U);
}

} // namespace
} // namespace fingerpost::testing::of_packed_leaves
