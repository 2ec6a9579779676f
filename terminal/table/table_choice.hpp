// The options that name a table, the same for every command that reads one.
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

// One --table: a file, and the name in front of it, or an empty name.
struct table_file {
    std::string name{};
    std::string path{};
};

// One --join with its --on.
struct column_join {
    std::string path{};      // of a CSV or TSV file
    std::string table_key{}; // the column of the table
    std::string file_key{};  // the column of the file
};

struct table_choice {
    std::string path;
    std::vector<table_file> files{}; // all of them; path is that of the first
    std::vector<column_join> joins{};
    unsigned family = 0; // 4, 6, or 0 to take that of the table
    bool strict = false;
    std::optional<io::table_format> format; // if not set, found from the content
    std::vector<std::string> network;       // the column of prefixes, or the two columns of ranges
    std::vector<std::string> values;        // the columns to keep
    std::vector<io::typed_column> types{};  // the columns whose types are chosen
    io::peer_choice peer{};                 // which peers' routes of a recorded table; by default the best
                                            // ones
    std::string routing_table{};            // of an input with several; the main one if empty
    bool aliases = false;                   // of a MaxMind DB: IPv6 addresses that lead to IPv4 networks
    std::uint64_t skip_bad = 0;
    std::vector<renaming> renamings{}; // for answers that are written under names

    // Takes a FILE or NAME=FILE.
    void add(const std::string& text);
    bool has_several() const noexcept { return files.size() > 1; }
    // Whether one of the files is the standard input.
    bool reads_stdin() const;
    std::optional<fingerpost::family> only() const {
        if (family == 0)
            return std::nullopt;
        return family == 4 ? fingerpost::family::ipv4 : fingerpost::family::ipv6;
    }
};

// Adds --table, --join, --on, --family, --strict and the options of add_format_options(); `choice` must
// outlive the command.
void add_table_options(command& to, table_choice& choice);

// Makes an option for tables required unless there is a default table (terminal/table/default_table.hpp).
void take_several(option& file, table_choice& choice);

// Those of them that say how a table is read, for commands that name the table in another way.
void add_reading_options(command& to, table_choice& choice);

// Only --table, which takes several files, each FILE or NAME=FILE, and is not required. Where a command has
// no arguments of its own, words without dashes are tables too.
option& add_table_file(command& to, table_choice& choice);

// Adds --input-format, --network, --columns and all others that say how a file is read. `needs`: the option
// without which they have no meaning, if there is one.
void add_format_options(command& to, table_choice& choice, const std::string& needs = {});

// --join and --on: columns of other files.
void add_joins(command& to, table_choice& choice);
// Reads COLUMN or COLUMN=COLUMN, the columns of the table and of the file. Returns what is wrong, in words.
std::string read_on(const std::string& text, column_join& join);

// --rename, for commands that write answers beside names of their own.
option& add_rename(command& to, table_choice& choice);

// These read the table, and throw failure if that is not possible. On stderr they report how many routes were
// skipped, replaced or masked, how a file that is no plain text was understood, and what was skipped in an
// MRT file. Files of one name, or without names, are one table: of equal prefixes the one of the last file
// counts. Tables with different names become their overlay (io/source/combine/overlay.hpp). load() is for a
// table of one family, and refuses one with routes of both. load_both()
// returns the routes of both, for commands that list them: it reports aliases, which are no routes.
// find_tables() is for lookups: it leaves a single image mapped, unless types are chosen. find_file() reads
// `path` alone, without --join and --type.
io::one_table load(const table_choice& choice);
io::both_tables load_both(const table_choice& choice);
io::found_tables find_tables(const table_choice& choice);
io::found_tables find_file(const table_choice& choice);

// --peer: selects the peers whose routes and updates are taken from MRT files. Returns the option, for
// another preset.
option& add_peer(command& to, io::peer_choice& peer);

// load_both() in two steps, for callers that must know the format first.
io::table_input open_table(const table_choice& choice);
io::both_tables load_both(io::table_input input, const table_choice& choice);

// Copies the routes of an image that find_tables() has found. Reports nothing, as find_tables() has done so.
io::both_tables copy_tables(const both_images& images, const table_choice& choice);

// What messages call the table.
std::string name_of(const table_choice& choice);

// The options with which io/source/any_table.hpp reads this table.
io::read_options reading_of(const table_choice& choice);

// Calls use(table) for each family that has routes, IPv4 first. If none has, calls it once, with the empty
// table of the wanted family, else of IPv6.
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
