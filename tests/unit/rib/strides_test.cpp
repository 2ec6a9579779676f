// The programs that choose strides: the paper's example, and full enumeration on small tries.
#include "fingerpost/rib/strides.inl.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "fingerpost/fib/parts/multibit/expanded_slots.hpp"
#include "tests/support/tables/figure_1.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing {
namespace {

using seven = address<7>;
using toy = address<9>;

TEST(strides, of_the_papers_figure_1_with_fixed_strides) {
    const vertex_counts counts = count_vertices<seven>(figure_1());
    EXPECT_EQ(counts.inner, (std::vector<std::uint64_t>{1, 1, 2, 2, 2, 1, 1}));
    EXPECT_EQ(counts.longer, (std::vector<std::uint64_t>{8, 6, 5, 4, 3, 2, 1}));
    const std::vector<std::uint64_t> costs{128, 32, 20, 18, 18, 18, 18};
    const std::vector<std::vector<std::uint8_t>> cuts{{7}, {4, 3}, {3, 2, 2}, {1, 2, 2, 2}};
    for (unsigned levels = 1; levels <= costs.size(); ++levels) {
        const auto plan = fixed_strides(counts, {.levels = levels});
        ASSERT_TRUE(plan);
        EXPECT_EQ(plan->cost, costs[levels - 1]) << levels << " levels";
        EXPECT_EQ(plan->strides, cuts[std::min<std::size_t>(levels, cuts.size()) - 1]) << levels << " levels";
        EXPECT_EQ(slots_of(counts, plan->strides), plan->cost);
    }
    // One bit per level costs more than four levels, and the strides in the paper's figure are not optimal.
    EXPECT_EQ(slots_of(counts, std::vector<std::uint8_t>(7, 1)), 20u);
    EXPECT_EQ(slots_of(counts, std::vector<std::uint8_t>{2, 3, 2}), 24u);
}

TEST(strides, of_the_papers_figure_1_with_variable_strides) {
    const table<seven> routes = figure_1();
    const std::vector<std::uint64_t> costs{128, 26, 20, 18, 18, 18, 18};
    const auto plan = variable_plan::of<seven>(routes, {.levels = 7});
    for (unsigned levels = 1; levels <= costs.size(); ++levels)
        EXPECT_EQ(plan.cost(levels), costs[levels - 1]) << levels << " levels";
    EXPECT_EQ(plan.cost(0), impossible);
    // The first route longer than 0 is the first of the table.
    EXPECT_EQ(plan.stride(0, 0, 1), 7u);
    EXPECT_EQ(plan.stride(0, 0, 2), 4u);
}

// The prefixes at which an array may begin, by definition.
template <class A>
std::set<prefix<A>> inner_of(const table<A>& routes) {
    std::set<prefix<A>> inner;
    for (const route<A>& r : routes)
        for (unsigned length = 0; length < r.where.length; ++length)
            inner.insert(prefix<A>::make(r.where.base, length));
    return inner;
}

// Calls use(strides) for all lists of at most `levels` strides within the bounds whose sum is `longest`.
template <class Use>
void each_list(unsigned longest, unsigned levels, const stride_choice& choice,
               std::vector<std::uint8_t>& so_far, Use use) {
    if (longest == 0)
        return use(so_far);
    const unsigned widest = so_far.empty() ? std::max(choice.widest, choice.widest_root) : choice.widest;
    for (unsigned stride = 1; levels > 0 && stride <= std::min(longest, widest); ++stride) {
        so_far.push_back(static_cast<std::uint8_t>(stride));
        each_list(longest - stride, levels - 1, choice, so_far, use);
        so_far.pop_back();
    }
}

template <class A>
std::uint64_t cost_by_definition(const table<A>& routes, const std::vector<std::uint8_t>& strides,
                                 std::uint64_t price) {
    const auto inner = inner_of(routes);
    std::uint64_t cost = 0;
    unsigned border = 0;
    for (const std::uint8_t stride : strides) {
        for (const prefix<A>& p : inner)
            cost += p.length == border ? std::uint64_t{1} << stride : 0;
        for (const route<A>& r : routes)
            cost += r.where.length > border ? price : 0;
        border += stride;
    }
    return cost;
}

TEST(strides, fixed_ones_are_the_best_of_all_lists) {
    random_numbers random(1999);
    std::size_t plans = 0, refused = 0;
    for (unsigned round = 0; round < 400; ++round) {
        const auto routes = clustered_table<toy>(random, 1 + random.below(25), 5);
        const vertex_counts counts = count_vertices<toy>(routes);
        const stride_choice choice{.levels = static_cast<unsigned>(random.below(8)),
                                   .widest = 1 + static_cast<unsigned>(random.below(9)),
                                   .widest_root = static_cast<unsigned>(random.below(10)),
                                   .access_price = random.below(4)};
        std::uint64_t best = impossible;
        std::vector<std::uint8_t> list;
        each_list(counts.longest(), choice.levels == 0 ? toy::bits : choice.levels, choice, list,
                  [&](const auto& strides) {
                      const std::uint64_t cost = cost_by_definition(routes, strides, choice.access_price);
                      best = std::min(best, cost);
                  });
        const auto plan = fixed_strides(counts, choice);
        ASSERT_EQ(plan ? plan->cost : impossible, best) << text_of<toy>(routes);
        if (plan) {
            ASSERT_EQ(cost_by_definition(routes, plan->strides, choice.access_price), best);
        }
        ++(plan ? plans : refused);
    }
    EXPECT_GE(plans, 250u);
    EXPECT_GE(refused, 20u);
}

// The costs of every assignment of strides to the arrays from `at` downwards, by full enumeration.
template <class A>
class all_assignments {
  public:
    all_assignments(const table<A>& routes, const stride_choice& choice)
        : routes_(routes), inner_(inner_of(routes)), choice_(choice) {}

