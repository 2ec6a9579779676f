// The parts of a Lulea FIB that lookups read, and the batch lookup.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/plain_reads.hpp"
#include "fingerpost/schemes/lulea/chunks.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::lulea {

// The reads of one level. All of them use the level's bits.
template <class Read>
struct level_reads {
    Read& read;
    unsigned from;
    unsigned bits;

    template <class... At>
    FINGERPOST_INLINE decltype(auto) operator()(const At&... at) const {
        decltype(auto) got = read(at...);
        tell_bits();
        return got;
    }
    template <class Tell>
    FINGERPOST_INLINE void tell(const Tell& tell) const {
        read.tell(tell);
    }
    FINGERPOST_INLINE void tell_bits() const {
        read.tell([this](auto& step) {
            step.looks_at(from, bits);
            step.key = 0;
        });
    }
};

template <class A, unsigned First, unsigned Next>
struct lulea_view {
    static constexpr unsigned mask_depth = 4; // number of bits that choose a position in a mask
    static_assert(1u << mask_depth == mask_bits);
    static constexpr std::size_t masks_of(unsigned stride) noexcept {
        return std::size_t{1} << (stride < mask_depth ? 0 : stride - mask_depth);
    }
    static constexpr std::size_t first_masks = masks_of(First);
    static constexpr chunk_shape shape{masks_of(Next)};

    const std::byte* codewords;
    const std::byte* bases;
    const std::byte* pointers;
    const sparse_chunk* sparse;
    const std::byte* dense;
    next_hop_decoder decoder;

    // The position of an address in a level that starts at `bit`.
    static std::uint32_t position_in(A a, unsigned bit, unsigned stride) noexcept {
        const auto at = static_cast<std::uint32_t>(slice(a, bit, stride));
        return at << (stride < mask_depth ? mask_depth - stride : 0);
    }
    static std::uint32_t first_position(A a) noexcept { return position_in(a, 0, First); }
    static std::uint32_t next_position(A a, unsigned bit) noexcept { return position_in(a, bit, Next); }

    masks_view first_level() const noexcept { return {codewords, bases, pointers, 0xffff}; }
    masks_view dense_chunk(std::uint32_t pointer) const noexcept {
        return shape.view(dense + std::size_t{index_of(pointer)} * 4, kind_of(pointer) == kind::very_dense);
    }
    // The pointer for a position in the chunk of `pointer`.
    template <class Read = const plain_reads>
    std::uint32_t read_sparse(std::uint32_t pointer, std::uint32_t position, Read&& read = {}) const {
        const sparse_chunk& chunk = sparse[index_of(pointer)];
        read(chunk.heads.data(), 0, sparse_heads);
        read.tell([&](auto& step) {
            step.compares_keys(position, {chunk.heads.begin(), chunk.heads.end()});
        });
        return read(chunk.pointers, chunk.place(position));
    }
    template <class Read = const plain_reads>
    std::uint32_t read_chunk(std::uint32_t pointer, std::uint32_t position, Read&& read = {}) const {
        return kind_of(pointer) == kind::sparse ? read_sparse(pointer, position, read)
                                                : dense_chunk(pointer).pointer_at(position, read);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        using reads = level_reads<std::remove_reference_t<Read>>;
        unsigned bits = First, end = First;
        std::uint32_t pointer = first_level().pointer_at(first_position(a), reads{read, 0, First});
        for (; kind_of(pointer) != kind::next_hop; end += bits) {
            bits = Next;
            pointer = read_chunk(pointer, next_position(a, end), reads{read, end, Next});
        }
        const next_hop hop = read.answer(decoder, pointer - 1);
        reads{read, end - bits, bits}.tell_bits();
        return hop;
    }
    next_hop decode(std::uint32_t code) const noexcept { return decoder.decode(code - 1); }

    // Looks up a block of addresses level by level. It is unpredictable which addresses continue, and to
    // which kind of chunk. So they are sorted into lists without a branch, and each kind is read in a
    // separate loop.
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        std::array<std::uint32_t, block> chunk_pointers;
        std::array<std::uint8_t, block> going;
        for (std::size_t from = 0; from < in.size(); from += block) {
            const std::span<const A> addresses = in.subspan(from, std::min(block, in.size() - from));
            for (std::size_t i = 0; i < addresses.size(); ++i) {
                chunk_pointers[i] = first_level().pointer_without_branch(first_position(addresses[i]));
                prefetch(chunk_pointers[i]);
                going[i] = static_cast<std::uint8_t>(i);
            }
            std::size_t left = read_chunks(addresses, First, addresses.size(), going, chunk_pointers);
            if (left > 0)
                read_chunks(addresses, First + Next, left, going, chunk_pointers);
            for (std::size_t i = 0; i < addresses.size(); ++i)
                out[from + i] = decode(chunk_pointers[i]);
        }
    }

  private:
    static constexpr std::size_t block = 64;

    // Descends one level with the addresses of the list, and keeps those that were in a chunk in the list.
    std::size_t read_chunks(std::span<const A> in, unsigned bit, std::size_t count,
                            std::array<std::uint8_t, block>& going,
                            std::array<std::uint32_t, block>& chunk_pointers) const noexcept {
        std::array<std::uint8_t, block> in_sparse;
        std::size_t dense_count = 0, sparse_count = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint8_t lane = going[i];
            const kind k = kind_of(chunk_pointers[lane]);
            going[dense_count] = lane;
            dense_count += k >= kind::dense ? 1 : 0;
            in_sparse[sparse_count] = lane;
            sparse_count += k == kind::sparse ? 1 : 0;
        }
        for (std::size_t i = 0; i < dense_count; ++i) {
            std::uint32_t& pointer = chunk_pointers[going[i]];
            pointer = dense_chunk(pointer).pointer_without_branch(next_position(in[going[i]], bit));
            prefetch(pointer);
        }
        for (std::size_t i = 0; i < sparse_count; ++i) {
            std::uint32_t& pointer = chunk_pointers[in_sparse[i]];
            pointer = read_sparse(pointer, next_position(in[in_sparse[i]], bit));
            prefetch(pointer);
            going[dense_count + i] = in_sparse[i];
        }
        return dense_count + sparse_count;
    }
    // Prefetches a line even for a next hop, which needs none, because that costs less than a branch.
    void prefetch(std::uint32_t pointer) const noexcept {
        const std::byte* const chunk = kind_of(pointer) == kind::sparse
                                           ? reinterpret_cast<const std::byte*>(sparse + index_of(pointer))
                                           : dense + std::size_t{index_of(pointer)} * 4;
        __builtin_prefetch(chunk);
    }
};

} // namespace fingerpost::lulea
