// Which columns are added to a row, in which order and under which names.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/answers/answer_table.hpp"
#include "cli/enrich/rows/cells.hpp"
#include "terminal/table/column_names.hpp"

namespace fingerpost::cli::enrich {

struct named_table {
    std::string name; // what the names of its columns begin with when there are several tables
    const answer_table* table;
};

struct added_column {
    std::string name;
    // The number of the value column in the tables of IPv4 and of IPv6; nothing is the matched prefix, and a
    // number past the last one a column that the table has not.
    std::optional<std::array<std::size_t, 2>> value;
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
    std::vector<renaming> unmet{}; // of the renamings that were chosen: those that meet none of the columns

    // In the order of the columns.
    std::vector<std::string> names() const;
};

struct plan_choice {
    cell_style style;
    std::vector<std::string> fields; // names of the address fields; at least one
    std::vector<std::string> add; // `address`, `prefix` and names of value columns; empty chooses the usual
    bool with_address = false;    // whether the usual ones have the address
    std::vector<renaming> renamings{};
    bool writes_names = true; // so that two equal ones are an error
};

// Throws usage_error for a column that no table has, and for two of one name.
column_plan make_plan(std::span<const named_table> tables, const plan_choice& choice);

} // namespace fingerpost::cli::enrich
