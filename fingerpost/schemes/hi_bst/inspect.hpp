// Shows the steps of a lookup, and the nodes that it reads: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
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
        while (at < keys.size()) {
            const std::uint64_t there = number_in_step(A{keys[at]});
            const bool right = keys[at] <= a.value;
            each({.part = "keys",
                  .at = &keys[at],
                  .offset = at * sizeof(value),
                  .bytes = sizeof(value),
                  .bits = A::bits,
                  .with = compared::keys,
                  .key = number_in_step(a),
                  .values = std::span(&there, 1)});
            at = 2 * at + (right ? 1 : 0);
        }
        at = node_before(at);
        const unsigned shared = common_length(a, A{keys[at]});
        for (; length_of(nodes[at].word) > shared; at = nodes[at].around) {
            trace_step step = step_at(at);
            step.result = outcome::missed;
            each(step);
        }
        return end_with(at, each);
    }

    std::array<memory_part, 3> parts() const noexcept {
        return {{{"keys", keys.size_bytes()},
                 {"routes", nodes.size_bytes()},
                 {"next hops", codec.memory_bytes()}}};
    }

    void visit(node_visitor<A> each) const { visit_below(1, {}, A::first(), A::last(), each); }

  private:
    struct place {
        unsigned level = 0;
        std::uint64_t slot = 0; // 0 to the left, 1 to the right
    };
    std::uint32_t number_at(std::size_t at) const noexcept { return (nodes[at].word & code_mask) - 1; }
    trace_step step_at(std::size_t at) const {
        return {.part = "routes",
                .at = &nodes[at],
                .offset = at * sizeof(node),
                .bytes = sizeof(node),
                .key = at};
    }
    next_hop end_with(std::size_t at, step_visitor each) const {
        const std::uint32_t number = number_at(at);
        trace_step last = step_at(at);
        const std::span<const next_hop> listed = codec.decoder().hops;
        if (!listed.empty() && number != next_hop::none.id) {
            each(last);
            last = {.part = "next hops",
                    .at = &listed[number],
                    .offset = number * sizeof(next_hop),
                    .bytes = sizeof(next_hop),
                    .key = number};
        }
        last.result = outcome::answered;
        each(last);
        return codec.decode(number);
    }
    // A node is shown with the addresses whose way leads through it. Of routes with the same first address,
    // some have no such address; they are shown with one that is next to theirs.
    void visit_below(std::size_t at, const place& in, A first, A last, node_visitor<A> each) const {
        if (at >= keys.size())
            return;
        const std::size_t below = 2 * at;
        each({.first = first,
              .last = last,
              .level = in.level,
              .kind = "route",
              .part = "keys",
              .bytes = sizeof(value),
              .children = std::size_t{below < keys.size()} + std::size_t{below + 1 < keys.size()},
              .offset = at * sizeof(value),
              .slot = in.slot,
              .bits = A::bits,
              .contents = [&](node_contents& to) {
                  to.with = compared::keys;
                  to.values.push_back(number_in_step(A{keys[at]}));
                  add_answer(to, 0, codec.decode(number_at(at)));
                  to.numbers.push_back({"length", length_of(nodes[at].word)});
                  to.numbers.push_back({"around", nodes[at].around});
              }});
        const A key = std::max(A{keys[at]}, first);
        const A left = key == first ? first : std::min(A{static_cast<value>(key.value - 1)}, last);
        visit_below(below, {in.level + 1, 0}, first, left, each);
        visit_below(below + 1, {in.level + 1, 1}, std::min(key, last), last, each);
    }
};

} // namespace fingerpost::hi_bst
