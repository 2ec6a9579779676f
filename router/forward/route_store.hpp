// The routes of one source and family in the live table of a VRF, together with those that follow from the
// router's own addresses.
//
// A route of the router's own (for its addresses and networks) hides one of the source for the same prefix,
// which reappears when the own route goes. Changes are collected, and made by a transaction of the VRF.
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
    route_store(const ip_table& table, hop_store& hops, vrf_number vrf)
        : table_(&table), routes_(&table.of<A>()), hops_(&hops), vrf_(vrf) {}

    void announce(const prefix<A>& where, const route_target& to) noexcept;
    void withdraw(const prefix<A>& where) noexcept;
    // Recently reported routes are stale too, and are looked for in the table: commit before.
    void begin_refresh() noexcept;
    // False if there was no refresh to end.
    bool sweep() noexcept;
    stale_count stale() const noexcept { return stale_; }

    // Sets all routes that follow from the router's own addresses, in any order; of those with the same
    // prefix the first counts.
    void set_own(const std::vector<std::pair<prefix<A>, destination>>& wanted) noexcept;

    bool has_changes() const noexcept { return !changes_.empty(); }
    // Adds the collected changes to a transaction of the table; errc::out_of_memory.
    errc stage(ip_transaction& to) noexcept;
    // After its commit, which succeeded or not: then the changes stay for the next one.
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

    // The source has reported a prefix: its previous route is no longer stale.
    void note_told(const prefix<A>& where);
    void put(const prefix<A>& where, const route_target& to) noexcept;
    void remove(const prefix<A>& where);
    // Keeps the last change of each prefix, in prefix order; the replaced ones lose their references.
    void coalesce();

    const ip_table* table_;
    const family_table<A>* routes_;
    hop_store* hops_;
    vrf_number vrf_;
    std::vector<change> changes_;         // in the order in which they came
    std::vector<std::uint32_t> replaced_; // references of the routes that stage() has found in the table
    std::vector<std::uint32_t> unlinked_; // references to drop once readers cannot find them in the table
    std::map<prefix<A>, destination> own_;
    std::map<prefix<A>, route_target> hidden_;           // the source's routes that own ones hide
    std::unordered_set<prefix<A>, hash_of_prefix> told_; // announced or withdrawn since begin_refresh()
    stale_count stale_{};
    bool refreshing_ = false;
    route_counts counts_;
};

extern template class route_store<ipv4_address>;
extern template class route_store<ipv6_address>;

} // namespace fingerpost::router
