// Networks that are written on the command line, where a file with a table could be named too.
#pragma once

#include <optional>
#include <string>

#include "io/format/parts/table_data.hpp"

namespace fingerpost::cli {

// The table of these networks, without values, if `text` is a list of prefixes and addresses such as
// "10.0.0.0/8, 2001:db8::/32"; nothing if it is the name of a file. Throws usage_error, with the reason, for
// text that is meant as such a list and names no file either.
std::optional<io::both_tables> networks_in(const std::string& text);

} // namespace fingerpost::cli
