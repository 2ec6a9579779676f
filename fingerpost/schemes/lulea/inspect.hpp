// Shows the steps of a lookup in a Lulea FIB, and its nodes: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/schemes/lulea/view.hpp"

namespace fingerpost::lulea {

inline constexpr std::string_view codewords_part = "codewords", bases_part = "bases",
                                  pointers_part = "pointers", sparse_part = "sparse chunks",
                                  dense_part = "dense chunks", maptable_part = "maptable",
                                  hops_part = "next hops";

// Reports the reads of one lookup to a visitor. The result of a read is known when the next one is reported.
template <class A>
class tracer {
  public:
    tracer(step_visitor each, unsigned first_bit, unsigned bits) : each_(each) { look_at(first_bit, bits); }

    void look_at(unsigned first_bit, unsigned bits) noexcept {
        first_bit_ = first_bit;
        bits_ = bits;
    }
    // `offset` counts from the first byte of the part, which is `base`.
    void read(std::string_view part, const void* base, std::size_t offset, std::size_t bytes,
              std::uint64_t found) {
        tell();
        now_ = {.part = part,
                .at = static_cast<const std::byte*>(base) + offset,
                .offset = offset,
                .bytes = static_cast<std::uint32_t>(bytes),
                .first_bit = first_bit_,
                .bits = bits_,
                .found = found};
    }
    next_hop answer(next_hop hop) {
        now_.result = outcome::answered;
        now_.found = hop.id;
        tell();
        return hop;
    }

  private:
    void tell() {
        if (now_.at != nullptr)
            each_(now_);
    }

    step_visitor each_;
    trace_step now_{};
    unsigned first_bit_ = 0;
    unsigned bits_ = 0;
};

// Where the arrays of a node begin within their parts.
struct masks_parts {
    std::string_view codewords, bases, pointers;
    const std::byte* codewords_begin;
    const std::byte* bases_begin;
    const std::byte* pointers_begin;
};

template <class A>
std::uint32_t trace_masks(const masks_view& in, std::uint32_t position, const masks_parts& parts,
                          tracer<A>& steps) {
    const std::uint32_t codeword = in.codeword_at(position);
    const auto offset = [](const std::byte* array, std::size_t i, std::size_t size, const std::byte* begin) {
        return static_cast<std::size_t>(array - begin) + i * size;
    };
    steps.read(parts.codewords, parts.codewords_begin,
               offset(in.codewords, position / mask_bits, 2, parts.codewords_begin), 2, codeword);
    if (codeword >= first_direct)
        return codeword - first_direct;
    const std::uint32_t row = codeword >> offset_bits;
    steps.read(maptable_part, maptable.data(), row * sizeof maptable[0], sizeof maptable[0],
               masks_view::heads_before(row, position));
    if (in.base_mask != 0)
        steps.read(parts.bases, parts.bases_begin,
                   offset(in.bases, position / (mask_bits * group_masks), 2, parts.bases_begin), 2,
                   in.base_of(position));
    const std::uint32_t place = in.place(codeword, position);
    const std::uint32_t pointer = in.pointer_at(position);
    steps.read(parts.pointers, parts.pointers_begin, offset(in.pointers, place, 4, parts.pointers_begin), 4,
               index_of(pointer));
    return pointer;
}

template <class A, unsigned First, unsigned Next>
next_hop trace(const lulea_view<A, First, Next>& in, A a, step_visitor each) {
    using view = lulea_view<A, First, Next>;
    tracer<A> steps(each, 0, First);
    std::uint32_t pointer =
        trace_masks(in.first_level(), view::first_position(a),
                    {codewords_part, bases_part, pointers_part, in.codewords, in.bases, in.pointers}, steps);
    for (unsigned bit = First; kind_of(pointer) != kind::next_hop; bit += Next) {
        const std::uint32_t position = view::next_position(a, bit);
        steps.look_at(bit, Next);
        if (kind_of(pointer) != kind::sparse) {
            pointer = trace_masks(in.dense_chunk(pointer), position,
                                  {dense_part, dense_part, dense_part, in.dense, in.dense, in.dense}, steps);
            continue;
        }
        const sparse_chunk& chunk = in.sparse[index_of(pointer)];
        steps.read(sparse_part, in.sparse, index_of(pointer) * sizeof chunk, sizeof chunk.heads,
                   chunk.place(position));
        const std::size_t offset = index_of(pointer) * sizeof chunk + offsetof(sparse_chunk, pointers) +
                                   chunk.place(position) * sizeof(std::uint32_t);
        pointer = chunk.pointers[chunk.place(position)];
        steps.read(sparse_part, in.sparse, offset, sizeof pointer, index_of(pointer));
    }
    if (!in.decoder.hops.empty() && pointer != 0)
        steps.read(hops_part, in.decoder.hops.data(), (pointer - 1) * sizeof(next_hop), sizeof(next_hop), 0);
    return steps.answer(in.decode(pointer));
}

// Calls each(first address, pointer) for every chunk of a node that begins at `first`, in ascending order.
template <class A, class Pointer, class Each>
void for_each_chunk(A first, unsigned border, unsigned stride, Pointer pointer_at, Each each) {
    for (std::size_t i = 0; i < std::size_t{1} << stride; ++i) {
        const auto inside =
            static_cast<typename A::value_type>(shift_left<std::uint64_t>(i, A::bits - border));
        const A at{static_cast<typename A::value_type>(first.value + inside)};
        if (const std::uint32_t pointer = pointer_at(at); kind_of(pointer) != kind::next_hop)
            each(at, pointer);
    }
}

// The arrays of the first level are the root; chunks are below its pointers.
template <class A, unsigned First, unsigned Next>
class visitor {
    using view = lulea_view<A, First, Next>;

