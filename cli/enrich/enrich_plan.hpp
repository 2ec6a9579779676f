// The columns that are added to a row, with their order and names.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/answers/answer_table.hpp"
#include "cli/answers/condition_text.hpp"
#include "cli/enrich/rows/cells.hpp"
#include "cli/enrich/select/condition.hpp"
#include "terminal/table/column_names.hpp"

namespace fingerpost::cli::enrich {

struct named_table {
    std::string name; // prefix of column names if there are several tables
    const answer_table* table;
};

struct added_column {
    std::string name;
    column_number value;
    column_type type = column_type::text; // for JSON
};

// Adjacent columns of one table, or the address itself, which belongs to no table.
struct column_group {
    std::optional<std::size_t> table;
    std::vector<added_column> columns;
};

// All columns that are added for one address of a row.
using field_columns = std::vector<column_group>;

struct column_plan {
    cell_style style;
    std::vector<field_columns> fields;
    std::vector<condition> conditions{}; // all must hold for a row
    // The counted column, if rows are counted instead of written: one place per field.
    std::vector<answer_place> counted{};
    std::string counted_name{};
    column_type counted_type = column_type::text;
    std::vector<renaming> unmet{}; // renamings that match no added column

    // Names in the order of the columns.
    std::vector<std::string> names() const;
    bool adds_nothing() const;
};

struct plan_choice {
    cell_style style;
    std::vector<std::string> fields; // at least one
    std::vector<std::string> add;    // `address`, `prefix` and value columns; empty: the default columns
    bool with_address = false;       // whether the default columns include the address
    std::vector<renaming> renamings{};
    bool writes_names = true;  // if so, equal names are an error
    bool adds_nothing = false; // no columns, not even the default ones
    std::vector<condition_text> conditions{};
    std::string count_by{}; // empty: no counts
};

// Throws usage_error for a column that no table has, for two columns with one name, and for an ambiguous
// column of several tables where a single one is needed.
column_plan make_plan(std::span<const named_table> tables, const plan_choice& choice);

} // namespace fingerpost::cli::enrich
