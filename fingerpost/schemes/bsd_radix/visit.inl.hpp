// Shows the nodes of the radix tree. Included by bsd_radix.hpp.
#pragma once

#include <cstdint>

namespace fingerpost::bsd_radix {

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
    const inner& n = inners_[at >> 1];
    std::size_t masks = 0;
    for (std::uint32_t m = n.masks; m != nil; m = masks_[m].next)
        ++masks;
    each({.first = A::first(),
          .last = A::last(),
          .level = level,
          .kind = "node",
          .part = "inner nodes",
          .bytes = sizeof(inner),
          .children = routes_at(n.child[0]) + routes_at(n.child[1]) + masks,
          .offset = std::uint64_t{at >> 1} * sizeof(inner),
          .slot = slot,
          .first_bit = n.bit,
          .bits = 1,
          .contents = [&](node_contents& to) {
              for (const link child : n.child)
                  add_link(to, is_leaf(child) ? "leaf" : "inner node", child >> 1);
              add_link(to, "parent", n.parent);
              add_link(to, "mask", n.masks);
          }});
    for (std::uint32_t m = n.masks; m != nil; m = masks_[m].next) {
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
        visit_below(n.child[bit], level + 1, bit, each);
}

} // namespace fingerpost::bsd_radix
