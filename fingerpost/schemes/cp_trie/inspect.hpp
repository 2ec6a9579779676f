// Shows the steps of a lookup in a CP-Trie, and its nodes: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
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
            if ((bitmap[0] >> slot % block_slots & 1) == 0) {
                now.result = outcome::missed;
                each(now);
                return trace_leaf(slot, now, each);
            }
            const std::uint64_t child =
                Layout::child_before(view, block) + rank_through(bitmap[0], slot % block_slots);
            now.found = child;
            each(now);
            from += bits;
            slot = child << slot_bits | slice(a, from, Stride);
        }
    }

    // Level by level, in their order in memory.
    void visit(node_visitor<A> each) const {
        std::vector<A> level{A::first()};
        std::vector<A> below;
        std::uint64_t block = 0;
        unsigned length = 0;
        for (unsigned depth = 0; !level.empty(); ++depth) {
            const unsigned stride = depth == 0 ? First : Stride;
            for (const A base : level) {
                const std::uint64_t blocks = depth == 0 ? root_blocks : node_blocks;
                const std::size_t before = below.size();
                for (std::uint64_t i = 0; i < blocks * block_slots; ++i)
                    if ((Layout::children(view, block + i / block_slots) >> i % block_slots & 1) != 0)
                        below.push_back(with_bits(base, i, length + stride));
                block += blocks;
                const auto where = prefix<A>::make(base, length);
                each({.first = where.first(),
                      .last = where.last(),
                      .level = depth,
                      .kind = depth == 0 ? "root" : "node",
                      .part = "blocks",
                      .bytes = blocks * bytes_of_block,
                      .children = below.size() - before});
            }
            level.swap(below);
            below.clear();
            length += stride;
        }
    }

    static constexpr std::size_t bytes_of_block =
        Layout::has_runs ? Layout::block_bytes : 2 * Layout::block_bytes;
    static constexpr std::uint64_t root_blocks =
        std::max<std::uint64_t>((std::uint64_t{1} << First) / block_slots, node_blocks);

  private:
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
        if (!Layout::has_runs && (bitmap[0] >> slot % block_slots & 1) == 0) {
            now.result = outcome::answered;
            now.found = next_hop::none.id;
            each(now);
            return next_hop::none;
        }
        const auto place = static_cast<std::uint32_t>(Layout::leaf_before(view, block) +
                                                      rank_through(bitmap[0], slot % block_slots));
        now.found = place;
        each(now);
        return trace_code(place, each);
    }
    next_hop trace_code(std::uint32_t place, step_visitor each) const {
        const std::uint32_t number = code_at(place) - 1;
        trace_step now{.part = "codes",
                       .at = static_cast<const std::byte*>(view.codes) + std::size_t{place} * codec.bytes(),
                       .offset = std::uint64_t{place} * codec.bytes(),
                       .bytes = codec.bytes(),
                       .key = place,
                       .found = number};
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
        now.found = hop.id;
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
