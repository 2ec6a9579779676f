// The names under which answers are written: the command's own and those of the table's columns, each given
// another one by --rename, and none of them twice.
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

// Reads `OLD=NEW,...`; a backslash takes the meaning from the character behind it. The reason in words when
// it is no such list, else empty.
std::string read_renamings(std::string_view text, std::vector<renaming>& into);

// The members of an answer, or its columns.
struct answer_names {
    std::string address = "address";
    std::string prefix = "prefix";
    std::string error = "error"; // of what is no address
    std::vector<std::string> columns{};
};

// Of the first of equal names, each renaming takes the first that has its own still: those of the command,
// then those of the columns. Throws usage_error for one that meets none of them, and when two names are
// equal. `with_errors`: there is a member for errors.
answer_names name_answers(std::vector<std::string> columns, std::span<const renaming> renamings,
                          bool with_errors);

// Why a renaming meets none of these names.
std::string no_such_name(std::string_view name, std::span<const std::string> names);

// `--rename OLD=NAME`, for messages that name the way out of two equal names.
std::string rename_hint(std::string_view old_name);

// The places of the first two equal names, as JSON writes them; nothing when all differ. Empty ones are no
// names.
struct equal_names {
    std::size_t first;
    std::size_t second;
};
std::optional<equal_names> find_equal(std::span<const std::string> names);

} // namespace fingerpost::cli
