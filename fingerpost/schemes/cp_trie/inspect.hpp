// Shows the steps of a lookup in a CP-Trie, and its nodes: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/schemes/cp_trie/view.hpp"

namespace fingerpost::cp_trie {

template <class A, class Layout, unsigned First, unsigned Stride>
struct inspector {
    const trie_view& view;
    const next_hop_codec& codec;

    next_hop trace(A a, step_visitor each) const {
        std::uint64_t slot = slice(a, 0, First);
        unsigned from = 0;
        for (unsigned bits = First;; bits = Stride) {
            const std::uint64_t block = slot / block_slots;
            const std::array bitmap{Layout::children(view, block)};
            trace_step now = read_of(view.blocks + block * Layout::block_bytes, bitmap, slot);
            now.first_bit = from;
            now.bits = std::min(bits, A::bits - from);
            if (!is_set(bitmap[0], slot)) {
                now.result = outcome::missed;
                each(now);
                return trace_leaf(slot, now, each);
            }
            now.counted = {.words = 1,
                           .base = std::uint64_t{Layout::child_before(view, block)} + 1,
                           .rank = rank_through(bitmap[0], slot % block_slots) - 1,
                           .unit = node_blocks * Layout::block_bytes};
            each(now);
            from += bits;
            slot = (now.counted.base + now.counted.rank) << slot_bits | slice(a, from, Stride);
        }
    }

    void visit(node_visitor<A> each) const { visit_node(0, prefix<A>{}, 0, 0, each); }

    static constexpr std::size_t bytes_of_block =
        Layout::has_runs ? Layout::block_bytes : 2 * Layout::block_bytes;
    static constexpr std::uint64_t root_blocks =
        std::max<std::uint64_t>((std::uint64_t{1} << First) / block_slots, node_blocks);

  private:
    // Without runs the bitmaps of leaves lie elsewhere, and count as a node of their own.
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
    // The bits of the leaves and the answer of each slot that has no child.
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
            add_answer(to, slot,
                       is_leaf ? codec.decode(code_at(code_place(slot, block)) - 1) : next_hop::none);
        }
    }
    static bool is_set(std::uint64_t bitmap, std::uint64_t slot) noexcept {
        return (bitmap >> slot % block_slots & 1) != 0;
    }
    std::uint32_t code_place(std::uint64_t slot, std::uint64_t block) const noexcept {
        return static_cast<std::uint32_t>(Layout::leaf_before(view, block) +
                                          rank_through(Layout::leaves(view, block), slot % block_slots));
    }
    // An address below `base` whose bits before `end` are those of a slot.
    static A with_bits(A base, std::uint64_t slot, unsigned end) noexcept {
        using value = typename A::value_type;
        const value shifted = end <= A::bits ? shift_left(static_cast<value>(slot), A::bits - end)
                                             : shift_right(static_cast<value>(slot), end - A::bits);
        return A{static_cast<value>(base.value | shifted)};
    }
    trace_step read_of(const std::byte* at, std::span<const std::uint64_t> bitmap, std::uint64_t slot) const {
        return {.part = "blocks",
                .at = at,
                .offset = static_cast<std::uint64_t>(at - view.blocks),
                .bytes = Layout::has_runs ? 24 : 12,
                .with = compared::bitmap,
                .key = slot % block_slots,
                .values = bitmap};
    }

    next_hop trace_leaf(std::uint64_t slot, const trace_step& like, step_visitor each) const {
        const std::uint64_t block = slot / block_slots;
        const std::array bitmap{Layout::leaves(view, block)};
        const std::byte* const at = Layout::has_runs ? view.blocks + block * Layout::block_bytes
                                                     : view.leaf_blocks + block * Layout::block_bytes;
        trace_step now = read_of(at, bitmap, slot);
        now.first_bit = like.first_bit;
        now.bits = like.bits;
        if (!Layout::has_runs && !is_set(bitmap[0], slot)) {
            now.result = outcome::answered;
            each(now);
            return next_hop::none;
        }
        const std::uint32_t place = code_place(slot, block);
        // A run may have begun in a block before this one.
        if (const unsigned through = rank_through(bitmap[0], slot % block_slots); through > 0)
            now.counted = {.words = 1,
                           .base = std::uint64_t{place} - (through - 1),
                           .rank = through - 1,
                           .unit = codec.bytes()};
        each(now);
        return trace_code(place, each);
    }
    next_hop trace_code(std::uint32_t place, step_visitor each) const {
        const std::uint32_t number = code_at(place) - 1;
        trace_step now{.part = "codes",
                       .at = static_cast<const std::byte*>(view.codes) + std::size_t{place} * codec.bytes(),
                       .offset = std::uint64_t{place} * codec.bytes(),
                       .bytes = codec.bytes(),
                       .key = place};
        const next_hop hop = codec.decode(number);
        const std::span<const next_hop> listed = codec.decoder().hops;
        if (!listed.empty() && hop != next_hop::none) {
            each(now);
            now = {.part = "next hops",
                   .at = &listed[number],
                   .offset = number * sizeof(next_hop),
                   .bytes = sizeof(next_hop),
                   .key = number};
        }
        now.result = outcome::answered;
        each(now);
        return hop;
    }
    std::uint32_t code_at(std::size_t place) const noexcept {
        return codec.bytes() == 1   ? static_cast<const std::uint8_t*>(view.codes)[place]
               : codec.bytes() == 2 ? static_cast<const std::uint16_t*>(view.codes)[place]
                                    : static_cast<const std::uint32_t*>(view.codes)[place];
    }
};

} // namespace fingerpost::cp_trie
