// How the radix tree shows its steps and nodes. Included by bsd_radix.hpp.
#pragma once

#include <cstdint>

namespace fingerpost::bsd_radix {

template <class A>
next_hop fib<A>::trace(A a, step_visitor each) const {
    if (root_ == nil)
        return next_hop::none;
    link at = root_;
    for (; !is_leaf(at); at = inners_[at >> 1].child[branch(a, inners_[at >> 1])])
        each(inner_step(at >> 1, a));
    const auto first = at >> 1;
    for (std::uint32_t l = first; l != nil; l = leaves_[l].next)
        if (tell_leaf(l, a, leaves_[l].length, each))
            return leaves_[l].hop;
    for (std::uint32_t up = leaves_[first].parent; up != nil; up = inners_[up].parent)
        for (std::uint32_t m = inners_[up].masks; m != nil; m = masks_[m].next) {
            const unsigned length = masks_[m].length;
            each({.part = "masks",
                  .at = &masks_[m],
                  .offset = std::uint64_t{m} * sizeof(mask),
                  .bytes = sizeof(mask)});
            const A cut = prefix<A>::make(a, length).base;
            link below = up << 1;
            for (; !is_leaf(below); below = inners_[below >> 1].child[branch(cut, inners_[below >> 1])])
                each(inner_step(below >> 1, cut));
            std::uint32_t l = below >> 1;
            while (leaves_[l].length != length && leaves_[l].next != nil)
                l = leaves_[l].next;
            if (tell_leaf(l, a, length, each))
                return leaves_[l].hop;
        }
    return next_hop::none;
}

template <class A>
trace_step fib<A>::inner_step(std::uint32_t i, A a) const {
    const inner& here = inners_[i];
    return {.part = "inner nodes",
            .at = &here,
            .offset = std::uint64_t{i} * sizeof(inner),
            .bytes = sizeof(inner),
            .first_bit = here.bit,
            .bits = 1,
            .key = branch(a, here)};
}

template <class A>
bool fib<A>::tell_leaf(std::uint32_t i, A a, unsigned length, step_visitor each) const {
    const leaf& here = leaves_[i];
    const bool fit = here.length == length && prefix<A>::make(a, length).base.value == here.key;
    const std::uint64_t key = number_in_step(A{here.key});
    each({.part = "leaves",
          .at = &here,
          .offset = std::uint64_t{i} * sizeof(leaf),
          .bytes = sizeof(leaf),
          .bits = here.length,
          .with = compared::keys,
          .key = number_in_step(a),
          .values = std::span(&key, 1),
          .result = fit ? outcome::answered : outcome::missed});
    return fit;
}

template <class A>
std::size_t fib<A>::routes_at(link l) const noexcept {
    std::size_t count = is_leaf(l) ? 0 : 1;
    for (std::uint32_t i = is_leaf(l) ? l >> 1 : nil; i != nil; i = leaves_[i].next)
        ++count;
    return count;
}

template <class A>
void fib<A>::visit_below(link at, unsigned level, unsigned slot, node_visitor<A> each) const {
    const auto add_link = [](node_contents& to, std::string_view name, std::uint32_t number) {
        if (number != nil)
            to.numbers.push_back({name, number});
    };
    if (is_leaf(at)) {
        for (std::uint32_t i = at >> 1; i != nil; i = leaves_[i].next) {
            const auto where = prefix<A>::make(A{leaves_[i].key}, leaves_[i].length);
            each({.first = where.first(),
                  .last = where.last(),
                  .level = level,
                  .kind = "leaf",
                  .part = "leaves",
                  .bytes = sizeof(leaf),
                  .offset = std::uint64_t{i} * sizeof(leaf),
                  .slot = slot,
                  .bits = where.length,
                  .contents = [&](node_contents& to) {
                      to.with = compared::keys;
                      to.values = {slice(where.base, 0, where.length)};
                      to.answers = {{0, leaves_[i].hop}};
                      add_link(to, "parent", leaves_[i].parent);
                      add_link(to, "next", leaves_[i].next);
                  }});
        }
        return;
    }
    const inner& here = inners_[at >> 1];
    std::size_t masks = 0;
    for (std::uint32_t m = here.masks; m != nil; m = masks_[m].next)
        ++masks;
    each({.first = A::first(),
          .last = A::last(),
          .level = level,
          .kind = "node",
          .part = "inner nodes",
          .bytes = sizeof(inner),
          .children = routes_at(here.child[0]) + routes_at(here.child[1]) + masks,
          .offset = std::uint64_t{at >> 1} * sizeof(inner),
          .slot = slot,
          .first_bit = here.bit,
          .bits = 1,
          .contents = [&](node_contents& to) {
              for (const link child : here.child)
                  add_link(to, is_leaf(child) ? "leaf" : "inner node", child >> 1);
              add_link(to, "parent", here.parent);
              add_link(to, "mask", here.masks);
          }});
    for (std::uint32_t m = here.masks; m != nil; m = masks_[m].next) {
        const A key{leaves_[leaf_below(at, A::first())].key};
        const auto where = prefix<A>::make(key, masks_[m].length);
        each({.first = where.first(),
              .last = where.last(),
              .level = level + 1,
              .kind = "mask",
              .part = "masks",
              .bytes = sizeof(mask),
              .offset = std::uint64_t{m} * sizeof(mask),
              .contents = [&](node_contents& to) {
                  to.numbers = {{"length", masks_[m].length}};
                  add_link(to, "next", masks_[m].next);
              }});
    }
    for (const unsigned bit : {0u, 1u})
        visit_below(here.child[bit], level + 1, bit, each);
}

} // namespace fingerpost::bsd_radix
