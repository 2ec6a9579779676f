// Shows the steps of a lookup in a Lulea FIB, and its nodes: see fib/inspectable.hpp.
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
    void read(std::string_view part, const void* base, std::size_t offset, std::size_t bytes) {
        tell();
        now_ = {.part = part,
                .at = static_cast<const std::byte*>(base) + offset,
                .offset = offset,
                .bytes = static_cast<std::uint32_t>(bytes),
                .first_bit = first_bit_,
                .bits = bits_};
    }
    // Of the read that was told last.
    void compare(const std::array<std::uint8_t, sparse_heads>& heads, std::uint32_t position) {
        std::copy(heads.begin(), heads.end(), heads_.begin());
        now_.with = compared::keys;
        now_.key = position;
        now_.values = heads_;
    }
    next_hop answer(next_hop hop) {
        now_.result = outcome::answered;
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
    std::array<std::uint64_t, sparse_heads> heads_{};
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
               offset(in.codewords, position / mask_bits, 2, parts.codewords_begin), 2);
    if (codeword >= first_direct)
        return codeword - first_direct;
    const std::uint32_t row = codeword >> offset_bits;
    steps.read(maptable_part, maptable.data(), row * sizeof maptable[0], sizeof maptable[0]);
    if (in.base_mask != 0)
        steps.read(parts.bases, parts.bases_begin,
                   offset(in.bases, position / (mask_bits * group_masks), 2, parts.bases_begin), 2);
    const std::uint32_t place = in.place(codeword, position);
    const std::uint32_t pointer = in.pointer_at(position);
    steps.read(parts.pointers, parts.pointers_begin, offset(in.pointers, place, 4, parts.pointers_begin), 4);
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
        steps.read(sparse_part, in.sparse, index_of(pointer) * sizeof chunk, sizeof chunk.heads);
        steps.compare(chunk.heads, position);
        const std::size_t offset = index_of(pointer) * sizeof chunk + offsetof(sparse_chunk, pointers) +
                                   chunk.place(position) * sizeof(std::uint32_t);
        pointer = chunk.pointers[chunk.place(position)];
        steps.read(sparse_part, in.sparse, offset, sizeof pointer);
    }
    if (!in.decoder.hops.empty() && pointer != 0)
        steps.read(hops_part, in.decoder.hops.data(), (pointer - 1) * sizeof(next_hop), sizeof(next_hop));
    return steps.answer(in.decode(pointer));
}

// The arrays of the first level are roots; chunks are below the pointers. A chunk is in the slot of its
// position, or in that of its pointer where positions have none: below the pointers and in a sparse chunk.
template <class A, unsigned First, unsigned Next>
class visitor {
    using view = lulea_view<A, First, Next>;

  public:
    visitor(const view& in, node_visitor<A> each) : in_(in), each_(each) {}

    void visit_all(const std::array<memory_part, 4>& arrays) {
        const masks_view masks = in_.first_level();
        const below here = below_of(A::first(), 0, First, [&](std::uint32_t position, std::uint32_t& slot) {
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
                   .children = array.name == pointers_part ? here.size() : 0,
                   .bits = array.name == codewords_part ? First : 0,
                   .contents = [&](node_contents& to) { tell_array(array, to); }});
        visit_chunks(here, First, 1);
    }

  private:
    struct chunk_place {
        A first;
        std::uint32_t pointer;
        std::uint32_t slot;
    };
    using below = std::vector<chunk_place>;

    // The chunks of a node that begins at `first` and has `length` bits above it. `pointer_at` gets a
    // position, and the slot, which it may change.
    template <class Pointer>
    static below below_of(A first, unsigned length, unsigned stride, Pointer pointer_at) {
        below found;
        for (std::uint32_t i = 0; i < std::uint32_t{1} << stride; ++i) {
            const auto inside =
                static_cast<typename A::value_type>(shift_left<std::uint64_t>(i, A::bits - length - stride));
            const A at{static_cast<typename A::value_type>(first.value + inside)};
            std::uint32_t slot = i;
            const std::uint32_t pointer = pointer_at(view::position_in(at, length, stride), slot);
            if (kind_of(pointer) != kind::next_hop)
                found.push_back({at, pointer, slot});
        }
        return found;
    }
    void visit_chunks(const below& chunks, unsigned length, unsigned level) {
        for (const chunk_place& one : chunks)
            visit_chunk(one, length, level);
    }
    void visit_chunk(const chunk_place& at, unsigned length, unsigned level) {
        const kind k = kind_of(at.pointer);
        const bool is_sparse = k == kind::sparse;
        const below here = below_of(at.first, length, Next, [&](std::uint32_t position, std::uint32_t& slot) {
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
               .kind = is_sparse          ? "sparse"
                       : k == kind::dense ? "dense"
                                          : "very dense",
               .part = is_sparse ? sparse_part : dense_part,
               .bytes = is_sparse ? sizeof(sparse_chunk) : dense_bytes(at.pointer),
               .children = here.size(),
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
        visit_chunks(here, length + Next, level + 1);
    }

    // Without those that repeat the last one.
    static std::size_t own_heads(const sparse_chunk& chunk) noexcept {
        const auto last = std::find(chunk.heads.begin(), chunk.heads.end(), chunk.heads.back());
        return static_cast<std::size_t>(last - chunk.heads.begin()) + 1;
    }
    // None for a pointer to a chunk.
    next_hop hop_of(std::uint32_t pointer) const {
        return kind_of(pointer) == kind::next_hop ? in_.decode(pointer) : next_hop::none;
    }
    // The heads of each mask, as its row tells them. None are told of a codeword without a row.
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

// The pointers come last among the arrays, as the chunks below them follow.
template <class A, unsigned First, unsigned Next>
void visit(const lulea_view<A, First, Next>& in, const std::array<memory_part, 4>& arrays,
           node_visitor<A> each) {
    visitor<A, First, Next>(in, each).visit_all(arrays);
}

} // namespace fingerpost::lulea
