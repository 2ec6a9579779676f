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
        return "the cells do not make whole rows";
    if (!std::is_sorted(ends.begin(), ends.end()) || (!ends.empty() && ends.back() > bytes.size()))
        return "a text of the values ends where it may not";
    if (std::any_of(cells.begin(), cells.end(), [&](std::uint32_t text) { return text >= ends.size(); }))
        return "a cell names a text that is not there";
    if (!types.columns.empty() && types.columns.size() != columns)
        return "there is not a type for each column";
    if (std::any_of(types.columns.begin(), types.columns.end(),
                    [](column_type type) { return type > column_type::boolean; }))
        return "a column has a type that is not known";
    view = value_view(cells, ends, bytes, columns, types);
    return nullptr;
}

} // namespace fingerpost
