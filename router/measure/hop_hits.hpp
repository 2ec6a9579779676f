// Counts the packets of each next hop, exactly: one array for each thread that looks up.
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
    // For next hops with numbers below `capacity`, and for next_hop::none. Throws std::bad_alloc.
    explicit hop_hits(std::size_t capacity) : slots_(capacity + 1) {}

    // `hop` must be one of those.
    void add(next_hop hop) noexcept { slots_[slot_of(hop)].add(1); }
    // One hit for each of these.
    void add(std::span<const next_hop> hops) noexcept {
        counter* const slots = slots_.data(); // the compiler cannot know that counting leaves it as it is
        for (const next_hop one : hops)
            slots[slot_of(one)].add(1);
    }
    // 0 for a next hop for which there is no room. For any thread.
    std::uint64_t of(next_hop hop) const noexcept {
        const std::size_t slot = slot_of(hop);
        return slot < slots_.size() ? slots_[slot].get() : 0;
    }

  private:
    // That of next_hop::none, whose number plus one is zero, is the first.
    static std::size_t slot_of(next_hop hop) noexcept { return hop.id + std::uint32_t{1}; }

    std::vector<counter> slots_;
};

} // namespace fingerpost::router
