// Definition of aggregate(), for the library and for tests of other widths. See aggregate.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <utility>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/rib/aggregate.hpp"

namespace fingerpost {

namespace detail {

// Candidates are ascending and not empty. `none` is always the only candidate.
using hop_set = std::span<const next_hop>;

inline void merge_candidates(hop_set a, hop_set b, std::vector<next_hop>& out) {
    out.clear();
    if (a.front() == next_hop::none || b.front() == next_hop::none) {
        out.push_back(next_hop::none);
        return;
    }
    const auto less = [](next_hop x, next_hop y) { return x.id < y.id; };
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out), less);
    if (out.empty())
        std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out), less);
}

// Returns the next hop that a node uses if it inherits `inherited`.
inline next_hop choose_candidate(hop_set candidates, next_hop inherited) noexcept {
    const auto less = [](next_hop x, next_hop y) { return x.id < y.id; };
    return std::binary_search(candidates.begin(), candidates.end(), inherited, less) ? inherited
                                                                                     : candidates.front();
}

template <class A>
prefix<A> half_of(const prefix<A>& p, unsigned side) noexcept {
    using value = typename A::value_type;
    const value bit = static_cast<value>(value{side} << (A::bits - 1u - p.length));
    return {A{static_cast<value>(p.base.value | bit)}, static_cast<std::uint8_t>(p.length + 1)};
}

template <class A>
class aggregation {
  public:
    aggregation(std::span<const route<A>> sorted, std::size_t most_nodes)
        : sorted_(sorted), most_nodes_(most_nodes) {}

    std::vector<route<A>> result() {
        if (!sorted_.empty()) {
            const node_index root = grow();
            // Without a default route, the rest of the address space has no route.
            assign_hops(root, next_hop::none);
        }
        return std::move(out_);
    }

  private:
    using node_index = std::uint32_t;
    static constexpr node_index nil = 0xffffffff;

    // A route or a fork. `hop` is the next hop of addresses in no child: the route's own, or for a fork that
    // of the route above. The candidates of a node without children are {hop} and are not stored.
    struct node {
        prefix<A> where;
        next_hop hop;
        std::array<node_index, 2> child{nil, nil};
        std::uint32_t candidate_count = 0;
        std::size_t candidates_begin = 0;
    };
    // A finished sub-tree without a parent yet, with the next hop of the route above it.
    struct waiting {
        node_index top;
        next_hop above;
    };

    hop_set candidates(const node& n) const noexcept {
        if (n.candidate_count == 0)
            return {&n.hop, 1};
        return {pool_.data() + n.candidates_begin, n.candidate_count};
    }
    // Candidates of one half of a node. `scratch` is used if they are not stored.
    hop_set candidates_of_half(const node& n, unsigned side, std::vector<next_hop>& scratch) const {
        const hop_set alone{&n.hop, 1};
        if (n.child[side] == nil)
            return alone;
        const node& below = nodes_[n.child[side]];
        const unsigned levels = below.where.length - n.where.length - 1u;
        if (levels == 0)
            return candidates(below);
        if (levels > 1)
            return alone;
        merge_candidates(candidates(below), alone, scratch);
        return scratch;
    }

    unsigned parting(const waiting& a, const waiting& b) const noexcept {
        return common_length(nodes_[a.top].where.base, nodes_[b.top].where.base);
    }
    std::vector<next_hop> hops_above() const;
    node_index grow();
    node_index finish(node n);
    void assign_hops(node_index at, next_hop inherited);
    void place_half(const node& n, unsigned side, next_hop inherited);
    next_hop put(const prefix<A>& where, hop_set candidates, next_hop inherited) {
        const next_hop chosen = choose_candidate(candidates, inherited);
        if (chosen != inherited)
            out_.push_back({where, chosen});
        return chosen;
    }

    std::span<const route<A>> sorted_;
    std::vector<node> nodes_;
    std::vector<next_hop> pool_; // candidates of nodes with children
    std::array<std::vector<next_hop>, 2> half_;
    std::vector<next_hop> merged_;
    std::vector<route<A>> out_;
    std::size_t most_nodes_;
};

