// The definition of longest match as code: one map for each length, searched from the longest to the
// shortest.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>

#include "fingerpost/net/route.hpp"

namespace fingerpost::oracle {

// Simple enough to be obviously right, and slow. It shares only the plain types of net with the product: it
// stores a prefix as the number formed by its leading bits, so that it does not even depend on net's masks.
template <class A>
class by_length {
  public:
    // Takes routes in any order. When a prefix occurs twice, the last route counts.
    explicit by_length(std::span<const route<A>> table) {
        for (const route<A>& r : table)
            hops_[r.where.length][leading(r.where.base, r.where.length)] = r.hop;
    }

    // Sets or changes one route; the next hop `none` removes it.
    void set(const prefix<A>& p, next_hop hop) {
        if (hop == next_hop::none)
            hops_[p.length].erase(leading(p.base, p.length));
        else
            hops_[p.length][leading(p.base, p.length)] = hop;
    }

    next_hop lookup(A a) const {
        for (unsigned length = A::bits + 1; length-- > 0;) {
            const auto found = hops_[length].find(leading(a, length));
            if (found != hops_[length].end())
                return found->second;
        }
        return next_hop::none;
    }

  private:
    using value = typename A::value_type;

    static value leading(A a, unsigned length) {
        return length == 0 ? value{0} : a.value >> (A::bits - length);
    }

    std::array<std::map<value, next_hop>, std::size_t{A::bits} + 1> hops_;
};

} // namespace fingerpost::oracle
