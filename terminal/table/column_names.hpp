// The names under which answers are written: the command's own names and those of the table's columns,
// possibly renamed by --rename, and all different.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fingerpost::cli {

// One `OLD=NEW` of --rename.
struct renaming {
    std::string from;
    std::string to;

    friend bool operator==(const renaming&, const renaming&) = default;
};

// Reads `OLD=NEW,...`; a backslash removes the special meaning of the next character. Returns the reason, in
// words, if it is not such a list, else an empty text.
std::string read_renamings(std::string_view text, std::vector<renaming>& into);

// The members of an answer, or its columns.
struct answer_names {
    std::string address = "address";
    std::string prefix = "prefix";
    std::string error = "error"; // for rows without an address
    std::vector<std::string> columns{};
};

// Each renaming applies to the first name equal to OLD that is not renamed yet, among those of the command,
// then among the columns. Throws usage_error if no name matches, and if two resulting names are equal.
// `with_errors`: there is a member for errors.
answer_names name_answers(std::vector<std::string> columns, std::span<const renaming> renamings,
                          bool with_errors);

// Why a renaming matches none of these names.
std::string no_such_name(std::string_view name, std::span<const std::string> names);

// `--rename OLD=NAME`, for messages about two equal names.
std::string rename_hint(std::string_view old_name);

// The positions of the first two names that are equal as JSON writes them; nothing if all differ. Empty names
// do not count.
struct equal_names {
    std::size_t first;
    std::size_t second;
};
std::optional<equal_names> find_equal(std::span<const std::string> names);

} // namespace fingerpost::cli
