// Shows the nodes of a Neurotrie: see fib/inspectable.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/schemes/neurotrie/trie.hpp"

namespace fingerpost::neurotrie {

// The kind of a node shows how its stride was chosen.
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
class visitor {
  public:
    visitor(const node_arrays& arrays, const next_hop_codec& codec) noexcept
        : arrays_(arrays), codec_(codec) {}

    void visit(node_visitor<A> each) const { visit_node(arrays_.view().root, A::first(), 0, {}, each); }

  private:
    struct node_place {
        unsigned level = 0;
        std::uint32_t slot = 0; // slot in the parent
    };
    void visit_node(std::uint32_t number, A first, unsigned depth, node_place place,
                    node_visitor<A> each) const {
        const header& in = arrays_.at(number);
        const region<A> at{first, depth, in.stride};
        const node_arrays::counts has = arrays_.counts_of(in);
        structure_node<A> shown{.first = first,
                                .last = at.last(),
                                .level = place.level,
                                .kind = kind_of(in),
                                .part = "headers",
                                .bytes = sizeof(header),
                                .children = has.children + std::size_t{1} + std::size_t{has.runs > 0},
                                .offset = std::uint64_t{number} * sizeof(header),
                                .slot = place.slot,
                                .first_bit = depth,
                                .bits = in.stride};
        const auto show = [&](contents_reader contents) {
            shown.contents = contents;
            each(shown);
        };
        show([&](node_contents& to) {
            to.numbers = {{"stride", in.stride},
                          {"blocks", in.blocks},
                          {"children", in.children},
                          {"leaves", in.leaves}};
        });
        shown.level = place.level + 1;
        shown.children = 0;
        shown.slot = 0;
        shown.kind = shown.part = "blocks";
        shown.bytes = std::uint64_t{blocks_of(in.stride)} * block_bytes;
        shown.offset = std::uint64_t{in.blocks} * sizeof(block);
        show([&](node_contents& to) { tell_blocks(in, to); });
        if (has.runs > 0) {
            shown.kind = shown.part = "leaves";
            shown.bytes = std::uint64_t{has.runs} * arrays_.leaf_bytes();
            shown.offset = std::uint64_t{in.leaves} * sizeof(std::uint16_t);
            shown.first_bit = shown.bits = 0;
            show([&](node_contents& to) {
                for (std::uint32_t run = 0; run < has.runs; ++run)
                    add_answer(to, run, codec_.decode(arrays_.code_of(in, run) - 1));
            });
        }
        std::uint32_t child = in.children;
        for (std::uint32_t i = 0; i < blocks_of(in.stride); ++i)
            for (std::uint64_t left = arrays_.block_at(in.blocks + i).child; left != 0; left &= left - 1) {
                const std::uint32_t slot =
                    i * block_slots + static_cast<std::uint32_t>(std::countr_zero(left));
                visit_node(child++, at.first_of(slot), at.border(), {place.level + 1, slot}, each);
            }
    }
    // Shows the bitmaps of all blocks, first those for children, then those for runs, and the counts before
    // each block.
    void tell_blocks(const header& in, node_contents& to) const {
        to.with = compared::bitmap;
        to.bitmaps = {{"children"}, {"run starts"}};
        const std::uint32_t blocks = blocks_of(in.stride);
        to.values.resize(std::size_t{2} * blocks);
        for (std::uint32_t i = 0; i < blocks; ++i) {
            const block& b = arrays_.block_at(in.blocks + i);
            to.values[i] = b.child;
            to.values[blocks + i] = b.run;
            to.numbers.push_back({"children before", b.children_before});
            to.numbers.push_back({"runs before", b.runs_before});
        }
    }

    const node_arrays& arrays_;
    const next_hop_codec& codec_;
};

} // namespace fingerpost::neurotrie