// For each route, the next hop of the longest shorter route that covers it.
template <class A>
std::vector<next_hop> aggregation<A>::hops_above() const {
    std::vector<next_hop> above;
    above.reserve(sorted_.size());
    std::array<const route<A>*, A::bits + 1> open{}; // covers, shortest first
    unsigned count = 0;
    for (const route<A>& r : sorted_) {
        while (count > 0 && !open[count - 1]->where.contains(r.where.base))
            --count;
        above.push_back(count > 0 ? open[count - 1]->hop : next_hop::none);
        open[count++] = &r;
    }
    return above;
}

// Builds the trie from the last route to the first, children before parents. Waiting sub-trees are on a stack
// in address order, the first on top. Deeper ones diverge from their neighbours at fewer bits, so the stack
// is no deeper than the width.
template <class A>
auto aggregation<A>::grow() -> node_index {
    const std::vector<next_hop> above = hops_above();
    nodes_.reserve(sorted_.size() + sorted_.size() / 2);
    std::array<waiting, A::bits + 2> stack{};
    unsigned count = 0;
    // Joins all sub-trees that share `least` bits by forks.
    const auto join = [&](unsigned least) {
        while (count >= 2) {
            const waiting &left = stack[count - 1], &right = stack[count - 2];
            const unsigned at = parting(left, right);
            if (at < least)
                return;
            const auto where = prefix<A>::make(nodes_[left.top].where.base, at);
            stack[count - 2] = {finish({where, left.above, {left.top, right.top}}), left.above};
            --count;
        }
    };
    for (std::size_t i = sorted_.size(); i-- > 0;) {
        const route<A>& r = sorted_[i];
        node route_node{r.where, r.hop};
        if (count > 0) {
            const unsigned shared = common_length(r.where.base, nodes_[stack[count - 1].top].where.base);
            join(std::min<unsigned>(shared, r.where.length) + 1);
        }
        while (count > 0 && r.where.contains(nodes_[stack[count - 1].top].where.base)) {
            const node_index below = stack[--count].top;
            route_node.child[bit_at(nodes_[below].where.base, r.where.length)] = below;
        }
        stack[count++] = {finish(route_node), above[i]};
    }
    join(0);
    return stack[0].top;
}

// Computes and stores the candidates of a node after those of its children.
template <class A>
auto aggregation<A>::finish(node n) -> node_index {
    if (n.child[0] != nil || n.child[1] != nil) {
        merge_candidates(candidates_of_half(n, 0, half_[0]), candidates_of_half(n, 1, half_[1]), merged_);
        n.candidates_begin = pool_.size();
        n.candidate_count = to_u32(merged_.size(), "candidates of a prefix");
        pool_.insert(pool_.end(), merged_.begin(), merged_.end());
    }
    check_size(nodes_.size() + 1, most_nodes_, "prefixes of an aggregation");
    nodes_.push_back(n);
    return to_u32(nodes_.size() - 1, "prefixes of an aggregation");
}

// Writes the routes at and below a node. Recursion depth is at most bits + 1, one for each node on the path.
template <class A>
void aggregation<A>::assign_hops(node_index at, next_hop inherited) {
    const node& n = nodes_[at];
    const next_hop chosen = put(n.where, candidates(n), inherited);
    if (n.child[0] == nil && n.child[1] == nil)
        return;
    place_half(n, 0, chosen);
    place_half(n, 1, chosen);
}

template <class A>
void aggregation<A>::place_half(const node& n, unsigned side, next_hop inherited) {
    const prefix<A> half = half_of(n.where, side);
    const next_hop chosen = put(half, candidates_of_half(n, side, half_[0]), inherited);
    if (n.child[side] == nil)
        return;
    const prefix<A>& below = nodes_[n.child[side]].where;
    if (below.length != half.length + 1u) {
        assign_hops(n.child[side], chosen);
        return;
    }
    // With one level in between, its other half has the next hop of the route above.
    const unsigned to = bit_at(below.base, half.length);
    const auto put_other = [&] { put(half_of(half, 1 - to), {&n.hop, 1}, chosen); };
    if (to == 1)
        put_other();
    assign_hops(n.child[side], chosen);
    if (to == 0)
        put_other();
}

} // namespace detail

template <class A>
std::vector<route<A>> aggregate(std::span<const route<A>> sorted, std::size_t most_nodes) {
    assert(std::is_sorted(sorted.begin(), sorted.end(),
                          [](const auto& a, const auto& b) { return a.where < b.where; }));
    return detail::aggregation<A>(sorted, most_nodes).result();
}

} // namespace fingerpost
