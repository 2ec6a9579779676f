// Random changes on every patchable scheme: the FIB is right at the affected boundaries after each change and
// everywhere at the end, and then it is no larger than a new FIB.
//
// FINGERPOST_CHANGES=1000000 sets the number of changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/rib/rib.hpp"
#include "tests/support/suite.hpp"

namespace fingerpost::testing::of_update {
namespace {

std::size_t changes_wanted(std::size_t usual) {
    const char* text = std::getenv("FINGERPOST_CHANGES");
    return text != nullptr ? std::strtoull(text, nullptr, 0) : scaled(usual);
}

// `in_turns` uses two FIBs: one is changed while the other is read. They swap roles at the latest after the
// changed one was checked.
enum class how : unsigned char { hidden, in_turns, in_place };

std::string name_of(how mode) {
    return mode == how::hidden ? "" : mode == how::in_turns ? " in turns" : " in place";
}

bool is_one_of(std::string_view scheme, std::span<const std::string_view> folders) {
    return std::find(folders.begin(), folders.end(), scheme.substr(0, scheme.find(':'))) != folders.end();
}
// Schemes whose nodes depend on earlier changes, and those of them that keep spare nodes for later changes.
constexpr std::array<std::string_view, 10> with_a_past{
    "packed_leaves", "ranked_cells", "lpc_trie",       "multibit_fixed",   "multibit_variable",
    "neurotrie",     "hbs",          "hash_by_length", "bihash_by_length", "multiway_range_tree"};
constexpr std::array<std::string_view, 3> with_spare_nodes{"packed_leaves", "ranked_cells", "hbs"};

// One FIB, and the RIB and the oracle that receive the same changes.
template <class A>
class patched {
    using value = typename A::value_type;

  public:
    patched(const scheme_entry<A>& scheme, how mode, std::size_t size, std::uint64_t seed,
            std::uint32_t first_hop = 0, std::size_t hops = 300)
        : scheme_(scheme), mode_(mode), options_{.hash_seed = seed}, random_(seed), prefixes_(random_),
          size_(size), first_hop_(first_hop), hops_(hops) {
        for (std::size_t i = 0; i < size; ++i)
            announce_in_rib(prefixes_.next());
        rebuild();
    }

    void change_once() {
        const bool grow = random_.below(2 * size_) >= present_.size();
        const std::uint64_t kind = random_.below(10);
        if (present_.empty() || (grow && kind < 7))
            tell(truth_.announce(prefixes_.next(), some_hop()));
        else if (kind < 3)
            tell(truth_.announce(some_present(), some_hop()));
        else
            withdraw_one();
    }
    void withdraw_one() { tell(truth_.withdraw(some_present())); }
    void announce(const prefix<A>& where, std::uint32_t hop) { tell(truth_.announce(where, {hop})); }
    // Later changes draw from `count` next hops.
    void draw_next_hops(std::size_t count) { hops_ = count; }

    // Applies several changes together, as a table may do: each is described against the RIB after all of
    // them.
    void change_together(std::size_t count) {
        std::map<prefix<A>, next_hop> before;
        for (std::size_t i = 0; i < count; ++i) {
            const bool leave = !present_.empty() && random_.below(2) == 0;
            const prefix<A> p = leave ? some_present() : prefixes_.next();
            const auto told = leave ? truth_.withdraw(p) : truth_.announce(p, some_hop());
            ASSERT_TRUE(told);
            note(*told);
            before.try_emplace(told->where, told->before);
        }
        std::vector<change<A>> all;
        for (const auto& [where, old] : before)
            all.push_back(truth_.describe(where, old));
        if (looked_at_)
            take_turns();
        for (std::size_t i = all.size(); i > 1; --i)
            std::swap(all[i - 1], all[random_.below(i)]);
        bool fits = true;
        for (const change<A>& c : all)
            fits = fits && apply(c);
        if (!fits)
            rebuild();
        unseen_.insert(unseen_.end(), all.begin(), all.end());
        look();
    }

