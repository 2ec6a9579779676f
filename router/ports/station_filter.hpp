// Makes the ports' devices accept frames to the MAC addresses of their kernel interfaces: the TAP's own
// address, and additional ones, such as that of a virtual router (VRRP).
//
// A device that cannot have several addresses accepts all frames instead. The packet checks drop frames for
// other stations in any case.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <rte_ether.h>

namespace fingerpost::router {

class station_filter {
  public:
    // DPDK's device numbers of the ports, and their current addresses.
    station_filter(std::span<const std::uint16_t> devices, std::span<const rte_ether_addr> macs);

    // Makes the port accept frames to these addresses from now on.
    void follow(std::size_t port, const rte_ether_addr& main, const std::vector<rte_ether_addr>& others);

  private:
    struct state {
        std::uint16_t device = 0;
        rte_ether_addr main{};
        std::vector<rte_ether_addr> others{};
        bool refuses_main = false;
        std::vector<rte_ether_addr> refused{}; // refused additional addresses
        bool takes_all = false;                // promiscuous at our request
    };
    static void set_others(state& of, const std::vector<rte_ether_addr>& addresses);
    static void take_all_if_needed(state& of);

    std::vector<state> ports_;
};

} // namespace fingerpost::router
