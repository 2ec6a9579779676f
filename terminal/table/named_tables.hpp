// Files of tables as users name them: FILE or NAME=FILE. Files with the same name, and all files without
// names, form one table.
#pragma once

#include <string>
#include <vector>

#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {

// Reads FILE or NAME=FILE. The name is a word of letters, digits, `_` and `-`; other texts with `=` are
// files.
table_file cut_table(const std::string& text);

// The files of one table.
struct file_group {
    std::string name{};
    std::vector<std::string> paths{};
};
// Groups files in the order of their names. Throws usage_error if only some files have names.
std::vector<file_group> group_files(const std::vector<table_file>& files);

struct found_table {
    std::string name{};
    io::found_tables tables;
};
// Reads all tables, adds the columns of --join, and sets the types of --type in each table that has the
// column. A single image stays mapped without these options. `choice` has the options for reading; its files
// are ignored. Throws failure, also if no table has the column of a --join or --type, and if files without
// names have different columns.
std::vector<found_table> find_groups(const std::vector<file_group>& groups, const table_choice& choice);

} // namespace fingerpost::cli
