// Joins the columns of a file to those of a table.
//
//     network,geoname_id      geoname_id,country       network,geoname_id,country
//     10.0.0.0/8,7            7,Atlantis               10.0.0.0/8,7,Atlantis
//     10.1.0.0/16,9                                    10.1.0.0/16,9,
#pragma once

#include <string>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/table_data.hpp"
#include "io/source/combine/column_file.hpp"

namespace fingerpost::io {

// Adds the columns of `file` after those of the table. Each route gets the row whose key is the route's text
// in the column `key`; without such a row, its cells are missing. A column name that the table already has is
// prefixed with the name of the key and `_`. Returns whether the table has the column `key`; without it
// nothing changes. Fails with an explanation if the table also has the longer name. Throws std::bad_alloc.
expected<bool, std::string> join_columns(both_tables& tables, std::string_view key, const column_file& file);

} // namespace fingerpost::io
