// The arrays of a chunked table in the form that lookups read, the lookup itself, and the visit of its
// chunks, for schemes with several levels such as SAIL_L and the trie of 24 and 8 bits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/parts/memory/chunked_table.hpp"

namespace fingerpost {

template <class A, class Word, unsigned First, unsigned Stride>
struct level_view {
    using word = Word;
    using entry = chunk_slot<Word>;
    static constexpr unsigned levels = chunked_table<A, Word, First, Stride>::levels;
    // Number of lookups that step together.
    static constexpr std::size_t lanes = 64;

    const word* root;
    const word* chunks;

    // Returns the code minus one.
    template <class Read>
    std::uint32_t find(Read&& read, const A& a) const {
        word slot = entry::load(read(root, first_bits(a)));
        read.tell([](auto& step) { step.looks_at(0, First); });
        for (unsigned level = 0; level < levels && entry::is_chunk(slot); ++level) {
            slot = entry::load(read(chunks, place_below(slot, a, level)));
            read.tell([level](auto& step) { step.looks_at(First + level * Stride, Stride); });
        }
        return std::uint32_t{slot} - 1;
    }

    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        for (std::size_t done = 0; done < in.size(); done += lanes)
            look_up_block(in.data() + done, out.data() + done, std::min(lanes, in.size() - done));
    }

    // See fib/inspectable.hpp. `next_hops` decodes codes.
    void visit(const next_hop_decoder& next_hops, node_visitor<A> each) const {
        visit_table({.kind = "root", .part = "root", .bits = First}, root, prefix<A>{}, next_hops, each);
    }

    std::size_t first_bits(A a) const noexcept {
        return static_cast<std::size_t>(a.value >> (A::bits - First));
    }
    // Position of the slot for the next bits, below a slot that leads to a chunk.
    static std::size_t place_below(word slot, const A& a, unsigned level) noexcept {
        return std::size_t{entry::number_of(slot)} << Stride | bits_below(a, level);
    }

  private:
    // With strides of a byte, the bits are one load from the address in memory.
    static constexpr bool has_bytes = First % 8 == 0 && Stride == 8 && A::bits == sizeof(A) * 8;

    static std::size_t bits_below(const A& a, unsigned level) noexcept {
        if constexpr (has_bytes && std::endian::native == std::endian::little)
            return reinterpret_cast<const unsigned char*>(&a)[sizeof(A) - 1 - First / 8 - level];
        else
            return static_cast<std::size_t>(slice(a, First + level * Stride, Stride));
    }

    // A finished lane loads the table's first slot in the remaining steps, and keeps its result.
    void look_up_block(const A* in, next_hop* out, std::size_t count) const noexcept {
        std::array<word, lanes> slots;
        std::array<std::size_t, lanes> places;
        word any = 0;
        for (std::size_t i = 0; i < count; ++i)
            any |= slots[i] = entry::load(root[first_bits(in[i])]);
        for (unsigned level = 0; level < levels && entry::is_chunk(any); ++level) {
            for (std::size_t i = 0; i < count; ++i) {
                places[i] = place_below(slots[i], in[i], level) & entry::mask_of_chunk(slots[i]);
                __builtin_prefetch(chunks + places[i]);
            }
            any = 0;
            // Masks instead of `?:`, which compilers may turn into a branch that is often mispredicted.
            for (std::size_t i = 0; i < count; ++i) {
                const auto mask = static_cast<word>(entry::mask_of_chunk(slots[i]));
                const Word below = entry::load(chunks[places[i]]);
                slots[i] = static_cast<Word>(slots[i] ^ ((slots[i] ^ below) & mask));
                any |= slots[i];
            }
        }
        for (std::size_t i = 0; i < count; ++i)
            out[i] = next_hop{std::uint32_t{slots[i]} - 1};
    }
    // Visits a node's table and the chunks below it.
    void visit_table(structure_node<A> node, const word* slots, const prefix<A>& where,
                     const next_hop_decoder& next_hops, node_visitor<A> each) const {
        using value = typename A::value_type;
        const std::size_t count = std::size_t{1} << node.bits;
        const auto show = [&](node_contents& to) {
            for (std::size_t i = 0; i < count; ++i)
                add_answer(to, i,
                           entry::is_chunk(slots[i]) ? next_hop::none
                                                     : next_hops.decode(std::uint32_t{slots[i]} - 1));
        };
        node.first = where.first();
        node.last = where.last();
        node.bytes = count * sizeof(word);
        node.children = static_cast<std::size_t>(std::count_if(slots, slots + count, entry::is_chunk));
        node.contents = show;
        each(node);
        const unsigned depth = node.first_bit + node.bits;
        for (std::size_t i = 0; i < count; ++i) {
            if (!entry::is_chunk(slots[i]))
                continue;
            const value bits = shift_left(static_cast<value>(i), A::bits - depth);
            const std::size_t chunk = std::size_t{entry::number_of(slots[i])} << Stride;
            visit_table({.level = node.level + 1,
                         .kind = "chunk",
                         .part = "chunks",
                         .offset = chunk * sizeof(word),
                         .slot = i,
                         .first_bit = depth,
                         .bits = Stride},
                        chunks + chunk,
                        prefix<A>::make(A{static_cast<value>(where.base.value | bits)}, depth), next_hops,
                        each);
        }
    }
};

} // namespace fingerpost
