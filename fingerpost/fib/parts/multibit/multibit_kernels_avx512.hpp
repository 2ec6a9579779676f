// Batch lookups in multibit tries with AVX-512: eight lookups in each vector, several vectors interleaved.
//
// A step of a vector is a shift, which gives the indices of the slots, and a gather. The gathers of several
// vectors overlap, so no prefetch is needed. Lanes whose lookup has ended are masked out and keep their slot.
// A vector in which all lookups have ended is skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/fib/parts/multibit/multibit_kernels.hpp"
#include "fingerpost/fib/parts/multibit/multibit_slots.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::multibit {
namespace {

using namespace simd;

// g++ 12 may spill a mask at its own width and read back four bytes; see simd/vec_avx512.hpp.
FINGERPOST_INLINE unsigned bits_of(__mmask8 mask) {
    unsigned bits = mask;
    __asm__("" : "+r"(bits));
    return bits & 0xff;
}

FINGERPOST_INLINE __m512i all_of(std::uint64_t x) {
    return _mm512_set1_epi64(static_cast<long long>(x));
}

// First 64 bits of eight addresses.
template <input_form Form>
FINGERPOST_INLINE __m512i load_high(const void* addresses, std::size_t first) {
    const auto* const from = static_cast<const std::byte*>(addresses) + first * bytes_of(Form);
    if constexpr (Form == input_form::ipv4)
        return _mm512_slli_epi64(_mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i*)from)), 32);
    const __m512i high_words = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    return _mm512_permutex2var_epi64(_mm512_loadu_si512(from), high_words, _mm512_loadu_si512(from + 64));
}

// Slots in 64-bit lanes, even if they have four bytes.
template <template <unsigned> class SlotOf, bool OwnStrides>
struct eight_slots {
    using slot = SlotOf<OwnStrides ? 4 : 0>;
    static constexpr bool pushed = sizeof(slot) == 4;

    static FINGERPOST_INLINE __m512i load(const void* slots, __m512i at) {
        if constexpr (pushed)
            return _mm512_cvtepu32_epi64(_mm512_i64gather_epi32(at, slots, 4));
        else
            return _mm512_i64gather_epi64(at, slots, 8);
    }
    static FINGERPOST_INLINE __m512i load(const void* slots, __m512i at, __m512i current, __mmask8 which) {
        if constexpr (pushed)
            return _mm512_cvtepu32_epi64(
                _mm512_mask_i64gather_epi32(_mm512_cvtepi64_epi32(current), which, at, slots, 4));
        else
            return _mm512_mask_i64gather_epi64(current, which, at, slots, 8);
    }
    static FINGERPOST_INLINE __mmask8 lead_on(__m512i current) {
        if constexpr (pushed)
            return _mm512_test_epi64_mask(current, all_of(slot::child_mark));
        else
            return _mm512_test_epi64_mask(current, all_of(low_mask<std::uint64_t>(slot::offset_bits)));
    }
    static FINGERPOST_INLINE __m512i children(__m512i current) {
        const __m512i halves = _mm512_and_si512(current, all_of(low_mask<std::uint64_t>(slot::offset_bits)));
        return _mm512_add_epi64(halves, halves);
    }
    static FINGERPOST_INLINE __m512i strides(__m512i current) {
        const __m512i less_one = _mm512_and_si512(_mm512_srli_epi64(current, slot::offset_bits), all_of(15));
        return _mm512_add_epi64(less_one, all_of(1));
    }
    // The last next hop on the path. For pushed slots, the code minus one.
    static FINGERPOST_INLINE __m512i better(__m512i current, __m512i best) {
        if constexpr (pushed)
            return current;
        const __mmask8 has_hop = _mm512_cmplt_epu64_mask(current, all_of(std::uint64_t{0xffffffff} << 32));
        return _mm512_mask_mov_epi64(best, has_hop, current);
    }
    static FINGERPOST_INLINE __m256i answers(__m512i best) {
        if constexpr (pushed)
            return _mm256_sub_epi32(_mm512_cvtepi64_epi32(best), _mm256_set1_epi32(1));
        return _mm512_cvtepi64_epi32(_mm512_srli_epi64(best, 32));
    }
};

template <template <unsigned> class SlotOf, bool OwnStrides, input_form Form, unsigned Groups>
class wide_lookup {
    using slots_of_eight = eight_slots<SlotOf, OwnStrides>;

    struct group {
        __m512i bits;    // of the address, not used yet
        __m512i current; // the slot
        __m512i best;
        __m512i depth; // bits used so far, if they differ between lookups
    };

