// Builds the topic pages from the options and the formats.
#include "cli/topics.hpp"

#include <fmt/format.h>

#include "cli/convert/convert_formats.hpp"
#include "io/format/table_format.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {

command tables_topic() {
    static table_choice unused;
    command result{.name = "tables", .summary = "the options for tables, the same in every command"};
    add_table_options(result, unused);
    result.more = "Several tables:\n"
                  "  -t v4.csv -t v6.csv  One table. If a prefix is in several files, the last one wins.\n"
                  "  -t asn=A -t geo=B  Two tables. Their columns are called asn_... and geo_...\n"
                  "\n"
                  "The default table, which is used without -t:\n"
                  "  FINGERPOST_TABLE  An environment variable: FILE or NAME=FILE.\n"
                  "  ~/.config/fingerpost/config.toml  A TOML file with the keys table, join and on, such as "
                  "table = [\"geo=v4.csv\", \"geo=v6.csv\"].\n";
    result.examples = {{"fingerpost lookup -t v4.csv -t v6.csv 10.1.2.3", "Read two files as one table"},
                       {"fingerpost lookup -t v4.csv --join places.csv --on id=place_id 10.1.2.3",
                        "Add the columns of another file"}};
    return result;
}

command formats_topic() {
    command result{.name = "formats", .summary = "the formats of tables"};
    result.more = "Formats that are read (the content decides, or --input-format):\n";
    for (const io::table_format format : io::table_formats()) {
        result.more += fmt::format("  {}  {}\n", io::name_of(format), io::entry_of(format).summary);
        result.rest.choices.emplace_back(io::name_of(format));
    }
    result.more += "\nFormats that `fingerpost convert` writes:\n";
    for (const conversion& conversion : conversions()) {
        result.more += fmt::format("  {}  {}\n", conversion.to, conversion.words);
        result.rest.choices.emplace_back(conversion.to);
    }
    result.more += "\nFiles may be compressed with gzip, bzip2, xz or zstd.\n";
    return result;
}

} // namespace fingerpost::cli
