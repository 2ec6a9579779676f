// An array in front of a binary search on lengths, indexed by the first bits of an address. It has the
// longest match of up to this many bits, and the longer lengths of the routes below.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/parts/lengths/length_search.hpp"
#include "fingerpost/fib/parts/lengths/length_tree.hpp"
#include "fingerpost/net/route.hpp"

namespace fingerpost {

// Number of first bits, or 0 for no front. `block_bits` of these divide the front into blocks, and only the
// block with the most routes gets slots.
struct front_shape {
    unsigned bits = 0;
    unsigned block_bits = 0;
};

template <class A>
class length_front {
    using answer = length_search::answer;

  public:
    struct slot_range {
        std::size_t first;
        std::size_t end;
    };

    length_front() = default;
    // Creates slots without a next hop and without longer routes. `no_origins` is the number of the empty set
    // of lengths.
    static expected<length_front> make(front_shape shape, std::span<const route<A>> sorted,
                                       std::uint32_t no_origins) noexcept {
        length_front result;
        if (shape.bits == 0)
            return result;
        // Narrow addresses, which only tests use, have fewer first bits.
        result.bits_ = std::min(shape.bits, (A::bits + 1) / 2);
        const unsigned block_bits = std::min(shape.block_bits, result.bits_ - 1);
        const std::size_t size = std::size_t{1} << (result.bits_ - block_bits);
        result.first_ = block_with_most(sorted, block_bits) * size;
        auto slots = aligned_array<std::uint32_t>::make(size);
        if (!slots)
            return unexpected{slots.error()};
        result.slots_ = std::move(*slots);
        std::fill(result.slots_.begin(), result.slots_.end(), answer::make(0, no_origins));
        return result;
    }

    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("front", of.slots_);
        visit("front bits", of.bits_);
        visit("first slot", of.first_);
    }
    void check(const layout_check& in) const {
        in.require(slots_.size() == 0 ||
                       (bits_ > 0 && bits_ <= std::min(A::bits, 32u) && first_ >> bits_ == 0),
                   slots_.data(), "the front has the wrong position");
    }

    unsigned bits() const noexcept { return bits_; }
    std::uint64_t first() const noexcept { return first_; }
    const std::uint32_t* data() const noexcept { return slots_.data(); }
    std::size_t size() const noexcept { return slots_.size(); }
    std::size_t memory_bytes() const noexcept { return slots_.memory_bytes(); }

    // The existing slots that a prefix covers, or the slot that contains it.
    slot_range slots_of(const prefix<A>& where) const noexcept {
        return {slot_before(where.first()), slot_before(where.last(), 1)};
    }
    // Prefix of a slot.
    prefix<A> prefix_of(std::size_t slot) const noexcept {
        return prefix<A>::make(from_halves<A>((first_ + slot) << (64 - bits_), 0), bits_);
    }
    void set_code(slot_range slots, std::uint32_t code) noexcept {
        for (std::size_t i = slots.first; i < slots.end; ++i)
            slots_[i] = answer::make(code, answer::origins(slots_[i]));
    }
    void set_origins(std::size_t slot, std::uint32_t origins) noexcept {
        slots_[slot] = answer::make(answer::code(slots_[slot]), origins);
    }
    std::uint32_t operator[](std::size_t slot) const noexcept { return slots_[slot]; }

  private:
    static std::uint64_t block_with_most(std::span<const route<A>> sorted, unsigned block_bits) noexcept {
        std::array<std::size_t, 256> routes{};
        for (const route<A>& r : sorted)
            if (r.where.length >= block_bits)
                ++routes[slice(r.where.base, 0, block_bits)];
        return static_cast<std::uint64_t>(std::max_element(routes.begin(), routes.end()) - routes.begin());
    }
    // Slot of an address plus `more`, limited to the existing slots.
    std::size_t slot_before(A a, std::uint64_t more = 0) const noexcept {
        const std::uint64_t at = slice(a, 0, bits_) + more;
        return at < first_ ? 0
                           : static_cast<std::size_t>(std::min<std::uint64_t>(at - first_, slots_.size()));
    }

    unsigned bits_ = 0;
    std::uint64_t first_ = 0; // number of the first slot
    aligned_array<std::uint32_t> slots_;
};

} // namespace fingerpost
