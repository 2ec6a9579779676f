// A set for random numbers that must not repeat: open addressing, emptied in constant time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fingerpost/base/bits.hpp"

namespace fingerpost::bench {

// reset() sets the maximum number of elements and empties the set without touching its memory: a slot is used
// only if its stamp is that of the current round. The table is at most half full.
template <class U>
class number_set {
  public:
    void reset(std::size_t most) {
        const std::size_t slots = std::bit_ceil(most * 2 + 2);
        if (slots_.size() < slots)
            slots_.assign(slots, {});
        mask_ = slots - 1;
        ++round_;
    }

    // Returns false if the number was in the set.
    bool insert(U number) {
        for (std::size_t at = hash(number) & mask_;; at = (at + 1) & mask_) {
            slot& s = slots_[at];
            if (s.round != round_) {
                s = {number, round_};
                return true;
            }
            if (s.number == number)
                return false;
        }
    }

    bool contains(U number) const {
        for (std::size_t at = hash(number) & mask_; slots_[at].round == round_; at = (at + 1) & mask_)
            if (slots_[at].number == number)
                return true;
        return false;
    }

  private:
    struct slot {
        U number{};
        std::uint64_t round = 0;
    };

    static std::size_t hash(U number) noexcept {
        std::uint64_t folded = static_cast<std::uint64_t>(number);
        if constexpr (sizeof(U) > 8)
            folded ^= static_cast<std::uint64_t>(number >> 64) * 0x9e3779b97f4a7c15;
        folded *= 0xbf58476d1ce4e5b9;
        return static_cast<std::size_t>(folded ^ (folded >> 32));
    }

    std::vector<slot> slots_;
    std::size_t mask_ = 0;
    std::uint64_t round_ = 0;
};

} // namespace fingerpost::bench
