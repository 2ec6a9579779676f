// Counts the packets of each next hop, exactly: one array for each thread that looks up.
//
// A packet that goes where the one before it went would wait until that one is counted. So each next hop has
// four counters, which packets take by turns.
#pragma once

#include <array>
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
    void add(next_hop hop) noexcept { slots_[slot_of(hop)][0].add(1); }
    // One hit for each of these.
    void add(std::span<const next_hop> hops) noexcept {
        slot* const slots = slots_.data(); // the compiler cannot know that counting leaves it as it is
        std::size_t i = 0;
        for (; i + turns <= hops.size(); i += turns)
            for (std::size_t turn = 0; turn < turns; ++turn)
                slots[slot_of(hops[i + turn])][turn].add(1);
        for (std::size_t turn = 0; i < hops.size(); ++i, ++turn)
            slots[slot_of(hops[i])][turn].add(1);
    }
    // 0 for a next hop for which there is no room. For any thread.
    std::uint64_t of(next_hop hop) const noexcept {
        const std::size_t at = slot_of(hop);
        std::uint64_t sum = 0;
        if (at < slots_.size())
            for (const counter& one : slots_[at])
                sum += one.get();
        return sum;
    }

  private:
    static constexpr std::size_t turns = 4;
    using slot = std::array<counter, turns>;

    // That of next_hop::none, whose number plus one is zero, is the first.
    static std::size_t slot_of(next_hop hop) noexcept { return hop.id + std::uint32_t{1}; }

    std::vector<slot> slots_;
};

} // namespace fingerpost::router
