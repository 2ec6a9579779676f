// Joins several tables into one that answers for all of them with one lookup.
//
//     geo  10.0.0.0/8 CH          10.0.0.0/8   geo_prefix 10.0.0.0/8, geo_country CH, bgp_... empty
//     bgp  10.1.0.0/16 64500      10.1.0.0/16  geo_prefix 10.0.0.0/8, geo_country CH, bgp_prefix 10.1.0.0/16,
//     ...
//
// The overlay has each prefix of each table. Its route has the columns of the longest prefix of each table
// that covers it. Proof: let p be the longest match of an address in the overlay. Each table's match of the
// address is also a prefix of the overlay that contains the address, so it covers p. So the route of p has
// the answer of each table.
#pragma once

#include <string>
#include <vector>

#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

struct named_tables {
    std::string name;
    both_tables tables;
};

// The columns of each table, beginning with `prefix`, are named after the table and `_`. A table without a
// match has missing cells. The counts of each family are added up. Throws std::bad_alloc, and
// std::length_error if there are too many rows.
both_tables overlay_tables(const std::vector<named_tables>& inputs);

} // namespace fingerpost::io
