// Body of the multiway search, compiled once for each instruction set over that set's `vec`.
//
// All lanes of a block enter the tree at the same level: the lowest one at which each lane has all points of
// its front slot in one node. Entering at a higher level than necessary is correct too, so the block takes
// each step together without a branch on data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/schemes/binary_search_on_prefixes/view.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/key_line.hpp"

namespace fingerpost::binary_search_on_prefixes {
namespace {

using namespace simd;

template <class Code>
FINGERPOST_INLINE std::uint32_t number_at(const void* codes, std::uint64_t at) {
    return static_cast<std::uint32_t>(static_cast<const Code*>(codes)[at]) - 1;
}

template <class W, class Code, unsigned Lanes>
FINGERPOST_INLINE void look_up_block(const points_view<W>& view, const W* in, std::uint32_t* out) {
    using key = column_key<W>;
    constexpr unsigned shift = node_shift<key>;
    decltype(spread_key(key{})) x[Lanes];
    std::uint64_t rank[Lanes];
    std::uint32_t differing = 0;
    unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
        const key sought = first_column(in[lane.value]);
        x[lane.value] = spread_key(sought);
        const std::uint32_t* const slot = view.front + (sought >> view.front_shift);
        rank[lane.value] = slot[0];
        differing |= slot[0] ^ slot[1];
    });
    const unsigned levels = (32 - static_cast<unsigned>(leading_zeros(differing)) + shift - 1) / shift;
    unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA { rank[lane.value] >>= shift * levels; });
    for (unsigned level = levels; level-- > 0;) {
        const key* const keys = view.level[level];
        unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
            const std::uint64_t at = rank[lane.value] << shift;
            rank[lane.value] = at + rank_in_line(keys + at, x[lane.value]);
        });
    }
    std::uint32_t equal_halves = 0;
    unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
        const std::uint64_t at = rank[lane.value];
        const bool equal = (view.level[0][at] ^ bias_of<key>) == first_column(in[lane.value]);
        if constexpr (W::bits == 128) {
            equal_halves |= std::uint32_t{equal} << lane.value;
            out[lane.value] = number_at<Code>(view.codes, 2 * at);
        } else {
            out[lane.value] = number_at<Code>(view.codes, 2 * at + equal);
        }
    });
    if constexpr (W::bits == 128)
        for (; equal_halves != 0; equal_halves &= equal_halves - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctz(equal_halves));
            const std::uint64_t place = place_in_run(view, plain_reads{}, rank[lane], bottom64(in[lane]));
            out[lane] = number_at<Code>(view.codes, place);
        }
}

template <class W, class Code>
std::uint32_t look_up_single(const points_view<W>& view, W a) noexcept {
    std::uint32_t out;
    look_up_block<W, Code, 1>(view, &a, &out);
    return out;
}

template <class W, class Code>
void look_up_batch(const points_view<W>& view, const W* in, std::uint32_t* out, std::size_t count) noexcept {
    cover_batch<vec::lanes>(count, [&](auto lanes, std::size_t first) FINGERPOST_LAMBDA {
        look_up_block<W, Code, lanes.value>(view, in + first, out + first);
    });
}

template <class W>
constexpr point_kernels<W> kernels_of_width() {
    return {.batch = {look_up_batch<W, std::uint16_t>, look_up_batch<W, std::uint32_t>},
            .single = {look_up_single<W, std::uint16_t>, look_up_single<W, std::uint32_t>}};
}
constinit const kernel_set all_kernels = {.narrow = kernels_of_width<address<32>>(),
                                          .half = kernels_of_width<address<64>>(),
                                          .full = kernels_of_width<address<128>>()};

} // namespace
} // namespace fingerpost::binary_search_on_prefixes
