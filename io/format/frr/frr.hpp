// Tables of FRR as vtysh prints them in JSON: `show ip route json` and `show ipv6 route json`, and `show bgp
// ipv4 unicast json` and the same for IPv6, also of all VRFs.
//
//     {"10.0.0.0/8": [ {"protocol": "bgp", "selected": true, "distance": 20, "metric": 0,
//                       "nexthops": [ {"fib": true, "ip": "192.0.2.1", "interfaceName": "eth0"} ]} ]}
//
//     {"routerId": "192.0.2.9", "routes": {"10.0.0.0/8": [ {"bestpath": true, "path": "64500 64501",
//                       "peerId": "192.0.2.1", "nexthops": [ {"ip": "192.0.2.1", "used": true} ]} ]}}
//
// Of the routes of a prefix the selected one counts, and of the paths of BGP the best one; a prefix without
// is left out. Of several VRFs each is a member of one object, or, as version 8 prints routes, an object of
// its own after the others.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/best_routes.hpp"
#include "io/format/parts/json/document_reader.hpp"
#include "io/format/parts/routing_tables.hpp"

namespace fingerpost::io {

// What both tables share.
class frr_reader : protected document_reader {
  protected:
    frr_reader(std::string file, const table_options& options, document_cutter::wanted wants,
               std::span<const std::string> columns, const char* understood);
    // Where to add a route of this table; nullptr if it is left out.
    best_table* made_for(std::string_view table, std::string_view where);
    // Adds a route that FRR uses. False if it is refused, and reading must stop.
    bool add(best_table& to, std::string_view where, std::span<const std::string_view> cells);
    std::optional<input_error> complete();
    both_tables take_both() && { return std::move(*made_).finish_both(lines_read(), skipped()); }
    one_table take_one() && { return std::move(*made_).finish(lines_read(), skipped()); }

  private:
    std::optional<routing_tables<best_table>> made_;
};

// The columns are next_hop, dev, protocol, distance and metric. next_hop is as in ip_route: the gateways of
// the next hops that are in use, else their devices, else why packets are dropped.
class frr_route_reader : private frr_reader {
  public:
    frr_route_reader(std::string file, const table_options& options);

    bool feed(std::string_view chunk);
    expected<one_table, input_error> finish() &&;
    expected<both_tables, input_error> finish_both() &&;

  private:
    bool take(std::string_view vrf, std::string_view where, const json_tree& routes);
};

// The columns are next_hop, origin_as, peer, path, local_pref and med.
class frr_bgp_reader : private frr_reader {
  public:
    frr_bgp_reader(std::string file, const table_options& options);

    bool feed(std::string_view chunk);
    expected<one_table, input_error> finish() &&;
    expected<both_tables, input_error> finish_both() &&;

  private:
    bool take(std::string_view vrf, std::string_view where, const json_tree& paths);
    std::optional<input_error> complete();

    bool has_vrf_ = false; // there was a route of a VRF that is a member of the document
};

} // namespace fingerpost::io
