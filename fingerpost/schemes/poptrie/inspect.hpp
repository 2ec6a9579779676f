// Shows the steps of a lookup in a Poptrie, and its nodes: see fib/inspectable.hpp.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/schemes/poptrie/trie.hpp"

namespace fingerpost::poptrie {

template <class A, class Node, unsigned DirectBits>
class inspector {
    using trie_type = trie<A, Node, DirectBits>;
    using geometry = slot_geometry<A>;

  public:
    inspector(const trie_type& in, const next_hop_codec& codec) noexcept
        : trie_(in), codec_(codec), view_(in.view()), nodes_(static_cast<const Node*>(view_.nodes)) {}

    next_hop trace(A a, step_visitor each) const {
        const std::uint64_t slot = slice(a, 0, DirectBits);
        const std::uint32_t entry = view_.direct[slot];
        trace_step now = read("direct", view_.direct, slot, sizeof entry);
        now.bits = DirectBits;
        now.key = slot;
        if ((entry & direct_leaf) != 0)
            return end_with(now, entry & ~direct_leaf, each);
        each(now);
        std::uint64_t at = entry;
        for (unsigned position = DirectBits;; position += stride) {
            const Node& here = nodes_[at];
            const auto v = static_cast<unsigned>(slice(a, position, stride));
            const std::array<std::uint64_t, 2> bitmaps = bitmaps_of(here);
            now = read("nodes", nodes_, at, sizeof(Node));
            now.first_bit = position;
            now.bits = std::min(stride, A::bits - position);
            now.with = compared::bitmap;
            now.key = v;
            now.values = std::span(bitmaps).first(bitmap_count);
            const bool goes_on = (here.vector >> v & 1) != 0;
            const unsigned number = rank_through(bitmaps[goes_on ? 0 : 1], v) - 1;
            if (goes_on)
                now.counted = {.words = 1, .base = here.base1, .rank = number, .unit = sizeof(Node)};
            else if (Node::has_runs) // blocks of wide leaves begin at even places
                now.counted = {.first_word = 1,
                               .words = 1,
                               .base = here.base0 / (trie_.bytes_of_leaf() / 2),
                               .rank = number,
                               .unit = trie_.bytes_of_leaf()};
            each(now);
            if (!goes_on)
                return end_in_leaf(here, number, each);
            at = here.base1 + number;
        }
    }

    void visit(node_visitor<A> each) const {
        std::size_t entered = 0;
        for (std::size_t i = 0; i < direct_size; ++i)
            entered += is_node(i) ? 1 : 0;
        each({.first = A::first(),
              .last = A::last(),
              .kind = "direct",
              .part = "direct",
              .bytes = trie_.direct_bytes(),
              .children = entered,
              .bits = DirectBits,
              .contents = [&](node_contents& to) {
                  for (std::size_t i = 0; i < direct_size; ++i)
                      add_answer(to, i,
                                 is_node(i) ? next_hop::none : decoded(view_.direct[i] & ~direct_leaf));
              }});
        const geometry top{A::first(), 0, DirectBits};
        for (unsigned i = 0; i < direct_size; ++i)
            if (is_node(i))
                visit_node(view_.direct[i], {top.first_of(i), DirectBits, stride}, 1, i, each);
    }

  private:
    static constexpr std::size_t bitmap_count = Node::has_runs ? 2 : 1;
    static constexpr std::size_t direct_size = std::size_t{1} << DirectBits;

    bool is_node(std::size_t entry) const noexcept { return (view_.direct[entry] & direct_leaf) == 0; }
    next_hop decoded(std::uint32_t code) const noexcept { return codec_.decode(code - 1); }
    // The second one is made up for a node without leafvec.
    static std::array<std::uint64_t, 2> bitmaps_of(const Node& in) noexcept {
        return {in.vector, trie_type::run_bits(in)};
    }

    template <class T>
    static trace_step read(std::string_view part, const T* array, std::uint64_t place, std::size_t bytes) {
        return {.part = part,
                .at = array + place,
                .offset = place * sizeof(T),
                .bytes = static_cast<std::uint32_t>(bytes)};
    }
    next_hop end_in_leaf(const Node& in, unsigned number, step_visitor each) const {
        const std::uint64_t place = in.base0 + std::uint64_t{number} * trie_.bytes_of_leaf() / 2;
        trace_step now = read("leaves", view_.leaves, place, trie_.bytes_of_leaf());
        now.key = place;
        return end_with(now, trie_.code_at(in, number), each);
    }
    next_hop end_with(trace_step last, std::uint32_t code, step_visitor each) const {
        const std::uint32_t number = code - 1;
        const std::span<const next_hop> listed = codec_.decoder().hops;
        if (!listed.empty() && number != next_hop::none.id) {
            each(last);
            last = read("next hops", listed.data(), number, sizeof(next_hop));
            last.key = number;
        }
        last.result = outcome::answered;
        each(last);
        return decoded(code);
    }

    void visit_node(std::uint32_t at, const geometry& where, unsigned level, unsigned slot,
                    node_visitor<A> each) const {
        const Node& here = nodes_[at];
        const A first = where.first_of(0), last = where.last_of(where.end() - where.slots_alike());
        const std::uint32_t leaf_bytes = trie_.leaf_bytes(here);
        each({.first = first,
              .last = last,
              .level = level,
              .kind = "node",
              .part = "nodes",
              .bytes = sizeof(Node),
              .children = trie_type::child_count(here) + std::size_t{leaf_bytes > 0},
              .offset = std::uint64_t{at} * sizeof(Node),
              .slot = slot,
              .first_bit = where.length(),
              .bits = where.border() - where.length(),
              .contents = [&](node_contents& to) {
                  const std::array<std::uint64_t, 2> bitmaps = bitmaps_of(here);
                  to.with = compared::bitmap;
                  to.bitmaps = {{"children"}, {"run starts"}};
                  to.bitmaps.resize(bitmap_count);
                  to.values.assign(bitmaps.begin(), bitmaps.begin() + bitmap_count);
                  to.numbers = {{"base0 (leaves)", here.base0}, {"base1 (children)", here.base1}};
              }});
        if (leaf_bytes > 0)
            each({.first = first,
                  .last = last,
                  .level = level + 1,
                  .kind = "leaves",
                  .part = "leaves",
                  .bytes = leaf_bytes,
                  .offset = std::uint64_t{here.base0} * sizeof *view_.leaves,
                  .contents = [&](node_contents& to) {
                      for (unsigned i = 0; i < trie_type::leaf_count(here); ++i)
                          add_answer(to, i, decoded(trie_.code_at(here, i)));
                  }});
        std::uint32_t child = here.base1;
        for (std::uint64_t left = here.vector; left != 0; left &= left - 1) {
            const auto bit = static_cast<unsigned>(std::countr_zero(left));
            visit_node(child++, {where.first_of(bit), where.border(), stride}, level + 1, bit, each);
        }
    }

    const trie_type& trie_;
    const next_hop_codec& codec_;
    trie_view view_;
    const Node* nodes_;
};

} // namespace fingerpost::poptrie
