// Several tables as one that answers for all of them with one lookup.
//
//     geo  10.0.0.0/8 CH          10.0.0.0/8   geo_prefix 10.0.0.0/8, geo_country CH, bgp_... empty
//     bgp  10.1.0.0/16 64500      10.1.0.0/16  geo_prefix 10.0.0.0/8, geo_country CH, bgp_prefix 10.1.0.0/16,
//     ...
//
// The overlay has each prefix of each table. Its route has the columns of the longest prefix of each table
// that covers it. If p is the longest prefix of the overlay with an address in it, then each table's match of
// the address is a prefix of the overlay with the address in it, so it covers p: the answer is that of each
// table.
#pragma once

#include <string>
#include <vector>

#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

struct named_tables {
    std::string name;
    both_tables tables;
};

// The columns of each table, `prefix` first, begin with its name and `_`. A table without a match has
// missing cells. The counts of each family are added up. Throws std::bad_alloc and, when numbers run out,
// std::length_error.
both_tables overlay_tables(const std::vector<named_tables>& all);

} // namespace fingerpost::io
