// The ranked-cells kernels, compiled once for each instruction set. They read the word of an address, then
// its code.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/cells/walk.inl.hpp"
#include "fingerpost/fib/parts/cells/wide_codes.inl.hpp"
#include "fingerpost/schemes/ranked_cells/view.hpp"
#include "fingerpost/simd/inline.hpp"

#if FINGERPOST_KERNELS_FOR_AVX512
#include "fingerpost/schemes/ranked_cells/kernels_avx512.inl.hpp"
#endif

namespace fingerpost::ranked_cells {
namespace {

using namespace simd;

#if FINGERPOST_KERNELS_FOR_AVX512
constexpr bool ranks_many = true;
#else
constexpr bool ranks_many = false;
using wide_steps = wide_codes;
#endif

// The slot of an address's code: the start of its word's codes plus the number of intervals that end before
// its cell. The word may be written meanwhile (word_versions.hpp), so it is loaded as a whole.
FINGERPOST_INLINE std::uint32_t bitmap_slot(const bitmap_view& view, std::uint32_t address) {
    const bitmap_word& word = view.words[address >> (32 - word_index_bits)];
    const std::uint64_t both = __atomic_load_n(&word.both, __ATOMIC_RELAXED);
    const unsigned cell = address >> (32 - cell_bits) & (word_cells - 1);
    const auto before = static_cast<std::uint32_t>(both & ~(~std::uint64_t{0} << cell));
    return static_cast<std::uint32_t>(both >> 32) + static_cast<std::uint32_t>(__builtin_popcount(before));
}
template <unsigned CodeBytes>
FINGERPOST_INLINE std::uint32_t bitmap_code(const bitmap_view& view, std::uint32_t slot) {
    return load_word<word<CodeBytes>>(view.answers + std::size_t{slot} * CodeBytes);
}

// The slots of the codes. The two cache lines of a lookup are prefetched one stage before they are read.
template <unsigned CodeBytes>
FINGERPOST_INLINE void bitmap_slots(const bitmap_view& view, const std::uint32_t* in, std::uint32_t* slots,
                                    std::size_t count) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count; ++i)
        __builtin_prefetch(view.words + (in[i] >> (32 - word_index_bits)));
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count; ++i) {
        slots[i] = bitmap_slot(view, in[i]);
        __builtin_prefetch(view.answers + std::size_t{slots[i]} * CodeBytes);
    }
}

