// The table that is used when none is named: of the environment, or of the user's configuration.
//
//     FINGERPOST_TABLE=/var/lib/geo.image
//     # ~/.config/fingerpost/config.toml
//     table = ["geo=/var/lib/v4.csv", "geo=/var/lib/v6.csv"]
//     join = "/var/lib/locations.csv"
//     on = "geoname_id"
#pragma once

#include <string>

#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {

// Takes the default table; false if there is none. The environment goes before the file, of which then
// nothing is read. Throws usage_error for a file that is wrong, with its place.
bool use_default_table(table_choice& choice);

// The message that a table is missing: how to name one.
std::string default_table_words();

} // namespace fingerpost::cli
