// Blocks of consecutive elements in one array, identified by their offsets, for tries with nodes that keep
// children or results together.
//
//      array   [ block of 3 | block of 1 | free 2 | block of 8 | ... unused ]
//      free    one list of free blocks for each size, linked through the blocks
//
// A block has the requested length, rounded up so that a link fits. A free block is reused for its own size,
// or split for a smaller one; free neighbours are not joined. If blocks may be very long, they have only a
// few sizes, so that there are few lists. After long use a pool fills up with small free blocks. When
// sparse() returns true, its owner copies everything into a new pool, which also moves the blocks of one walk
// closer together.
//
// The array grows by 1/16 into reserved address space, and is copied only after its size has doubled.
// References are valid until the next allocate(), offsets until release().
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/relocate.hpp"

namespace fingerpost {

// The default sizes: one for each number of elements, from the smallest in which a link fits up to `Longest`.
// Sizes are numbered from 0, ascending.
template <class T, std::uint32_t Longest>
struct every_size {
    static constexpr std::uint32_t granule =
        static_cast<std::uint32_t>((sizeof(std::uint32_t) + sizeof(T) - 1) / sizeof(T));
    static constexpr std::uint32_t count = (Longest + granule - 1) / granule;
    static constexpr bool can_cut = true;
    // The array grows by at least this many elements.
    static constexpr std::size_t smallest_step = std::max<std::size_t>(64, std::size_t{count} * granule);

    static constexpr std::uint32_t number_of(std::uint32_t elements) noexcept {
        return (elements + granule - 1) / granule - 1;
    }
    static constexpr std::uint32_t elements_of(std::uint32_t number) noexcept {
        return (number + 1) * granule;
    }
    // Size of the first block to release from the rest of a split block.
    static constexpr std::uint32_t first_piece(std::uint32_t rest) noexcept { return rest; }
};
// Alternative sizes: powers of two. Users may define others. Without `can_cut`, no block is split.
template <class T, std::uint32_t Longest>
struct powers_of_two {
    static constexpr std::uint32_t number_of(std::uint32_t elements) noexcept {
        return static_cast<std::uint32_t>(
            std::bit_width(std::max(elements, every_size<T, Longest>::granule) - 1));
    }
    static constexpr std::uint32_t elements_of(std::uint32_t number) noexcept {
        return std::uint32_t{1} << number;
    }
    static constexpr std::uint32_t count = number_of(Longest) + 1;
    static constexpr bool can_cut = true;
    static constexpr std::size_t smallest_step = 64;
    static constexpr std::uint32_t first_piece(std::uint32_t rest) noexcept { return rest & (~rest + 1); }
};

// Blocks have 1 to `Longest` elements. Offsets are below 2^31, so users can store one more bit next to them.
// `Sizes` defines the sizes, for users who need long blocks but few sizes.
template <class T, std::uint32_t Longest = 256, class Sizes = every_size<T, Longest>>
class block_pool {
    static_assert(std::is_trivially_copyable_v<T>);
    static_assert(Sizes::elements_of(Sizes::number_of(1)) * sizeof(T) >= sizeof(std::uint32_t),
                  "a link fits");

  public:
    using value_type = T;
    using offset = std::uint32_t;
    static constexpr offset nil = 0xffffffff;
    static constexpr std::size_t most = (std::size_t{1} << 31) - 1;

    // Tests pass a lower limit.
    explicit block_pool(std::size_t most_elements = most) noexcept : most_(most_elements) { free_.fill(nil); }
    block_pool(block_pool&& other) noexcept : block_pool(other.most_) { swap(other); }
    block_pool& operator=(block_pool&& other) noexcept {
        swap(other);
        return *this;
    }

    // Refers to elements with another owner. They are never written to.
    static block_pool borrow(std::span<const T> elements) noexcept {
        block_pool pool;
        pool.array_ = aligned_array<T>::borrow(elements);
        pool.used_ = pool.live_ = elements.size();
        return pool;
    }
    bool is_borrowed() const noexcept { return array_.is_borrowed(); }

    // See base/relocate.hpp.
    template <class Place>
    void relocate(Place& place) {
        fingerpost::relocate(array_, place);
    }

