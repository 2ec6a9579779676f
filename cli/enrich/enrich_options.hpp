// What the command line of `enrich` says.
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
    std::string nest;          // a path of names; empty: members stand in the row itself
    std::vector<condition_text> where;
    std::string count_by;
    std::uint64_t limit = 0; // of counts; 0: all
    std::string output = "-";
    std::string regex;
    std::optional<which_address> which;
    std::optional<log_style> style;
    miss_policy on_miss = miss_policy::empty;
    error_policy on_error = error_policy::null;
    bool stats = false;
    bool writes_rows = true;        // false: rows are only looked at
    line_form form{};               // of rows that are written
    bool stops_at_first = false;    // at the first row that is selected
    bool ends_at_first = false;     // there the process ends, with exit code 0
    unsigned threads = 0;           // 0: one a core
    std::vector<std::string> files; // one at least; - is stdin
};

} // namespace fingerpost::cli::enrich
