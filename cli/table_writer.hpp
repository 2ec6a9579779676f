// Tables as text, CSV and NDJSON, which the readers of io/format read back.
#pragma once

#include <optional>

#include "cli/console.hpp"
#include "cli/table_choice.hpp"
#include "io/format/table.hpp"

namespace fingerpost::cli {

struct table_writing {
    const table_choice& choice; // that the tables are of
    // Of MRT, for routes whose next hops BGP cannot carry; without them such routes are refused.
    std::optional<ipv4_address> ipv4_next_hop{};
    std::optional<ipv6_address> ipv6_next_hop{};
};

// `prefix next_hop` lines, IPv4 first; a header when the column has another name. Only the first column has a
// place there: which others are left out is said. Throws failure for a value with control characters.
void table_to_text(io::both_tables& tables, const table_writing& how, output& out);
// A header and all columns.
void table_to_csv(io::both_tables& tables, const table_writing& how, output& out);
// An object a line; empty values are null.
void table_to_ndjson(io::both_tables& tables, const table_writing& how, output& out);
// With all columns as values; both families in one file.
void table_to_image(io::both_tables& tables, const table_writing& how, output& out);
// One peer tells all routes, now; `whole` for GoBGP before 3.16 (io/format/mrt/writer.hpp). Throws failure
// for next hops that BGP cannot carry and that `how` has no other for.
void table_to_mrt(io::both_tables& tables, const table_writing& how, output& out);
void table_to_whole_mrt(io::both_tables& tables, const table_writing& how, output& out);

} // namespace fingerpost::cli