    std::set<std::uint64_t> costs(const prefix<A>& at, unsigned levels, bool behind_path = false) const {
        std::set<std::uint64_t> all;
        if (levels == 0)
            return all;
        const unsigned widest =
            at.length == 0 ? std::max(choice_.widest, choice_.widest_root) : choice_.widest;
        for (unsigned stride = 1; stride <= std::min(widest, height(at)); ++stride) {
            std::set<std::uint64_t> sums{array_cost(at, stride) + accesses(at)};
            for (const prefix<A>& below : inner_)
                if (below.length == at.length + stride && at.covers(below))
                    sums = sums_of(sums, costs(below, levels - 1));
            all.insert(sums.begin(), sums.end());
        }
        if (const auto end = choice_.skip_price && at.length > 0 ? next_of_path(at) : std::nullopt)
            for (const std::uint64_t cost : costs(*end, levels, true))
                all.insert(cost + (behind_path ? 0 : *choice_.skip_price));
        return all;
    }

  private:
    static std::set<std::uint64_t> sums_of(const std::set<std::uint64_t>& a,
                                           const std::set<std::uint64_t>& b) {
        std::set<std::uint64_t> sums;
        for (const std::uint64_t x : a)
            for (const std::uint64_t y : b)
                sums.insert(x + y);
        return sums;
    }
    // The cost of an array in its cheaper form.
    std::uint64_t array_cost(const prefix<A>& at, unsigned stride) const {
        const packed_arrays& packed = choice_.packed;
        const std::uint64_t plain = packed.slot_cost << stride;
        if (packed.cost == nullptr || at.length == 0)
            return plain;
        std::uint64_t runs = 0;
        constexpr std::pair<std::uint32_t, unsigned> child{0, ~0u}; // no two of them are equal
        std::pair<std::uint32_t, unsigned> before = child;
        for (std::uint64_t i = 0; i < std::uint64_t{1} << stride; ++i) {
            const prefix<A> slot = prefix_of_slot(at, i, stride);
            std::pair<std::uint32_t, unsigned> content{packed.pushed ? packed.everywhere.id : 0, 0};
            for (const route<A>& r : routes_) // covers come before longer routes
                if (r.where.covers(slot) && r.where.length > (packed.pushed ? 0 : at.length))
                    content = {r.hop.id, packed.pushed ? 0u : r.where.length};
            const bool is_child = inner_.contains(slot);
            runs += is_child || before != content ? 1 : 0;
            before = is_child ? child : content;
        }
        return std::min(plain, packed.cost(stride, runs));
    }
    unsigned height(const prefix<A>& at) const {
        unsigned longest = 0;
        for (const route<A>& r : routes_)
            if (at.covers(r.where))
                longest = std::max<unsigned>(longest, r.where.length);
        return longest - at.length;
    }
    std::uint64_t accesses(const prefix<A>& at) const {
        const auto longer = [&](const route<A>& r) {
            return r.where.length > at.length && at.covers(r.where);
        };
        return choice_.access_price *
               static_cast<std::uint64_t>(std::count_if(routes_.begin(), routes_.end(), longer));
    }
    // The only inner vertex one bit further, if no route ends there.
    std::optional<prefix<A>> next_of_path(const prefix<A>& at) const {
        std::vector<prefix<A>> next;
        for (const prefix<A>& below : inner_)
            if (below.length == at.length + 1 && at.covers(below))
                next.push_back(below);
        for (const route<A>& r : routes_)
            if (r.where.length == at.length + 1 && at.covers(r.where))
                return std::nullopt;
        return next.size() == 1 ? std::optional(next[0]) : std::nullopt;
    }

