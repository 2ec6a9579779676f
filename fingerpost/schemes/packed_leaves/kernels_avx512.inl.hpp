// Kernel steps that AVX-512 performs on 8 or 16 addresses at a time: reading the index, writing results.
// Other instruction sets take these steps address by address (stages.inl.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#include "fingerpost/fib/parts/cells/wide_codes.inl.hpp"
#include "fingerpost/schemes/packed_leaves/view.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/input_form.hpp"

namespace fingerpost::packed_leaves {
namespace {

using namespace simd;

class wide_steps : public wide_codes {
  public:
    static constexpr bool are_there = true;
    static constexpr bool gather_index = true;
    static constexpr bool prefetches = false; // unless the CPU needs it

    using wide_codes::wide_codes;

    // Takes 16 addresses through the index, like index_entry() in stages.inl.hpp.
    template <input_form Form>
    static FINGERPOST_INLINE void index_16(const index_view& view, const std::byte* in,
                                           std::uint64_t* entry) {
        const __m128i root_shift = _mm_cvtsi32_si128(static_cast<int>(view.root_shift));
        __m512i bits[2];
        __m512i at[2];
        unroll<2>([&](auto half) FINGERPOST_LAMBDA {
            bits[half.value] = first_bits_of_8<Form>(in + half.value * 8 * bytes_of(Form));
            at[half.value] = gather(view.root, _mm512_srl_epi64(bits[half.value], root_shift));
        });
        unroll<index_steps>([&](auto) FINGERPOST_LAMBDA {
            unroll<2>([&](auto half) FINGERPOST_LAMBDA {
                const __m512i shift = _mm512_and_si512(at[half.value], _mm512_set1_epi64(63));
                const __m512i base = _mm512_srai_epi64(at[half.value], step_entry::shift_bits);
                at[half.value] =
                    gather(view.pages, _mm512_add_epi64(base, _mm512_srlv_epi64(bits[half.value], shift)));
            });
        });
        unroll<2>([&](auto half)
                      FINGERPOST_LAMBDA { _mm512_storeu_si512(entry + half.value * 8, at[half.value]); });
    }

    // Whether the index leads to a tree for one of these addresses.
    template <class State>
    static FINGERPOST_INLINE bool goes_on(const State& state, std::size_t count) {
        __m512i combined = _mm512_load_si512(state.entry);
        for (std::size_t i = 8; i + 8 <= count; i += 8)
            combined = _mm512_or_si512(combined, _mm512_load_si512(state.entry + i));
        combined = _mm512_or_si512(combined, _mm512_loadu_si512(state.entry + count - 8));
        return _mm512_test_epi64_mask(combined, _mm512_set1_epi64(0xffffffff)) != 0;
    }
    // The codes of index entries, which are their high halves.
    static FINGERPOST_INLINE __m256i codes_of_8(const std::uint64_t* entry) {
        return _mm512_cvtepi64_epi32(_mm512_srli_epi64(_mm512_loadu_si512(entry), 32));
    }
    static FINGERPOST_INLINE group codes_of_16(const std::uint64_t* entry) {
        return every_second(_mm512_loadu_si512(entry), _mm512_loadu_si512(entry + 8), 1);
    }

  private:
    template <input_form Form>
    static FINGERPOST_INLINE __m512i first_bits_of_8(const std::byte* in) {
        if constexpr (Form == input_form::ipv4)
            return _mm512_slli_epi64(
                _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(in))), 32);
        else if constexpr (Form == input_form::key64)
            return _mm512_loadu_si512(in);
        else
            return _mm512_permutex2var_epi64(_mm512_loadu_si512(in),
                                             _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15),
                                             _mm512_loadu_si512(in + 64));
    }
    static FINGERPOST_INLINE __m512i gather(const std::uint64_t* from, __m512i number) {
        return _mm512_i64gather_epi64(number, from, 8);
    }
};

} // namespace
} // namespace fingerpost::packed_leaves
