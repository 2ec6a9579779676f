// Arithmetic of length_bitmaps.hpp: which prefix lengths have a bitmap, the position of each bitmap in the
// common array, and the search for the longest length with a set bit.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "fingerpost/net/prefix.hpp"

namespace fingerpost {

// The levels are the pivot, the pivot minus `Step` bits, and so on. With a step of 1, length 0 is also a
// level. The largest level is first, so each level begins at a multiple of its size, and 64 neighbouring
// slots under one prefix are in one word.
template <class A, unsigned Step>
struct length_levels {
    static constexpr unsigned pivot = A::bits * 3 / 4;
    static constexpr unsigned rest = A::bits - pivot;
    static_assert(Step >= 1 && Step <= 6 && pivot >= 1);
    static constexpr std::uint32_t rest_mask = low_mask<std::uint32_t>(rest);

    static constexpr unsigned count = Step == 1 ? pivot + 1 : (pivot + Step - 1) / Step;
    static constexpr std::array<unsigned, count> lengths = [] {
        std::array<unsigned, count> result{};
        for (unsigned i = 0; i < count; ++i)
            result[i] = pivot - i * Step;
        return result;
    }();
    static constexpr std::array<std::size_t, count + 1> begins = [] {
        std::array<std::size_t, count + 1> result{};
        for (unsigned i = 0; i < count; ++i)
            result[i + 1] = result[i] + (std::size_t{1} << lengths[i]);
        return result;
    }();
    static constexpr std::size_t slots = begins[count];

    struct run {
        std::size_t first;
        std::uint32_t count;
    };

    // The level that routes of this length are pushed to. 0 is the pivot's level.
    static constexpr unsigned level_of(unsigned length) noexcept {
        return std::min((pivot - length) / Step, count - 1);
    }
    // The length minus the longest length of the level above; less than 8.
    static constexpr std::uint32_t length_in_level(unsigned length) noexcept {
        const unsigned level = lengths[level_of(length)];
        return length - (level > Step ? level - Step : 0);
    }
    static run run_of(const prefix<A>& where) noexcept {
        const unsigned level = level_of(where.length);
        return {place(level, cell_of(where.base)), std::uint32_t{1} << (lengths[level] - where.length)};
    }
    static std::uint32_t cell_of(A a) noexcept { return a.value >> rest; }
    static std::uint32_t slots_in_chunk(unsigned length) noexcept {
        return std::uint32_t{1} << (A::bits - length);
    }
    static std::size_t place(unsigned level, std::uint32_t cell) noexcept {
        return begins[level] + (cell >> (level * Step));
    }

    // Slot of the longest level with a set bit, or `slots`. The level is unpredictable and the probes are
    // independent, so several levels are probed together without a branch.
    static std::size_t find(const std::uint64_t* bitmap, std::uint32_t cell) noexcept {
        return find_from<0>(bitmap, cell);
    }
    // The levels below these fit in the first-level cache.
    static void prefetch(const std::uint64_t* bitmap, std::uint32_t cell) noexcept {
        for (unsigned i = 0; i < count && lengths[i] + 4 > pivot; ++i)
            __builtin_prefetch(&bitmap[place(i, cell) / 64]);
    }

  private:
    static constexpr unsigned at_once = 8;

    template <unsigned From>
    static std::size_t find_from(const std::uint64_t* bitmap, std::uint32_t cell) noexcept {
        if constexpr (From >= count) {
            return slots;
        } else {
            using some = std::make_integer_sequence<unsigned, std::min(at_once, count - From)>;
            if (const std::uint32_t hits = probe<From>(bitmap, cell, some{}); hits != 0)
                return place(From + static_cast<unsigned>(std::countr_zero(hits)), cell);
            return find_from<From + at_once>(bitmap, cell);
        }
    }
    // Bit i belongs to level From + i. Compilers do not create this straight-line code from a loop.
    template <unsigned From, unsigned... I>
    static std::uint32_t probe(const std::uint64_t* bitmap, std::uint32_t cell,
                               std::integer_sequence<unsigned, I...>) noexcept {
        return ((bit_at(bitmap, place(From + I, cell)) << I) | ...);
    }
    static std::uint32_t bit_at(const std::uint64_t* bitmap, std::size_t at) noexcept {
        return static_cast<std::uint32_t>(bitmap[at / 64] >> (at % 64)) & 1;
    }
};

} // namespace fingerpost