  public:
    static constexpr std::size_t lanes = 8 * Groups;

    static FINGERPOST_INLINE std::size_t block(const trie_view& view, const void* addresses,
                                               std::size_t first, std::uint32_t* out, std::uint16_t* left) {
        group groups[Groups];
        const __m128i root = _mm_cvtsi32_si128(static_cast<int>(view.root));
        const __m128i behind_root = _mm_cvtsi32_si128(static_cast<int>(64 - view.root));
        unroll<Groups>([&](auto g) FINGERPOST_LAMBDA {
            group& lookups = groups[g.value];
            const __m512i whole = load_high<Form>(addresses, first + 8 * g.value);
            lookups.current = slots_of_eight::load(view.slots, _mm512_srl_epi64(whole, behind_root));
            lookups.bits = _mm512_sll_epi64(whole, root);
            lookups.best = slots_of_eight::better(lookups.current, all_of(~std::uint64_t{0}));
            lookups.depth = all_of(view.root);
        });
        unsigned depth = view.root;
        for (unsigned level = 1, going = 1; going != 0; ++level) {
            unsigned shared = 0;
            if constexpr (!OwnStrides) {
                shared = view.by_level[level];
                if (shared == 0 || depth + shared > 64)
                    break;
                depth += shared;
            }
            going = 0;
            unroll<Groups>([&](auto g)
                               FINGERPOST_LAMBDA { going |= step(view.slots, groups[g.value], shared); });
        }
        std::size_t unfinished = 0;
        unroll<Groups>([&](auto g) FINGERPOST_LAMBDA {
            const std::size_t begin = first + 8 * g.value;
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + begin),
                                slots_of_eight::answers(groups[g.value].best));
            for (unsigned lanes_left = bits_of(slots_of_eight::lead_on(groups[g.value].current));
                 lanes_left != 0; lanes_left &= lanes_left - 1)
                left[unfinished++] = static_cast<std::uint16_t>(begin + __builtin_ctz(lanes_left));
        });
        return unfinished;
    }

  private:
    // Returns a mask of the lookups that have taken a step.
    static FINGERPOST_INLINE unsigned step(const void* slots, group& lookups, unsigned shared) {
        __mmask8 go_on = slots_of_eight::lead_on(lookups.current);
        __m512i stride = all_of(shared);
        if constexpr (OwnStrides) {
            stride = slots_of_eight::strides(lookups.current);
            const __m512i next_depth = _mm512_add_epi64(lookups.depth, stride);
            go_on = _mm512_mask_cmple_epu64_mask(go_on, next_depth, all_of(64));
            lookups.depth = next_depth;
        }
        const unsigned going = bits_of(go_on);
        if (going == 0)
            return 0;
        const __m512i index = _mm512_srlv_epi64(lookups.bits, _mm512_sub_epi64(all_of(64), stride));
        const __m512i at = _mm512_add_epi64(slots_of_eight::children(lookups.current), index);
        lookups.current = slots_of_eight::load(slots, at, lookups.current, go_on);
        lookups.bits = _mm512_sllv_epi64(lookups.bits, stride);
        lookups.best = slots_of_eight::better(lookups.current, lookups.best);
        return going;
    }
};

template <template <unsigned> class SlotOf, bool OwnStrides, input_form Form>
std::size_t look_up_batch(const trie_view& view, const void* addresses, std::uint32_t* out, std::size_t count,
                          std::uint16_t* left) noexcept {
    std::size_t first = 0, unfinished = 0;
    const auto cover = [&](auto groups) FINGERPOST_LAMBDA {
        using wide = wide_lookup<SlotOf, OwnStrides, Form, groups.value>;
        for (; count - first >= wide::lanes; first += wide::lanes)
            unfinished += wide::block(view, addresses, first, out, left + unfinished);
    };
    cover(constant<8>{});
    cover(constant<1>{});
    return unfinished;
}

template <template <unsigned> class SlotOf>
constexpr kernels_of_slot make_kernels() {
    return {.ipv4 = {look_up_batch<SlotOf, false, input_form::ipv4>,
                     look_up_batch<SlotOf, true, input_form::ipv4>},
            .ipv6 = {look_up_batch<SlotOf, false, input_form::ipv6>,
                     look_up_batch<SlotOf, true, input_form::ipv6>}};
}

constinit const kernel_set all_kernels = {.pushed = make_kernels<pushed_slot>(),
                                          .open = make_kernels<open_slot>()};

} // namespace
} // namespace fingerpost::multibit
