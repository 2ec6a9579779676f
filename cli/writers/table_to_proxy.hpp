// Writes tables as the maps of nginx and HAProxy, which find the longest match themselves.
#pragma once

#include <string_view>

#include "io/format/parts/table_data.hpp"
#include "terminal/console.hpp"

namespace fingerpost::cli {

// A block `geo $variable { ... }`, for nginx's http block. Throws failure for tables with several columns of
// values, for values with control characters, and for a variable that nginx does not take.
void table_to_nginx_geo(const io::both_tables& tables, std::string_view variable, output& out);

// A file for map_ip of HAProxy: `prefix value` lines. Throws failure for tables with several columns of
// values, and for values that are empty, have control characters, or have blanks around them.
void table_to_haproxy_map(const io::both_tables& tables, output& out);

} // namespace fingerpost::cli
