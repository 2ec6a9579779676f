// Options that describe the rows and their address fields.
#include "cli/enrich/input_options.hpp"

#include <optional>
#include <string>

#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"

namespace fingerpost::cli::enrich {

void add_input_options(command& to, enrich_options& options, const char* which_preset) {
    option& format = add_choice<std::optional<row_kind>>(
        to, "--format", options.kind,
        {{"csv", row_kind::csv},
         {"tsv", row_kind::tsv},
         {"columns", row_kind::columns},
         {"ndjson", row_kind::ndjson},
         {"json", row_kind::json},
         {"lines", row_kind::lines},
         {"log", row_kind::log}},
        "csv, tsv, columns (blanks between), ndjson, json, lines (one address each) or log");
    format.value = "FORMAT";
    format.preset = "guessed";
    option& field = add_option(to, {.name = "--field",
                                    .value = "NAME|N|PATH",
                                    .help = "Column or JSON path of an address; may be repeated",
                                    .may_repeat = true,
                                    .take = [&options](const std::string& text) {
                                        options.fields.push_back(text);
                                        return std::string();
                                    }});
    field.letter = 'f';
    add_flag(to, "--no-header", options.no_header, "The first row is data, not column names");
    add_flag(to, "--no-quotes", options.no_quotes, "Treat quotes as ordinary characters");
    add_choice<std::optional<which_address>>(
        to, "--which", options.which,
        {{"first", which_address::first}, {"last", which_address::last}, {"all", which_address::all}},
        "Address to use in a line or list")
        .preset = which_preset;
    add_text(to, "--regex", "RE2", options.regex, "Log lines: regular expression for the address");
}

} // namespace fingerpost::cli::enrich
