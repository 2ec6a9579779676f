// The steps of a lookup through index, nodes and leaves, for one address, and as straight-line code for a few
// adjacent addresses.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/cells/walk.inl.hpp"
#include "fingerpost/fib/parts/cells/wide_codes.inl.hpp"
#include "fingerpost/schemes/packed_leaves/view.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"
#include "fingerpost/simd/vec.hpp"

#if FINGERPOST_KERNELS_FOR_AVX512
#include "fingerpost/schemes/packed_leaves/kernels_avx512.inl.hpp"
#endif

namespace fingerpost::packed_leaves {
namespace {

using namespace simd;

#if FINGERPOST_KERNELS_FOR_AVX2
class wide_steps : public wide_codes {
  public:
    static constexpr bool are_there = true;
    static constexpr bool gather_index = false;
    static constexpr bool prefetches = false; // unless the CPU needs it

    using wide_codes::wide_codes;

    // Whether the index leads to a tree for one of these addresses (at least 16).
    template <class State>
    static FINGERPOST_INLINE bool goes_on(const State& state, std::size_t count) {
        __m256i combined = load_8(state.entry + count - 4);
        for (std::size_t i = 0; i + 4 <= count; i += 4)
            combined = _mm256_or_si256(combined, load_8(state.entry + i));
        return _mm256_testz_si256(combined, _mm256_set1_epi64x(0xffffffff)) == 0;
    }
    // The codes of index entries, which are their high halves.
    static FINGERPOST_INLINE __m256i codes_of_8(const std::uint64_t* entry) {
        const __m256 low = _mm256_castsi256_ps(load_8(entry));
        const __m256 high = _mm256_castsi256_ps(load_8(entry + 4));
        const __m256i halves = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0xdd));
        return _mm256_permute4x64_epi64(halves, 0xd8);
    }
    static FINGERPOST_INLINE group codes_of_16(const std::uint64_t* entry) {
        return {codes_of_8(entry), codes_of_8(entry + 8)};
    }
};
#elif !FINGERPOST_KERNELS_FOR_AVX512
class wide_steps : public wide_codes {
  public:
    static constexpr bool are_there = false;
    static constexpr bool gather_index = false;
    // Comparing a line takes many instructions here, so few addresses are in progress at a time.
    static constexpr bool prefetches = true;

    using wide_codes::wide_codes;

    template <class State>
    static FINGERPOST_INLINE bool goes_on(const State& state, std::size_t count) {
        return state.goes_on(count);
    }
};
#endif

// The first 64 bits of an address, padded with zeros.
template <input_form Form>
FINGERPOST_INLINE std::uint64_t first_bits(const std::byte* address) {
    if constexpr (Form == input_form::ipv6)
        return load_word<std::uint64_t>(address + high_word * 8);
    else if constexpr (Form == input_form::key64)
        return load_word<std::uint64_t>(address);
    else
        return std::uint64_t{load_word<std::uint32_t>(address)} << 32;
}
template <input_form Form>
FINGERPOST_INLINE key_lane tree_key(const std::byte* address) {
    if constexpr (Form == input_form::ipv6 && std::endian::native == std::endian::little)
        return vec::load_key<std::uint32_t>(address + 10);
    else
        return vec::broadcast_key(static_cast<std::uint32_t>(first_bits<Form>(address) >> key_begin));
}

// Takes one address, given by its first 64 bits, through the index. Returns the last entry.
FINGERPOST_INLINE std::uint64_t index_entry(const index_view& view, std::uint64_t bits) {
    std::uint64_t entry = view.root[bits >> view.root_shift];
    unroll<index_steps>([&](auto) FINGERPOST_LAMBDA { entry = view.pages[step_entry::slot(entry, bits)]; });
    return entry;
}

// Calls read() with the width of codes as a constant. Only leaves depend on it. One test for each block costs
// less than kernels for each width.
template <class Read>
FINGERPOST_INLINE void with_code_bytes(const index_view& view, Read read) {
    if (view.code_bytes == 2)
        read(constant<2>{});
    else if (view.code_bytes == 1)
        read(constant<1>{});
    else
        read(constant<4>{});
}

// The codes of `Count` index entries, in the form of Wide::load().
template <class Wide, unsigned Count>
FINGERPOST_INLINE auto index_codes(const std::uint64_t* entry) {
    if constexpr (Wide::are_there && Count == 16) {
        return Wide::codes_of_16(entry);
    } else if constexpr (Wide::are_there && Count == 8) {
        return Wide::codes_of_8(entry);
    } else {
        code_list<Count> codes;
        unroll<Count>([&](auto lane) FINGERPOST_LAMBDA {
            codes.lanes[lane.value] = last_entry::code_of(entry[lane.value]);
        });
        return codes;
    }
}

// The stages of index and nodes for `Count` adjacent addresses, as straight-line code.
template <input_form Form, unsigned Count>
struct stages {
    static constexpr std::size_t size = bytes_of(Form);

    static FINGERPOST_INLINE void index(const index_view& view, const std::byte* in, std::uint64_t* entry) {
        unroll<Count>([&](auto lane) FINGERPOST_LAMBDA {
            entry[lane.value] = index_entry(view, first_bits<Form>(in + lane.value * size));
        });
    }
    // Both levels of nodes. The processor overlaps these short chains on its own.
    template <bool Prefetches>
    static FINGERPOST_INLINE void nodes(const std::byte* lines, const std::byte* in,
                                        const std::uint64_t* entry, std::uint32_t* leaf) {
        unroll<Count>([&](auto lane) FINGERPOST_LAMBDA {
            const key_lane x = tree_key<Form>(in + lane.value * size);
            std::uint32_t at = last_entry::tree_of(entry[lane.value]);
            unroll<node_levels>([&](auto) FINGERPOST_LAMBDA { at = step_down(lines, at, x); });
            leaf[lane.value] = at;
            if constexpr (Prefetches)
                __builtin_prefetch(lines + at);
        });
    }
};

// The state of a block between the stages: the last index entries and the offsets of the leaves.
template <unsigned Count>
struct block_state {
    alignas(line_bytes) std::uint64_t entry[Count];
    alignas(line_bytes) std::uint32_t leaf[Count];

    // Whether the index leads to a tree for one of the first `count` addresses.
    FINGERPOST_INLINE bool goes_on(std::size_t count) const {
        std::uint32_t trees = 0;
        for (std::size_t i = 0; i < count; ++i)
            trees |= last_entry::tree_of(entry[i]);
        return trees != 0;
    }
};

} // namespace
} // namespace fingerpost::packed_leaves
