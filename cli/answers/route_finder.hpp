// Finds the matching routes of many addresses in the sorted routes of an image, directly in the mapped file.
//
// A small array holds the first addresses of some routes. It stays in the cache and narrows each search to a
// few lines of the file. Searches run side by side, so that their cache misses overlap.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fingerpost/image/image_routes.hpp"

namespace fingerpost::cli {

template <class A>
class route_finder {
  public:
    // The arrays of the routes must outlive it. Throws std::bad_alloc.
    explicit route_finder(const image_routes<A>& routes)
        : routes_(routes), count_((routes.size() + apart - 1) / apart),
          samples_(std::bit_ceil(count_ + 1) - 1, std::numeric_limits<std::uint64_t>::max()) {
        for (std::size_t i = 0; i < count_; ++i)
            samples_[i] = top64(base(i * apart));
    }

    // Stores the number of the longest route that covers each address in `matches`. Entries that are `none`
    // stay unchanged.
    void find(std::span<const A> addresses, std::span<next_hop> matches) const noexcept {
        std::array<search, together> group;
        std::size_t count = 0;
        for (std::size_t i = 0; i < addresses.size(); ++i) {
            if (matches[i] == next_hop::none)
                continue;
            group[count++] = {addresses[i], addresses[i], A::bits, i, 0, 0};
            if (count == together) {
                find_group(group, matches);
                count = 0;
            }
        }
        find_group(std::span(group).first(count), matches);
    }

  private:
    // 1,000,000 routes have 250 KB of samples, which fits in L2.
    static constexpr std::size_t apart = 32;
    static constexpr std::size_t together = 32;

    struct search {
        A address;
        A from;          // considers only routes up to this address
        unsigned length; // and, among routes that start there, up to this length
        std::size_t place;
        std::size_t low;  // number of routes known to sort no later
        std::size_t more; // number of further routes that may sort no later
    };

    // Avoids branches on conditions that the CPU cannot predict.
    static std::size_t if_true(bool condition, std::size_t number) noexcept {
        return number & (std::size_t{0} - std::size_t{condition});
    }
    A base(std::size_t i) const noexcept { return routes_[i].where.base; }

    // Every route between an address's match and the last route up to the address lies within the match. So
    // that last route is the match, or the search continues with the bits that it shares with the address.
    void find_group(std::span<search> group, std::span<next_hop> matches) const noexcept {
        while (!group.empty()) {
            narrow(group);
            search_all(group);
            std::size_t left = 0;
            for (search& item : group) {
                if (item.low == 0) {
                    matches[item.place] = next_hop::none;
                    continue;
                }
                const prefix<A> candidate = routes_[item.low - 1].where;
                if (candidate.contains(item.address)) {
                    matches[item.place] = {static_cast<std::uint32_t>(item.low - 1)};
                    continue;
                }
                const unsigned shared = common_length(candidate.base, item.address);
                item.length = shared;
                item.from = prefix<A>::make(item.address, shared).base;
                group[left++] = item;
            }
            group = group.first(left);
        }
    }

    // Sets `low` and `more` to an interval between samples.
    void narrow(std::span<search> group) const noexcept {
        for (search& item : group)
            item.low = 0;
        for (std::size_t step = (samples_.size() + 1) / 2; step != 0; step /= 2)
            for (search& item : group)
                item.low += if_true(samples_[item.low + step - 1] <= top64(item.from), step);
        for (search& item : group) {
            std::size_t samples = std::min(item.low, count_);
            const std::size_t end = std::min(samples * apart, routes_.size());
            // After a sample with the same leading bits, the route may be in an earlier interval.
            if (samples != 0 && samples_[samples - 1] == top64(item.from))
                samples = static_cast<std::size_t>(
                    std::lower_bound(samples_.begin(),
                                     samples_.begin() + static_cast<std::ptrdiff_t>(samples),
                                     top64(item.from)) -
                    samples_.begin());
            item.low = samples == 0 ? 0 : (samples - 1) * apart + 1;
            item.more = end - item.low;
        }
    }

    void search_all(std::span<search> group) const noexcept {
        for (std::size_t most = 1; most != 0;) {
            most = 0;
            for (search& item : group) {
                if (item.more == 0) [[unlikely]]
                    continue;
                const std::size_t half = item.more / 2;
                const A first = base(item.low + half);
                bool is_behind = item.from < first;
                if (item.length != A::bits && first == item.from)
                    is_behind = routes_[item.low + half].where.length > item.length;
                item.low += if_true(!is_behind, half + 1);
                item.more = half - if_true(!is_behind, 2 * half + 1 - item.more);
                most |= item.more;
            }
        }
    }

    image_routes<A> routes_;
    std::size_t count_; // number of samples, not counting unreachable ones at the end
    std::vector<std::uint64_t> samples_;
};

} // namespace fingerpost::cli
