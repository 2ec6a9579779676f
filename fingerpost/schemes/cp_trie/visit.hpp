// Shows the nodes of a CP-Trie: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/schemes/cp_trie/view.hpp"

namespace fingerpost::cp_trie {

template <class A, class Layout, unsigned First, unsigned Stride>
struct inspector {
    const trie_view& view;
    const next_hop_codec& codec;

    void visit(node_visitor<A> each) const { visit_node(0, prefix<A>{}, 0, 0, each); }

    static constexpr std::size_t bytes_of_block =
        Layout::has_runs ? Layout::block_bytes : 2 * Layout::block_bytes;
    static constexpr std::uint64_t root_blocks =
        std::max<std::uint64_t>((std::uint64_t{1} << First) / block_slots, node_blocks);

  private:
    // Without runs, the leaf bitmaps are stored elsewhere and are shown as a separate node.
    void visit_node(std::uint64_t first_block, const prefix<A>& where, unsigned level, std::uint64_t in_slot,
                    node_visitor<A> each) const {
        const std::uint64_t blocks = level == 0 ? root_blocks : node_blocks;
        const unsigned stride = level == 0 ? First : Stride;
        std::size_t children = Layout::has_runs ? 0 : 1;
        for (std::uint64_t i = 0; i < blocks; ++i)
            children += static_cast<std::size_t>(std::popcount(Layout::children(view, first_block + i)));
        structure_node<A> shown{.first = where.first(),
                                .last = where.last(),
                                .level = level,
                                .kind = level == 0 ? "root" : "node",
                                .part = "blocks",
                                .bytes = blocks * Layout::block_bytes,
                                .children = children,
                                .offset = first_block * Layout::block_bytes,
                                .slot = in_slot,
                                .first_bit = where.length,
                                .bits = std::min(stride, A::bits - where.length)};
        const auto tell = [&](node_contents& to) {
            to.with = compared::bitmap;
            to.bitmaps = {{"children"}};
            to.numbers = {{"children before", Layout::child_before(view, first_block)}};
            for (std::uint64_t i = 0; i < blocks; ++i)
                to.values.push_back(Layout::children(view, first_block + i));
            if (Layout::has_runs)
                tell_leaves(first_block, blocks, std::uint64_t{1} << stride, to);
        };
        shown.contents = tell;
        each(shown);
        if (!Layout::has_runs) {
            const auto tell_of_leaves = [&](node_contents& to) {
                tell_leaves(first_block, blocks, std::uint64_t{1} << stride, to);
            };
            shown.level = level + 1;
            shown.kind = "leaves";
            shown.children = 0;
            shown.offset += static_cast<std::uint64_t>(view.leaf_blocks - view.blocks);
            shown.slot = 0;
            shown.contents = tell_of_leaves;
            each(shown);
        }
        for (std::uint64_t slot = 0; slot < std::uint64_t{1} << stride; ++slot) {
            const std::uint64_t block = first_block + slot / block_slots;
            if (!is_set(Layout::children(view, block), slot))
                continue;
            const std::uint64_t child = Layout::child_before(view, block) +
                                        rank_through(Layout::children(view, block), slot % block_slots);
            const unsigned length = where.length + stride;
            visit_node(child * node_blocks, prefix<A>::make(with_bits(where.base, slot, length), length),
                       level + 1, slot, each);
        }
    }
    // Shows the leaf bits, and the answer of each slot without a child.
    void tell_leaves(std::uint64_t first_block, std::uint64_t blocks, std::uint64_t slots,
                     node_contents& to) const {
        to.with = compared::bitmap;
        to.bitmaps.push_back({Layout::has_runs ? "run starts" : "leaves"});
        to.numbers.push_back({"leaves before", Layout::leaf_before(view, first_block)});
        for (std::uint64_t i = 0; i < blocks; ++i)
            to.values.push_back(Layout::leaves(view, first_block + i));
        for (std::uint64_t slot = 0; slot < slots; ++slot) {
            const std::uint64_t block = first_block + slot / block_slots;
            const bool is_leaf = !is_set(Layout::children(view, block), slot) &&
                                 (Layout::has_runs || is_set(Layout::leaves(view, block), slot));
            add_answer(to, slot, is_leaf ? hop_of(block * block_slots + slot % block_slots) : next_hop::none);
        }
    }
    static bool is_set(std::uint64_t bitmap, std::uint64_t slot) noexcept {
        return (bitmap >> slot % block_slots & 1) != 0;
    }
    next_hop hop_of(std::uint64_t slot) const noexcept {
        const std::uint32_t place = code_place<Layout>(view, slot);
        return codec.decode(code_at(view, plain_reads{}, place, codec.bytes()) - 1);
    }
    // `base` with the bits before `end` replaced by those of a slot.
    static A with_bits(A base, std::uint64_t slot, unsigned end) noexcept {
        using value = typename A::value_type;
        const value shifted = end <= A::bits ? shift_left(static_cast<value>(slot), A::bits - end)
                                             : shift_right(static_cast<value>(slot), end - A::bits);
        return A{static_cast<value>(base.value | shifted)};
    }
};

} // namespace fingerpost::cp_trie
