// Assigns the buckets of a group to its members.
//
// Every bucket belongs to the member with the highest score for it. The score is a weighted hash of bucket
// and member (Thaler and Ravishankar, rendezvous hashing, 1998; weights as in Schindelhauer and Schomaker,
// 2005). The assignment therefore depends only on the members: when one leaves, only its buckets move, and
// when one joins, buckets move only to it. This also holds when a route is announced again with other paths.
//
// The shares are those of random draws: of n buckets, a member with share p gets np with a standard deviation
// of sqrt(np(1-p)).
#pragma once

#include <cstdint>
#include <span>

#include "router/forward/next_hop_entry.hpp"

namespace fingerpost::router {

struct bucket_member {
    std::uint64_t identity = 0; // of the path; constant while the path is the same
    std::uint32_t number = 0;   // of the next hop
    std::uint16_t weight = 1;

    friend bool operator==(const bucket_member&, const bucket_member&) = default;
};

// `members` must not be empty.
void assign_buckets(std::span<const bucket_member> members, bucket_array& out) noexcept;

} // namespace fingerpost::router
