// The right answers of a table, now and at every earlier moment. The model test compares live tables with
// them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/net/route.hpp"

namespace fingerpost::testing {

// Moments are numbered from 0, which is the empty table.
using moment = std::uint32_t;

// For every prefix that ever had a route, its next hops and the moments at which they were set. A lookup
// searches one hash table for each length in use, the longest first.
template <class A>
class history {
    using value = typename A::value_type;
    struct value_hash {
        std::size_t operator()(value v) const noexcept {
            return static_cast<std::size_t>(
                (top64(A{v}) ^ bottom64(A{v}) * 0x517cc1b727220a95u) * 0x9e3779b97f4a7c15u >> 20);
        }
    };
    struct step {
        moment since;
        next_hop hop;
    };

  public:
    moment now() const noexcept { return now_; }
    std::size_t size() const noexcept { return size_; }

    // Starts the next moment, with these next hops for these prefixes (`none`: no route). Returns the number
    // of prefixes that change.
    std::size_t change(std::span<const route<A>> news) {
        ++now_;
        std::size_t changed = 0;
        for (const route<A>& r : news) {
            const next_hop before = get(r.where, now_);
            if (before == r.hop)
                continue;
            std::vector<step>& steps = by_length_[r.where.length][r.where.base.value];
            if (steps.empty())
                ever_.push_back(r.where);
            if (!steps.empty() && steps.back().since == now_)
                steps.back().hop = r.hop;
            else
                steps.push_back({now_, r.hop});
            size_ += before == next_hop::none ? 1 : 0;
            size_ -= r.hop == next_hop::none ? 1 : 0;
            ++changed;
        }
        return changed;
    }
    // Starts the next moment, with exactly these routes.
    void replace(std::span<const route<A>> all) {
        std::vector<route<A>> news;
        for (const prefix<A>& p : ever_)
            if (get(p, now_) != next_hop::none)
                news.push_back({p, next_hop::none});
        news.insert(news.end(), all.begin(), all.end());
        (void)change(news);
    }

    next_hop get(const prefix<A>& p, moment at) const {
        const auto found = by_length_[p.length].find(p.base.value);
        return found == by_length_[p.length].end() ? next_hop::none : hop_at(found->second, at);
    }
    next_hop lookup(A a, moment at) const {
        for (unsigned length = A::bits + 1; length-- > 0;)
            if (!by_length_[length].empty())
                if (const next_hop hop = get(prefix<A>::make(a, length), at); hop != next_hop::none)
                    return hop;
        return next_hop::none;
    }
    // Every prefix that ever had a route, ordered by its first announcement.
    const std::vector<prefix<A>>& ever() const noexcept { return ever_; }
    // The current routes in prefix order.
    std::vector<route<A>> routes() const {
        std::vector<route<A>> all;
        for (const prefix<A>& p : ever_)
            if (const next_hop hop = get(p, now_); hop != next_hop::none)
                all.push_back({p, hop});
        std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.where < b.where; });
        return all;
    }

  private:
    static next_hop hop_at(const std::vector<step>& steps, moment at) {
        const auto after = std::upper_bound(steps.begin(), steps.end(), at,
                                            [](moment m, const step& s) { return m < s.since; });
        return after == steps.begin() ? next_hop::none : (after - 1)->hop;
    }

    std::vector<std::unordered_map<value, std::vector<step>, value_hash>> by_length_{A::bits + 1};
    std::vector<prefix<A>> ever_;
    moment now_ = 0;
    std::size_t size_ = 0;
};

} // namespace fingerpost::testing
