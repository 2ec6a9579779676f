// HBS: it needs fewer probes than the plain search, changes and rotations keep the entries of a new build,
// and hash tables resist attacks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "fingerpost/schemes/hbs/hbs.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/suite.hpp"
#include "tests/support/tables/collisions.hpp"

namespace fingerpost::testing::of_hbs {
namespace {

using hbs::fib;
using hbs::tree_kind;
using length_search::answer;
using length_search::entry_word;

// Searches the same tree and entries without origins.
template <class A>
class plain_search : public length_fib<plain_search<A>, A> {
  public:
    plain_search(const routes<A>& table, length_tree<A> tree) {
        this->store_ = std::move(*length_store<A>::build(table, {.tree = std::move(tree)}, {}));
    }
};

template <class F, class A>
std::size_t probes_of(const F& built, A a) {
    // A probe that wraps around the end of the table takes two steps.
    std::size_t probes = 0;
    unsigned length = 0;
    built.trace(a, [&](const trace_step& step) {
        probes += step.part == "front" || step.bits == length ? 0U : 1U;
        length = step.bits;
    });
    return probes;
}
template <class F, class A>
double mean_probes(const F& built, const std::vector<A>& addresses) {
    std::size_t sum = 0;
    for (const A a : addresses)
        sum += probes_of(built, a);
    return static_cast<double>(sum) / static_cast<double>(addresses.size());
}
// Addresses below routes, drawn as the traces are.
template <class A>
std::vector<A> matching(const table<A>& all, random_numbers& random, std::size_t count) {
    std::vector<A> found;
    while (found.size() < count) {
        const prefix<A>& where = all[random.below(all.size())].where;
        found.push_back(A{static_cast<typename A::value_type>(
            where.base.value | (random.address<A>().value & where.last().value & ~where.base.value))});
    }
    return found;
}

TEST(hbs, never_probes_more_than_the_plain_search_of_its_tree) {
    using A = address<12>;
    random_numbers random(3);
    std::size_t fewer = 0;
    for (unsigned round = 0; round < 30; ++round) {
        const routes<A> all(clustered_table<A>(random, 1 + random.below(200), 9));
        const auto built = fib<A, tree_kind::weighted>::build(all);
        ASSERT_TRUE(built);
        const plain_search<A> plain(all, built->store().tree);
        for (std::uint32_t i = 0; i < 4096; ++i) {
            ASSERT_EQ(built->lookup(A{i}), plain.lookup(A{i}));
            ASSERT_LE(probes_of(*built, A{i}), probes_of(plain, A{i}));
            fewer += probes_of(*built, A{i}) < probes_of(plain, A{i}) ? 1U : 0U;
        }
    }
    EXPECT_GT(fewer, 30'000U);
}

TEST(hbs, chooses_a_tree_that_needs_fewer_probes_than_the_weighted_one) {
    using A = ipv6_address;
    random_numbers random(5);
    const table<A> all = clustered_table<A>(random, 5000, 9);
    const routes<A> from(all);
    const auto fewest = fib<A>::build(from);
    const auto weighted = fib<A, tree_kind::weighted>::build(from);
    ASSERT_TRUE(fewest && weighted);
    const auto at = matching(all, random, 20'000);
    EXPECT_LE(mean_probes(*fewest, at), mean_probes(*weighted, at));
}

TEST(hbs, finds_the_cheapest_tree_for_its_sample) {
    using A = address<12>;
    random_numbers random(7);
    for (unsigned round = 0; round < 10; ++round) {
        const table<A> all = clustered_table<A>(random, 60, 9);
        const auto built = fib<A>::build(routes<A>(all));
        ASSERT_TRUE(built);
        const auto at = matching(all, random, 4000);
        const auto lengths = lengths_in_use<A>(count_lengths<A>(all));
        const double chosen = mean_probes(*built, at);
        for (unsigned other = 0; other < 40; ++other) {
            const auto tree = length_tree<A>::make(
                lengths, [&](std::size_t i, std::size_t j) { return i + random.below(j - i + 1); });
            auto store = length_store<A>::build(routes<A>(all), {.tree = tree, .has_origins = true}, {});
            ASSERT_TRUE(store);
            struct shaped : length_fib<shaped, A> {
                explicit shaped(length_store<A> s) { store_ = std::move(s); }
            };
            // The build's sample differs from these addresses.
            ASSERT_LE(chosen, mean_probes(shaped(std::move(*store)), at) * 1.06);
        }
    }
}

// A FIB under changes and rotations, and the entries that it must have.
template <class A, class F>
class turned {
  public:
    explicit turned(std::uint64_t seed) : random_(seed), prefixes_(random_) { rebuild(); }

    void change_once(std::size_t size) {
        const bool grows = present_.empty() || (present_.size() < size && random_.below(10) < 6);
        const bool renews = !grows && random_.below(3) == 0;
        const prefix<A> where = grows ? prefixes_.next() : present_[random_.below(present_.size())];
        const auto told = grows || renews
                              ? truth_.announce(where, {static_cast<std::uint32_t>(random_.below(300))})
                              : truth_.withdraw(where);
        ASSERT_TRUE(told);
        if (told->before == next_hop::none) {
            present_.push_back(told->where);
        } else if (told->after == next_hop::none) {
            std::iter_swap(std::find(present_.begin(), present_.end(), told->where), present_.end() - 1);
            present_.pop_back();
        }
        if (built_[0].apply(*told) != errc::ok)
            rebuild();
        for (const auto& [first, last] : told->affected_ranges)
            for (const auto a : {first.value, last.value}) {
                ASSERT_EQ(built_[0].lookup(A{a}), truth_.lookup(A{a})) << text_of(A{a});
            }
    }
    void turn_once() {
        const auto length = static_cast<unsigned>(1 + random_.below(A::bits));
        const errc done = built_[0].raise(length, random_.below(2) == 0);
        ASSERT_TRUE(done == errc::ok || done == errc::not_found) << message(done);
        rotations_ += done == errc::ok ? 1U : 0U;
    }
    // Checks the entries: every entry of a new build with this tree exists, with at least the required
    // origins and users. All other entries are markers with the right best match.
    void expect_entries_of_a_build() {
        const length_store<A>& store = built_[0].store();
        const routes<A> all = truth_.to_routes();
        std::size_t needed = 0;
        const auto check_best = [&](const prefix<A>& where, std::uint64_t word, next_hop best) {
            const std::uint32_t code = answer::code(entry_word::answer_of(word));
            ASSERT_EQ(store.codec.decode(code - 1), best) << text_of(where.base);
        };
        for_each_length_entry(all.sorted(), store.tree, [&](const length_entry<A>& e) {
            ++needed;
            const std::uint64_t* word = store.find(e.where);
            ASSERT_NE(word, nullptr);
            ASSERT_EQ(entry_word::is_route(*word), e.is_route);
            ASSERT_EQ(entry_word::best_length(*word), e.best_length);
            ASSERT_GE(entry_word::users(*word), std::min(e.users, entry_word::most_users));
            const length_set<A> origins = store.sets[answer::origins(entry_word::answer_of(*word))];
            ASSERT_EQ(e.origins & ~origins, 0U) << "an origin is missing";
            check_best(e.where, *word, e.best);
        });
        std::size_t there = 0;
        store.for_each([&](const prefix<A>&, std::uint64_t) { ++there; });
        ASSERT_EQ(there, store.entries());
        ASSERT_GE(there, needed);
        for (const A at : addresses_to_try<A>(all.sorted())) {
            ASSERT_EQ(built_[0].lookup(at), truth_.lookup(at)) << text_of(at);
        }
    }
    std::size_t rotations() const { return rotations_; }
    std::size_t rebuilds() const { return rebuilds_ - 1; }

  private:
    void rebuild() {
        ++rebuilds_;
        auto made = F::build(truth_.to_routes());
        ASSERT_TRUE(made);
        built_.clear();
        built_.push_back(std::move(*made));
    }

    random_numbers random_;
    clustered_prefixes<A> prefixes_;
    rib<A> truth_;
    std::vector<prefix<A>> present_;
    std::vector<F> built_; // one
    std::size_t rotations_ = 0;
    std::size_t rebuilds_ = 0;
};

template <class A, class F>
void expect_right_through(std::size_t changes, std::size_t size) {
    turned<A, F> one(11);
    for (std::size_t i = 0; i < changes; ++i) {
        ASSERT_NO_FATAL_FAILURE(one.change_once(size)) << "change " << i;
        if (i % 16 == 0) {
            ASSERT_NO_FATAL_FAILURE(one.turn_once()) << "after change " << i;
        }
        if (i % (changes / 20) == 0) {
            ASSERT_NO_FATAL_FAILURE(one.expect_entries_of_a_build()) << "after change " << i;
        }
    }
    ASSERT_NO_FATAL_FAILURE(one.expect_entries_of_a_build());
    EXPECT_GE(one.rotations(), changes / 200);
    EXPECT_LE(one.rebuilds(), changes / 200);
}

TEST(hbs, changes_and_rotations_keep_the_entries_of_a_build) {
    expect_right_through<address<12>, fib<address<12>>>(scaled(100'000), 800);
    expect_right_through<address<12>, fib<address<12>, tree_kind::fewest_probes, 16>>(scaled(30'000), 800);
    expect_right_through<ipv4_address, fib<ipv4_address>>(scaled(10'000), 2000);
    expect_right_through<ipv6_address, fib<ipv6_address>>(scaled(10'000), 1000);
    expect_right_through<ipv6_address, fib<ipv6_address, tree_kind::fewest_probes, 16>>(scaled(4'000), 1000);
    expect_right_through<ipv6_address, fib<ipv6_address, tree_kind::fewest_probes, 24>>(scaled(1'000), 500);
}

// Routes of a few short lengths, then many longer ones.
TEST(hbs, rotates_where_the_lengths_of_routes_become_others) {
    using A = ipv4_address;
    rib<A> truth;
    for (std::uint32_t i = 0; i < 3000; ++i)
        ASSERT_TRUE(truth.announce(prefix<A>::make(A{i << 16}, 16 + i % 3), {i % 50}));
    for (const unsigned length : {20U, 24U, 28U, 32U})
        ASSERT_TRUE(truth.announce(prefix<A>::make(A{0x0a000000}, length), {length}));
    auto built = fib<A>::build(truth.to_routes());
    ASSERT_TRUE(built);
    random_numbers random(13);
    for (std::uint32_t i = 0; i < 20'000; ++i) {
        const auto where =
            prefix<A>::make(A{static_cast<std::uint32_t>(random.below(1ULL << 32))}, i % 2 == 0 ? 28 : 32);
        const auto told = truth.announce(where, {i % 50});
        ASSERT_TRUE(told);
        ASSERT_EQ(built->apply(*told), errc::ok);
    }
    EXPECT_GE(built->changes().rotations(), 1U);
    for (const A a : matching<A>(routes_of(truth), random, 20'000))
        ASSERT_EQ(built->lookup(a), truth.lookup(a));
}

TEST(hbs, has_short_searches_also_for_who_knows_its_key) {
    using A = ipv6_address;
    const hash_key known(known_seed);
    rib<A> truth;
    build_options options;
    options.hash_seed = known_seed;
    auto built = fib<A>::build(truth.to_routes(), options);
    ASSERT_TRUE(built);
    std::size_t longest = 0;
    for (std::uint64_t i = 0, count = 0; count < 3'000; ++i) {
        const std::uint64_t key = (0x2000'0000'0000 + i) << 16;
        if (hash_key::bucket(known.hash(key, 48), 1 << 11) != 0)
            continue;
        ++count;
        const auto told = truth.announce(prefix<A>::make(from_halves<A>(key, 0), 48), {7});
        ASSERT_TRUE(told);
        ASSERT_EQ(built->apply(*told), errc::ok);
        longest = std::max(longest, built->store().narrow.longest_search());
    }
    // The known key is replaced before a search gets long.
    EXPECT_GE(built->store().narrow.redraws(), 1U);
    EXPECT_LT(built->store().narrow.longest_search(), 100U);
    EXPECT_LE(longest, 2 * prefix_table<std::uint64_t>::most_passed);
    expect_right(*built, routes_of(truth));
}

// When there are more sets of origins than numbers, the remaining entries use the set of all lengths.
TEST(origin_sets, run_out_without_a_wrong_set) {
    using A = address<32>;
    origin_sets<A> sets;
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t set = 1; set < 5'000; ++set)
        numbers.push_back(sets.number_of(set));
    EXPECT_EQ(sets.size(), origin_sets<A>::most);
    for (std::uint32_t set = 1; set < 5'000; ++set) {
        ASSERT_EQ(sets.number_of(set), numbers[set - 1]);
        ASSERT_EQ(set & ~sets[numbers[set - 1]], 0U);
    }
    EXPECT_EQ(sets[numbers[0]], 1U);
    EXPECT_EQ(numbers.back(), 0U);
}

} // namespace
} // namespace fingerpost::testing::of_hbs
