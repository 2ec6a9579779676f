// Networks written on the command line in place of a table file.
#pragma once

#include <optional>
#include <string>

#include "io/format/parts/table_data.hpp"

namespace fingerpost::cli {

// Returns the table of these networks, without values, if `text` is a list of prefixes and addresses such as
// "10.0.0.0/8, 2001:db8::/32"; nothing if it names a file. Throws usage_error, with the reason, for a
// malformed list that does not name a file either.
std::optional<io::both_tables> networks_in(const std::string& text);

} // namespace fingerpost::cli