  public:
    visitor(const view& in, node_visitor<A> each) : in_(in), each_(each) {}

    void visit_all(const std::array<memory_part, 4>& arrays) {
        const auto pointer = [this](A at) { return in_.first_level().pointer_at(view::first_position(at)); };
        std::size_t children = 0;
        for_each_chunk(A::first(), First, First, pointer, [&](A, std::uint32_t) { ++children; });
        for (const memory_part& array : arrays)
            each_({.first = A::first(),
                   .last = A::last(),
                   .kind = array.name,
                   .part = array.name,
                   .bytes = array.bytes,
                   .children = array.name == pointers_part ? children : 0});
        for_each_chunk(A::first(), First, First, pointer,
                       [this](A at, std::uint32_t chunk) { visit_chunk(at, First, 1, chunk); });
    }

  private:
    void visit_chunk(A first, unsigned length, unsigned level, std::uint32_t chunk) {
        const auto pointer = [&](A at) { return in_.read_chunk(chunk, view::next_position(at, length)); };
        std::size_t children = 0;
        for_each_chunk(first, length + Next, Next, pointer, [&](A, std::uint32_t) { ++children; });
        const kind k = kind_of(chunk);
        each_({.first = first,
               .last = prefix<A>::make(first, length).last(),
               .level = level,
               .kind = k == kind::sparse  ? "sparse"
                       : k == kind::dense ? "dense"
                                          : "very dense",
               .part = k == kind::sparse ? sparse_part : dense_part,
               .bytes = k == kind::sparse ? sizeof(sparse_chunk) : dense_bytes(chunk),
               .children = children});
        for_each_chunk(first, length + Next, Next, pointer,
                       [&](A at, std::uint32_t below) { visit_chunk(at, length + Next, level + 1, below); });
    }
    // The last pointer belongs to the last position that has one.
    std::size_t dense_bytes(std::uint32_t chunk) const {
        const masks_view masks = in_.dense_chunk(chunk);
        std::uint32_t end = 0;
        for (std::uint32_t position = 0; position < view::shape.masks * mask_bits; ++position)
            if (const std::uint32_t codeword = masks.codeword_at(position); codeword < first_direct)
                end = std::max(end, masks.place(codeword, position) + 1);
        return view::shape.pointers_at(kind_of(chunk) == kind::very_dense) + end * sizeof(std::uint32_t);
    }

    const view& in_;
    node_visitor<A> each_;
};

template <class A, unsigned First, unsigned Next>
void visit(const lulea_view<A, First, Next>& in, const std::array<memory_part, 4>& arrays,
           node_visitor<A> each) {
    visitor<A, First, Next>(in, each).visit_all(arrays);
}

} // namespace fingerpost::lulea
