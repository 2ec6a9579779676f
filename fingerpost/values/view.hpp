// What routes answer with beyond a number: rows of named columns, read in place, in memory or in a mapped
// file. Cells are texts or missing; the type of a column says what its texts are.
//
//     columns    next_hop | asn     | country
//     types      text     | integer | text
//     row 0      eth0     | 64500   | CH          a route's next hop 0 stands for row 0
//     row 1      eth1     |         | CH          asn is missing
//
//     cells      numbers of texts: those of the columns' names first, then row after row
//     ends       where each text ends in `bytes`; every text is there once, the missing one too
//     bytes      the texts, one after the other
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/values/column_type.hpp"

namespace fingerpost {

// What makes more of texts.
struct value_types {
    static constexpr std::uint32_t no_text = 0xffff'ffff;

    std::span<const column_type> columns = {}; // a type for each; without any all are text
    std::uint32_t missing = no_text;           // the number of the text that missing cells name
};

class value_view {
  public:
    // No columns and no rows.
    value_view() = default;
    // Null on success, with the result in `view`; else what is wrong with the spans, as a sentence without
    // its full stop.
    static const char* make(std::span<const std::uint32_t> cells, std::span<const std::uint64_t> ends,
                            std::span<const char> bytes, std::size_t columns, value_view& view,
                            const value_types& types = {}) noexcept;

    std::size_t columns() const noexcept { return columns_; }
    std::size_t rows() const noexcept { return columns_ == 0 ? 0 : cells_.size() / columns_ - 1; }
    std::string_view name(std::size_t column) const noexcept { return text(cells_[column]); }
    // The first column of this name.
    std::optional<std::size_t> find(std::string_view name) const noexcept {
        for (std::size_t column = 0; column < columns_; ++column)
            if (this->name(column) == name)
                return column;
        return std::nullopt;
    }
    column_type type(std::size_t column) const noexcept {
        return types_.columns.empty() ? column_type::text : types_.columns[column];
    }
    // Missing, or a text. `row` is below rows() and `column` below columns().
    std::string_view cell(next_hop row, std::size_t column) const noexcept {
        return text(cells_[(std::size_t{row.id} + 1) * columns_ + column]);
    }

    // In the form in which they are saved.
    std::span<const std::uint32_t> cells() const noexcept { return cells_; }
    std::span<const std::uint64_t> ends() const noexcept { return ends_; }
    std::span<const char> bytes() const noexcept { return bytes_; }
    const value_types& types() const noexcept { return types_; }

  private:
    // Builds spans that are right, and so need no check, which takes time in their size.
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
