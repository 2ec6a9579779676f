// Writes tables as maps for nginx and HAProxy, which find the longest match themselves.
#pragma once

#include <string_view>

#include "io/format/parts/table_data.hpp"
#include "terminal/console.hpp"

namespace fingerpost::cli {

// Writes a block `geo $variable { ... }` for nginx's http block. Throws failure for tables with several value
// columns, for values with control characters, and for a variable name that nginx does not accept.
void table_to_nginx_geo(const io::both_tables& tables, std::string_view variable, output& out);

// Writes a file for HAProxy's map_ip with `prefix value` lines. Throws failure for tables with several value
// columns, and for values that are empty or have control characters or blanks around them.
void table_to_haproxy_map(const io::both_tables& tables, output& out);

} // namespace fingerpost::cli
