// What lookups read of a Lulea FIB, and the steps that they take.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/next_hop_codec.hpp"
#include "fingerpost/schemes/lulea/chunks.hpp"

namespace fingerpost::lulea {

template <class A, unsigned First, unsigned Next>
struct lulea_view {
    static constexpr unsigned mask_depth = 4; // bits that tell the positions of a mask apart
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

    // The position of an address in a level whose bits begin at `bit`.
    static std::uint32_t position_in(A a, unsigned bit, unsigned stride) noexcept {
        const auto at = static_cast<std::uint32_t>(slice(a, bit, stride));
        return at << (stride < mask_depth ? mask_depth - stride : 0);
    }
    static std::uint32_t first_position(A a) noexcept { return position_in(a, 0, First); }
    static std::uint32_t next_position(A a, unsigned bit) noexcept { return position_in(a, bit, Next); }

    masks_view first_level() const noexcept { return {codewords, bases, pointers}; }
    masks_view dense_chunk(std::uint32_t pointer) const noexcept {
        return shape.view(dense + std::size_t{index_of(pointer)} * 4, kind_of(pointer) == kind::very_dense);
    }
    // The pointer that decides a position of the chunk that `pointer` leads to.
    std::uint32_t read_chunk(std::uint32_t pointer, std::uint32_t position) const noexcept {
        if (kind_of(pointer) == kind::sparse) {
            const sparse_chunk& chunk = sparse[index_of(pointer)];
            return chunk.pointers[chunk.place(position)];
        }
        return dense_chunk(pointer).pointer_at(position);
    }
    next_hop decode(std::uint32_t code) const noexcept { return decoder.decode(code - 1); }

    // A lookup that takes its steps together with others.
    struct walk {
        A address;
        std::uint32_t pointer;
        unsigned bit;
    };
    walk start(A a) const noexcept {
        const std::uint32_t position = first_position(a);
        const masks_view level = first_level();
        const std::uint32_t codeword = level.codeword_at(position);
        // How an address is decided is not predictable: both ways are gone, one of them to pointer 0.
        const bool direct = codeword >= first_direct;
        const std::size_t place = level.place(direct ? 0 : codeword, position);
        const auto pointer = masks_view::load<std::uint32_t>(pointers, direct ? 0 : place);
        const walk begun{a, direct ? codeword - first_direct : pointer, First};
        prefetch(begun.pointer);
        return begun;
    }
    bool step(walk& w) const noexcept {
        if (kind_of(w.pointer) == kind::next_hop)
            return false;
        w.pointer = read_chunk(w.pointer, next_position(w.address, w.bit));
        w.bit += Next;
        prefetch(w.pointer);
        return kind_of(w.pointer) != kind::next_hop;
    }
    next_hop answer(const walk& w) const noexcept { return decode(w.pointer); }

  private:
    // Of a next hop nothing is fetched, but some line is asked for: that costs less than a branch.
    void prefetch(std::uint32_t pointer) const noexcept {
        const std::byte* const chunk = kind_of(pointer) == kind::sparse
                                           ? reinterpret_cast<const std::byte*>(sparse + index_of(pointer))
                                           : dense + std::size_t{index_of(pointer)} * 4;
        __builtin_prefetch(chunk);
    }
};

} // namespace fingerpost::lulea
