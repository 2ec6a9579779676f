// Makes the devices of ports take the frames to their MAC addresses, which are those of the kernel's
// interfaces: the TAP's own, and further ones, as a virtual router's (VRRP) is.
//
// A device that cannot have several addresses takes all frames instead. What is for other stations is dropped
// by the packet checks in any case.
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

    // From now on the port takes frames to these.
    void follow(std::size_t port, const rte_ether_addr& main, const std::vector<rte_ether_addr>& others);

  private:
    struct state {
        std::uint16_t device = 0;
        rte_ether_addr main{};
        std::vector<rte_ether_addr> others{};
        bool refuses_main = false;
        std::vector<rte_ether_addr> refused{}; // of the others
        bool takes_all = false;                // by our wish
    };
    static void set_others(state& of, const std::vector<rte_ether_addr>& wanted);
    static void take_all_if_needed(state& of);

    std::vector<state> ports_;
};

} // namespace fingerpost::router
