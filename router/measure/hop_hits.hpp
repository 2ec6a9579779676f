// Exact packet counts for each next hop, in one array for each lookup thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/net/next_hop.hpp"
#include "router/measure/counter.hpp"

namespace fingerpost::router {

class hop_hits {
  public:
    hop_hits() = default;
    // Counts next hops with numbers below `capacity`, and next_hop::none. Throws std::bad_alloc.
    explicit hop_hits(std::size_t capacity) : slots_(capacity + 1) {}

    // `hop` must be one of these.
    void add(next_hop hop) noexcept { slots_[slot_of(hop)].add(1); }
    // Counts one hit for each of `hops`.
    void add(std::span<const next_hop> hops) noexcept {
        counter* const slots =
            slots_.data(); // the compiler cannot know that counting does not change the pointer
        for (const next_hop hop : hops)
            slots[slot_of(hop)].add(1);
    }
    // Returns 0 for a next hop beyond the capacity. May be called by any thread.
    std::uint64_t of(next_hop hop) const noexcept {
        const std::size_t slot = slot_of(hop);
        return slot < slots_.size() ? slots_[slot].get() : 0;
    }

  private:
    // Slot 0 belongs to next_hop::none, whose number plus one is zero.
    static std::size_t slot_of(next_hop hop) noexcept { return hop.id + std::uint32_t{1}; }

    std::vector<counter> slots_;
};

} // namespace fingerpost::router
