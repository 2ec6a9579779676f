// Reads BGP tables as the shells of FRR, Quagga and Cisco IOS print them: `show ip bgp`, `show bgp ipv6
// unicast`.
//
//        Network          Next Hop            Metric LocPrf Weight Path
//     *> 10.0.0.0         192.0.2.2                0             0 64501 i
//     *>i198.18.0.0/15    192.0.2.6                0    100      0 i
//     *                   192.0.2.2                0             0 64501 i
//     *>i2001:db8:100::/48
//                         2001:db8:ffff:2::2
//                                                  0    100      0 i
//
// Only the path that the router chose, marked with `>`, is kept. A path without a network belongs to the
// network above it. A field that is too long for its column ends its line, and the next line continues in the
// next column. A network without a length has the length of its class.
//
// Rows are not always aligned with the header line: they may begin a few characters beside its columns, and
// wrapped next hops are further right. So the status, the network and the next hop are recognised by their
// form. The numbers after the next hop are recognised by where they end, relative to the next hop.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "io/format/parts/fixed/fixed_reader.hpp"
#include "io/format/show_bgp/bgp_columns.hpp"

namespace fingerpost::io {

class show_bgp_reader : public fixed_reader<show_bgp_reader> {
  public:
    show_bgp_reader(std::string file, const table_options& options);

  private:
    friend class fixed_reader<show_bgp_reader>;
    // the part of the current path that must follow
    enum class expected_part : std::uint8_t { nothing, next_hop, rest };

    bool take_line(std::string_view line);
    bool take_end();
    bool take_row(std::string_view line);
    bool begin_path(const bgp_row& row, std::string_view line);
    bool go_on(std::string_view line, std::size_t at);
    bool take_rest(std::string_view line, std::size_t at);
    bool end_path();

    std::optional<bgp_layout> layout_;
    // The first line with text, until a line shows that this is output of `show ip bgp`.
    std::optional<std::string> first_line_;
    std::uint64_t first_number_ = 0;
    bool is_output_ = false;
    std::string table_ = "default"; // VRF or route distinguisher of the routes that follow
    expected_part expected_ = expected_part::nothing;
    bool is_best_ = false;
    std::string network_; // of the current and the following paths; empty if it was refused
    std::string next_hop_;
    std::ptrdiff_t shift_ =
        0; // number of characters by which the next hop is further right than in the header line
    std::string path_text_; // first line of the current path
    std::uint64_t path_line_ = 0;
    bool drops_rest_ = false; // skip the rest of a refused path
};

} // namespace fingerpost::io
