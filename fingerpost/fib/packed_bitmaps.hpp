// The builder of packed leaves with keys of one byte: a bitmap a block instead of nodes and leaves.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fingerpost/fib/packed_lines.hpp"

namespace fingerpost {
namespace detail {

// Writes the codes of a block side by side.
inline void put_codes(std::byte* at, std::span<const std::uint32_t> codes, unsigned bytes) {
    for (std::uint32_t code : codes) {
        put_number(at, code, bytes);
        at += bytes;
    }
}

// The bits of the inclusive ends of a block's intervals, but for the last one.
inline void set_ends(simd::packed_bitmap& block, std::span<const std::uint8_t> ends) {
    for (std::uint8_t end : ends.first(ends.size() - 1))
        block.ends[end / 64] |= std::uint64_t{1} << (end % 64);
    for (unsigned w = 1; w < 4; ++w)
        block.before[w] = static_cast<std::uint16_t>(block.before[w - 1] + std::popcount(block.ends[w - 1]));
}

} // namespace detail

// As pack_lines, for keys of one byte. `nodes` holds a line a block after one and a half for lanes that are
// done, `leaves` the answers of blocks that have more than their own line holds.
template <class A>
expected<packed_lines> pack_bitmaps(const coded_intervals<A>& intervals, unsigned outer,
                                    unsigned answer_bytes, std::vector<block_place<A>>& places) {
    const auto blocks = detail::block_ends(intervals, outer);
    constexpr std::size_t own = sizeof(simd::packed_bitmap::own);
    std::size_t apart = 0; // bytes of answers that do not fit their block's line
    std::size_t begin = 0;
    for (std::size_t end : blocks) {
        const std::size_t bytes = (end - begin) * answer_bytes;
        apart += bytes > own ? bytes : 0;
        begin = end;
    }
    auto nodes = aligned_array<std::byte>::make((blocks.size() + 2) * simd::packed_line);
    auto answers = aligned_array<std::byte>::make(apart);
    if (!nodes || !answers)
        return unexpected{errc::out_of_memory};
    packed_lines lines{std::move(*nodes), std::move(*answers), 1, 1};

    const auto place = [&](std::size_t at) { return new (lines.nodes.data() + at) simd::packed_bitmap{}; };
    simd::packed_bitmap* done = place(simd::packed_done_bit); // no bit set, and the one answer is code 0
    done->answers = done->own;
    places.clear();
    places.reserve(blocks.size());
    std::byte* next_answers = lines.leaves.data();
    std::vector<std::uint8_t> ends;
    begin = 0;
    for (std::size_t end : blocks) {
        const std::size_t count = end - begin;
        ends.clear();
        for (std::size_t i = begin; i < end; ++i)
            ends.push_back(static_cast<std::uint8_t>(slice(intervals.ends[i], outer, 8)));
        simd::packed_bitmap* block = place((places.size() + 2) * simd::packed_line);
        detail::set_ends(*block, ends);
        std::byte* codes = block->own;
        if (count * answer_bytes > own) {
            codes = next_answers;
            next_answers += count * answer_bytes;
        }
        detail::put_codes(codes, std::span(intervals.codes).subspan(begin, count), answer_bytes);
        block->answers = codes;
        places.push_back(
            {cell_first(intervals.ends[begin], outer), reinterpret_cast<const std::byte*>(block)});
        begin = end;
    }
    return lines;
}

} // namespace fingerpost
