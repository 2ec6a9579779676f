// Packets that wait until the MAC address of their next hop is known. The number for each neighbour, the
// number of neighbours, and the time are limited; the time is what resolution takes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <rte_mbuf.h>

#include "router/forward/interfaces.hpp"

namespace fingerpost::router {

struct waiting_packet {
    rte_mbuf* packet = nullptr;
    bool own = false; // made by the router: its hop is not counted
};

class neighbour_queue {
  public:
    using clock = std::chrono::steady_clock;

    // As Linux asks three times, a second apart.
    static constexpr std::chrono::seconds patience{3};
    static constexpr std::chrono::seconds ask_again{1};

    explicit neighbour_queue(std::size_t most_packets, std::size_t most_neighbours = 1024)
        : most_packets_(most_packets), most_neighbours_(most_neighbours) {}

    ~neighbour_queue() {
        for (const auto& [key, one] : waiting_)
            for (const waiting_packet& waiting : one.packets)
                rte_pktmbuf_free(waiting.packet);
    }
    neighbour_queue(const neighbour_queue&) = delete;
    neighbour_queue& operator=(const neighbour_queue&) = delete;

    enum class outcome : std::uint8_t { refused, queued, queued_first };

    // `queued_first`: the neighbour has not been asked for yet. A refused packet stays the caller's. Throws
    // std::bad_alloc.
    outcome add(const neighbour_key& behind, waiting_packet one, clock::time_point now) {
        const auto known = waiting_.find(behind);
        if (known == waiting_.end()) {
            if (waiting_.size() >= most_neighbours_ || most_packets_ == 0)
                return outcome::refused;
            waiting_.emplace(behind, neighbour{{one}, now, now});
            ++count_;
            return outcome::queued_first;
        }
        if (known->second.packets.size() >= most_packets_)
            return outcome::refused;
        known->second.packets.push_back(one);
        ++count_;
        return outcome::queued;
    }

    // Goes through all neighbours. `is_resolved(key)` tells whether packets may continue: then
    // `release(packets)` gets them. `give_up(packets)` gets those that have waited too long. `ask(key)` is
    // called for neighbours to ask for again.
    template <class Resolved, class Release, class GiveUp, class Ask>
    void poll(clock::time_point now, Resolved is_resolved, Release release, GiveUp give_up, Ask ask) {
        for (auto at = waiting_.begin(); at != waiting_.end();) {
            const bool resolved = is_resolved(at->first);
            if (!resolved && now - at->second.since < patience) {
                if (now - at->second.asked >= ask_again) {
                    at->second.asked = now;
                    ask(at->first);
                }
                ++at;
                continue;
            }
            // Taken out first, because a packet that continues may come back here.
            const std::vector<waiting_packet> packets = std::move(at->second.packets);
            at = waiting_.erase(at);
            count_ -= packets.size();
            if (resolved)
                release(packets);
            else
                give_up(packets);
        }
    }

    // Takes what waits in another one, also if that is more than this one may hold.
    void take_over(neighbour_queue& other) noexcept {
        std::swap(waiting_, other.waiting_);
        std::swap(count_, other.count_);
    }

    bool empty() const noexcept { return waiting_.empty(); }
    std::size_t packets() const noexcept { return count_; }

  private:
    struct neighbour {
        std::vector<waiting_packet> packets;
        clock::time_point since;
        clock::time_point asked;
    };

    std::size_t most_packets_;
    std::size_t most_neighbours_;
    std::map<neighbour_key, neighbour> waiting_;
    std::size_t count_ = 0;
};

} // namespace fingerpost::router
