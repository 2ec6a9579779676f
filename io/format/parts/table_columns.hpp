// Finds out which columns of a table with named columns are prefixes, and which are values.
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

// The column of networks, and that of their lengths where they have one of their own; or the columns of the
// first and of the last addresses of ranges.
struct network_columns {
    std::size_t first = 0;
    std::optional<std::size_t> last = {};
    std::optional<std::size_t> length = {};
    length_rule rule = {};

    // Whether a column is none of values.
    bool has(std::size_t column) const noexcept {
        return column == first || column == last || (column == length && !rule.is_value);
    }
    friend bool operator==(const network_columns&, const network_columns&) noexcept = default;
};

// Case, blanks around, and what joins the words of a name do not count: `Start IP` is `start_ip`.
std::string plain_name(std::string_view name);
// Whether a column with this name, compared as plain_name(), has prefixes by default.
bool is_network_name(std::string_view name);
// Whether a column with this name has the lengths or masks of the networks.
bool is_length_name(std::string_view name);

// Finds them by the names that the user gave, else by the usual names; nothing if no column has one of these.
// Fails with an explanation if a given name is none of the columns. `row`, the cells of the first row, tells
// which of several columns has networks with lengths, and whether a column that may have their lengths does.
// Before there is a row it is empty.
expected<std::optional<network_columns>, std::string>
find_network(std::span<const std::string> names, std::span<const std::string> wanted,
             std::span<const std::string_view> row = {});
// Finds the column of lengths of these networks by name alone.
void find_length(std::span<const std::string> names, network_columns& network);

// The numbers of the columns with these names, in this order; without names, all columns except those of the
// network.
expected<std::vector<std::size_t>, std::string> find_values(std::span<const std::string> names,
                                                            const std::optional<network_columns>& network,
                                                            std::span<const std::string> wanted);

// The column with this name, or else one whose name differs only in case and separators.
std::optional<std::size_t> find_column(std::span<const std::string> names, std::string_view wanted);

// `no column 'x'; columns: a, b, c`.
std::string no_such_column(std::span<const std::string> names, std::string_view wanted);
// `the column 'x' is named twice`: a table cannot have a column twice.
std::string named_twice(std::string_view wanted);

// Gives every column a unique name: `column3` for one without a name, `name_2` for the second with the same
// name.
void name_all(std::vector<std::string>& names);

// Takes the wanted columns of values out of a row, by number, in the order in which they are kept. A table
// without value columns has one column, next_hop, of missing cells.
class value_columns {
  public:
    // `all`: the names of all columns; find_values() says which are kept.
    expected<std::vector<std::string>, std::string> choose(std::span<const std::string> names,
                                                           const std::optional<network_columns>& network,
                                                           std::span<const std::string> wanted);
    // The same for a format whose columns are always these, and whose prefixes are in no column.
    expected<std::vector<std::string>, std::string> choose_of(std::span<const std::string> names,
                                                              const table_options& options);
    // The kept cells; valid until the next call, and as long as the row.
    std::span<const std::string_view> of(std::span<const std::string_view> row);

  private:
    std::vector<std::size_t> kept_;
    std::vector<std::string_view> cells_ = {std::string_view()};
};

// The names in the form that a table_builder takes.
inline std::vector<std::string_view> views(std::span<const std::string> texts) {
    return {texts.begin(), texts.end()};
}

} // namespace fingerpost::io
