// Limits the rate of ICMP errors that the router sends, both in total and to each destination. In a flood of
// packets that cannot be forwarded, each costs one access to a small table.
//
// The rates are the defaults of Linux (ip-sysctl: icmp_msgs_per_sec, icmp_msgs_burst, icmp_ratelimit; a
// destination may have a burst of six). "Packet too big" and "fragmentation needed" are not limited by
// destination, because path MTU discovery needs them. They have a separate total rate, so that a flood of
// other errors cannot exhaust it.
//
// Time is a number of ticks given by the caller: cycles, nanoseconds, or any clock that never goes back by
// much.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/net/address.hpp"

namespace fingerpost::router {

// A token bucket in one number: the time at which it will be full again. Taking a token moves that time by
// the interval between tokens.
struct token_rate {
    std::uint64_t interval = 0; // ticks per token
    std::uint64_t burst = 0;    // tokens in a full bucket

    constexpr bool may_take(std::uint64_t full_at, std::uint64_t now) const noexcept {
        return full_at <= now || full_at - now <= interval * (burst - 1);
    }
    constexpr std::uint64_t after_take(std::uint64_t full_at, std::uint64_t now) const noexcept {
        return std::max(full_at, now) + interval;
    }
};

// A bucket that several threads take from.
class shared_bucket {
  public:
    bool take(const token_rate& rate, std::uint64_t now) noexcept {
        std::uint64_t full_at = full_at_.load(std::memory_order_relaxed);
        while (rate.may_take(full_at, now))
            if (full_at_.compare_exchange_weak(full_at, rate.after_take(full_at, now),
                                               std::memory_order_relaxed))
                return true;
        return false;
    }

  private:
    std::atomic<std::uint64_t> full_at_{0};
};

// Limit for the packets that each port passes to the kernel.
struct kernel_rates {
    std::uint64_t per_second = 0; // 0: unlimited
    std::uint64_t burst = 1;
};

struct icmp_rates {
    std::uint64_t overall_per_second = 1000;
    std::uint64_t overall_burst = 50;
    std::uint64_t milliseconds_per_destination = 1000;
    std::uint64_t destination_burst = 6;
};

// For one thread. Allocates only on construction.
class icmp_limiter {
  public:
    explicit icmp_limiter(std::uint64_t ticks_per_second, const icmp_rates& rates = {},
                          std::size_t destinations = 4096)
        : overall_{ticks_per_second / rates.overall_per_second, rates.overall_burst},
          by_destination_{ticks_per_second * rates.milliseconds_per_destination / 1000,
                          rates.destination_burst},
          sets_(std::max<std::size_t>(1, destinations / ways)), key_(hash_key::random()) {}

    // Returns true if an error may be sent to a destination now, and counts it.
    bool allow(ipv4_address to, std::uint64_t now) noexcept {
        constexpr u128 mapped = u128{0xffff} << 32; // IPv4-mapped addresses: no other address has this form
        return allow(ipv6_address{mapped | to.value}, now);
    }
    bool allow(ipv6_address to, std::uint64_t now) noexcept {
        if (!overall_.may_take(errors_full_at_, now))
            return false;
        bucket& destination = bucket_of(to.value);
        if (!by_destination_.may_take(destination.full_at, now))
            return false;
        destination.full_at = by_destination_.after_take(destination.full_at, now);
        errors_full_at_ = overall_.after_take(errors_full_at_, now);
        return true;
    }
    bool allow_too_big(std::uint64_t now) noexcept {
        if (!overall_.may_take(too_big_full_at_, now))
            return false;
        too_big_full_at_ = overall_.after_take(too_big_full_at_, now);
        return true;
    }

  private:
    static constexpr std::size_t ways = 4;
    // Empty buckets have the address 0, which is never the source of a packet.
    struct bucket {
        u128 address = 0;
        std::uint64_t full_at = 0;
    };
    struct bucket_set {
        std::array<bucket, ways> buckets;
    };

    // Returns the destination's bucket. A new bucket replaces the one that was full earliest. While there are
    // enough buckets, that one is full, so replacing it changes nothing; otherwise the total rate still
    // applies.
    bucket& bucket_of(u128 address) noexcept {
        bucket_set& set = sets_[hash_key::bucket(key_.hash(address), sets_.size())];
        bucket* oldest = set.buckets.data();
        for (bucket& entry : set.buckets) {
            if (entry.address == address)
                return entry;
            if (entry.full_at < oldest->full_at)
                oldest = &entry;
        }
        *oldest = {address, 0};
        return *oldest;
    }

    token_rate overall_;
    token_rate by_destination_;
    std::uint64_t errors_full_at_ = 0;
    std::uint64_t too_big_full_at_ = 0;
    std::vector<bucket_set> sets_;
    hash_key key_;
};

} // namespace fingerpost::router
