// Codewords: 16 bits for each mask, with its row of the table and the number of pointers before it.
//
//      bits 15..6  row of the mask         bits 5..0  pointers of the masks before it, in its group
//      from 677 * 64 on                    the next hop code of all 16 positions, without a pointer
//
// A group is four masks with a common base, which is the number of pointers before the group. With at most 64
// pointers, all masks are one group without a base.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fingerpost/fib/plain_reads.hpp"
#include "fingerpost/schemes/lulea/masks.hpp"

namespace fingerpost::lulea {

inline constexpr std::uint32_t offset_bits = 6;
inline constexpr std::uint32_t first_direct = static_cast<std::uint32_t>(table_rows) << offset_bits;
// Next hop codes below this fit into a codeword; others need a pointer.
inline constexpr std::uint32_t direct_codes = 0x10000 - first_direct;
inline constexpr std::size_t group_masks = 4;

constexpr std::size_t count_groups(std::size_t masks) noexcept {
    return (masks + group_masks - 1) / group_masks;
}

// The first position of a leaf or a chunk, and the pointer that applies from there.
struct head {
    std::uint32_t position;
    std::uint32_t pointer;
};

struct coded_masks {
    std::vector<std::uint16_t> codewords;
    std::vector<std::uint16_t> bases; // empty without groups
    std::vector<std::uint32_t> pointers;
};

// `heads` are the heads of a full tree over all positions of the masks, in ascending order. Throws
// std::bad_alloc.
inline coded_masks encode_masks(std::span<const head> heads, std::size_t masks, bool grouped) {
    coded_masks out;
    out.codewords.reserve(masks);
    out.bases.reserve(grouped ? count_groups(masks) : 0);
    std::size_t next = 0, group_start = 0;
    for (std::size_t m = 0; m < masks; ++m) {
        if (grouped && m % group_masks == 0) {
            group_start = out.pointers.size();
            out.bases.push_back(static_cast<std::uint16_t>(group_start));
        }
        const std::size_t first = next;
        std::uint32_t mask = 0;
        for (; next < heads.size() && heads[next].position / mask_bits == m; ++next)
            mask |= 1u << heads[next].position % mask_bits;
        std::size_t offset = out.pointers.size() - group_start;
        std::uint32_t row = single_row;
        if (mask > 1) {
            row = row_of(mask);
            for (std::size_t i = first; i < next; ++i)
                out.pointers.push_back(heads[i].pointer);
        } else if (const std::uint32_t code = heads[next - 1].pointer; code < direct_codes) {
            out.codewords.push_back(static_cast<std::uint16_t>(first_direct + code));
            continue;
        } else if (mask == 1 || offset == 0) {
            out.pointers.push_back(code);
        } else {
            --offset; // continues the leaf of the last pointer
        }
        assert(offset < 1u << offset_bits);
        out.codewords.push_back(static_cast<std::uint16_t>(row << offset_bits | offset));
    }
    return out;
}

// Coded masks as lookups read them. The arrays may have any alignment.
struct masks_view {
    const std::byte* codewords;
    const std::byte* bases;
    const std::byte* pointers;
    std::uint32_t base_mask; // 0 without groups, where bases are read but ignored

    template <class T>
    static T load(const std::byte* array, std::size_t i) noexcept {
        T value;
        std::memcpy(&value, array + i * sizeof(T), sizeof value);
        return value;
    }
    std::uint32_t codeword_at(std::uint32_t position) const noexcept {
        return load<std::uint16_t>(codewords, position / mask_bits);
    }
    std::uint32_t base_of(std::uint32_t position) const noexcept {
        return load<std::uint16_t>(bases, position / (mask_bits * group_masks)) & base_mask;
    }
    static std::uint32_t heads_before(std::uint32_t row, std::uint32_t position) noexcept {
        return static_cast<std::uint32_t>(maptable[row] >> (position % mask_bits * 4)) & 15;
    }
    // The number of the pointer for a position. The codeword must not contain a next hop.
    std::uint32_t place(std::uint32_t codeword, std::uint32_t position) const noexcept {
        const std::uint32_t before = heads_before(codeword >> offset_bits, position);
        return base_of(position) + codeword % (1u << offset_bits) + before;
    }
    template <class Read = const plain_reads>
    std::uint32_t pointer_at(std::uint32_t position, Read&& read = {}) const {
        read(codewords, position / mask_bits * 2, 2);
        const std::uint32_t codeword = codeword_at(position);
        if (codeword >= first_direct)
            return codeword - first_direct;
        read(maptable, codeword >> offset_bits);
        if (base_mask != 0)
            read(bases, position / (mask_bits * group_masks) * 2, 2);
        const std::size_t at = place(codeword, position);
        read(pointers, at * 4, 4);
        return load<std::uint32_t>(pointers, at);
    }
    // The pointer for a position, for batches, where a branch would be unpredictable. Always reads a pointer
    // too, which may be irrelevant but must exist.
    std::uint32_t pointer_without_branch(std::uint32_t position) const noexcept {
        const std::uint32_t codeword = codeword_at(position);
        const bool direct = codeword >= first_direct;
        const std::uint32_t number = place(direct ? 0 : codeword, position);
        const auto pointer = load<std::uint32_t>(pointers, direct ? 0 : number);
        return direct ? codeword - first_direct : pointer;
    }
};

} // namespace fingerpost::lulea
