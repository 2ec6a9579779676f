// Shows the steps of a lookup in the trie, and its nodes: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/schemes/bart/trie.hpp"

namespace fingerpost::bart {

inline constexpr ancestor_table<stride> ancestors = make_ancestors<stride>();

template <class A>
class tracer {
  public:
    tracer(const trie<A>& in, step_visitor each) : in_(in), each_(each) {}

    next_hop trace(A a) {
        for (std::uint32_t number = in_.root();; ++depth_) {
            way_[depth_] = number;
            const node& here = in_.at(number);
            const unsigned slot = in_.slot_of(a, depth_ * stride);
            const bool leads_on = here.children.test(slot);
            const std::uint32_t place = here.child_place(slot);
            tell_bits(here.children, number, offsetof(node, children),
                      leads_on ? outcome::goes_on : outcome::missed, place, slot);
            if (!leads_on)
                break;
            const child& next = in_.child_at(place);
            trace_step now = read("children", next, place);
            if (next.is_fringe())
                return end_with(now, next.hop);
            now.found = next.to;
            each_(now);
            if (!next.is_node()) {
                if (fits(next, a))
                    return next.hop;
                break;
            }
            number = next.to;
        }
        return turn_back(a);
    }

  private:
    template <class T>
    static trace_step read(std::string_view part, const T& at, std::size_t place) {
        return {.part = part, .at = &at, .offset = place * sizeof(T), .bytes = sizeof(T), .key = place};
    }
    next_hop end_with(trace_step now, next_hop hop) {
        now.result = outcome::answered;
        now.found = hop.id;
        each_(now);
        return hop;
    }
    void tell_bits(const bitset& of, std::uint32_t number, std::size_t offset, outcome result,
                   std::uint64_t found, unsigned slot) {
        const unsigned first = depth_ * stride;
        each_({.part = "nodes",
               .at = &of,
               .offset = std::uint64_t{number} * sizeof(node) + offset,
               .bytes = sizeof of,
               .first_bit = first,
               .bits = std::min(stride, A::bits - first),
               .with = compared::bitmap,
               .key = slot,
               .values = of.bits,
               .result = result,
               .found = found});
    }
    bool fits(const child& leaf, A a) {
        const auto& there = in_.leaf_at(leaf.leaf());
        const bool fit = there.contains(top64(a), bottom64(a));
        trace_step now = read("leaves", there, leaf.leaf());
        now.bits = there.length;
        now.with = compared::keys;
        now.key = number_in_step(a);
        const std::uint64_t key = number_in_step(in_.prefix_of(there).base);
        now.values = std::span(&key, 1);
        now.result = fit ? outcome::answered : outcome::missed;
        now.found = fit ? leaf.hop.id : 0;
        each_(now);
        return fit;
    }
    next_hop turn_back(A a) {
        for (++depth_; depth_-- > 0;) {
            const node& here = in_.at(way_[depth_]);
            const unsigned slot = in_.slot_of(a, depth_ * stride);
            const bool matches = here.prefixes.has_common(ancestors[slot]);
            const unsigned place =
                matches ? here.prefixes.rank_before(here.prefixes.highest_common(ancestors[slot])) : 0;
            tell_bits(here.prefixes, way_[depth_], 0, matches ? outcome::goes_on : outcome::missed,
                      here.hops + place, slot);
            if (matches) {
                const next_hop& hop = in_.hop_at(here.hops + place);
                return end_with(read("hops", hop, here.hops + place), hop);
            }
        }
        return next_hop::none;
    }

    const trie<A>& in_;
    step_visitor each_;
    std::array<std::uint32_t, A::bits / stride + 2> way_{};
    unsigned depth_ = 0; // in nodes
};

// Leaves and fringes are nodes too; a fringe has no memory but its entry among the children.
template <class A>
void visit(const trie<A>& in, std::uint32_t number, const prefix<A>& where, unsigned level,
           node_visitor<A> each) {
    using value = typename A::value_type;
    const node& here = in.at(number);
    each({.first = where.first(),
          .last = where.last(),
          .level = level,
          .kind = "node",
          .part = "nodes",
          .bytes = sizeof here,
          .children = here.children.count()});
    std::uint32_t place = here.first_child();
    for (unsigned slot = here.children.next(0); slot < bitset::size(); slot = here.children.next(slot + 1)) {
        const child& there = in.child_at(place++);
        if (!there.is_node() && !there.is_fringe()) {
            const prefix<A> leaf = in.prefix_of(in.leaf_at(there.leaf()));
            each({.first = leaf.first(),
                  .last = leaf.last(),
                  .level = level + 1,
                  .kind = "leaf",
                  .part = "leaves",
                  .bytes = sizeof in.leaf_at(0)});
            continue;
        }
        const unsigned length = where.length + stride;
        const value lower = shift_left(static_cast<value>(slot), A::bits - length);
        const auto below = prefix<A>::make(A{static_cast<value>(where.base.value | lower)}, length);
        if (there.is_node())
            visit(in, there.to, below, level + 1, each);
        else
            each({.first = below.first(),
                  .last = below.last(),
                  .level = level + 1,
                  .kind = "fringe",
                  .part = "children",
                  .bytes = sizeof there});
    }
}

} // namespace fingerpost::bart
