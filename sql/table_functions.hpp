// The table functions:
//
//      read_fingerpost(path)            the routes of an image: prefix and, with their types, the columns of
//      its
//                                       values; without values, the next hop as `value`
//      fingerpost_macros(path, name)    statements that create the macros name(ip), name_prefix(ip),
//                                       name_length(ip), and name_COLUMN(ip) for each column; column `sql`
#pragma once

#include "sql/duckdb_api.hpp"

namespace fingerpost::sql {

// Registers the functions in the database of a connection. Returns false if DuckDB refuses.
bool register_table_functions(duckdb_handle connection);

} // namespace fingerpost::sql
