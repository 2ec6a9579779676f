// The types of columns: decided by their values, kept when tables are combined, or fixed by the user.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

// A column for which the user chooses a type.
struct typed_column {
    std::string name;
    column_type type;
};

// Of its columns.
std::vector<std::string> names_of(const value_rows& rows);

// Sets the types of all columns, the same for both families. `given` are those that the input has itself, for
// some of the columns from the first on; of integers and floats that do not fit into one type they become a
// wider one. The values of a column decide the others: the narrowest type that all have. A column without any
// value is one of texts. `has_unused`: there may be rows of values that no route has, which do not count.
void decide_types(both_tables& tables, std::span<const std::optional<column_type>> given, bool has_unused);

// Joins the types of the columns that have cells to those of the columns with these names.
void join_types(const value_rows& from, std::span<const std::string_view> names,
                std::vector<std::optional<column_type>>& types);

// Gives both families the same types where they differ, as tables of images may.
void equalize_types(both_tables& tables);

// Sets the types that the user chose. Returns what is wrong, in words, when there is no such column or when a
// cell is not of its type; then the types stay as they were. An empty text is success.
std::string fix_types(both_tables& tables, std::span<const typed_column> chosen);

} // namespace fingerpost::io
