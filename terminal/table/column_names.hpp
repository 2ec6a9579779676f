// The names in answers: those of the command and of the table's columns, after --rename.
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

// Reads `OLD=NEW,...`; a backslash removes the special meaning of the next character. Returns an explanation
// if the list is invalid; otherwise an empty text.
std::string read_renamings(std::string_view text, std::vector<renaming>& target);

// Names of the members or columns of an answer.
struct answer_names {
    std::string address = "address";
    std::string prefix = "prefix";
    std::string error = "error"; // name of the reason why a row has no answer
    std::vector<std::string> columns{};
};

// Applies each renaming to the first name that equals OLD and is not renamed yet. Names of the command
// precede the columns. So a second renaming of the same OLD applies to a column with the same name as one of
// the command. Throws usage_error if no name equals OLD, and if two resulting names are equal. `with_errors`:
// answers have a member `error`.
answer_names name_answers(std::vector<std::string> columns, std::span<const renaming> renamings,
                          bool with_errors);

// Returns the message that a renaming matches none of these names.
std::string no_such_name(std::string_view name, std::span<const std::string> names);

// Returns the text `--rename OLD=NAME`, with `old_name` escaped for read_renamings() in place of OLD, for
// messages about equal names.
std::string rename_hint(std::string_view old_name);

struct equal_names {
    std::size_t first;
    std::size_t second;
};
// Returns the positions of two names that would be equal in JSON, where bytes that are not UTF-8 become
// U+FFFD. Of several pairs, returns the one with the smallest second position. Returns nothing if all differ.
// Empty names are not written and do not count.
std::optional<equal_names> find_equal(std::span<const std::string> names);

} // namespace fingerpost::cli
