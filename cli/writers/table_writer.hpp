// Writes tables in all formats, for every command with a table as output.
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
    const table_choice& choice; // options of the table that is written
    // Replacement for next hops that BGP cannot carry. Without it, MRT refuses such routes.
    std::optional<ipv4_address> ipv4_next_hop{};
    std::optional<ipv6_address> ipv6_next_hop{};
    // Name of the set for ipset and nft; empty: a set per value, named by it. For nginx, name of the
    // variable.
    std::string set_name{};
    // The nftables table that contains the sets.
    std::string nft_table = "inet fingerpost";
    bool networks_only = false; // leaves value columns out of CSV and NDJSON
};

// Write IPv4 first, then IPv6, in the forms of table_rows.hpp. Throw failure, before anything is written, for
// columns and values that could not be read back unchanged.
void table_to_text(io::both_tables& tables, const table_writing& how, output& out);
void table_to_csv(io::both_tables& tables, const table_writing& how, output& out);
void table_to_ndjson(io::both_tables& tables, const table_writing& how, output& out);
// Writes an image with all columns; both families are in one file.
void table_to_image(io::both_tables& tables, const table_writing& how, output& out);
// Write a table in which one peer announces all routes, at the current time. The `whole` form is for GoBGP
// before 3.16 (io/format/mrt/mrt_writer.hpp). Throw failure for next hops that BGP cannot carry, unless `how`
// has a substitute.
void table_to_mrt(io::both_tables& tables, const table_writing& how, output& out);
void table_to_whole_mrt(io::both_tables& tables, const table_writing& how, output& out);

// Write input for other programs (table_to_firewall.hpp, table_to_proxy.hpp).
void table_to_ipset(io::both_tables& tables, const table_writing& how, output& out);
void table_to_nft(io::both_tables& tables, const table_writing& how, output& out);
void table_to_nginx_geo(io::both_tables& tables, const table_writing& how, output& out);
void table_to_haproxy_map(io::both_tables& tables, const table_writing& how, output& out);

// The output forms of commands that derive a table from another one.
enum class table_form : std::uint8_t {
    automatic, // text for one value column, CSV for several
    text,
    csv,
    ndjson,
    image
};
void write_tables(io::both_tables& tables, const table_writing& how, table_form form, output& out);
option& add_table_form(command& to, std::string name, table_form& form);

} // namespace fingerpost::cli
