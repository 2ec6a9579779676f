// Checks that every text named by a cell lies within the bytes.
#include "fingerpost/values/view.hpp"

#include <algorithm>

namespace fingerpost {

const char* value_view::make(std::span<const std::uint32_t> cells, std::span<const std::uint64_t> ends,
                             std::span<const char> bytes, std::size_t columns, value_view& view) noexcept {
    if (columns == 0)
        return "values without columns";
    if (cells.size() < columns || cells.size() % columns != 0)
        return "the cells do not make whole rows";
    if (!std::is_sorted(ends.begin(), ends.end()) || (!ends.empty() && ends.back() > bytes.size()))
        return "a text of the values ends where it may not";
    if (std::any_of(cells.begin(), cells.end(), [&](std::uint32_t text) { return text >= ends.size(); }))
        return "a cell names a text that is not there";
    view.cells_ = cells;
    view.ends_ = ends;
    view.bytes_ = bytes;
    view.columns_ = columns;
    return nullptr;
}

} // namespace fingerpost
