// Shows the nodes of a multiway range tree: see fib/inspectable.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/schemes/multiway_range_tree/tree.hpp"

namespace fingerpost::multiway_range_tree {

template <class A>
struct structure {
    using wide = wide_address<A>;
    using place = node<wide>;

    const range_tree<wide>& tree;
    const next_hop_codec& codec;

    // Visits the tree, and the route that contains every address, which is not stored in a node.
    void visit(node_visitor<A> each) const {
        const tree_view<wide> view = tree.view();
        visit_below(view.root, {}, wide::first(), wide::last(), each);
        if (view.word != 0)
            each({.first = A::first(),
                  .last = A::last(),
                  .kind = "route",
                  .part = "nodes",
                  .contents = [&](node_contents& to) { add_answer(to, 0, hop_of(view.word)); }});
    }

    next_hop hop_of(std::uint32_t word) const noexcept { return codec.decode((word & code_mask) - 1); }

  private:
    struct position {
        unsigned level = 0;
        std::uint64_t slot = 0;
    };
    void visit_below(std::uint32_t at, const position& in, wide first, wide last,
                     node_visitor<A> each) const {
        const tree_view<wide> view = tree.view();
        const place& n = view.nodes[at];
        const bool is_leaf = in.level + 1 == view.height;
        const unsigned count = tree.edges_of(n);
        each({.first = narrow<A>(first),
              .last = narrow<A>(last),
              .level = in.level,
              .kind = is_leaf ? "leaf" : "node",
              .part = "nodes",
              .bytes = sizeof n,
              .children = is_leaf ? 0 : count,
              .offset = std::uint64_t{at} * sizeof n,
              .slot = in.slot,
              .bits = A::bits,
              .contents = [&](node_contents& to) {
                  to.with = compared::keys;
                  for (unsigned i = 0; i < count; ++i) {
                      to.values.push_back(number_in_step(narrow<A>(tree.key_at(n, i))));
                      add_answer(to, i, hop_of(n.word[i]));
                  }
              }});
        for (unsigned i = 0; i < count && !is_leaf; ++i) {
            const wide end = tree.key_at(n, i);
            visit_below(n.below[i], {in.level + 1, i}, first, end, each);
            first = wide{static_cast<typename wide::value_type>(end.value + 1)};
        }
    }
};

} // namespace fingerpost::multiway_range_tree