    T* at(offset block) noexcept { return array_.data() + block; }
    const T* at(offset block) const noexcept { return array_.data() + block; }
    const T* data() const noexcept { return array_.data(); }

    // Returns a block with elements T{}, or nil. shortage() then returns the reason.
    [[nodiscard]] offset allocate(std::uint32_t count) noexcept {
        assert(count > 0 && count <= Longest);
        const std::uint32_t size = rounded(count);
        offset got = take_free(size);
        if (got == nil) {
            if (used_ + size > array_.size() && !grow(used_ + size))
                return nil;
            got = static_cast<offset>(used_);
            used_ += size;
        }
        std::fill_n(at(got), size, T{});
        live_ += size;
        return got;
    }
    // `count` must be the number that was passed to allocate().
    void release(offset block, std::uint32_t count) noexcept {
        const std::uint32_t size = rounded(count);
        assert(live_ >= size);
        live_ -= size;
        give_free(block, size);
    }

    // Returns the reason why allocate() or reserve() failed to get `count` more elements.
    errc shortage(std::size_t count) const noexcept {
        return used_ + count > most_ ? errc::capacity : errc::out_of_memory;
    }
    // Makes room for a total of exactly `size` elements. Returns false on failure; shortage() then returns
    // the reason.
    [[nodiscard]] bool reserve(std::size_t size) noexcept {
        return size <= array_.size() || (size <= most_ && resize(size));
    }

    // Number of elements that a block of `count` takes in the array. Builders add these up for reserve().
    static constexpr std::uint32_t rounded(std::uint32_t count) noexcept {
        return Sizes::elements_of(Sizes::number_of(count));
    }
    // Releases the room after the last block, for pools that no longer change.
    void trim() noexcept { (void)array_.resize(used_); }
    std::size_t size() const noexcept { return array_.size(); } // all elements, in blocks or not
    std::size_t live_elements() const noexcept { return live_; }
    // True if more than 1/12 of the array is unused. The array grows by 1/16, so growing and compacting
    // cannot alternate.
    bool sparse() const noexcept { return array_.size() > live_ + live_ / 11 + smallest_step; }
    std::size_t memory_bytes() const noexcept { return array_.memory_bytes(); }

  private:
    static constexpr std::size_t smallest_step = Sizes::smallest_step;
    static constexpr std::size_t largest_step = std::max<std::size_t>(smallest_step, 65536 / sizeof(T));

    offset take_free(std::uint32_t size) noexcept {
        const std::uint32_t fits = Sizes::number_of(size);
        for (std::uint32_t number = fits; number < (Sizes::can_cut ? Sizes::count : fits + 1); ++number) {
            const offset got = free_[number];
            if (got == nil)
                continue;
            std::memcpy(&free_[number], at(got), sizeof(offset));
            if constexpr (Sizes::can_cut)
                give_free_pieces(got + size, Sizes::elements_of(number) - size);
            return got;
        }
        return nil;
    }
    void give_free_pieces(offset block, std::uint32_t rest) noexcept {
        while (rest > 0) {
            const std::uint32_t size = Sizes::first_piece(rest);
            give_free(block, size);
            block += size;
            rest -= size;
        }
    }
    void give_free(offset block, std::uint32_t size) noexcept {
        offset& head = free_[Sizes::number_of(size)];
        std::memcpy(static_cast<void*>(at(block)), &head, sizeof head);
        head = block;
    }
    bool grow(std::size_t size) noexcept {
        if (size > most_)
            return false;
        const std::size_t step = std::clamp(array_.size() / 16, smallest_step, largest_step);
        return resize(std::min(std::max(size, array_.size() + step), most_));
    }
    bool resize(std::size_t size) noexcept {
        return array_.extend(size) || array_.move_to(size, std::min(size, most_ - size), used_);
    }
    void swap(block_pool& other) noexcept {
        std::swap(array_, other.array_);
        std::swap(free_, other.free_);
        std::swap(used_, other.used_);
        std::swap(live_, other.live_);
        std::swap(most_, other.most_);
    }

    aligned_array<T> array_;
    std::array<offset, Sizes::count> free_; // indexed by size number
    std::size_t used_ = 0;                  // elements allocated at least once
    std::size_t live_ = 0;                  // elements in use
    std::size_t most_ = most;
};

} // namespace fingerpost