    void expect_right_everywhere() {
        look();
        const routes<A> all = truth_.to_routes();
        const std::vector<A> at = addresses_to_try<A>(all.sorted());
        const std::vector<next_hop> right = oracle_answers<A>(all.sorted(), at);
        std::vector<next_hop> got(at.size());
        fib_->lookup(at, got);
        for (std::size_t i = 0; i < at.size(); ++i)
            ASSERT_EQ(got[i], right[i]) << text_of(at[i]);
    }
    void expect_no_larger_than_new() {
        look();
        const auto fresh = scheme_.build(truth_.to_routes(), options_);
        ASSERT_TRUE(fresh);
        const auto now = static_cast<double>(fib_->memory_bytes());
        const auto built = static_cast<double>((*fresh)->memory_bytes());
        EXPECT_LE(now, built * 1.1) << present_.size() << " routes; now, and new:" << parts_of(*fib_) << "\n "
                                    << parts_of(**fresh);
    }
    // Changes must leave exactly the nodes of a new build. Where nodes depend on earlier changes, an emptied
    // FIB must not have more nodes than a new one.
    void expect_nodes_of_a_build() {
        look();
        const std::string_view name = scheme_.facts.name;
        const bool has_past = is_one_of(name, with_a_past);
        if (has_past && (!present_.empty() || is_one_of(name, with_spare_nodes)))
            return;
        const auto fresh = scheme_.build(truth_.to_routes(), options_);
        ASSERT_TRUE(fresh);
        if (has_past)
            EXPECT_LE(nodes_of(*fib_).size(), nodes_of(**fresh).size());
        else
            EXPECT_EQ(nodes_of(*fib_), nodes_of(**fresh)) << present_.size() << " routes";
    }
    std::size_t size() const { return present_.size(); }
    std::size_t rebuilds() const { return rebuilds_; }
    std::size_t probes() const { return probes_; }

  private:
    static std::string parts_of(const any_fib<A>& fib) {
        std::string all;
        for (const memory_part& part : fib.memory_parts())
            all += " " + std::string(part.name) + " " + std::to_string(part.bytes);
        return all;
    }
    static std::vector<std::string> nodes_of(const any_fib<A>& fib) {
        std::vector<std::string> all;
        fib.visit([&](const structure_node<A>& n) {
            all.push_back(std::string(n.level, ' ') + std::string(n.kind) + " " + text_of(n.first) + "-" +
                          text_of(n.last) + ", " + std::to_string(n.bytes) + " bytes");
        });
        return all;
    }
    next_hop some_hop() { return {first_hop_ + static_cast<std::uint32_t>(random_.below(hops_))}; }
    prefix<A> some_present() { return present_[random_.below(present_.size())]; }

    void announce_in_rib(const prefix<A>& p) {
        const auto told = truth_.announce(p, some_hop());
        ASSERT_TRUE(told);
        note(*told);
    }
    void note(const change<A>& c) {
        oracle_.set(c.where, c.after);
        if (c.before == next_hop::none) {
            place_[c.where] = present_.size();
            present_.push_back(c.where);
        } else if (c.after == next_hop::none) {
            const std::size_t at = place_[c.where];
            place_[present_.back()] = at;
            present_[at] = present_.back();
            present_.pop_back();
            place_.erase(c.where);
        }
    }
    void tell(const expected<change<A>>& told) {
        ASSERT_TRUE(told);
        note(*told);
        if (mode_ == how::in_turns && (looked_at_ || random_.below(8) == 0))
            take_turns();
        if (!apply(*told))
            rebuild();
        unseen_.push_back(*told);
        if (mode_ != how::in_turns || random_.below(4) != 0)
            look();
    }
    // Checks everything that has changed since the last check.
    void look() {
        fib_->begin_publish();
        looked_at_ = mode_ == how::in_turns;
        for (const change<A>& c : unseen_)
            expect_right_around(c);
        unseen_.clear();
    }
    // Passes only the data that the scheme requests.
    bool apply(change<A> c) {
        if (c.where.length < scheme_.min_length_with_ranges)
            c.affected_ranges.clear();
        if (mode_ != how::in_place)
            return fib_->apply(c) == errc::ok;
        ++version_;
        const errc done = fib_->apply_in_place(c, version_);
        if (random_.below(4) == 0)
            fib_->reclaim(version_);
        return done == errc::ok;
    }
    void rebuild() {
        ++rebuilds_;
        const auto build = mode_ == how::in_place ? scheme_.build_in_place : scheme_.build;
        auto built = build(truth_.to_routes(), options_);
        ASSERT_TRUE(built);
        fib_ = std::move(*built);
        if (mode_ == how::in_turns && (read_ == nullptr || random_.below(2) == 0)) {
            auto empty = build(routes<A>(), options_);
            ASSERT_TRUE(empty);
            read_ = std::move(*empty);
            seen_.clear();
        }
    }
    // The FIB that is read must not change while the other one does, and both must be equal after it has
    // followed.
    void take_turns() {
        fib_->begin_publish();
        for (const auto& [at, answer] : seen_)
            ASSERT_EQ(read_->lookup(at), answer) << text_of(at) << " changed where it is read";
        if (random_.below(2) == 0)
            fib_->finish_publish();
        for (std::uint64_t times = random_.below(3); times < 3; ++times)
            ASSERT_EQ(read_->sync_from(*fib_), errc::ok);
        std::swap(fib_, read_);
        looked_at_ = false;
        // sync_from() must refuse a FIB that has missed changes.
        if (random_.below(100) == 0) {
            auto third = scheme_.build(routes<A>(), options_);
            ASSERT_TRUE(third);
            ASSERT_NE((*third)->sync_from(*read_), errc::ok);
        }
        seen_.clear();
        for (std::size_t i = 0; i < 20 && !present_.empty(); ++i) {
            const A at = random_.below(2) == 0 ? present_[random_.below(present_.size())].first()
                                               : random_.template address<A>();
            seen_.emplace_back(at, fib_->lookup(at));
        }
    }

