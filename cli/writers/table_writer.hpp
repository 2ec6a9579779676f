// Tables as text, CSV and NDJSON, which the readers of io/format read back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/format/parts/table_data.hpp"
#include "terminal/command_line.hpp"
#include "terminal/console.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {

struct table_writing {
    const table_choice& choice; // of the tables
    // For MRT routes with next hops that BGP cannot carry; without it such routes are refused.
    std::optional<ipv4_address> ipv4_next_hop{};
    std::optional<ipv6_address> ipv6_next_hop{};
    // The name of the set for ipset and nft, empty: each value names one; of the variable for nginx.
    std::string set_name{};
    // The table of nftables in which sets are.
    std::string nft_table = "inet fingerpost";
    bool networks_only = false; // CSV and NDJSON: no columns of values
};

// IPv4 first, then IPv6, in the forms of table_rows.hpp. They throw failure, before anything is written, for
// columns and values that would not be read back unchanged.
void table_to_text(io::both_tables& tables, const table_writing& how, output& out);
void table_to_csv(io::both_tables& tables, const table_writing& how, output& out);
void table_to_ndjson(io::both_tables& tables, const table_writing& how, output& out);
// With all columns as values; both families in one file.
void table_to_image(io::both_tables& tables, const table_writing& how, output& out);
// One peer announces all routes, at the present time; `whole` is for GoBGP before 3.16
// (io/format/mrt/mrt_writer.hpp). Throws failure for next hops that BGP cannot carry and for which `how` has
// no substitute.
void table_to_mrt(io::both_tables& tables, const table_writing& how, output& out);
void table_to_whole_mrt(io::both_tables& tables, const table_writing& how, output& out);

// For programs that are not ours (table_to_firewall.hpp, table_to_proxy.hpp).
void table_to_ipset(io::both_tables& tables, const table_writing& how, output& out);
void table_to_nft(io::both_tables& tables, const table_writing& how, output& out);
void table_to_nginx_geo(io::both_tables& tables, const table_writing& how, output& out);
void table_to_haproxy_map(io::both_tables& tables, const table_writing& how, output& out);

// The output forms of commands that make a table from another one.
enum class table_form : std::uint8_t {
    automatic, // text for one column of values, CSV for several
    text,
    csv,
    ndjson,
    image
};
void write_tables(io::both_tables& tables, const table_writing& how, table_form form, output& out);
option& add_table_form(command& to, std::string name, table_form& form);

} // namespace fingerpost::cli
