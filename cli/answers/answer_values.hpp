// The value columns of a table's answers, in memory or in a mapped image.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/values/view.hpp"
#include "io/source/any_table.hpp"

namespace fingerpost::cli {

class answer_values {
  public:
    // All columns of `view`. The arrays of `view` must outlive this object.
    explicit answer_values(value_view view) : view_(view) {
        for (std::size_t i = 0; i < view.columns(); ++i)
            add(std::string(view.name(i)), i);
    }
    // The columns with these names, in this order; columns that `view` lacks are missing. A view without
    // columns belongs to an image whose next hops are numbers, which form the column next_hop.
    answer_values(value_view view, const std::vector<std::string>& names) : view_(view) {
        for (std::size_t i = 0; i < names.size(); ++i)
            add(names[i],
                view.columns() == 0 && names[i] == "next_hop" ? numbers : io::column_for(names, i, view));
    }
    // `count` columns of another object, starting at `first`.
    answer_values(const answer_values& whole, std::size_t first, std::size_t count) : view_(whole.view_) {
        for (std::size_t i = first; i < first + count; ++i)
            add(whole.names_[i], whole.places_[i]);
    }

    std::size_t columns() const noexcept { return places_.size(); }
    std::string_view name(std::size_t column) const noexcept { return names_[column]; }
    // The next hops of an image without columns are integers.
    column_type type(std::size_t column) const noexcept {
        const std::size_t place = places_[column];
        return place == numbers          ? column_type::integer
               : place < view_.columns() ? view_.type(place)
                                         : column_type::text;
    }
    // Number of rows that cell() accepts.
    std::size_t size() const noexcept { return view_.rows(); }
    // Whether cells of this column are row numbers, which are next hops.
    bool is_number(std::size_t column) const noexcept { return places_[column] == numbers; }
    // Whether the values are stored in rows.
    bool has_rows() const noexcept { return view_.columns() != 0; }
    // The cell of a column for which is_number() is false.
    std::string_view cell(next_hop row, std::size_t column) const noexcept {
        const std::size_t place = places_[column];
        return place < view_.columns() ? view_.cell(row, place) : missing_cell;
    }
    // The text of any column.
    std::string text(next_hop row, std::size_t column) const {
        return is_number(column) ? std::to_string(row.id) : std::string(cell(row, column));
    }

  private:
    static constexpr std::size_t numbers = std::numeric_limits<std::size_t>::max();

    void add(std::string name, std::size_t place) {
        names_.push_back(std::move(name));
        places_.push_back(place);
    }

    value_view view_;
    std::vector<std::string> names_;
    std::vector<std::size_t> places_; // positions of the columns in the view
};

} // namespace fingerpost::cli
