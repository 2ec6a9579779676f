// Body of the multiway range tree's lookups, compiled once for each instruction set over that set's `vec`.
//
// All leaves have the same depth, so a block of lanes takes each step together. Only second halves of keys,
// which few addresses need, cause branches on data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/schemes/multiway_range_tree/view.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/key_line.hpp"

namespace fingerpost::multiway_range_tree {
namespace {

using namespace simd;

// The edge for an address. It always exists, because the last key of each node on the path is not below the
// address.
template <class W, class Spread>
FINGERPOST_INLINE std::uint64_t edge_in(const node<W>& at, Spread x, W a) {
    std::uint64_t edge = rank_in_line(at.key, x);
    if constexpr (has_second<W>) {
        const std::uint64_t half = first_column(a) ^ bias_of<std::uint64_t>;
        if (at.key[edge] == half) [[unlikely]] {
            // The second halves of padding are all ones, so the search ends within the node.
            while (at.key[edge] == half && at.second[edge] < bottom64(a))
                ++edge;
        }
    }
    return edge;
}

template <class W, unsigned Lanes>
FINGERPOST_INLINE void look_up_block(const tree_view<W>& view, const W* in, std::uint32_t* out) {
    decltype(spread_key(column_key<W>{})) x[Lanes];
    const node<W>* at[Lanes];
    std::uint32_t best[Lanes];
    unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
        x[lane.value] = spread_key(first_column(in[lane.value]));
        at[lane.value] = view.nodes + view.root;
        best[lane.value] = view.word;
    });
    for (unsigned left = view.height; left > 1; --left)
        unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
            const node<W>& n = *at[lane.value];
            const std::uint64_t edge = edge_in(n, x[lane.value], in[lane.value]);
            const std::uint32_t word = n.word[edge];
            best[lane.value] = word > best[lane.value] ? word : best[lane.value];
            at[lane.value] = view.nodes + n.below[edge];
            // In a batch, the comparison of the next step loads the node's first line, so only the other
            // lines are prefetched.
            if constexpr (Lanes > 1)
                __builtin_prefetch(at[lane.value]->word);
        });
    unroll<Lanes>([&](auto lane) FINGERPOST_LAMBDA {
        const node<W>& n = *at[lane.value];
        const std::uint32_t word = n.word[edge_in(n, x[lane.value], in[lane.value])];
        const std::uint32_t longest = word > best[lane.value] ? word : best[lane.value];
        out[lane.value] = (longest & code_mask) - 1;
    });
}

template <class W>
std::uint32_t look_up_single(const tree_view<W>& view, W a) noexcept {
    std::uint32_t out;
    look_up_block<W, 1>(view, &a, &out);
    return out;
}
template <class W>
void look_up_batch(const tree_view<W>& view, const W* in, std::uint32_t* out, std::size_t count) noexcept {
    cover_batch<vec::lanes>(count, [&](auto lanes, std::size_t first) FINGERPOST_LAMBDA {
        look_up_block<W, lanes.value>(view, in + first, out + first);
    });
}

template <class W>
constexpr tree_kernels<W> kernels_of_width() {
    return {.batch = look_up_batch<W>, .single = look_up_single<W>};
}
constinit const kernel_set all_kernels = {.narrow = kernels_of_width<address<32>>(),
                                          .half = kernels_of_width<address<64>>(),
                                          .full = kernels_of_width<address<128>>()};

} // namespace
} // namespace fingerpost::multiway_range_tree
