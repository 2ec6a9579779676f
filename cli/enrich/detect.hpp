// Tells the kind of rows by how an input begins.
#pragma once

#include <string_view>

#include "cli/enrich/rows/input_kinds.hpp"

namespace fingerpost::cli::enrich {

// What the user has said that only one kind of rows has.
struct kind_hints {
    bool has_columns = false; // fields of CSV are named
    bool has_members = false; // members of JSON are named
    bool is_log = false;      // a regular expression, or another option of log lines
};

// `beginning` holds at least one line, or all there is.
row_kind detect_kind(std::string_view beginning, kind_hints hints);

std::string_view name_of(row_kind kind);

} // namespace fingerpost::cli::enrich
