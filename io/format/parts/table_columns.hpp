// Finds out which named columns of a table have prefixes, and which have values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/network_length.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

// The column of networks, with the column of their lengths if there is one; or the columns of the first and
// last addresses of ranges.
struct network_columns {
    std::size_t first = 0;
    std::optional<std::size_t> last = {};
    std::optional<std::size_t> length = {};
    length_rule rule = {};

    // Whether a column is not a value column.
    bool has(std::size_t column) const noexcept {
        return column == first || column == last || (column == length && !rule.is_value);
    }
    friend bool operator==(const network_columns&, const network_columns&) noexcept = default;
};

// Returns a name in lower case, with `_` between its words: `Start IP` becomes `start_ip`.
std::string plain_name(std::string_view name);
// Whether a column with this name has prefixes by default. Names are compared by plain_name().
bool is_network_name(std::string_view name);
// Whether a column with this name has lengths or masks of networks.
bool is_length_name(std::string_view name);

// Finds the columns by the names that the user gave, or else by the usual names. Returns nothing if no column
// has a usual name. Fails with an explanation if a name of the user is missing. `row` has the cells of the
// first row, and is empty before there is one. It decides which of several columns has networks with lengths,
// and whether a column has their lengths.
expected<std::optional<network_columns>, std::string>
find_network(std::span<const std::string> names, std::span<const std::string> user_names,
             std::span<const std::string_view> row = {});
// Finds the column of the lengths of these networks, by name alone.
void find_length(std::span<const std::string> names, network_columns& network);

// Returns the indices of the columns with these names, in this order. Without names, returns all columns
// except those of the network.
expected<std::vector<std::size_t>, std::string> find_values(std::span<const std::string> names,
                                                            const std::optional<network_columns>& network,
                                                            std::span<const std::string> user_names);

// Returns the column with this name, or else one whose name differs only in case and separators.
std::optional<std::size_t> find_column(std::span<const std::string> names, std::string_view name);

// Returns `no column 'x'; columns: a, b, c`.
std::string no_such_column(std::span<const std::string> names, std::string_view name);
// Returns `the column 'x' is named twice`, because a table cannot have a column twice.
std::string named_twice(std::string_view name);

// Gives every column a unique name: `column3` without a name, `name_2` for the second column with a name.
void name_all(std::vector<std::string>& names);

// Selects the value columns of rows, in the order in which they are kept. A table without value columns has
// one column, next_hop, with missing cells.
class value_columns {
  public:
    // `names`: names of all columns. Returns the names of the kept columns, as find_values() chooses them.
    expected<std::vector<std::string>, std::string> choose(std::span<const std::string> names,
                                                           const std::optional<network_columns>& network,
                                                           std::span<const std::string> user_names);
    // For formats with fixed columns that are all value columns.
    expected<std::vector<std::string>, std::string> choose_of(std::span<const std::string> names,
                                                              const table_options& options);
    // Returns the kept cells of a row. Valid until the next call, and as long as the row.
    std::span<const std::string_view> of(std::span<const std::string_view> row);

  private:
    std::vector<std::size_t> columns_;
    std::vector<std::string_view> cells_ = {std::string_view()};
};

// Returns the names as views, for table_builder.
inline std::vector<std::string_view> views(std::span<const std::string> texts) {
    return {texts.begin(), texts.end()};
}

} // namespace fingerpost::io
