// Slots of multibit tries: four bytes with leaf pushing, eight without.
//
//      pushed   1 | stride - 1 | child / 2                        0 | code                  32 bits
//      packed   1 | packed | path | stride - 1 | child / 2        0 | code                  32 bits
//      open     next hop | length | stride - 1 | child / 2                                  64 bits
//      packed   next hop | length | packed | path | stride - 1 | child / 2                  64 bits
//
// Children are offsets in an array of slots. Nodes have at least two slots, so all offsets are even. If all
// nodes of a level have the same stride, StrideBits is 0 and offsets may be larger. Such tries have no paths.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/net/next_hop.hpp"

namespace fingerpost {

// Either a child or a code. Marks are additional bits of a child.
template <unsigned StrideBits, unsigned Marks>
struct leaf_slot {
    static constexpr unsigned offset_bits = 31 - Marks - StrideBits;
    static constexpr std::size_t most_slots = std::size_t{2} << (offset_bits > 30 ? 30 : offset_bits);
    static constexpr std::uint32_t child_mark = std::uint32_t{1} << 31;

    std::uint32_t word = 0; // no route

    bool has_child() const noexcept { return (word & child_mark) != 0; }
    std::uint32_t child() const noexcept { return (word & low_mask<std::uint32_t>(offset_bits)) * 2; }
    unsigned stride() const noexcept {
        return (word >> offset_bits & low_mask<std::uint32_t>(StrideBits)) + 1;
    }
    std::uint32_t code() const noexcept { return word; }
    next_hop answer() const noexcept { return {word - 1}; } // the code minus one

    void set_child(std::uint32_t offset, unsigned stride, std::uint32_t marks = 0) noexcept {
        word = child_mark | marks | offset / 2;
        if constexpr (StrideBits > 0)
            word |= (stride - 1) << offset_bits;
    }
};

template <unsigned StrideBits>
struct pushed_slot : leaf_slot<StrideBits, 0> {};

// The child may be packed, and a path may precede it.
template <unsigned StrideBits>
struct packed_slot : leaf_slot<StrideBits, StrideBits == 0 ? 1 : 2> {
    static constexpr bool may_have_path = StrideBits > 0;
    static constexpr std::uint32_t packed_mark = std::uint32_t{1} << 30;
    static constexpr std::uint32_t path_mark = may_have_path ? std::uint32_t{1} << 29 : 0;

    bool is_packed() const noexcept { return (this->word & packed_mark) != 0; } // for slots with a child
    bool has_path() const noexcept { return (this->word & path_mark) != 0; }
};

// Next hop of the node's longest route that covers the slot; the number of bits that this route has in the
// slot, 0 without a route; and a child. Offset 0 belongs to the root, so it means "no child".
template <unsigned StrideBits, unsigned Marks>
struct route_slot {
    static constexpr unsigned offset_bits = 27 - Marks - StrideBits;
    static constexpr std::size_t most_slots = std::size_t{2} << offset_bits;
    static constexpr std::uint64_t no_hop = std::uint64_t{0xffffffff} << 32;
    static constexpr std::uint64_t child_mask = low_mask<std::uint64_t>(27);

    std::uint64_t word = no_hop;

    next_hop hop() const noexcept { return {static_cast<std::uint32_t>(word >> 32)}; }
    next_hop answer() const noexcept { return hop(); }
    unsigned length() const noexcept { return static_cast<unsigned>(word >> 27) & 31; }
    bool has_child() const noexcept { return (word & low_mask<std::uint64_t>(offset_bits)) != 0; }
    std::uint32_t child() const noexcept {
        return static_cast<std::uint32_t>(word & low_mask<std::uint64_t>(offset_bits)) * 2;
    }
    unsigned stride() const noexcept {
        return (static_cast<unsigned>(word >> offset_bits) & low_mask<std::uint32_t>(StrideBits)) + 1;
    }

    void set_route(next_hop hop, unsigned length) noexcept {
        word = (word & child_mask) | std::uint64_t{hop.id} << 32 | std::uint64_t{length} << 27;
    }
    void clear_route() noexcept { set_route(next_hop::none, 0); }
    void set_child(std::uint32_t offset, unsigned stride, std::uint32_t marks = 0) noexcept {
        clear_child();
        word |= marks | offset / 2;
        if constexpr (StrideBits > 0)
            word |= std::uint64_t{stride - 1} << offset_bits;
    }
    void clear_child() noexcept { word &= ~child_mask; }
    bool empty() const noexcept { return word == no_hop; }
};

template <unsigned StrideBits>
struct open_slot : route_slot<StrideBits, 0> {};

// The child may be packed, and a path may precede it.
template <unsigned StrideBits>
struct packed_open_slot : route_slot<StrideBits, StrideBits == 0 ? 1 : 2> {
    static constexpr bool may_have_path = StrideBits > 0;
    static constexpr std::uint32_t packed_mark = std::uint32_t{1} << 26;
    static constexpr std::uint32_t path_mark = may_have_path ? std::uint32_t{1} << 25 : 0;

    bool is_packed() const noexcept { return (this->word & packed_mark) != 0; }
    bool has_path() const noexcept { return (this->word & path_mark) != 0; }
};
static_assert(sizeof(pushed_slot<4>) == 4 && sizeof(packed_slot<4>) == 4 && sizeof(open_slot<4>) == 8);

} // namespace fingerpost
