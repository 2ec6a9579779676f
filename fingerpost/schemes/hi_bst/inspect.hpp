// Shows the steps of a lookup, and the nodes that it reads: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/schemes/hi_bst/view.hpp"

namespace fingerpost::hi_bst {

template <class A>
struct inspector {
    using value = typename A::value_type;

    std::span<const value> keys;
    std::span<const node> nodes;
    const next_hop_codec& codec;

    next_hop trace(A a, step_visitor each) const {
        if (keys.size() <= 1)
            return next_hop::none;
        std::size_t at = 1;
        for (unsigned level = 0; at < keys.size(); ++level) {
            const std::uint64_t there = number_in_step(A{keys[at]});
            const bool right = keys[at] <= a.value;
            each({.part = "keys",
                  .at = &keys[at],
                  .offset = at * sizeof(value),
                  .bytes = sizeof(value),
                  .bits = A::bits,
                  .with = compared::keys,
                  .key = number_in_step(a),
                  .values = std::span(&there, 1),
                  .found = right ? 1u : 0u,
                  .kind = "route",
                  .level = level});
            at = 2 * at + (right ? 1 : 0);
        }
        at = node_before(at);
        const unsigned shared = common_length(a, A{keys[at]});
        for (; length_of(nodes[at].word) > shared; at = nodes[at].around) {
            trace_step step = step_at(at);
            step.result = outcome::missed;
            step.found = nodes[at].around;
            each(step);
        }
        return end_with(at, each);
    }

    std::array<memory_part, 3> parts() const noexcept {
        return {{{"keys", keys.size_bytes()},
                 {"routes", nodes.size_bytes()},
                 {"next hops", codec.memory_bytes()}}};
    }

    void visit(node_visitor<A> each) const { visit_below(1, 0, A::first(), A::last(), each); }

  private:
    trace_step step_at(std::size_t at) const {
        return {.part = "routes",
                .at = &nodes[at],
                .offset = at * sizeof(node),
                .bytes = sizeof(node),
                .key = at};
    }
    next_hop end_with(std::size_t at, step_visitor each) const {
        const std::uint32_t number = (nodes[at].word & code_mask) - 1;
        const next_hop hop = codec.decode(number);
        trace_step last = step_at(at);
        const std::span<const next_hop> listed = codec.decoder().hops;
        if (!listed.empty() && number != next_hop::none.id) {
            last.found = number;
            each(last);
            last = {.part = "next hops",
                    .at = &listed[number],
                    .offset = number * sizeof(next_hop),
                    .bytes = sizeof(next_hop),
                    .key = number};
        }
        last.result = outcome::answered;
        last.found = hop.id;
        each(last);
        return hop;
    }
    // A node is shown with the addresses whose way leads through it. Of routes with the same first address,
    // some have no such address; they are shown with one that is next to theirs.
    void visit_below(std::size_t at, unsigned level, A first, A last, node_visitor<A> each) const {
        if (at >= keys.size())
            return;
        const std::size_t below = 2 * at;
        each({.first = first,
              .last = last,
              .level = level,
              .kind = "route",
              .part = "keys",
              .bytes = sizeof(value),
              .children = std::size_t{below < keys.size()} + std::size_t{below + 1 < keys.size()}});
        const A key = std::clamp(A{keys[at]}, first, last);
        visit_below(below, level + 1, first, key == first ? first : A{static_cast<value>(key.value - 1)},
                    each);
        visit_below(below + 1, level + 1, key, last, each);
    }
};

} // namespace fingerpost::hi_bst
