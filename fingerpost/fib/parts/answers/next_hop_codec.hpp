// How a FIB stores next hops: as codes of one, two or four bytes, whichever is sufficient.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/base/relocate.hpp"
#include "fingerpost/net/next_hop.hpp"

namespace fingerpost {

// Converts the output of a kernel, a code minus one, to a next hop.
struct next_hop_decoder {
    std::span<const next_hop> hops; // by number; empty if numbers are the ids themselves

    constexpr next_hop decode(std::uint32_t number) const noexcept {
        return hops.empty() || number == next_hop::none.id ? next_hop{number} : hops[number];
    }
    void decode(std::span<next_hop> numbers) const noexcept {
        if (hops.empty())
            return;
        for (next_hop& number : numbers)
            number = decode(number.id);
    }
};

// Number n has the code n + 1, and code 0 means "no route". So a kernel converts a code to a number or to
// next_hop::none by subtracting one. A scheme may reserve more codes; number 0 then has the scheme's first
// code. Numbers are the ids of the next hops if these fit in the width that the number of different next hops
// needs, else indices into a table. The largest code is reserved for schemes as an escape.
class next_hop_codec {
  public:
    // Chooses codes for the next hops of both lists. `narrowest` is the smallest width in bytes for which the
    // scheme has kernels: 1, 2 or 4. Number 0 has the code `first_code`. Throws std::bad_alloc, and
    // std::length_error if codes of `widest` bytes are not sufficient. Tests pass a `widest` below 4.
    static next_hop_codec choose(std::span<const next_hop> hops, unsigned narrowest,
                                 std::span<const next_hop> more = {}, unsigned widest = 4,
                                 std::uint32_t first_code = 1) {
        std::vector<next_hop> distinct = sorted_distinct({hops, more});
        next_hop_codec codec;
        codec.first_code_ = first_code;
        codec.bytes_ = narrowest;
        while (codec.bytes_ < widest && !codec.holds(distinct.size()))
            codec.bytes_ *= 2;
        check_size(first_code - 1 + distinct.size(), codec.escape() - 1, "different next hops");
        if (!distinct.empty() && !codec.holds(std::uint64_t{distinct.back().id} + 1))
            codec.decode_ = std::move(distinct);
        codec.chosen_ = codec.decode_.size();
        return codec;
    }
    // Chooses four-byte codes, all below `limit`, for schemes that store a bit next to a code. Throws like
    // choose().
    static next_hop_codec choose_below(std::span<const next_hop> hops, std::uint32_t limit) {
        std::vector<next_hop> distinct = sorted_distinct({hops, {}});
        next_hop_codec codec;
        codec.bytes_ = 4;
        codec.limit_ = limit;
        check_size(distinct.size(), limit - 1, "different next hops");
        if (!distinct.empty() && !codec.holds(std::uint64_t{distinct.back().id} + 1))
            codec.decode_ = std::move(distinct);
        codec.chosen_ = codec.decode_.size();
        return codec;
    }
    // Uses codes of this many bytes and a list from a file. Returns false if the width is invalid.
    bool open(std::uint32_t bytes, std::span<const next_hop> list) {
        bytes_ = bytes;
        decode_.assign(list.begin(), list.end());
        chosen_ = decode_.size();
        return (bytes == 1 || bytes == 2 || bytes == 4) && (decode_.empty() || holds(chosen_));
    }
    // See base/relocate.hpp. Afterwards only decode() works.
    template <class Place>
    void relocate(Place& place) {
        fingerpost::relocate(decode_, place);
    }
    // Gives a new next hop the next code. Returns false if no code of this width is left: all codes of the
    // list are in use, or there is no list and the id itself is too large. Throws std::bad_alloc.
    bool add(next_hop hop) {
        if (decode_.empty() || !holds(decode_.size() + 1))
            return false;
        const std::uint32_t number = to_u32(decode_.size(), "different next hops");
        added_.insert(place_of(hop), {hop, number});
        decode_.push_back(hop);
        return true;
    }
    // Adds the next hops that were added to `active` since both were equal.
    void sync_from(const next_hop_codec& active) {
        while (decode_.size() < active.decode_.size())
            add(active.decode_[decode_.size()]);
    }

    unsigned bytes() const noexcept { return bytes_; }
    // The code that encode() never returns, and the output of a kernel for it.
    std::uint32_t escape() const noexcept { return escape_of(bytes_); }
    static constexpr std::uint32_t escape_of(unsigned bytes) noexcept {
        return bytes == 4 ? std::numeric_limits<std::uint32_t>::max() : (std::uint32_t{1} << (8 * bytes)) - 1;
    }
    std::uint32_t escape_mark() const noexcept { return escape() - 1; }

