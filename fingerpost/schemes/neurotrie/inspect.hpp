// Shows the steps of a lookup in a Neurotrie, and its nodes: see fib/inspectable.hpp.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/schemes/neurotrie/trie.hpp"

namespace fingerpost::neurotrie {

// A node's kind tells how its stride was chosen.
constexpr std::string_view kind_of(const header& node) noexcept {
    switch (static_cast<choice>(node.made_by)) {
    case choice::exact:
        break;
    case choice::learned:
        return "learned node";
    case choice::shallow:
        return "shallow node";
    case choice::least:
        return "node above budget";
    }
    return "node";
}

template <class A>
class inspector {
  public:
    inspector(const node_arrays& arrays, const next_hop_codec& codec) noexcept
        : arrays_(arrays), codec_(codec), view_(arrays.view()) {}

    next_hop trace(A a, step_visitor each) const {
        std::uint32_t number = view_.root;
        for (unsigned position = 0, level = 0;; ++level) {
            const header& here = view_.headers[number];
            const auto slot = static_cast<std::uint32_t>(slice(a, position, here.stride));
            const std::uint32_t at = here.blocks + slot / block_slots;
            trace_step now = read("headers", view_.headers, number, sizeof(header));
            now.kind = kind_of(here);
            now.level = level;
            now.first_bit = position;
            now.bits = here.stride;
            now.key = slot;
            now.found = at;
            each(now);

            const block& in = view_.blocks[at];
            const unsigned bit = slot % block_slots;
            const std::array<std::uint64_t, 2> bitmaps{in.child, in.run};
            const bool goes_on = (in.child >> bit & 1) != 0;
            number = goes_on ? here.children + in.children_before + rank_before(in.child, bit)
                             : in.runs_before + rank_through(in.run, bit) - 1;
            now = read("blocks", view_.blocks, at, sizeof(block));
            // The header has told the block; the last bits choose one of its 64 slots.
            now.bits = std::min<unsigned>(here.stride, 6);
            now.first_bit = position + here.stride - now.bits;
            now.with = compared::bitmap;
            now.key = bit;
            now.values = bitmaps;
            now.found = number;
            each(now);
            if (!goes_on)
                return end_in_leaf(here, number, each);
            position += here.stride;
        }
    }

    void visit(node_visitor<A> each) const { visit_node(arrays_.root(), A::first(), 0, 0, each); }

  private:
    template <class T>
    static trace_step read(std::string_view part, const T* array, std::uint64_t place, std::size_t bytes) {
        return {.part = part,
                .at = array + place,
                .offset = place * sizeof(T),
                .bytes = static_cast<std::uint32_t>(bytes)};
    }
    next_hop end_in_leaf(const header& in, std::uint32_t run, step_visitor each) const {
        const std::uint64_t place = in.leaves + run * std::uint64_t{arrays_.leaf_bytes()} / 2;
        trace_step last = read("leaves", view_.leaves, place, arrays_.leaf_bytes());
        last.key = run;
        const std::uint32_t number = arrays_.code_of(in, run) - 1;
        const next_hop hop = codec_.decode(number);
        const std::span<const next_hop> listed = codec_.decoder().hops;
        if (!listed.empty() && number != next_hop::none.id) {
            last.found = number;
            each(last);
            last = read("next hops", listed.data(), number, sizeof(next_hop));
            last.key = number;
        }
        last.result = outcome::answered;
        last.found = hop.id;
        each(last);
        return hop;
    }

    void visit_node(const header& in, A first, unsigned depth, unsigned level, node_visitor<A> each) const {
        const region<A> at{first, depth, in.stride};
        const node_arrays::counts has = arrays_.counts_of(in);
        const auto show = [&](unsigned on, std::string_view kind, std::string_view part, std::uint64_t bytes,
                              std::size_t children) {
            each({.first = first,
                  .last = at.last(),
                  .level = on,
                  .kind = kind,
                  .part = part,
                  .bytes = bytes,
                  .children = children});
        };
        show(level, kind_of(in), "headers", sizeof(header),
             has.children + std::size_t{1} + std::size_t{has.runs > 0});
        show(level + 1, "blocks", "blocks", std::uint64_t{blocks_of(in.stride)} * block_bytes, 0);
        if (has.runs > 0)
            show(level + 1, "leaves", "leaves", std::uint64_t{has.runs} * arrays_.leaf_bytes(), 0);
        std::uint32_t child = in.children;
        for (std::uint32_t i = 0; i < blocks_of(in.stride); ++i)
            for (std::uint64_t left = arrays_.block_at(in.blocks + i).child; left != 0; left &= left - 1) {
                const std::uint32_t slot =
                    i * block_slots + static_cast<std::uint32_t>(std::countr_zero(left));
                visit_node(arrays_.at(child++), at.first_of(slot), at.border(), level + 1, each);
            }
    }

    const node_arrays& arrays_;
    const next_hop_codec& codec_;
    trie_view view_;
};

} // namespace fingerpost::neurotrie
