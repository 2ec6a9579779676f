// The types of columns: decided by their values, preserved when tables are joined, or set by the user.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

// A column with a type that the user chose.
struct typed_column {
    std::string name;
    column_type type;
};

// Returns the names of the columns.
std::vector<std::string> names_of(const value_rows& rows);

// Sets the types of all columns, with equal types in both families. `declared`: types from the input, for the
// first columns or all of them; integers and floats that do not fit become a wider type. The other columns
// get the narrowest type that all their values have. A column without values is one of texts.
// `has_unused_rows`: rows that no route uses may exist; they are ignored.
void decide_types(both_tables& tables, std::span<const std::optional<column_type>> declared,
                  bool has_unused_rows);

// Joins the types of the columns that have cells to the types of the columns with these names.
void join_types(const value_rows& from, std::span<const std::string_view> names,
                std::vector<std::optional<column_type>>& types);

// Gives both families the same types. They may differ in tables of images.
void equalize_types(both_tables& tables);

// Sets the types that the user chose. Returns a description of the fault if there is no such column or if a
// cell does not have the type; the types are then unchanged. An empty text means success.
std::string fix_types(both_tables& tables, std::span<const typed_column> types);

} // namespace fingerpost::io
