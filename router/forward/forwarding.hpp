// Everything that decides where packets go; the control thread changes it and the data threads read it.
//
//      control thread   routes(), links(): the two sinks; poll() now and then
//      data threads     view(): look-ups in the tables, then in the next-hop table
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
    std::string scheme{}; // the default one if empty, or for a family that it does not serve
    // Used instead of the named scheme, one for each family: for schemes that are in no registry.
    const scheme_entry<ipv4_address>* ipv4_scheme = nullptr;
    const scheme_entry<ipv6_address>* ipv6_scheme = nullptr;
    std::vector<std::string> taps{}; // by port: the kernel's name of its TAP
    vrf_list vrfs{};
    std::size_t most_next_hops = 65536; // for both families together
    std::size_t most_neighbours = 65536;
};

// The tables of all VRFs on their way to another scheme, see fingerpost/table/scheme_change.hpp.
struct scheme_exchange {
    std::string scheme;
    std::vector<vrf_scheme_change> vrfs; // by their numbers

    // In any thread, while the control thread goes on.
    errc build() noexcept {
        for (vrf_scheme_change& one : vrfs)
            if (const errc failed = one.build(); failed != errc::ok)
                return failed;
        return errc::ok;
    }
};

// What data threads read.
struct forwarding_view {
    ip_table* routes = nullptr;           // of the default VRF
    const next_hop_table* hops = nullptr; // of all VRFs
    const neighbour_table* neighbours = nullptr;
    std::vector<ip_table*> others{}; // of the other VRFs, in their order
    const newest<vrf_map>* vrfs = nullptr;
};

class forwarding final : public route_sink {
  public:
    // errc::not_found: no such scheme; errc::out_of_memory.
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

    // The source whose routes come next. When that is another one, its groups are other groups, and those of
    // the former go with the next sweep.
    void set_source(std::uint32_t number) noexcept { source_ = number; }
    std::uint32_t source() const noexcept { return source_; }

    // A scheme for both families of all VRFs, by name as in forwarding_options. errc::not_found,
    // errc::out_of_memory.
    expected<scheme_exchange> begin_scheme(const std::string& name) noexcept;
    // Data threads look up by the built FIBs from here on. After errc::capacity, which comes if a thread
    // holds old versions for longer than 0.1 s, some tables may have changed; after another error none has.
    errc finish_scheme(scheme_exchange& built) noexcept;
    // That of the last exchange, or of the options; empty for the default one.
    const std::string& scheme() const noexcept { return scheme_; }

    interfaces& links() noexcept { return links_; }
    const interfaces& links() const noexcept { return links_; }
    // Called after the tables have followed a change of links, addresses or neighbours.
    void on_links_change(std::function<void()> run) { links_changed_ = std::move(run); }
    // Called for each number that a new next hop gets, before any packet can have it.
    void on_new_number(std::function<void(std::uint32_t)> run) { numbers_.on_add(std::move(run)); }
    // For other objects that data threads may hold.
    reclaimer& old() noexcept { return *old_; }
    // Throws std::bad_alloc.
    forwarding_view view();

    // Tries again what could not be published, and frees what no data thread holds any more.
    void poll() noexcept;

    // Calls ask(key) for neighbours that packets are sent to and that the kernel calls stale, at most `most`
    // at a time. The kernel does not see these packets, so by itself it would never check whether the
    // neighbour is still there. `ask` returns whether the kernel has been asked; exceptions of it are passed
    // on.
    template <class F>
    std::size_t confirm_used(std::size_t most, F ask) {
        std::size_t asked = 0;
        if (links_.has_unconfirmed())
            hops_.take_used([&](const neighbour_key& key) {
                if (links_.is_unconfirmed(key) && ask(key)) {
                    links_.note_asked(key);
                    ++asked;
                }
                return asked < most;
            });
        return asked;
    }

    const vrf_list& vrfs() const noexcept { return links_.vrfs(); }
    const vrf_routes& routes_of(vrf_number vrf) const noexcept { return *vrfs_[vrf]; }
    // Of the default VRF.
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
    std::map<neighbour_key, std::uint32_t> known_neighbours_; // with their numbers
    std::vector<std::unique_ptr<vrf_routes>> vrfs_;           // by their numbers
    newest<vrf_map> map_;
    std::function<void()> links_changed_;
    std::uint64_t refused_groups_ = 0;
    std::uint32_t source_ = 0;
    bool has_swept_ = false; // since the last commit
    std::string scheme_;
};

} // namespace fingerpost::router
