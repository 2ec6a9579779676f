// The options that name a table, for every command that reads one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fingerpost/rib/routes.hpp"
#include "io/format/mrt/choice.hpp"
#include "io/format/parts/table_types.hpp"
#include "io/format/text/table_text.hpp"
#include "io/source/any_table.hpp"
#include "terminal/command_line.hpp"
#include "terminal/table/column_names.hpp"

namespace fingerpost::cli {

// One --table: a file with its name, which may be empty.
struct table_file {
    std::string name{};
    std::string path{};
};

// One --join with its --on.
struct column_join {
    std::string path{};      // CSV or TSV file
    std::string table_key{}; // column of the table
    std::string file_key{};  // column of the file
};

struct table_choice {
    std::string path;
    std::vector<table_file> files{}; // all files; path is that of the first
    std::vector<column_join> joins{};
    unsigned family = 0; // 4, 6, or 0 for the family of the table
    bool strict = false;
    std::optional<io::table_format> format; // if not set, detected from the content
    std::vector<std::string> network;       // column of prefixes, or the two columns of ranges
    std::vector<std::string> values;        // columns to keep
    std::vector<io::typed_column> types{};  // columns with chosen types
    io::peer_choice peer{};                 // peers of an MRT file; by default the best routes of all peers
    std::string routing_table{};            // if the input has several; the main table if empty
    bool aliases = false; // MaxMind DB: also list IPv6 addresses that point to IPv4 networks
    std::uint64_t skip_bad = 0;
    std::vector<renaming> renamings{}; // for answers that are written with names

    // Adds a FILE or NAME=FILE.
    void add(const std::string& text);
    bool has_several() const noexcept { return files.size() > 1; }
    // Whether one of the files is standard input.
    bool reads_stdin() const;
    std::optional<fingerpost::family> only() const {
        if (family == 0)
            return std::nullopt;
        return family == 4 ? fingerpost::family::ipv4 : fingerpost::family::ipv6;
    }
};

// Adds --table, --join, --on, and add_reading_options(). `choice` must outlive the command.
void add_table_options(command& to, table_choice& choice);

// Makes an option for tables required unless there is a default table (terminal/table/default_table.hpp).
void take_several(option& file, table_choice& choice);

// Adds only the options for reading a table, for commands that name the table in another way.
void add_reading_options(command& to, table_choice& choice);

// Adds only --table, which takes several files, each FILE or NAME=FILE, and is not required. If a command has
// no arguments, words without dashes are also tables.
option& add_table_file(command& to, table_choice& choice);

// Adds --input-format, --network, --columns and all other options for reading a file. `needs`: an option that
// they require, if there is one.
void add_format_options(command& to, table_choice& choice, const std::string& needs = {});

// Adds --join and --on, for columns of other files.
void add_joins(command& to, table_choice& choice);
// Reads COLUMN or TABLE_COLUMN=FILE_COLUMN. Returns an explanation if it is invalid.
std::string read_on(const std::string& text, column_join& join);

// Adds --rename, for commands whose answers also have other names.
option& add_rename(command& to, table_choice& choice);

// These functions read the table, and throw failure if that is not possible. They report on stderr how many
// routes were skipped, replaced or masked, how a file that is not plain text is interpreted, and the skipped
// parts of an MRT file. Files with the same name, and files without names, form one table; the last of equal
// prefixes is kept. Tables with different names are overlaid (io/source/combine/overlay.hpp).
// - load(): for a table of one family. Refuses a table with routes of both.
// - load_both(): for commands that list the routes of both families. Reports aliases, which are not listed.
// - find_tables(): for lookups. A single image stays mapped, unless types are chosen.
// - find_file(): reads `path` alone, without --join and --type.
io::one_table load(const table_choice& choice);
io::both_tables load_both(const table_choice& choice);
io::found_tables find_tables(const table_choice& choice);
io::found_tables find_file(const table_choice& choice);

// Adds --peer, which selects the peers whose routes and updates are used from MRT files. Returns the option,
// so that the caller can set another preset.
option& add_peer(command& to, io::peer_choice& peer);

// load_both() in two steps, for callers that need to know the format first.
io::table_input open_table(const table_choice& choice);
io::both_tables load_both(io::table_input input, const table_choice& choice);

// Copies the routes of an image from find_tables(). Reports nothing, because find_tables() has done so.
io::both_tables copy_tables(const both_images& images, const table_choice& choice);

// Name of the table in messages.
std::string name_of(const table_choice& choice);

// Returns the options with which io/source/any_table.hpp reads this table.
io::read_options reading_of(const table_choice& choice);

// Calls use(table) for each family that has routes, IPv4 first. If there are none, calls it once with the
// empty table of the requested family, or else of IPv6.
template <class F>
void for_each_family(io::both_tables& tables, const table_choice& choice, F use) {
    const bool none = tables.ipv4.routes.empty() && tables.ipv6.routes.empty();
    const bool four = none ? choice.family == 4 : !tables.ipv4.routes.empty();
    if (four)
        use(tables.ipv4);
    if (none ? !four : !tables.ipv6.routes.empty())
        use(tables.ipv6);
}

} // namespace fingerpost::cli
