// The control thread's view of links, addresses and neighbours, and of the links that are ports of the
// router.
//
// The kernel sees each port through a TAP. The link with the TAP's name is the port, and VLAN devices on top
// of that link are its tagged networks. All other links belong to the kernel alone.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "router/routes/sink/interface_sink.hpp"
#include "router/routes/sink/vrf_list.hpp"

namespace fingerpost::router {

// The exit of packets to an interface.
struct egress {
    std::uint16_t port = 0;
    std::uint16_t vlan = 0; // 0: untagged
    std::uint16_t mtu = 0;
    bool up = false; // both the interface and the port itself
    mac_address mac{};
};

struct neighbour_key {
    std::uint32_t interface = 0;
    any_address address{};

    friend auto operator<=>(const neighbour_key&, const neighbour_key&) = default;
};

class interfaces final : public interface_sink {
  public:
    // `taps[i]` is the name of the TAP of port i.
    explicit interfaces(std::vector<std::string> taps, vrf_list vrfs = {})
        : taps_(std::move(taps)), vrfs_(std::move(vrfs)) {}

    void set_link(const link_state& link) noexcept override;
    void remove_link(std::uint32_t index) noexcept override;
    void set_address(const interface_address& address) noexcept override;
    void remove_address(const interface_address& address) noexcept override;
    void set_neighbour(const neighbour& report) noexcept override;
    void remove_neighbour(std::uint32_t interface, const any_address& address) noexcept override;
    void begin_refresh() noexcept override { ++refresh_; }
    void sweep() noexcept override;
    void commit() noexcept override;

    // Sets the link state of the port itself, as reported by its device; initially up. Takes effect at the
    // next commit, before the kernel is informed.
    void set_port(std::uint16_t port, bool up) noexcept;

    // Called at each commit that changed something.
    void on_change(std::function<void()> run) { changed_ = std::move(run); }

    const link_state* link(std::uint32_t index) const noexcept;
    // Returns nothing if the interface does not belong to a port: only the kernel reaches it.
    std::optional<egress> find_egress(std::uint32_t interface) const noexcept;
    // The interface of a port and VLAN, ignoring interfaces with another MAC address; 0 if there is none.
    std::uint32_t find_interface(std::uint16_t port, std::uint16_t vlan) const noexcept;
    // The interface in the VRF with the longest network that contains the address; 0 if there is none.
    std::uint32_t find_connected(const any_address& address, vrf_number vrf = default_vrf) const noexcept;
    const neighbour* find_neighbour(std::uint32_t interface, const any_address& address) const noexcept;
    // Source address of errors that leave by this interface: its first usable address of the family that is
    // not link-local, or else such an address of any other interface in its VRF.
    std::optional<any_address> source_address(std::uint32_t interface, bool ipv6) const noexcept;

    std::size_t port_count() const noexcept { return taps_.size(); }
    const vrf_list& vrfs() const noexcept { return vrfs_; }
    // The VRF of an interface: that of the kernel's VRF device that it belongs to, if a VRF has the device's
    // table; otherwise that of its port and VLAN. Other interfaces are in the default VRF.
    vrf_number vrf_of(std::uint32_t interface) const noexcept;

    // Neighbours that the kernel considers stale and has not been asked about since.
    bool has_unconfirmed() const noexcept { return !unconfirmed_.empty(); }
    bool is_unconfirmed(const neighbour_key& key) const noexcept { return unconfirmed_.contains(key); }
    // The kernel has been asked, and will report the result.
    void note_asked(const neighbour_key& key) noexcept { unconfirmed_.erase(key); }

    // Call their argument for each current link, address or neighbour.
    template <class F>
    void each_address(F f) const {
        for (const auto& known : addresses_)
            f(known.value);
    }
    template <class F>
    void each_neighbour(F f) const {
        for (const auto& [key, entry] : neighbours_)
            f(entry.value);
    }
    template <class F>
    void each_link(F f) const {
        for (const auto& [index, entry] : links_)
            f(entry.value);
    }

  private:
    // A report, with the number of the refresh that it was last seen in.
    template <class T>
    struct reported {
        T value;
        std::uint64_t refresh = 0;
    };
    template <class Key, class T>
    void put(std::map<Key, reported<T>>& into, const Key& key, const T& value) noexcept;
    std::optional<std::uint16_t> port_named(const std::string& name) const noexcept;

    std::optional<vrf_number> vrf_of_device(std::uint32_t index) const noexcept;

    std::vector<std::string> taps_;
    vrf_list vrfs_;
    std::map<std::uint32_t, reported<link_state>> links_;
    std::vector<reported<interface_address>> addresses_; // in order of arrival: the first is the primary one
    std::map<neighbour_key, reported<neighbour>> neighbours_;
    std::set<neighbour_key> unconfirmed_;
    std::set<std::uint16_t> ports_down_;
    std::uint64_t refresh_ = 0;
    bool is_changed_ = false;
    std::function<void()> changed_;
};

} // namespace fingerpost::router
