// Values of routes: rows of named columns, read in place, in memory or in a mapped file. A cell is a text or
// missing, and the type of a column describes its texts.
//
//     columns    next_hop | asn     | country
//     types      text     | integer | text
//     row 0      eth0     | 64500   | CH          next hop 0 of a route means row 0
//     row 1      eth1     |         | CH          asn is missing
//
//     cells      numbers of texts: first the names of the columns, then the rows
//     ends       end of each text in `bytes`; each text occurs once, also the missing one
//     bytes      the texts, concatenated
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/values/column_type.hpp"

namespace fingerpost {

// Properties of the columns and texts beyond plain text.
struct value_types {
    static constexpr std::uint32_t no_text = 0xffff'ffff;

    std::span<const column_type> columns = {}; // one type for each column; if empty, all are text
    std::uint32_t missing = no_text;           // number of the text for missing cells
};

class value_view {
  public:
    // An empty view, with no columns and no rows.
    value_view() = default;
    // Returns null on success, with the result in `view`. Otherwise returns the reason why the spans are
    // invalid, as a sentence without its full stop.
    static const char* make(std::span<const std::uint32_t> cells, std::span<const std::uint64_t> ends,
                            std::span<const char> bytes, std::size_t columns, value_view& view,
                            const value_types& types = {}) noexcept;

    std::size_t columns() const noexcept { return columns_; }
    std::size_t rows() const noexcept { return columns_ == 0 ? 0 : cells_.size() / columns_ - 1; }
    std::string_view name(std::size_t column) const noexcept { return text(cells_[column]); }
    // First column with this name.
    std::optional<std::size_t> find(std::string_view name) const noexcept {
        for (std::size_t column = 0; column < columns_; ++column)
            if (this->name(column) == name)
                return column;
        return std::nullopt;
    }
    column_type type(std::size_t column) const noexcept {
        return types_.columns.empty() ? column_type::text : types_.columns[column];
    }
    // Returns a text or a missing cell. `row` is below rows(), and `column` is below columns().
    std::string_view cell(next_hop row, std::size_t column) const noexcept {
        return text(cells_[(std::size_t{row.id} + 1) * columns_ + column]);
    }

    // The data in the format in which it is saved.
    std::span<const std::uint32_t> cells() const noexcept { return cells_; }
    std::span<const std::uint64_t> ends() const noexcept { return ends_; }
    std::span<const char> bytes() const noexcept { return bytes_; }
    const value_types& types() const noexcept { return types_; }

  private:
    // Its spans are always valid, so it skips the checks, which take time proportional to their size.
    friend class value_rows;
    value_view(std::span<const std::uint32_t> cells, std::span<const std::uint64_t> ends,
               std::span<const char> bytes, std::size_t columns, const value_types& types) noexcept
        : cells_(cells), ends_(ends), bytes_(bytes), types_(types), columns_(columns) {}

    std::string_view text(std::uint32_t number) const noexcept {
        if (number == types_.missing)
            return missing_cell;
        const std::size_t start = number == 0 ? 0 : ends_[number - 1];
        return {bytes_.data() + start, ends_[number] - start};
    }

    std::span<const std::uint32_t> cells_;
    std::span<const std::uint64_t> ends_;
    std::span<const char> bytes_;
    value_types types_;
    std::size_t columns_ = 0;
};

} // namespace fingerpost
