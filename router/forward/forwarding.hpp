// Everything that decides where packets go. The control thread changes it and the data threads read it.
//
//   control thread   routes(), links(): the two sinks; poll() at regular intervals
//   data threads     view(): lookups in the tables, then in the next-hop table
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "router/forward/neighbour_table.hpp"
#include "router/forward/newest.hpp"
#include "router/forward/vrf_map.hpp"
#include "router/forward/vrf_routes.hpp"
#include "router/routes/sink/route_sink.hpp"

namespace fingerpost::router {

struct forwarding_options {
    std::string
        scheme{}; // empty: the default scheme; also used for a family that the named scheme does not support
    // Used instead of the named scheme, one for each family: for schemes outside the registry.
    const scheme_entry<ipv4_address>* ipv4_scheme = nullptr;
    const scheme_entry<ipv6_address>* ipv6_scheme = nullptr;
    std::vector<std::string> taps{}; // by port: interface name of its TAP
    vrf_list vrfs{};
    std::size_t most_next_hops = 65536; // for both families together
    std::size_t most_neighbours = 65536;
};

// New tables for all VRFs while the scheme changes, see fingerpost/table/scheme_change.hpp.
struct scheme_exchange {
    std::string scheme;
    std::vector<vrf_scheme_change> vrfs; // by VRF number

    // May run in any thread while the control thread continues.
    errc build() noexcept {
        for (vrf_scheme_change& vrf : vrfs)
            if (const errc failed = vrf.build(); failed != errc::ok)
                return failed;
        return errc::ok;
    }
};

// The tables that data threads read.
struct forwarding_view {
    ip_table* routes = nullptr;           // of the default VRF
    const next_hop_table* hops = nullptr; // of all VRFs
    const neighbour_table* neighbours = nullptr;
    std::vector<ip_table*> others{}; // of the other VRFs, in order
    const newest<vrf_map>* vrfs = nullptr;
};

class forwarding final : public route_sink {
  public:
    // Fails with errc::not_found for an unknown scheme, or errc::out_of_memory.
    static expected<std::unique_ptr<forwarding>> create(const forwarding_options& options,
                                                        grace_clock& clock) noexcept;
    // The data threads must have ended.
    ~forwarding() override { old_->drain(); }

    using route_sink::announce;
    using route_sink::withdraw;
    void announce(vrf_number vrf, const any_prefix& where, const route_target& to) noexcept override;
    void withdraw(vrf_number vrf, const any_prefix& where) noexcept override;
    void set_group(group_id group, const destination& to) noexcept override;
    void remove_group(group_id group) noexcept override;
    void begin_refresh() noexcept override;
    void sweep() noexcept override;
    stale_routes stale() const noexcept override;
    void commit() noexcept override;

    // Selects the source of the following routes. A new source has its own groups; the groups of the former
    // source are removed by the next sweep.
    void set_source(std::uint32_t number) noexcept { source_ = number; }
    std::uint32_t source() const noexcept { return source_; }

    // Begins a change to a scheme, for both families of all VRFs; names are those of forwarding_options.
    // Fails with errc::not_found or errc::out_of_memory.
    expected<scheme_exchange> begin_scheme(const std::string& name) noexcept;
    // From now on data threads use the FIBs that were built. After errc::capacity, which means that a thread
    // has held old versions for longer than 0.1 s, some tables may have changed; after other errors none has.
    errc finish_scheme(scheme_exchange& built) noexcept;
    // The current scheme; empty for the default one.
    const std::string& scheme() const noexcept { return scheme_; }

    interfaces& links() noexcept { return links_; }
    const interfaces& links() const noexcept { return links_; }
    // Called after the tables have followed a change of links, addresses or neighbours.
    void on_links_change(std::function<void()> run) { links_changed_ = std::move(run); }
    // Called for each number assigned to a new next hop, before any packet can refer to it.
    void on_new_number(std::function<void(std::uint32_t)> run) { numbers_.on_add(std::move(run)); }
    // For other objects that data threads may hold.
    reclaimer& old() noexcept { return *old_; }
    // Throws std::bad_alloc.
    forwarding_view view();

    // Retries postponed publications, and frees objects that no data thread uses any more.
    void poll() noexcept;

    // Calls ask(key) for up to `most` neighbours that packets are sent to and that the kernel considers
    // stale. The kernel does not see these packets, so it would never check by itself whether the neighbour
    // is still reachable. `ask` returns true if the kernel was asked; its exceptions are passed on.
    template <class F>
    std::size_t confirm_used(std::size_t most, F ask) {
        std::size_t count = 0;
        if (links_.has_unconfirmed())
            hops_.take_used([&](const neighbour_key& key) {
                if (links_.is_unconfirmed(key) && ask(key)) {
                    links_.note_asked(key);
                    ++count;
                }
                return count < most;
            });
        return count;
    }

    const vrf_list& vrfs() const noexcept { return links_.vrfs(); }
    const vrf_routes& routes_of(vrf_number vrf) const noexcept { return *vrfs_[vrf]; }
    // Counts of the default VRF.
    const route_counts& ipv4_counts() const noexcept { return vrfs_[0]->ipv4_counts(); }
    const route_counts& ipv6_counts() const noexcept { return vrfs_[0]->ipv6_counts(); }
    template <class A>
    const family_table<A>& routes() const noexcept {
        return vrfs_[0]->routes<A>();
    }

    std::uint64_t refused_groups() const noexcept { return refused_groups_; }
    const hop_store& hops() const noexcept { return hops_; }

  private:
    forwarding(const forwarding_options& options, std::unique_ptr<reclaimer> old, neighbour_table neighbours);
    void follow_links() noexcept;
    void follow_neighbours();
    void follow_addresses();

    std::unique_ptr<reclaimer> old_;
    next_hop_table numbers_;
    interfaces links_;
    hop_store hops_;
    neighbour_table neighbours_;
    std::map<neighbour_key, std::uint32_t> known_neighbours_; // with their next hop numbers
    std::vector<std::unique_ptr<vrf_routes>> vrfs_;           // by VRF number
    newest<vrf_map> map_;
    std::function<void()> links_changed_;
    std::uint64_t refused_groups_ = 0;
    std::uint32_t source_ = 0;
    bool has_swept_ = false; // since the last commit
    std::string scheme_;
};

} // namespace fingerpost::router
