// The options that say what rows are, and where their addresses.
#include "cli/enrich/input_options.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"

namespace fingerpost::cli::enrich {
namespace {

// An option that may be given several times; each value is added to a list.
option& add_each(command& to, option facts, std::vector<std::string>& target) {
    facts.may_repeat = true;
    facts.take = [&target](const std::string& text) {
        target.push_back(text);
        return std::string();
    };
    return add_option(to, std::move(facts));
}

} // namespace

void add_input_options(command& to, enrich_options& options, const char* which_preset) {
    add_choice<std::optional<row_kind>>(
        to, "--format", options.kind,
        {{"csv", row_kind::csv},
         {"tsv", row_kind::tsv},
         {"columns", row_kind::columns},
         {"ndjson", row_kind::ndjson},
         {"json", row_kind::json},
         {"lines", row_kind::lines},
         {"log", row_kind::log}},
        "format of the rows, read and written: columns are separated by blanks, json is an array of objects "
        "or an object that has one, lines have an address each; without it the first line decides");
    option& field =
        add_each(to,
                 {.name = "--field",
                  .value = "NAME|N",
                  .help = "rows with columns: the column with the address, by its name or its number from 1; "
                          "may be given several times"},
                 options.fields);
    field.letter = 'f';
    add_flag(to, "--no-header", options.no_header,
             "rows with columns: the first row is data; columns are called column1, column2, ...");
    add_flag(to, "--no-quotes", options.no_quotes,
             "rows with columns: a quote is a character like any other");
    add_each(to,
             {.name = "--json-field",
              .value = "PATH",
              .help =
                  "JSON: the member with the address, a.b for b within a, a[0] for the first element of a, "
                  "a[].b for the b of all elements; may be given several times"},
             options.members);
    add_choice<std::optional<which_address>>(
        to, "--which", options.which,
        {{"first", which_address::first}, {"last", which_address::last}, {"all", which_address::all}},
        "which address to take where a log line or a field has several")
        .preset = which_preset;
    add_text(
        to, "--regex", "RE2", options.regex,
        "of log lines: what matches is the address, or its one group is; without it an address anywhere");
}

} // namespace fingerpost::cli::enrich
