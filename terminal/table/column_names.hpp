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
    std::string error = "error"; // of the reason why a row has no answer
    std::vector<std::string> columns{};
};

// Each renaming applies to the first name that equals OLD and is not renamed yet. The command's names come
// before the columns, so a second renaming of the same OLD applies to a column that has the name of a
// command's own. Throws usage_error if no name equals OLD, and if two resulting names are equal.
// `with_errors`: answers have a member `error`.
answer_names name_answers(std::vector<std::string> columns, std::span<const renaming> renamings,
                          bool with_errors);

// Why a renaming matches none of these names.
std::string no_such_name(std::string_view name, std::span<const std::string> names);

// The text `--rename OLD=NAME` with `old_name` as OLD, escaped as read_renamings() reads it, and the word
// NAME: for messages about two equal names.
std::string rename_hint(std::string_view old_name);

struct equal_names {
    std::size_t first;
    std::size_t second;
};
// The positions of two names that would be equal in JSON, where bytes that are not UTF-8 become U+FFFD; of
// several such pairs the one that is complete first. Nothing if all differ. Empty names are not written and
// do not count.
std::optional<equal_names> find_equal(std::span<const std::string> names);

} // namespace fingerpost::cli
