// Shows the steps of a lookup in the trie, and its nodes: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

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
            tell_bits(here.children, number, offsetof(node, children), slot,
                      leads_on ? count_to(place, here.first_child(), sizeof(child)) : bit_count{});
            if (!leads_on)
                break;
            const child& next = in_.child_at(place);
            trace_step now = read("children", next, place);
            if (next.is_fringe())
                return end_with(now, next.hop);
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
        each_(now);
        return hop;
    }
    static bit_count count_to(std::uint32_t place, std::uint32_t first, std::uint32_t unit) {
        return {.words = bitset::words, .base = first, .rank = place - first, .unit = unit};
    }
    // The step misses if no bit leads on.
    void tell_bits(const bitset& of, std::uint32_t number, std::size_t offset, unsigned slot,
                   const bit_count& counted, std::optional<matched_bit> matched = {}) {
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
               .result = counted.words != 0 ? outcome::goes_on : outcome::missed,
               .counted = counted,
               .matched = matched});
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
        each_(now);
        return fit;
    }
    next_hop turn_back(A a) {
        for (++depth_; depth_-- > 0;) {
            const node& here = in_.at(way_[depth_]);
            const unsigned slot = in_.slot_of(a, depth_ * stride);
            const bool matches = here.prefixes.has_common(ancestors[slot]);
            if (!matches) {
                tell_bits(here.prefixes, way_[depth_], 0, slot, {});
                continue;
            }
            const unsigned bit = here.prefixes.highest_common(ancestors[slot]);
            const std::uint32_t place = here.hops + here.prefixes.rank_before(bit);
            tell_bits(here.prefixes, way_[depth_], 0, slot, count_to(place, here.hops, sizeof(next_hop)),
                      matched_bit{bit, length_of_base_index(bit)});
            const next_hop& hop = in_.hop_at(place);
            return end_with(read("hops", hop, place), hop);
        }
        return next_hop::none;
    }

    const trie<A>& in_;
    step_visitor each_;
    std::array<std::uint32_t, A::bits / stride + 2> way_{};
    unsigned depth_ = 0; // in nodes
};

// The children and the next hops of a node are two nodes of their own, and so are leaves and fringes; a
// fringe has no memory but its entry among the children.
template <class A>
class visitor {
    using value = typename A::value_type;

  public:
    visitor(const trie<A>& in, node_visitor<A> each) : in_(in), each_(each) {}

    void visit(std::uint32_t number, const prefix<A>& where, unsigned level, unsigned slot) const {
        const node& here = in_.at(number);
        const std::size_t children = here.children.count(), hops = here.prefixes.count();
        show(where, {.level = level,
                     .kind = "node",
                     .part = "nodes",
                     .bytes = sizeof here,
                     .children = children + (children > 0 ? 1 : 0) + (hops > 0 ? 1 : 0),
                     .offset = std::uint64_t{number} * sizeof here,
                     .slot = slot,
                     .first_bit = where.length,
                     .bits = std::min(stride, A::bits - where.length),
                     .contents = [&](node_contents& to) {
                         to.with = compared::bitmap;
                         to.bitmaps = {{"prefixes", false}, {"children"}};
                         to.values.assign(here.prefixes.bits.begin(), here.prefixes.bits.end());
                         to.values.insert(to.values.end(), here.children.bits.begin(),
                                          here.children.bits.end());
                         to.numbers = {{"first child", here.first_child()}, {"first hop", here.hops}};
                     }});
        if (children > 0)
            show(where, {.level = level + 1,
                         .kind = "children",
                         .part = "children",
                         .bytes = children * sizeof(child),
                         .offset = std::uint64_t{here.first_child()} * sizeof(child),
                         .contents = [&](node_contents& to) {
                             for (std::uint32_t i = 0; i < children; ++i)
                                 to.answers.push_back({i, in_.child_at(here.first_child() + i).hop});
                         }});
        if (hops > 0)
            show(where, {.level = level + 1,
                         .kind = "hops",
                         .part = "hops",
                         .bytes = hops * sizeof(next_hop),
                         .offset = std::uint64_t{here.hops} * sizeof(next_hop),
                         .contents = [&](node_contents& to) {
                             for (std::uint32_t i = 0; i < hops; ++i)
                                 to.answers.push_back({i, in_.hop_at(here.hops + i)});
                         }});
        std::uint32_t place = here.first_child();
        for (unsigned i = here.children.next(0); i < bitset::size(); i = here.children.next(i + 1))
            visit_child(in_.child_at(place++), where, level + 1, i);
    }

  private:
    void visit_child(const child& there, const prefix<A>& above, unsigned level, unsigned slot) const {
        const unsigned length = above.length + stride;
        const value lower = shift_left(static_cast<value>(slot), A::bits - length);
        const auto below = prefix<A>::make(A{static_cast<value>(above.base.value | lower)}, length);
        if (there.is_node())
            return visit(there.to, below, level, slot);
        const auto tell_hop = [&](node_contents& to) { to.answers = {{0, there.hop}}; };
        if (there.is_fringe())
            return show(
                below,
                {.level = level, .kind = "fringe", .part = "children", .slot = slot, .contents = tell_hop});
        const auto& leaf = in_.leaf_at(there.leaf());
        const prefix<A> where = in_.prefix_of(leaf);
        show(where, {.level = level,
                     .kind = "leaf",
                     .part = "leaves",
                     .bytes = sizeof leaf,
                     .offset = there.leaf() * sizeof leaf,
                     .slot = slot,
                     .bits = where.length,
                     .contents = [&](node_contents& to) {
                         tell_hop(to);
                         to.with = compared::keys;
                         to.values = {slice(where.base, 0, where.length)};
                     }});
    }
    void show(const prefix<A>& where, structure_node<A> shown) const {
        shown.first = where.first();
        shown.last = where.last();
        each_(shown);
    }

    const trie<A>& in_;
    node_visitor<A> each_;
};

} // namespace fingerpost::bart
