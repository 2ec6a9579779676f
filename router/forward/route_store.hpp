// The routes of one source, VRF and family in a live table, together with those that follow from the router's
// own addresses.
//
// A route of the router's own (for its addresses and networks) hides one of the source for the same prefix,
// which reappears when the own route goes. Changes are collected and become visible together at commit().
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_set>
#include <vector>

#include "fingerpost/table/table.hpp"
#include "router/forward/hop_store.hpp"
#include "router/routes/sink/route_sink.hpp"

namespace fingerpost::router {

// Counts since the start: what has come, and what could not be applied.
struct route_counts {
    std::uint64_t announced = 0;
    std::uint64_t withdrawn = 0;
    std::uint64_t swept = 0;   // stale after a refresh
    std::uint64_t refused = 0; // because memory or numbers of next hops had run out
    std::uint64_t commits = 0;
    std::uint64_t failed_commits = 0; // tried again with the next commit
};

template <class A>
class route_store {
  public:
    route_store(table<A>& routes, hop_store& hops, vrf_number vrf)
        : routes_(&routes), hops_(&hops), vrf_(vrf) {}

    void announce(const prefix<A>& where, const route_target& to) noexcept;
    void withdraw(const prefix<A>& where) noexcept;
    void begin_refresh() noexcept;
    // False if there was no refresh to end.
    bool sweep() noexcept;
    stale_count stale() const noexcept { return stale_; }

    // Sets all routes that follow from the router's own addresses, in any order; of those with the same
    // prefix the first counts.
    void set_own(const std::vector<std::pair<prefix<A>, destination>>& wanted) noexcept;

    // Makes the collected changes visible. False if that is not possible yet, because a reader stalls or
    // memory is short; the next commit tries again.
    bool commit() noexcept;
    // Tries again what could not be made visible. Changes collected since then stay collected.
    void poll() noexcept;

    std::size_t size() const noexcept { return routes_->size(); }
    const route_counts& counts() const noexcept { return counts_; }

  private:
    struct change {
        prefix<A> where{};
        next_hop hop = next_hop::none; // holds a reference
    };
    struct hash_of_prefix {
        std::size_t operator()(const prefix<A>& p) const noexcept;
    };

    // The source has reported a prefix: its previous route is no longer stale.
    void note_told(const prefix<A>& where);
    void put(const prefix<A>& where, const route_target& to) noexcept;
    void remove(const prefix<A>& where);
    // Keeps the last change of each prefix, in prefix order; the replaced ones lose their references.
    void coalesce();
    void let_go();

    table<A>* routes_;
    hop_store* hops_;
    vrf_number vrf_;
    std::vector<change> changes_;         // in the order in which they came
    std::vector<std::uint32_t> unlinked_; // references to drop once readers cannot find them in the table
    std::map<prefix<A>, destination> own_;
    std::map<prefix<A>, route_target> hidden_;           // the source's routes that own ones hide
    std::unordered_set<prefix<A>, hash_of_prefix> told_; // announced or withdrawn since begin_refresh()
    stale_count stale_{};
    bool refreshing_ = false;
    bool failed_ = false; // the last commit failed for want of memory
    route_counts counts_;
};

extern template class route_store<ipv4_address>;
extern template class route_store<ipv6_address>;

} // namespace fingerpost::router
