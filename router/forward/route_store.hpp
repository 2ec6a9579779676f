// The routes of one source and address family in a VRF's live table, together with the routes that follow
// from the router's own addresses.
//
// An own route (for one of the router's addresses or networks) hides the source's route for the same prefix,
// which reappears when the own route is removed. Changes are collected and applied in a transaction of the
// VRF.
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

// Counts since the start, including changes that could not be applied.
struct route_counts {
    std::uint64_t announced = 0;
    std::uint64_t withdrawn = 0;
    std::uint64_t swept = 0;   // stale routes removed after a refresh
    std::uint64_t refused = 0; // for lack of memory or of next hop numbers
    std::uint64_t commits = 0;
    std::uint64_t failed_commits = 0; // retried with the next commit
};

template <class A>
class route_store {
  public:
    route_store(const ip_table& table, hop_store& hops, vrf_number vrf)
        : table_(&table), routes_(&table.of<A>()), hops_(&hops), vrf_(vrf) {}

    void announce(const prefix<A>& where, const route_target& to) noexcept;
    void withdraw(const prefix<A>& where) noexcept;
    // Marks all routes in the table as stale. Commit before, so that recent changes are in the table too.
    void begin_refresh() noexcept;
    // Returns false if no refresh was in progress.
    bool sweep() noexcept;
    stale_count stale() const noexcept { return stale_; }

    // Sets all routes that follow from the router's own addresses, in any order. If several have the same
    // prefix, the first is used.
    void set_own(const std::vector<std::pair<prefix<A>, destination>>& routes) noexcept;

    bool has_changes() const noexcept { return !changes_.empty(); }
    // Adds the collected changes to a transaction of the table. Fails with errc::out_of_memory.
    errc stage(ip_transaction& to) noexcept;
    // To be called after the commit. If it failed, the changes stay for the next one.
    void committed(bool succeeded) noexcept;
    // Drops the references that no version of the table needs any more.
    void let_go() noexcept;

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

    // Notes that the source has reported a prefix: its previous route is no longer stale.
    void note_reported(const prefix<A>& where);
    void put(const prefix<A>& where, const route_target& to) noexcept;
    void remove(const prefix<A>& where);
    // Keeps the last change of each prefix, in prefix order, and releases the references of the others.
    void coalesce();

    const ip_table* table_;
    const family_table<A>* routes_;
    hop_store* hops_;
    vrf_number vrf_;
    std::vector<change> changes_;         // in order of arrival
    std::vector<std::uint32_t> replaced_; // references of the routes that stage() found in the table
    std::vector<std::uint32_t> unlinked_; // references to drop once readers cannot find them in the table
    std::map<prefix<A>, destination> own_;
    std::map<prefix<A>, route_target> hidden_;               // routes of the source that own routes hide
    std::unordered_set<prefix<A>, hash_of_prefix> reported_; // announced or withdrawn since begin_refresh()
    stale_count stale_{};
    bool refreshing_ = false;
    route_counts counts_;
};

extern template class route_store<ipv4_address>;
extern template class route_store<ipv6_address>;

} // namespace fingerpost::router
