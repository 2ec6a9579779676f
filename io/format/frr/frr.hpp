// Reads tables of FRR as vtysh prints them in JSON: `show ip route json`, `show ipv6 route json`, `show bgp
// ipv4 unicast json` and `show bgp ipv6 unicast json`, for one VRF or all.
//
//     {"10.0.0.0/8": [ {"protocol": "bgp", "selected": true, "distance": 20, "metric": 0,
//                       "nexthops": [ {"fib": true, "ip": "192.0.2.1", "interfaceName": "eth0"} ]} ]}
//
//     {"routerId": "192.0.2.9", "routes": {"10.0.0.0/8": [ {"bestpath": true, "path": "64500 64501",
//                       "peerId": "192.0.2.1", "nexthops": [ {"ip": "192.0.2.1", "used": true} ]} ]}}
//
// Only the selected route of a prefix, or its best BGP path, is kept; a prefix without one is left out.
// Several VRFs are members of one object, or, for routes of version 8, objects one after the other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/best_routes.hpp"
#include "io/format/parts/json/document_reader.hpp"
#include "io/format/parts/routing_tables.hpp"

namespace fingerpost::io {

// Base of the readers of both tables.
class frr_reader : protected document_reader {
  protected:
    frr_reader(std::string file, const table_options& options, document_cutter::selector selects,
               std::span<const std::string> columns, const char* description);
    // Returns where to add a route of this table; nullptr if it is left out.
    best_table* table_for(std::string_view table, std::string_view where);
    // Adds a route that FRR uses. Returns false if it is refused and reading must stop.
    bool add(best_table& table, std::string_view where, std::span<const std::string_view> cells);
    std::optional<input_error> complete();
    both_tables take_both() && { return std::move(*tables_).finish_both(lines_read(), skipped()); }
    one_table take_one() && { return std::move(*tables_).finish(lines_read(), skipped()); }

  private:
    std::optional<routing_tables<best_table>> tables_;
};

// The columns are next_hop, dev, protocol, distance and metric. next_hop is like that of ip_route: the
// gateways of the next hops in use, or else their devices, or else the reason for which packets are dropped.
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
