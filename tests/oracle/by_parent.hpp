// The oracle for large tables: sorted prefixes, each with a link to its cover. A lookup starts at the
// predecessor and follows these links.
//
// Every prefix that contains an address starts at or before it. The last prefix to start there is the
// address's predecessor in prefix order; the longest match is the predecessor or one of its covers. So a
// binary search and at most as many steps as prefixes nest (7 in real IPv6 tables) find it. Tests compare
// this oracle with by_length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost::oracle {

template <class A>
class by_parent {
  public:
    // Takes routes in any order. When a prefix occurs twice, the last route counts.
    explicit by_parent(std::span<const route<A>> table) {
        std::vector<route<A>> sorted(table.begin(), table.end());
        const auto before = [](const route<A>& a, const route<A>& b) {
            if (a.where.base.value != b.where.base.value)
                return a.where.base.value < b.where.base.value;
            return a.where.length < b.where.length;
        };
        if (!std::is_sorted(sorted.begin(), sorted.end(), before))
            std::stable_sort(sorted.begin(), sorted.end(), before);
        firsts_.reserve(sorted.size());
        rest_.reserve(sorted.size());
        for (std::size_t i = 0; i < sorted.size(); ++i)
            if (i + 1 == sorted.size() || !(sorted[i].where == sorted[i + 1].where))
                add(sorted[i]);
    }

    next_hop lookup(A a) const {
        const auto above = std::upper_bound(firsts_.begin(), firsts_.end(), a.value);
        auto at = static_cast<std::uint32_t>(above - firsts_.begin()) - 1;
        if (above == firsts_.begin())
            at = nobody;
        while (at != nobody && rest_[at].last < a.value)
            at = rest_[at].parent;
        return at == nobody ? next_hop::none : rest_[at].hop;
    }

  private:
    using value = typename A::value_type;
    static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();
    struct entry {
        value last;
        std::uint32_t parent;
        next_hop hop;
    };

    static value last_of(const prefix<A>& p) {
        value last = p.base.value;
        for (unsigned bit = p.length; bit < A::bits; ++bit)
            last |= value{1} << (A::bits - 1 - bit);
        return last;
    }
    void add(const route<A>& r) {
        auto parent = static_cast<std::uint32_t>(firsts_.size()) - 1;
        if (firsts_.empty())
            parent = nobody;
        while (parent != nobody && rest_[parent].last < r.where.base.value)
            parent = rest_[parent].parent;
        firsts_.push_back(r.where.base.value);
        rest_.push_back({last_of(r.where), parent, r.hop});
    }

    std::vector<value> firsts_;
    std::vector<entry> rest_;
};

} // namespace fingerpost::oracle
