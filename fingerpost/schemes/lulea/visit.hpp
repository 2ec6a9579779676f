// Shows the nodes of a Lulea FIB: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/schemes/lulea/view.hpp"

namespace fingerpost::lulea {

inline constexpr std::string_view codewords_part = "codewords", bases_part = "bases",
                                  pointers_part = "pointers";

// The arrays of the first level are roots, and the chunks are below the pointers. The slot of a chunk is its
// position, or the index of its pointer if there are no positions: below the pointers and in a sparse chunk.
template <class A, unsigned First, unsigned Next>
class visitor {
    using view = lulea_view<A, First, Next>;

  public:
    visitor(const view& in, node_visitor<A> each) : in_(in), each_(each) {}

    void visit_all(const std::array<memory_part, 4>& arrays) {
        const masks_view masks = in_.first_level();
        const below chunks = below_of(A::first(), 0, First, [&](std::uint32_t position, std::uint32_t& slot) {
            if (const std::uint32_t codeword = masks.codeword_at(position); codeword < first_direct)
                slot = masks.place(codeword, position);
            return masks.pointer_at(position);
        });
        for (const memory_part& array : arrays)
            each_({.first = A::first(),
                   .last = A::last(),
                   .kind = array.name,
                   .part = array.name,
                   .bytes = array.bytes,
                   .children = array.name == pointers_part ? chunks.size() : 0,
                   .bits = array.name == codewords_part ? First : 0,
                   .contents = [&](node_contents& to) { tell_array(array, to); }});
        visit_chunks(chunks, First, 1);
    }

  private:
    struct chunk_place {
        A first;
        std::uint32_t pointer;
        std::uint32_t slot;
    };
    using below = std::vector<chunk_place>;

    // Visits the chunks of a node that starts at `first`, with `length` bits above it. pointer_at(position,
    // slot) returns a pointer and may change the slot.
    template <class Pointer>
    static below below_of(A first, unsigned length, unsigned stride, Pointer pointer_at) {
        below result;
        for (std::uint32_t i = 0; i < std::uint32_t{1} << stride; ++i) {
            const auto inside =
                static_cast<typename A::value_type>(shift_left<std::uint64_t>(i, A::bits - length - stride));
            const A at{static_cast<typename A::value_type>(first.value + inside)};
            std::uint32_t slot = i;
            const std::uint32_t pointer = pointer_at(view::position_in(at, length, stride), slot);
            if (kind_of(pointer) != kind::next_hop)
                result.push_back({at, pointer, slot});
        }
        return result;
    }
    void visit_chunks(const below& chunks, unsigned length, unsigned level) {
        for (const chunk_place& place : chunks)
            visit_chunk(place, length, level);
    }
    void visit_chunk(const chunk_place& at, unsigned length, unsigned level) {
        const kind k = kind_of(at.pointer);
        const bool is_sparse = k == kind::sparse;
        const below chunks =
            below_of(at.first, length, Next, [&](std::uint32_t position, std::uint32_t& slot) {
                if (is_sparse) {
                    const sparse_chunk& chunk = in_.sparse[index_of(at.pointer)];
                    slot = static_cast<std::uint32_t>(std::min(chunk.place(position), own_heads(chunk) - 1));
                }
                return in_.read_chunk(at.pointer, position);
            });
        const std::uint64_t unit = is_sparse ? sizeof(sparse_chunk) : sizeof(std::uint32_t);
        each_({.first = at.first,
               .last = prefix<A>::make(at.first, length).last(),
               .level = level,
               .kind = is_sparse          ? "sparse chunk"
                       : k == kind::dense ? "dense chunk"
                                          : "very dense chunk",
               .part = is_sparse ? "sparse chunks" : "dense chunks",
               .bytes = is_sparse ? sizeof(sparse_chunk) : dense_bytes(at.pointer),
               .children = chunks.size(),
               .offset = index_of(at.pointer) * unit,
               .slot = at.slot,
               .first_bit = length,
               .bits = Next,
               .contents = [&](node_contents& to) {
                   if (is_sparse)
                       tell_sparse(in_.sparse[index_of(at.pointer)], to);
                   else
                       tell_dense(in_.dense_chunk(at.pointer), to);
               }});
        visit_chunks(chunks, length + Next, level + 1);
    }

    // Number of heads without repetitions of the last one.
    static std::size_t own_heads(const sparse_chunk& chunk) noexcept {
        const auto last = std::find(chunk.heads.begin(), chunk.heads.end(), chunk.heads.back());
        return static_cast<std::size_t>(last - chunk.heads.begin()) + 1;
    }
    // `none` for a pointer to a chunk.
    next_hop hop_of(std::uint32_t pointer) const {
        return kind_of(pointer) == kind::next_hop ? in_.decode(pointer) : next_hop::none;
    }
    // Shows the heads of each mask as given by its row. A codeword without a row has none.
    static void tell_masks(const masks_view& masks, std::size_t count, node_contents& to) {
        to.with = compared::bitmap;
        to.bitmaps = {{"heads"}};
        for (std::uint32_t m = 0; m < count; ++m) {
            const std::uint32_t row = masks.codeword_at(m * mask_bits) >> offset_bits;
            to.values.push_back(row < mask_rows ? mask_of(row) : 0);
        }
    }
    void tell_array(const memory_part& array, node_contents& to) const {
        const masks_view masks = in_.first_level();
        if (array.name == codewords_part) {
            tell_masks(masks, view::first_masks, to);
            for (std::uint32_t m = 0; m < view::first_masks; ++m) {
                const std::uint32_t codeword = masks.codeword_at(m * mask_bits);
                add_answer(to, m * mask_bits,
                           codeword < first_direct ? next_hop::none : in_.decode(codeword - first_direct));
            }
        } else if (array.name == bases_part) {
            for (std::uint32_t i = 0; i < array.bytes / sizeof(std::uint16_t); ++i)
                to.numbers.push_back({"base", masks_view::load<std::uint16_t>(in_.bases, i)});
        } else if (array.name == pointers_part) {
            for (std::uint32_t i = 0; i < array.bytes / sizeof(std::uint32_t); ++i)
                add_answer(to, i, hop_of(masks_view::load<std::uint32_t>(in_.pointers, i)));
        } else {
            to.numbers = {{"rows", table_rows}};
        }
    }
    void tell_sparse(const sparse_chunk& chunk, node_contents& to) const {
        to.with = compared::keys;
        to.values.assign(chunk.heads.begin(), chunk.heads.end());
        to.padding = sparse_heads - own_heads(chunk);
        for (std::size_t i = 0; i < own_heads(chunk); ++i)
            to.answers.push_back({i, hop_of(chunk.pointers[i])});
    }
    void tell_dense(const masks_view& masks, node_contents& to) const {
        tell_masks(masks, view::shape.masks, to);
        for (std::uint32_t position = 0; position < view::shape.masks * mask_bits; ++position)
            add_answer(to, position, hop_of(masks.pointer_at(position)));
        for (std::uint32_t m = 0; masks.base_mask != 0 && m < view::shape.masks; m += group_masks)
            to.numbers.push_back({"base", masks.base_of(m * mask_bits)});
    }
    // The last pointer is that of the last position with a pointer.
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

// The pointers are the last array, because the chunks are visited below them.
template <class A, unsigned First, unsigned Next>
void visit(const lulea_view<A, First, Next>& in, const std::array<memory_part, 4>& arrays,
           node_visitor<A> each) {
    visitor<A, First, Next>(in, each).visit_all(arrays);
}

} // namespace fingerpost::lulea
