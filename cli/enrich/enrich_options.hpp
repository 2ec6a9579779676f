// What the command line of `enrich` says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/enrich/rows/input_kinds.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli::enrich {

struct enrich_options {
    std::vector<std::string> tables; // FILE or NAME=FILE
    table_choice table;              // its family and strictness hold for all of them
    std::string scheme;
    std::optional<row_kind> kind;
    std::vector<std::string> fields;  // names or numbers of CSV columns
    std::vector<std::string> members; // paths of JSON members
    bool no_header = false;
    bool no_quotes = false;
    std::vector<std::string> add;
    std::string regex;
    std::optional<log_which> which;
    std::optional<log_style> style;
    miss_policy on_miss = miss_policy::empty;
    error_policy on_error = error_policy::null;
    bool stats = false;
    unsigned threads = 0;           // 0: one a core
    std::vector<std::string> files; // one at least; - is stdin
};

} // namespace fingerpost::cli::enrich