    const table<A>& routes_;
    std::set<prefix<A>> inner_;
    const stride_choice choice_;
};

// Arrays of at most four runs, which take two slots plus one for each run.
std::uint64_t packed_for_test(unsigned stride, std::uint64_t runs) noexcept {
    return stride > 4 || runs > 4 ? impossible : 2 + runs;
}
// In bytes: plain slots take three, runs with their index one.
std::uint64_t packed_bytes_for_test(unsigned, std::uint64_t runs) noexcept {
    return runs * 4 > 32 ? impossible : runs * 4;
}

TEST(strides, variable_ones_are_the_best_of_all_assignments) {
    using six = address<6>;
    random_numbers random(17);
    std::size_t tries = 0, refused = 0, skipping = 0, packing = 0;
    for (unsigned round = 0; round < 900; ++round) {
        const auto routes = clustered_table<six>(random, 1 + random.below(9), 5);
        stride_choice choice{.levels = static_cast<unsigned>(random.below(6)),
                             .widest = 1 + static_cast<unsigned>(random.below(6)),
                             .widest_root = static_cast<unsigned>(random.below(7)),
                             .access_price = random.below(3)};
        if (random.below(2) == 0)
            choice.skip_price = random.below(4);
        if (random.below(3) != 0) {
            choice.packed = {.cost = packed_for_test, .pushed = random.below(2) == 0};
            if (random.below(2) == 0)
                choice.packed.cost = packed_bytes_for_test, choice.packed.slot_cost = 3;
            if (random.below(2) == 0)
                choice.packed.everywhere = routes[0].hop;
        }
        const all_assignments<six> all(routes, choice);
        const auto plan = variable_plan::of<six>(routes, choice);
        choice.skip_price.reset();
        const auto without = variable_plan::of<six>(routes, choice);
        choice.packed.cost = nullptr;
        const auto plain = variable_plan::of<six>(routes, choice);
        const bool flat = inner_of(routes).empty();
        for (unsigned levels = choice.levels == 0 ? 0 : 1; levels <= choice.levels; ++levels) {
            const auto costs = all.costs(prefix<six>{}, choice.levels == 0 ? six::bits : levels);
            const std::uint64_t best = flat ? 0 : costs.empty() ? impossible : *costs.begin();
            ASSERT_EQ(plan.cost(levels), best) << levels << " levels\n" << text_of<six>(routes);
            refused += best == impossible ? 1 : 0;
            skipping += best < without.cost(levels) ? 1 : 0;
            packing += without.cost(levels) < plain.cost(levels) * choice.packed.slot_cost ? 1 : 0;
            ++tries;
        }
    }
    EXPECT_GE(tries, 500u);
    EXPECT_GE(refused, 20u);
    EXPECT_GE(skipping, 20u);
    EXPECT_GE(packing, 100u);
}

// Without leaf pushing, below a root of one bit, there are eight runs: 1000000, 1000001, the rest of 1000,
// the rest of 10, 11000, 11001, 1101 and 111.
TEST(strides, of_the_papers_figure_1_with_packed_nodes) {
    const stride_choice choice{
        .levels = 3,
        .packed = {.cost = [](unsigned, std::uint64_t runs) noexcept { return runs; }, .pushed = false}};
    const auto plan = variable_plan::of<seven>(figure_1(), choice);
    EXPECT_EQ(plan.cost(1), 128u); // the root is never packed
    EXPECT_EQ(plan.cost(2), 2u + 8u);
    EXPECT_EQ(plan.stride(0, 0, 2), 1u);
}

// The plan stores its figures at the right vertices: the costs of the arrays add up to the total cost.
TEST(strides, of_every_array_are_found_again) {
    random_numbers random(23);
    for (unsigned round = 0; round < 200; ++round) {
        const auto routes = clustered_table<toy>(random, 2 + random.below(60), 5);
        const auto inner = inner_of(routes);
        const auto plan = variable_plan::of<toy>(routes, {.levels = 3, .widest = 9});
        std::map<prefix<toy>, unsigned> arrays; // with the number of remaining levels
        if (!inner.empty())
            arrays[prefix<toy>{}] = 3;
        std::uint64_t slots = 0;
        for (auto now = arrays.begin(); now != arrays.end(); ++now) { // longer prefixes are appended
            const auto [at, levels] = *now;
            const auto first = std::ranges::find_if(routes, [&](const route<toy>& r) {
                return r.where.length > at.length && at.covers(r.where);
            });
            const unsigned stride =
                plan.stride(static_cast<std::size_t>(first - routes.begin()), at.length, levels);
            slots += std::uint64_t{1} << stride;
            for (const prefix<toy>& below : inner)
                if (below.length == at.length + stride && at.covers(below))
                    arrays[below] = levels - 1;
        }
        ASSERT_EQ(slots, plan.cost(3));
    }
}

TEST(strides, of_tables_without_longer_routes) {
    for (const table<toy>& routes : {table<toy>{}, table<toy>{{prefix<toy>{}, {1}}}}) {
        const vertex_counts counts = count_vertices<toy>(routes);
        EXPECT_EQ(counts.longest(), 0u);
        const auto plan = fixed_strides(counts, {.levels = 3});
        ASSERT_TRUE(plan);
        EXPECT_TRUE(plan->strides.empty());
        EXPECT_EQ(plan->cost, 0u);
        EXPECT_EQ(variable_plan::of<toy>(routes, {.levels = 3}).cost(3), 0u);
    }
}

// No number holds 2^128, so the plan is refused. With path skipping there is one.
TEST(strides, that_explode_are_refused) {
    using a = ipv6_address;
    const table<a> routes{{leading<a>(0x20010db8, 32), {1}}, {prefix<a>::make(a::last(), 128), {2}}};
    EXPECT_FALSE(fixed_strides(count_vertices<a>(routes), {.levels = 1, .widest = 128}));
    EXPECT_FALSE(fixed_strides(count_vertices<a>(routes), {.levels = 7, .widest = 16, .widest_root = 0}));
    EXPECT_TRUE(fixed_strides(count_vertices<a>(routes), {.levels = 8, .widest = 16, .widest_root = 0}));
    EXPECT_EQ(variable_plan::of<a>(routes, {.levels = 7, .widest = 16, .widest_root = 0}).cost(7),
              impossible);
    // The root of one bit, then for each route a path and an array of one bit.
    EXPECT_EQ(
        variable_plan::of<a>(routes, {.levels = 7, .widest = 16, .widest_root = 0, .skip_price = 2}).cost(2),
        10u);
}

} // namespace
} // namespace fingerpost::testing
