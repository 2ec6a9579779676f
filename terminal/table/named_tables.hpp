// Several files of tables as users name them: FILE or NAME=FILE. Files of one name, or without names, are one
// table.
#pragma once

#include <string>
#include <vector>

#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {

// Reads FILE or NAME=FILE. The name is a word of letters, digits, `_` and `-`; other text with a `=` is a
// file.
table_file cut_table(const std::string& text);

// The files of one table.
struct file_group {
    std::string name{};
    std::vector<std::string> paths{};
};
// In the order in which their names first come. Throws usage_error when some files have a name and some have
// not.
std::vector<file_group> group_files(const std::vector<table_file>& files);

struct found_table {
    std::string name{};
    io::found_tables tables;
};
// Reads all of them, adds the columns of --join, and sets the types of --type in each table that has the
// column. An image that is a table alone stays mapped without these options. `choice` says how to read; its
// own files are ignored. Throws failure, also when no table has the column of a --join or --type, and when
// files of a group without a name have different columns.
std::vector<found_table> find_groups(const std::vector<file_group>& groups, const table_choice& choice);

} // namespace fingerpost::cli