    // Code of a next hop that has one.
    std::uint32_t encode(next_hop hop) const noexcept {
        return hop == next_hop::none ? 0 : number_of(hop) + first_code_;
    }
    // Number of a next hop that has a code, or all ones for none.
    std::uint32_t number_of(next_hop hop) const noexcept {
        if (hop == next_hop::none || decode_.empty())
            return hop.id;
        const auto at = std::lower_bound(decode_.begin(), chosen_end(), hop, by_id);
        return at != chosen_end() && *at == hop ? static_cast<std::uint32_t>(at - decode_.begin())
                                                : place_of(hop)->second;
    }
    // Returns false for a next hop without a code, which was neither in the lists nor added.
    bool can_encode(next_hop hop) const noexcept {
        if (hop == next_hop::none)
            return true;
        if (decode_.empty())
            return holds(std::uint64_t{hop.id} + 1);
        const auto late = place_of(hop);
        return std::binary_search(decode_.begin(), chosen_end(), hop, by_id) ||
               (late != added_.end() && late->first == hop);
    }
    // True if decode() is defined for the output of kernels for this code.
    bool has_code(std::uint32_t code) const noexcept {
        return code == 0 || (code != escape() && (decode_.empty() || code - 1 < decode_.size()));
    }
    next_hop_decoder decoder() const noexcept { return {decode_}; }
    next_hop decode(std::uint32_t number) const noexcept { return decoder().decode(number); }
    void decode(std::span<next_hop> numbers) const noexcept { decoder().decode(numbers); }
    std::size_t memory_bytes() const noexcept {
        return decode_.size() * sizeof(next_hop) + added_.size() * sizeof(numbered);
    }

  private:
    using numbered = std::pair<next_hop, std::uint32_t>;

    static bool by_id(next_hop a, next_hop b) noexcept { return a.id < b.id; }
    std::vector<next_hop>::const_iterator chosen_end() const noexcept {
        return decode_.begin() + static_cast<std::ptrdiff_t>(chosen_);
    }
    // Position of an added next hop, or the position at which to insert it.
    std::vector<numbered>::const_iterator place_of(next_hop hop) const noexcept {
        return std::lower_bound(added_.begin(), added_.end(), hop,
                                [](const numbered& n, next_hop h) { return by_id(n.first, h); });
    }
    // The codes of `count` numbers must be below the escape and below the limit.
    bool holds(std::uint64_t count) const noexcept {
        return count + first_code_ - 1 < std::min(escape(), limit_);
    }

    static std::vector<next_hop> sorted_distinct(std::array<std::span<const next_hop>, 2> lists) {
        // Small ids, the usual case, are marked in a bitmap of at most 512 KB, without sorting.
        constexpr std::uint32_t small = 1u << 22;
        std::uint32_t largest = 0;
        std::vector<next_hop> distinct;
        for (const auto hops : lists)
            for (const next_hop hop : hops)
                if (hop.id < small)
                    largest = std::max(largest, hop.id);
                else if (hop != next_hop::none)
                    distinct.push_back(hop);
        std::sort(distinct.begin(), distinct.end(), by_id);
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        std::vector<std::uint64_t> bitmap(largest / 64 + 1);
        for (const auto hops : lists)
            for (const next_hop hop : hops)
                if (hop.id < small)
                    bitmap[hop.id / 64] |= std::uint64_t{1} << (hop.id % 64);
        std::vector<next_hop> low;
        for (std::size_t w = 0; w < bitmap.size(); ++w)
            for (std::uint64_t bits = bitmap[w]; bits != 0; bits &= bits - 1)
                low.push_back({static_cast<std::uint32_t>(w * 64) +
                               static_cast<std::uint32_t>(std::countr_zero(bits))});
        distinct.insert(distinct.begin(), low.begin(), low.end());
        return distinct;
    }

    unsigned bytes_ = 2;
    std::uint32_t first_code_ = 1;
    std::uint32_t limit_ = std::numeric_limits<std::uint32_t>::max();
    std::vector<next_hop> decode_; // by number; empty if numbers are the ids themselves
    std::size_t chosen_ = 0;       // number of chosen next hops, which come first, ascending by id
    std::vector<numbered> added_;  // the remaining ones, ascending by id
};

} // namespace fingerpost
