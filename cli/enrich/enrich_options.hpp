// The options of `enrich`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/answers/condition_text.hpp"
#include "cli/enrich/rows/input_kinds.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli::enrich {

struct enrich_options {
    table_choice table;
    std::string scheme;
    std::optional<row_kind> kind;
    std::vector<std::string> fields; // names or numbers of columns, or paths of JSON members
    bool no_header = false;
    bool no_quotes = false;
    std::vector<std::string> add;
    bool adds_nothing = false; // --columns ''
    std::string nest;          // a path of names; empty: members are added to the row itself
    std::vector<condition_text> where;
    std::string count_by;
    std::uint64_t limit = 0; // number of counts to print; 0: all
    std::string output = "-";
    std::string regex;
    std::optional<which_address> which;
    std::optional<log_style> style;
    miss_policy on_miss = miss_policy::empty;
    error_policy on_error = error_policy::null;
    bool stats = false;
    bool writes_rows = true;        // false: rows are only checked
    line_form form{};               // of written rows
    bool stops_at_first = false;    // at the first selected row
    bool ends_at_first = false;     // end the process with exit code 0 there
    unsigned threads = 0;           // 0: one per core
    std::vector<std::string> files; // at least one; - is stdin
};

} // namespace fingerpost::cli::enrich
