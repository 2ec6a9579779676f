// Which columns are added to a row, in which order and under which names.
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
    std::string name; // what the names of its columns begin with when there are several tables
    const answer_table* table;
};

struct added_column {
    std::string name;
    column_number value;
    column_type type = column_type::text; // for JSON
};

// Columns that stand side by side: of one table, or the address itself, which is of none.
struct column_group {
    std::optional<std::size_t> table;
    std::vector<added_column> columns;
};

// All that is added for one address of a row.
using field_columns = std::vector<column_group>;

struct column_plan {
    cell_style style;
    std::vector<field_columns> fields;
    std::vector<condition> conditions{}; // that a row must meet, all of them
    // The column that is counted instead of writing rows: one place for each field; empty if none is.
    std::vector<answer_place> counted{};
    std::string counted_name{};
    column_type counted_type = column_type::text;
    std::vector<renaming> unmet{}; // of the renamings that were chosen: those that meet none of the columns

    // In the order of the columns.
    std::vector<std::string> names() const;
    bool adds_nothing() const;
};

struct plan_choice {
    cell_style style;
    std::vector<std::string> fields; // names of the address fields; at least one
    std::vector<std::string> add; // `address`, `prefix` and names of value columns; empty chooses the usual
    bool with_address = false;    // whether the usual ones have the address
    std::vector<renaming> renamings{};
    bool writes_names = true;  // so that two equal ones are an error
    bool adds_nothing = false; // instead of the usual columns
    std::vector<condition_text> conditions{};
    std::string count_by{}; // empty: nothing is counted
};

// Throws usage_error for a column that no table has, for two of one name, and for one of several tables where
// it must be of one.
column_plan make_plan(std::span<const named_table> tables, const plan_choice& choice);

} // namespace fingerpost::cli::enrich
