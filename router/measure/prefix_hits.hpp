// Estimates the number of packets to each prefix from samples: since the start, and in the last seconds. For
// the control thread.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fingerpost/net/any.hpp"
#include "router/measure/heavy_hitters.hpp"

namespace fingerpost::router {

// A prefix in a VRF, or none for packets without a route.
struct sampled_prefix {
    bool is_ipv4 = false;
    std::optional<any_prefix> where{};
    std::uint16_t vrf = 0;
    friend auto operator<=>(const sampled_prefix&, const sampled_prefix&) = default;
};

struct prefix_estimate {
    sampled_prefix of{};
    double per_second = 0;       // packets in the last 10 to 20 seconds
    double per_second_error = 0; // in 95 of 100 cases, like `error`
    double packets = 0;          // packets since the start
    // The true number of packets differs by at most this in 95 of 100 cases.
    double error = 0;
};

class prefix_hits {
  public:
    using clock = std::chrono::steady_clock;

    // Each sample stands for `one_in` packets; 0: no samples are taken.
    explicit prefix_hits(unsigned one_in, clock::time_point now = clock::now());

    void add(const sampled_prefix& where);
    // To be called regularly, even without samples.
    void pass(clock::time_point now);

    // Returns at most `most` prefixes, sorted by packets in the last seconds, then by packets since the
    // start.
    std::vector<prefix_estimate> estimates(clock::time_point now, std::size_t most) const;
    std::uint64_t samples() const noexcept { return totals_.total(); }
    unsigned one_in() const noexcept { return one_in_; }

  private:
    using sketch = heavy_hitters<sampled_prefix>;
    struct window {
        sketch hits{counters};
        clock::time_point since{};
    };
    static constexpr std::size_t counters = 1024;

    unsigned one_in_;
    sketch totals_{counters};
    window windows_[2];
    std::size_t current_ = 0; // the other window precedes it
};

} // namespace fingerpost::router
