// The table that is used if none is named: from the environment, or from the user's configuration.
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

// Takes the default table. Returns false if there is none. If the environment has one, the file is not read.
// Throws usage_error with the place of a fault in the file.
bool use_default_table(table_choice& choice);

// Returns the message that a table is missing, which explains how to name one.
std::string default_table_words();

} // namespace fingerpost::cli
