// Regions: short routes, in which longer routes leave thousands of gaps. An address without a longer match
// has the code of its region, and a small table has the answer of each region (AVX-512 keeps the first 32 in
// registers). So changing the next hop of a short route is one store instead of one for each gap.
//
//     region 0     all addresses in no other region
//     region r     the addresses of one prefix, except those of longer prefixes that are also regions
//
// A prefix becomes a region when its route is announced. When the route is withdrawn, it remains a region,
// with the answer of the enclosing region. So a route that flaps writes nothing else. Regions without a route
// are released when all codes are in use.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost::cells {

// Numbers are those of next hops, see next_hop_decoder. Throws only std::bad_alloc.
template <class A>
class region_list {
  public:
    // Routes up to this length are short. In current tables, a longer route leaves at most 800 gaps (IPv4) or
    // 1,200 (IPv6).
    static constexpr unsigned most_length = A::bits > 32 ? 16 : std::max(A::bits / 4, 1U);
    static bool is_short(const prefix<A>& p) noexcept { return p.length <= most_length; }
    // Number of codes for a table with this many short routes, including some for future routes.
    static std::uint32_t count_for(std::size_t shorts) {
        const std::size_t count = shorts < least_regions ? least_regions : 2 * std::bit_ceil(shorts + 1);
        return to_u32(count, "regions");
    }

    explicit region_list(std::uint32_t count = least_regions)
        : regions_(1), in_order_(1), answers_(count + 1, next_hop::none.id) {
        answers_[count] = 0; // required by code_view
    }

    std::uint32_t count() const noexcept { return to_u32(answers_.size() - 1, "regions"); }
    // Indexed by code, followed by a 0.
    std::span<const std::uint32_t> answers() const noexcept { return answers_; }
    const prefix<A>& prefix_of(std::uint32_t code) const noexcept { return regions_[code].where; }
    std::size_t memory_bytes() const noexcept {
        return regions_.capacity() * sizeof(region) +
               (in_order_.capacity() + answers_.capacity()) * sizeof(std::uint32_t);
    }

    std::optional<std::uint32_t> find(const prefix<A>& p) const noexcept {
        const auto at = place_of(p);
        if (at != in_order_.end() && prefix_of(*at) == p)
            return *at;
        return std::nullopt;
    }
    // Region of an address.
    std::uint32_t of(A a) const noexcept { return around(prefix<A>::make(a, most_length)); }
    // Calls visit(last address, code) for the pieces of [first, last] in order.
    template <class Visit>
    void each_piece(A first, A last, Visit visit) const {
        using value = typename A::value_type;
        for (A at = first;;) {
            const std::uint32_t code = of(at);
            // A piece ends where its prefix ends or where the next region begins.
            A end = std::min(last, prefix_of(code).last());
            for (const std::uint32_t inner : in_order_)
                if (at < prefix_of(inner).first() && prefix_of(inner).first() <= end) {
                    end = A{static_cast<value>(prefix_of(inner).first().value - 1)};
                    break;
                }
            visit(end, code);
            if (end == last)
                return;
            at = A{static_cast<value>(end.value + 1)};
        }
    }

    bool is_full() const noexcept { return regions_.size() == count() && !free_code(); }
    // Makes a prefix a region; a code must be left. It gets the answer of the enclosing region. Returns the
    // code of that region, to which the addresses belonged. The caller must change the gaps inside to the new
    // code, which find() returns.
    std::uint32_t add(const prefix<A>& p) {
        const std::uint32_t outer = around(p);
        const std::optional<std::uint32_t> unused = free_code();
        const auto code = unused.value_or(to_u32(regions_.size(), "regions"));
        in_order_.reserve(in_order_.size() + 1);
        if (!unused)
            regions_.emplace_back();
        regions_[code] = {p, outer, next_hop::none.id};
        in_order_.insert(place_of(p), code);
        each_inside(p, [&](std::uint32_t inside) {
            if (inside != code && regions_[inside].outer == outer)
                regions_[inside].outer = code;
        });
        answers_[code] = answers_[outer];
        is_changed_ = true;
        return outer;
    }
    // Finds a region without a route, except region 0, which always exists.
    std::optional<std::uint32_t> find_idle() const noexcept {
        return find_code([](const region& r) { return r.is_used() && r.number == next_hop::none.id; });
    }
    // Removes a region. The caller must change its gaps to the returned code.
    std::uint32_t remove(std::uint32_t code) {
        const std::uint32_t outer = regions_[code].outer;
        each_inside(prefix_of(code), [&](std::uint32_t inside) {
            if (regions_[inside].outer == code)
                regions_[inside].outer = outer;
        });
        in_order_.erase(place_of(prefix_of(code)));
        regions_[code] = {};
        is_changed_ = true;
        return outer;
    }
    // Sets the next hop of the region's route, or none if the route was withdrawn.
    void set(std::uint32_t code, std::uint32_t number) noexcept {
        regions_[code].number = number;
        // Enclosing regions come first.
        each_inside(prefix_of(code), [&](std::uint32_t inside) {
            const region& r = regions_[inside];
            const bool has_own = r.number != next_hop::none.id || inside == 0;
            answers_[inside] = has_own ? r.number : answers_[r.outer];
        });
        is_changed_ = true;
    }
    // Like tree_store::sync_from().
    void sync_from(const region_list& active, bool were_same) {
        if (!were_same || active.is_changed_)
            *this = active;
        is_changed_ = false;
    }

  private:
    struct region {
        prefix<A> where{};
        std::uint32_t outer = 0;                  // the enclosing region
        std::uint32_t number = next_hop::none.id; // of its route; none without a route
        // Always false for code 0, because only region 0 has a prefix of no bits.
        bool is_used() const noexcept { return where.length > 0; }
    };

    auto place_of(const prefix<A>& p) const noexcept {
        return std::lower_bound(
            in_order_.begin(), in_order_.end(), p,
            [this](std::uint32_t code, const prefix<A>& q) { return prefix_of(code) < q; });
    }
    // Region of the longest shorter prefix that contains this one. For an address as a prefix of most_length
    // bits, the longest one that is not longer.
    std::uint32_t around(const prefix<A>& p) const noexcept {
        auto at = place_of(p);
        if (at != in_order_.end() && prefix_of(*at) == p)
            return *at;
        // The previous region in prefix order contains it, or one of those that enclose that region does.
        std::uint32_t code = at == in_order_.begin() ? 0 : *std::prev(at);
        while (code != 0 && !prefix_of(code).contains(p.first()))
            code = regions_[code].outer;
        return code;
    }
    // Calls visit(code) for a region and all regions inside it.
    template <class Visit>
    void each_inside(const prefix<A>& p, Visit visit) const {
        for (auto at = place_of(p); at != in_order_.end() && p.contains(prefix_of(*at).first()); ++at)
            visit(*at);
    }
    std::optional<std::uint32_t> free_code() const noexcept {
        return find_code([](const region& r) { return !r.is_used(); });
    }
    // First code, except 0, of a region for which is(region) is true.
    template <class Is>
    std::optional<std::uint32_t> find_code(Is is) const noexcept {
        for (std::uint32_t code = 1; code < regions_.size(); ++code)
            if (is(regions_[code]))
                return code;
        return std::nullopt;
    }

    std::vector<region> regions_;         // by code
    std::vector<std::uint32_t> in_order_; // codes in prefix order
    std::vector<std::uint32_t> answers_;
    bool is_changed_ = false; // since the last sync
};

} // namespace fingerpost::cells
