// Reads routes as BIRD's client prints them with `birdc show route`, with or without `all`, including BIRD 1.
//
//     BIRD 2.0.12 ready.
//     Table master4:
//     10.0.0.0/8           unicast [s4 22:41:28.918] * (200)
//         via 192.0.2.9 on eth0 weight 2
//         dev eth1
//                          unicast [frr4 22:41:07.271] (100) [AS64500i]
//         via 192.0.2.9 on eth0
//         BGP.as_path: 64500
//     10.50.0.0/16         blackhole [s4 22:41:01.269] * (200)
//     10.51.0.0/16         via 192.0.2.9 on eth0 [p1 22:41:07] * (100) [AS64501i]     as BIRD 1 prints it
//
// Only the route that BIRD selected for a prefix is kept. It is marked with `*`, or with `!` if the kernel
// did not accept it. `next_hop` is the gateway, or all gateways separated by commas; without a gateway, the
// device; for a route that drops packets, its type.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/format/parts/fixed/fixed_reader.hpp"

namespace fingerpost::io {

class bird_reader : public fixed_reader<bird_reader> {
  public:
    bird_reader(std::string file, const table_options& options);

  private:
    friend class fixed_reader<bird_reader>;
    struct open_route {
        std::string where;
        std::string type;
        std::string protocol;
        std::string origin; // the AS in brackets
        std::string gateways;
        std::string devices;
        std::string path;
        std::string preference;
        std::string med;
        bool is_best = false;
        std::uint64_t line = 0;
    };

    bool take_line(std::string_view line);
    bool take_end();
    bool begin_route(std::string_view line);
    void take_hop(std::string_view text);
    void take_attribute(std::string_view text);
    bool add_route();
    std::string_view name_of_table() const;

    std::string table_;
    std::string where_;          // of the current and the following routes; empty if it was refused
    bool has_other_key_ = false; // the current and the following routes have keys that are not only networks
    std::optional<open_route> route_;
    bool drops_rest_ = false; // skip the other lines of a refused route
};

} // namespace fingerpost::io
