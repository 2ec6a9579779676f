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
         {"ndjson", row_kind::ndjson},
         {"lines", row_kind::lines},
         {"log", row_kind::log}},
        "of the rows, read and written; else the first line tells (lines: an address a line)");
    option& field =
        add_each(to,
                 {.name = "--field",
                  .value = "NAME|N",
                  .help = "of CSV and TSV: the column with the address, by its name or its number from 1; "
                          "may be given several times"},
                 options.fields);
    field.letter = 'f';
    add_flag(to, "--no-header", options.no_header, "of CSV and TSV: the first row is one like all others");
    add_flag(to, "--no-quotes", options.no_quotes, "of CSV and TSV: a quote is a character like any other");
    add_each(to,
             {.name = "--json-field",
              .value = "PATH",
              .help = "of NDJSON: the member with the address, a.b for b within a, a[0] for the first "
                      "element of a; may be given several times"},
             options.members);
    add_choice<std::optional<log_which>>(to, "--which", options.which,
                                         {{"first", log_which::first}, {"all", log_which::all}},
                                         "of log lines: the address that counts")
        .preset = which_preset;
    add_text(
        to, "--regex", "RE2", options.regex,
        "of log lines: what matches is the address, or its one group is; without it an address anywhere");
    add_choice<std::optional<log_style>>(to, "--log-style", options.style,
                                         {{"tab", log_style::tab}, {"pairs", log_style::pairs}},
                                         "of log lines: columns behind tabs, or name=value behind blanks")
        .preset = "tab";
}

} // namespace fingerpost::cli::enrich