    // Checks both ends of each affected range and their neighbours. Of very many ranges it checks the first
    // and last few.
    void expect_right_around(const change<A>& c) {
        constexpr std::size_t most = 6;
        for (std::size_t i = 0; i < c.affected_ranges.size(); ++i) {
            if (i == most && c.affected_ranges.size() > 2 * most)
                i = c.affected_ranges.size() - most;
            const auto& [first, last] = c.affected_ranges[i];
            for (const value a : {static_cast<value>(first.value - 1), first.value, last.value,
                                  static_cast<value>(last.value + 1)}) {
                const A at{static_cast<value>(a & A::last().value)};
                ++probes_;
                ASSERT_EQ(fib_->lookup(at), oracle_.lookup(at))
                    << text_of(at) << " after a change of " << text_of(c.where.base) << "/"
                    << unsigned{c.where.length};
            }
        }
    }

    const scheme_entry<A>& scheme_;
    how mode_;
    // The hash key is fixed: with 1 of 100 random keys, tables with hashed buckets exceed the bound by 0.1 %
    // after changes.
    build_options options_;
    random_numbers random_;
    clustered_prefixes<A> prefixes_;
    std::size_t size_;
    std::uint32_t first_hop_;
    std::size_t hops_;
    rib<A> truth_;
    oracle::by_length<A> oracle_{std::span<const route<A>>{}};
    std::vector<prefix<A>> present_;
    std::map<prefix<A>, std::size_t> place_;
    fib_pointer<A> fib_;
    fib_pointer<A> read_;
    std::vector<std::pair<A, next_hop>> seen_; // answers of read_ when the FIBs last swapped
    std::vector<change<A>> unseen_;            // changes of fib_ since the last check
    bool looked_at_ = false;                   // whether fib_ was checked since it last followed
    std::uint64_t version_ = 0;
    std::size_t rebuilds_ = 0;
    std::size_t probes_ = 0;
};

template <class A>
class Updates : public over_schemes<A> {
  protected:
    // Calls test(scheme, mode) for each scheme and way of patching.
    template <class F>
    static std::size_t for_each_patchable(F test) {
        std::size_t count = 0;
        for (const scheme_entry<A>& scheme : chosen_schemes<A>())
            for (const how mode : {how::hidden, how::in_turns, how::in_place}) {
                const bool can = mode == how::hidden     ? scheme.patchable
                                 : mode == how::in_turns ? scheme.syncable
                                                         : scheme.patchable_in_place;
                if (!can)
                    continue;
                SCOPED_TRACE(std::string(scheme.facts.name) + name_of(mode));
                test(scheme, mode);
                ++count;
                if (::testing::Test::HasFailure())
                    return count;
            }
        return count;
    }
};
using widths = ::testing::Types<address<12>, address<32>, address<128>>;
TYPED_TEST_SUITE(Updates, widths);

template <class A>
constexpr std::size_t usual_size = A::bits <= 12 ? std::size_t{1} << (A::bits - 2) : 20'000;

TYPED_TEST(Updates, RightAfterEachChangeAndSmallAtTheEnd) {
    using A = TypeParam;
    const std::size_t wanted = changes_wanted(20'000);
    const std::size_t kinds = this->for_each_patchable([&](const scheme_entry<A>& scheme, how mode) {
        const auto start = std::chrono::steady_clock::now();
        patched<A> one(scheme, mode, scaled(usual_size<A>), 17 * A::bits);
        for (std::size_t i = 0; i < wanted; ++i) {
            ASSERT_NO_FATAL_FAILURE(one.change_once()) << "change " << i;
        }
        ASSERT_NO_FATAL_FAILURE(one.expect_right_everywhere());
        EXPECT_GE(one.probes(), wanted);
        const bool sized = mode != how::in_place && A::bits > 12 && one.size() >= 10'000;
        if (sized)
            one.expect_no_larger_than_new();
        for (std::size_t left = one.size() / 3; one.size() > left;) {
            ASSERT_NO_FATAL_FAILURE(one.withdraw_one());
        }
        ASSERT_NO_FATAL_FAILURE(one.expect_right_everywhere());
        if (sized)
            one.expect_no_larger_than_new();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        std::cout << scheme.facts.name << name_of(mode) << ", " << A::bits << " bits: " << wanted
                  << " changes, " << one.probes() << " probes, " << one.rebuilds() - 1 << " rebuilds, "
                  << took.count() << " s\n";
    });
    std::size_t there_are = 0;
    for (const scheme_entry<A>& one : chosen_schemes<A>())
        there_are +=
            std::size_t{one.patchable} + std::size_t{one.syncable} + std::size_t{one.patchable_in_place};
    EXPECT_EQ(kinds, there_are);
}

TYPED_TEST(Updates, ChangesToldTogetherComeInAnyOrder) {
    using A = TypeParam;
    this->for_each_patchable([&](const scheme_entry<A>& scheme, how mode) {
        patched<A> one(scheme, mode, scaled(A::bits <= 12 ? 30 : 500), 23 * A::bits);
        for (std::size_t i = 0; i < scaled(300); ++i) {
            ASSERT_NO_FATAL_FAILURE(one.change_together(1 + i % 20)) << "transaction " << i;
        }
        ASSERT_NO_FATAL_FAILURE(one.expect_right_everywhere());
    });
}

TYPED_TEST(Updates, DownToNothingAndUpAgain) {
    using A = TypeParam;
    this->for_each_patchable([&](const scheme_entry<A>& scheme, how mode) {
        patched<A> one(scheme, mode, 40, 29 * A::bits);
        for (unsigned round = 0; round < 3; ++round) {
            while (one.size() > 0) {
                ASSERT_NO_FATAL_FAILURE(one.withdraw_one());
            }
            ASSERT_NO_FATAL_FAILURE(one.expect_right_everywhere());
            if (!scheme.facts.large_when_empty || round == 2) {
                ASSERT_NO_FATAL_FAILURE(one.expect_nodes_of_a_build());
            }
            for (unsigned i = 0; i < 60; ++i) {
                ASSERT_NO_FATAL_FAILURE(one.change_once());
            }
        }
        ASSERT_NO_FATAL_FAILURE(one.expect_right_everywhere());
        ASSERT_NO_FATAL_FAILURE(one.expect_nodes_of_a_build());
    });
}

// The deepest nesting: routes of every length are announced at some addresses, from the shortest on, and
// withdrawn in random order. A route often has the next hop of its cover.
TYPED_TEST(Updates, ChainsOfAllLengths) {
    using A = TypeParam;
    this->for_each_patchable([&](const scheme_entry<A>& scheme, how mode) {
        const std::size_t step = scheme.facts.large_when_empty ? A::bits + 1 : std::min(A::bits, 47u);
        patched<A> one(scheme, mode, 0, 37 * A::bits);
        random_numbers random(37);
        const A any = random.address<A>();
        for (unsigned length = 0; length <= A::bits; ++length) {
            for (const A end : {A::first(), leading<A>(1, 1).base, A::last(), any}) {
                ASSERT_NO_FATAL_FAILURE(one.announce(prefix<A>::make(end, length), length % 5 / 2));
            }
            if (length % step == step / 2) {
                ASSERT_NO_FATAL_FAILURE(one.expect_nodes_of_a_build()) << "with lengths up to " << length;
            }
        }
        ASSERT_NO_FATAL_FAILURE(one.expect_right_everywhere());
        while (one.size() > 0) {
            ASSERT_NO_FATAL_FAILURE(one.withdraw_one());
            if (one.size() % step == step / 2 && !scheme.facts.large_when_empty) {
                ASSERT_NO_FATAL_FAILURE(one.expect_nodes_of_a_build());
            }
        }
        ASSERT_NO_FATAL_FAILURE(one.expect_right_everywhere());
    });
}

// Ids that need wider codes or a table of ids; a scheme may request a rebuild for them.
TYPED_TEST(Updates, NextHopIdsOfEverySize) {
    using A = TypeParam;
    for (const std::uint32_t first : {200U, 32'600U, 65'400U, 0x1fff80U, 0x7fffff80U, 0xfffffe00U})
        this->for_each_patchable([&](const scheme_entry<A>& scheme, how mode) {
            patched<A> one(scheme, mode, 40, 31 * A::bits, first, 1);
            const std::size_t changes = scaled(A::bits == 32 ? 40 : 400);
            for (std::size_t i = 0; i < changes; ++i) {
                one.draw_next_hops(1 + i * 300 / changes);
                ASSERT_NO_FATAL_FAILURE(one.change_once()) << "first next hop " << first;
            }
            ASSERT_NO_FATAL_FAILURE(one.expect_right_everywhere());
        });
}

} // namespace
} // namespace fingerpost::testing::of_update