// Groups of 16 addresses. Words are read two groups ahead of codes, so that the loads of both overlap and no
// load waits for the previous one.
template <unsigned CodeBytes, bool Gathers, class Wide>
FINGERPOST_INLINE void bitmap_groups(const bitmap_view& view, const code_rules& rules, const Wide& wide,
                                     const std::uint32_t* in, std::uint32_t* out, std::size_t groups) {
    constexpr std::size_t ahead = 2;
    constexpr std::size_t stored_groups = std::bit_ceil(ahead + 1);
    constexpr std::size_t groups_in_block = batch_block / 16;
    alignas(line_bytes) std::uint32_t slots[stored_groups][16];
    const auto rank = [&](std::size_t group) FINGERPOST_LAMBDA {
        // The hardware prefetcher is late at so few cycles for each address. This gains 1/10 in L1.
        __builtin_prefetch(in + (group + 16) * 16);
        Wide::template rank_16<Gathers>(view, in + group * 16, slots[group % stored_groups]);
    };
    std::uint64_t escaped = 0; // mask of the escapes in a block
    const auto answer = [&](std::size_t group) FINGERPOST_LAMBDA {
        const std::size_t in_block = group % groups_in_block;
        escaped |= wide.template write_ranked_16<CodeBytes, Gathers>(out + group * 16, view.answers,
                                                                     slots[group % stored_groups])
                   << in_block * 16;
        if (escaped != 0 && (in_block + 1 == groups_in_block || group + 1 == groups)) [[unlikely]] {
            const std::size_t first = (group - in_block) * 16;
            rules.resolve(rules.self, in + first, out + first, escaped);
            escaped = 0;
        }
    };
    std::size_t group = 0;
    for (; group < ahead && group < groups; ++group)
        rank(group);
    std::size_t answered = 0;
    for (; group < groups; ++group) {
        rank(group);
        answer(answered++);
    }
    for (; answered < groups; ++answered)
        answer(answered);
}
// Looks up the first addresses of the batch and returns their number.
template <unsigned CodeBytes, class Wide = wide_steps>
FINGERPOST_INLINE std::size_t bitmap_many(const bitmap_view& view, const code_rules& rules,
                                          const std::uint32_t* in, std::uint32_t* out, std::size_t count) {
    const Wide wide(rules.codes);
    std::size_t done = 0;
    if constexpr (ranks_many) {
        const std::size_t groups = count / 16;
        if (view.how.gathers)
            bitmap_groups<CodeBytes, true>(view, rules, wide, in, out, groups);
        else
            bitmap_groups<CodeBytes, false>(view, rules, wide, in, out, groups);
        done = groups * 16;
    } else {
        while (count - done >= 16) {
            const std::size_t some = count - done < batch_block ? count - done : batch_block;
            std::uint64_t escaped = 0;
            alignas(line_bytes) std::uint32_t slots[batch_block];
            bitmap_slots<CodeBytes>(view, in + done, slots, some);
            for (std::size_t next = 0; next < some; next += 16) {
                const std::size_t first = next + 16 <= some ? next : some - 16;
                const auto codes = Wide::template load<16, CodeBytes>([&](auto lane) FINGERPOST_LAMBDA {
                    return view.answers + std::size_t{slots[first + lane.value]} * CodeBytes;
                });
                escaped |= wide.write_16(out + done + first, codes) << first;
            }
            if (escaped != 0) [[unlikely]]
                rules.resolve(rules.self, in + done, out + done, escaped);
            done += some;
        }
    }
    if (count - done < 8)
        return done;
    // The last 8 may overlap addresses that are already done. Slots stay in registers, because loading pairs
    // right after single stores would stall.
    for (const std::size_t first : {done, count - 8}) {
        const auto codes = Wide::template load<8, CodeBytes>([&](auto lane) FINGERPOST_LAMBDA {
            return view.answers + std::size_t{bitmap_slot(view, in[first + lane.value])} * CodeBytes;
        });
        const std::uint64_t escaped = wide.write_halves(out + first, out + first + 4, codes);
        if (escaped != 0) [[unlikely]]
            rules.resolve(rules.self, in + first, out + first, escaped);
        if (first + 8 == count)
            break;
    }
    return count;
}

template <unsigned CodeBytes>
void bitmap_batch(const bitmap_view& view, const code_rules& rules, const void* addresses, std::uint32_t* out,
                  std::size_t count) noexcept {
    const auto* in = static_cast<const std::uint32_t*>(addresses);
    const std::size_t done = count < 8 ? 0 : bitmap_many<CodeBytes>(view, rules, in, out, count);
    std::uint64_t escaped = 0;
    for (std::size_t i = done; i < count; ++i) {
        const std::uint32_t code = bitmap_code<CodeBytes>(view, bitmap_slot(view, in[i]));
        out[i] = rules.codes.number_of(code);
        escaped |= std::uint64_t{code == rules.codes.escape} << (i - done);
    }
    if (escaped != 0) [[unlikely]]
        rules.resolve(rules.self, in + done, out + done, escaped);
}
template <unsigned CodeBytes>
std::uint32_t bitmap_one(const bitmap_view& view, std::uint32_t address) noexcept {
    return bitmap_code<CodeBytes>(view, bitmap_slot(view, address));
}

constinit const kernel_set all_kernels{.batch = {bitmap_batch<1>, bitmap_batch<2>, bitmap_batch<4>},
                                       .single = {bitmap_one<1>, bitmap_one<2>, bitmap_one<4>}};

} // namespace
} // namespace fingerpost::ranked_cells
