// The scalar functions:
//
//      fingerpost_text(table, column, address)     a cell as VARCHAR
//      fingerpost_integer, fingerpost_float, fingerpost_boolean
//                                                  a cell of a column of this type, as BIGINT, DOUBLE or
//                                                  BOOLEAN
//      fingerpost_prefix(table, address)           the matched prefix, VARCHAR
//      fingerpost_length(table, address)           its length, UTINYINT
//      fingerpost_index(table, address)            number of the row of values, or the next hop of a table
//                                                  without values, UINTEGER
//
// `table` is the path of an image or the name of a source (table_sources.hpp). Addresses are VARCHAR (text),
// UINTEGER (an IPv4 address as a number) or BLOB (4 or 16 bytes, in network order). NULL, text that is not an
// address, addresses without a route, and missing cells give NULL. With 'raise' as the last argument, text
// that is not an address is an error; the default is 'null'.
#pragma once

#include "sql/duckdb_api.hpp"

namespace fingerpost::sql {

// Registers the functions in the database of a connection. Returns false if DuckDB refuses.
bool register_scalar_functions(duckdb_handle connection);

} // namespace fingerpost::sql
