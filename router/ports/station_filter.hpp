// Makes the ports' devices accept frames to their MAC addresses, which are those of the kernel's interfaces:
// the TAP's own, and further ones, such as that of a virtual router (VRRP).
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
    // DPDK's numbers of the ports, and the addresses that they have.
    station_filter(std::span<const std::uint16_t> devices, std::span<const rte_ether_addr> macs);

    // From now on the port accepts frames to these addresses.
    void follow(std::size_t port, const rte_ether_addr& main, const std::vector<rte_ether_addr>& others);

  private:
    struct state {
        std::uint16_t device = 0;
        rte_ether_addr main{};
        std::vector<rte_ether_addr> others{};
        bool refuses_main = false;
        std::vector<rte_ether_addr> refused{}; // of the further addresses
        bool takes_all = false;                // because we asked for it
    };
    static void set_others(state& of, const std::vector<rte_ether_addr>& wanted);
    static void take_all_if_needed(state& of);

    std::vector<state> ports_;
};

} // namespace fingerpost::router
