// How next hops are stored in a FIB: as codes of one, two or four bytes, whichever is enough.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fingerpost/net/next_hop.hpp"

namespace fingerpost {

// Code 0 is "no route" and code n + 1 stands for number n, so that a kernel turns a code into next_hop::none
// or a number by subtracting one. The number is the next hop itself where its id is small enough; otherwise
// it is an index into `decode`. The largest code of the width is left to the scheme as its escape mark.
class answer_codec {
  public:
    // `narrowest` is the least width in bytes that the scheme has kernels for: 1, 2 or 4.
    static answer_codec choose(std::span<const next_hop> hops, unsigned narrowest) {
        answer_codec codec;
        std::uint32_t largest = 0;
        for (next_hop hop : hops)
            if (hop != next_hop::none)
                largest = std::max(largest, hop.id);
        codec.bytes_ = narrowest;
        if (codec.holds(largest) || codec.widen_until([&] { return codec.holds(largest); }, 2))
            return codec;

        // Ids too large for two bytes are numbered anew if that saves a byte or if they would meet the
        // escape.
        std::vector<next_hop> distinct(hops.begin(), hops.end());
        const auto by_id = [](next_hop a, next_hop b) { return a.id < b.id; };
        std::sort(distinct.begin(), distinct.end(), by_id);
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        if (!distinct.empty() && distinct.back() == next_hop::none)
            distinct.pop_back();
        const auto last_number = static_cast<std::uint32_t>(distinct.empty() ? 0 : distinct.size() - 1);
        codec.bytes_ = narrowest;
        if (!codec.holds(last_number))
            codec.widen_until([&] { return codec.holds(last_number); }, 4);
        if (codec.bytes_ == 4 && codec.holds(largest))
            return codec;
        codec.decode_ = std::move(distinct);
        return codec;
    }

    unsigned bytes() const noexcept { return bytes_; }
    // The code that encode() never yields.
    std::uint32_t escape() const noexcept {
        return bytes_ == 4 ? std::numeric_limits<std::uint32_t>::max()
                           : (std::uint32_t{1} << (8 * bytes_)) - 1;
    }
    std::uint32_t encode(next_hop hop) const noexcept {
        if (hop == next_hop::none || decode_.empty())
            return hop.id + 1;
        const auto at = std::lower_bound(decode_.begin(), decode_.end(), hop,
                                         [](next_hop a, next_hop b) { return a.id < b.id; });
        return static_cast<std::uint32_t>(at - decode_.begin()) + 1;
    }
    // From what a kernel wrote (code minus one) to the next hop.
    next_hop decode(std::uint32_t number) const noexcept {
        return decode_.empty() || number == next_hop::none.id ? next_hop{number} : decode_[number];
    }
    void decode(std::span<next_hop> numbers) const noexcept {
        if (decode_.empty())
            return;
        for (next_hop& number : numbers)
            number = decode(number.id);
    }
    std::size_t memory_bytes() const noexcept { return decode_.size() * sizeof(next_hop); }

  private:
    bool holds(std::uint32_t number) const noexcept { return number < escape() - 1; }
    template <class Enough>
    bool widen_until(Enough enough, unsigned limit) noexcept {
        while (!enough() && bytes_ < limit)
            bytes_ *= 2;
        return enough();
    }

    unsigned bytes_ = 2;
    std::vector<next_hop> decode_; // ascending by id; empty when numbers are next hops
};

} // namespace fingerpost
