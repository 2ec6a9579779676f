// The routes of FRR and Quagga as `show ip route` and `show ipv6 route` print them.
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
// Routes that are marked by `>` count; the others are left out. `next_hop` is the gateway, or all gateways
// with commas between them: those that a recursive gateway leads to in its place. Without a gateway it is the
// device, for a route that drops packets its type.
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
        std::string recursive; // gateways that lead to others
        std::string devices;
        std::string drops; // the type of a route that drops packets
        bool is_selected = false;
        std::uint64_t line = 0;
    };

    bool take_line(std::string_view line);
    bool take_end();
    bool begin_route(std::string_view line);
    bool take_hop(std::string_view line, std::string_view text);
    bool add_route();

    std::string table_ = "default"; // the VRF, or the table of the default VRF, of the following routes
    std::optional<open_route> route_;
    bool is_legend_ = false;  // within the lines that explain the codes
    bool drops_rest_ = false; // the further lines of a refused route are passed over
};

} // namespace fingerpost::io
