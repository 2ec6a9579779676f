// One of several named tables, whose answers are extracted from the overlay of all
// (io/source/combine/overlay.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/answers/answer_rows.hpp"
#include "cli/answers/answer_table.hpp"
#include "terminal/table/column_names.hpp"

namespace fingerpost::cli {

class table_part {
  public:
    const std::string& name() const noexcept { return name_; }
    // The names in this table's answers: a column has its name in the table, or its name from --rename.
    const answer_names& names() const noexcept { return names_; }

    // Turns an answer of the overlay into an answer of this table, which may have no match.
    void narrow(row& answer) const noexcept;
    // Whether a route of the overlay belongs to this table. `route` is its row.
    bool has(const row& route) const noexcept { return prefix_in(route) == route.prefix; }

    // Divides the columns of `whole` among the tables with these names, in the order of the overlay. `names`
    // are the names in the overlay's answers. `whole` must outlive the parts.
    static std::vector<table_part> cut(const answer_table& whole, std::span<const std::string> tables,
                                       const answer_names& names);

  private:
    std::string_view prefix_in(const row& route) const noexcept;

    std::string name_;
    answer_names names_;
    std::size_t prefix_column_ = 0; // index in the overlay
    const answer_values* whole_ipv4_ = nullptr;
    std::optional<answer_values> ipv4_;
    std::optional<answer_values> ipv6_;
};

} // namespace fingerpost::cli
