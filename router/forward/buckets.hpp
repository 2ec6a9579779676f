// Which member of a group each bucket belongs to.
//
// Every bucket belongs to the member with the highest score for it, where the score is a hash of bucket and
// member, weighted (Thaler and Ravishankar, rendezvous hashing, 1998; weights as in Schindelhauer and
// Schomaker, 2005). So the assignment depends on the members alone: when one leaves, only its buckets go to
// others, and when one joins, buckets go to it only. That holds also when a route is announced anew with
// other paths.
//
// Shares are those of random draws: of n buckets a member with share p has np, give or take sqrt(np(1-p)).
#pragma once

#include <cstdint>
#include <span>

#include "router/forward/next_hop_entry.hpp"

namespace fingerpost::router {

struct bucket_member {
    std::uint64_t identity = 0; // of the path, the same for as long as the path is the same
    std::uint32_t number = 0;   // of the next hop
    std::uint16_t weight = 1;

    friend bool operator==(const bucket_member&, const bucket_member&) = default;
};

// `members` is not empty.
void assign_buckets(std::span<const bucket_member> members, bucket_array& out) noexcept;

} // namespace fingerpost::router
