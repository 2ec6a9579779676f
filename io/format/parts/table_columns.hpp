// Which columns of a table with named columns are its prefixes, and which its values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

// The column of prefixes, or of the first addresses of ranges whose last ones stand in another.
struct network_columns {
    std::size_t first = 0;
    std::optional<std::size_t> last = {};
};

// Case, blanks around, and what joins the words of a name do not count: `Start IP` is `start_ip`.
std::string plain_name(std::string_view name);
// Whether columns of prefixes usually have this name: network, prefix, cidr, subnet and the like.
bool is_network_name(std::string_view name);

// By the names that the user gave, else by the usual ones; nothing when there are none of those. Fails with
// words when a name that was given is none of the columns'.
expected<std::optional<network_columns>, std::string> find_network(std::span<const std::string> names,
                                                                   std::span<const std::string> wanted);

// The numbers of the columns with these names, in this order; of all but the network's when none is named.
expected<std::vector<std::size_t>, std::string> find_values(std::span<const std::string> names,
                                                            const std::optional<network_columns>& network,
                                                            std::span<const std::string> wanted);

// The column of this name, else of the one that is alike but for case and joints.
std::optional<std::size_t> find_column(std::span<const std::string> names, std::string_view wanted);

// `'x' is none of the columns a, b, c`.
std::string no_such_column(std::span<const std::string> names, std::string_view wanted);
// `the column 'x' is named twice`: no table has one twice.
std::string named_twice(std::string_view wanted);

// Gives every column a name of its own: `column3` where there is none, `name_2` for the second of a name.
void name_all(std::vector<std::string>& names);

// Takes columns of values by number out of a row, in the order in which they are kept. A table without any
// has one column, next_hop, of empty texts.
class value_columns {
  public:
    // Of all columns; find_values() says which are kept.
    expected<std::vector<std::string>, std::string> choose(std::span<const std::string> names,
                                                           const std::optional<network_columns>& network,
                                                           std::span<const std::string> wanted);
    // The cells that are kept; they live until the next call, as long as the row does.
    std::span<const std::string_view> of(std::span<const std::string_view> row);

  private:
    std::vector<std::size_t> kept_;
    std::vector<std::string_view> cells_ = {std::string_view()};
};

// The names as a table_builder wants them.
inline std::vector<std::string_view> views(std::span<const std::string> texts) {
    return {texts.begin(), texts.end()};
}

} // namespace fingerpost::io
