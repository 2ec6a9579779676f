// Assigns each bucket to the member with the earliest random arrival time.
#include "router/forward/buckets.hpp"

#include <cmath>

namespace fingerpost::router {
namespace {

// The finaliser of SplitMix64 (Steele, Lea, Flood, 2014): every bit of the input changes about half of the
// output bits.
std::uint64_t mixed(std::uint64_t x) noexcept {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// An exponentially distributed arrival time with the weight as its rate. The probability that a member
// arrives first is proportional to its weight.
double arrival(const bucket_member& member, std::size_t bucket) noexcept {
    const std::uint64_t bits = mixed(mixed(member.identity) ^ bucket);
    const double uniform = (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
    return -std::log(uniform) / member.weight;
}

} // namespace

void assign_buckets(std::span<const bucket_member> members, bucket_array& out) noexcept {
    for (std::size_t bucket = 0; bucket < out.size(); ++bucket) {
        const bucket_member* best = &members[0];
        double first = arrival(*best, bucket);
        for (const bucket_member& member : members.subspan(1)) {
            const double when = arrival(member, bucket);
            if (when < first) {
                first = when;
                best = &member;
            }
        }
        out[bucket] = best->number;
    }
}

} // namespace fingerpost::router
