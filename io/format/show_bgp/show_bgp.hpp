// Tables of BGP as the shells of FRR, Quagga and Cisco's IOS print them: `show ip bgp`, `show bgp ipv6
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
// The path that the router chose is marked by `>` and counts; the others are left out. A path without a
// network is of the network above it. A field that is too long for its column ends its line, and the next
// line goes on in the next column. A network without a length has the length of its class.
//
// Rows are not always where the header line has its columns: they begin up to a few places beside it, and
// next hops that were wrapped stand further right than others. So the status, the network and the next hop
// are found by what they are. The numbers after the next hop are told apart by where they end, counted from
// the next hop.
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
    enum class wanted : std::uint8_t { nothing, next_hop, rest }; // of the current path

    bool take_line(std::string_view line);
    bool take_end();
    bool take_row(std::string_view line);
    bool begin_path(const bgp_row& row, std::string_view line);
    bool go_on(std::string_view line, std::size_t at);
    bool take_rest(std::string_view line, std::size_t at);
    bool end_path();

    std::optional<bgp_layout> layout_;
    // The first line with text in it, until a line shows that this is an output of show ip bgp.
    std::optional<std::string> first_line_;
    std::uint64_t first_number_ = 0;
    bool is_output_ = false;
    std::string table_ = "default"; // the VRF, or the route distinguisher, of the following routes
    wanted wanted_ = wanted::nothing;
    bool is_best_ = false;
    std::string network_; // of the current path and the following ones; empty if it was refused
    std::string next_hop_;
    std::ptrdiff_t shift_ = 0; // so many places further right than in the header line is the next hop
    std::string path_text_;    // the line that the current path begins with
    std::uint64_t path_line_ = 0;
    bool drops_rest_ = false; // the rest of a refused path is passed over
};

} // namespace fingerpost::io
