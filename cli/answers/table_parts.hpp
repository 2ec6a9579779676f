// One of several named tables, whose answers are read out of their overlay (io/source/combine/overlay.hpp).
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
    // Of its answers. A column has the name that it has in its own table, or the one of --rename.
    const answer_names& names() const noexcept { return names_; }

    // Turns an answer of the overlay into that of this table, which may have no match.
    void narrow(row& answer) const noexcept;
    // Whether a route of the overlay is one of this table; `route` is its row.
    bool has(const row& route) const noexcept { return prefix_in(route) == route.prefix; }

    // Cuts the columns of `whole`, which must outlive the parts, into those of the tables with these names,
    // in the order of the overlay. `names` are those of the answers of the overlay.
    static std::vector<table_part> cut(const answer_table& whole, std::span<const std::string> tables,
                                       const answer_names& names);

  private:
    std::string_view prefix_in(const row& route) const noexcept;

    std::string name_;
    answer_names names_;
    std::size_t prefix_column_ = 0; // of the overlay
    const answer_values* whole_ipv4_ = nullptr;
    std::optional<answer_values> ipv4_;
    std::optional<answer_values> ipv6_;
};

} // namespace fingerpost::cli
