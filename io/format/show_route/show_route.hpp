// Reads routes of FRR and Quagga as `show ip route` and `show ipv6 route` print them.
//
//     B>* 10.0.0.0/8 [200/0] via 192.0.2.6, eth1, weight 1, 00:00:01
//     S>* 10.203.0.0/16 [1/0] via 192.0.2.2, eth0, weight 1, 00:00:05
//       *                     via 192.0.2.6, eth1, weight 1, 00:00:05
//     S>  10.206.0.0/16 [1/0] via 130.0.0.9 (recursive), weight 1, 00:00:10
//       *                       via 192.0.2.2, eth0, weight 1, 00:00:10
//     S   172.16.0.0/12 [250/0] via 192.0.2.6, eth1, weight 1, 00:00:06
//     C>* 192.0.2.0/30 is directly connected, eth0, 00:00:06
//     S>* 10.200.0.0/16 [1/0] unreachable (blackhole), weight 1, 00:00:06
//
// Only routes marked with `>` are kept. `next_hop` is the gateway, or all gateways separated by commas; a
// recursive gateway is replaced by the gateways that it resolves to. Without a gateway, it is the device; for
// a route that drops packets, its type.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/format/parts/fixed/fixed_reader.hpp"

namespace fingerpost::io {

class show_route_reader : public fixed_reader<show_route_reader> {
  public:
    show_route_reader(std::string file, const table_options& options);

  private:
    friend class fixed_reader<show_route_reader>;
    struct open_route {
        std::string where;
        std::string table;
        std::string protocol;
        std::string distance;
        std::string metric;
        std::string gateways;
        std::string recursive; // gateways that resolve to others
        std::string devices;
        std::string drops; // type of a route that drops packets
        bool is_selected = false;
        std::uint64_t line = 0;
    };

    bool take_line(std::string_view line);
    bool take_end();
    bool begin_route(std::string_view line);
    bool take_hop(std::string_view line, std::string_view text);
    bool add_route();

    std::string table_ = "default"; // VRF of the routes that follow, or a table of the default VRF
    std::optional<open_route> route_;
    bool is_legend_ = false;  // within the legend of the codes
    bool drops_rest_ = false; // skip the other lines of a refused route
};

} // namespace fingerpost::io
