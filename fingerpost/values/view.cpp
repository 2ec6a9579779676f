// Checks that every text to which a cell refers is within the bytes.
#include "fingerpost/values/view.hpp"

#include <algorithm>

namespace fingerpost {

const char* value_view::make(std::span<const std::uint32_t> cells, std::span<const std::uint64_t> ends,
                             std::span<const char> bytes, std::size_t columns, value_view& view,
                             const value_types& types) noexcept {
    if (columns == 0)
        return "values without columns";
    if (cells.size() < columns || cells.size() % columns != 0)
        return "the cells are not complete rows";
    if (!std::is_sorted(ends.begin(), ends.end()) || (!ends.empty() && ends.back() > bytes.size()))
        return "a text of the values ends at an invalid position";
    if (std::any_of(cells.begin(), cells.end(), [&](std::uint32_t text) { return text >= ends.size(); }))
        return "a cell refers to a text that does not exist";
    if (!types.columns.empty() && types.columns.size() != columns)
        return "the number of types and columns differs";
    if (std::any_of(types.columns.begin(), types.columns.end(),
                    [](column_type type) { return type > column_type::boolean; }))
        return "a column has an unknown type";
    view = value_view(cells, ends, bytes, columns, types);
    return nullptr;
}

} // namespace fingerpost
