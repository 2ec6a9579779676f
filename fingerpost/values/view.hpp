// What routes answer with beyond a number: rows of named columns of text, read in place, in memory or in a
// mapped file.
//
//     columns    next_hop | asn   | country
//     row 0      eth0     | 64500 | CH            a route's next hop 0 stands for row 0
//     row 1      eth1     | 64501 | CH
//
//     cells      numbers of texts: those of the columns' names first, then row after row
//     ends       where each text ends in `bytes`; every different text is there once
//     bytes      the texts, one after the other
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fingerpost/net/next_hop.hpp"

namespace fingerpost {

class value_view {
  public:
    // No columns and no rows.
    value_view() = default;
    // Null on success, with the result in `view`; else what is wrong with the spans, as a sentence without
    // its full stop.
    static const char* make(std::span<const std::uint32_t> cells, std::span<const std::uint64_t> ends,
                            std::span<const char> bytes, std::size_t columns, value_view& view) noexcept;

    std::size_t columns() const noexcept { return columns_; }
    std::size_t rows() const noexcept { return columns_ == 0 ? 0 : cells_.size() / columns_ - 1; }
    std::string_view name(std::size_t column) const noexcept { return text(cells_[column]); }
    // `row` is below rows() and `column` below columns().
    std::string_view cell(next_hop row, std::size_t column) const noexcept {
        return text(cells_[(std::size_t{row.id} + 1) * columns_ + column]);
    }

    // In the form in which they are saved.
    std::span<const std::uint32_t> cells() const noexcept { return cells_; }
    std::span<const std::uint64_t> ends() const noexcept { return ends_; }
    std::span<const char> bytes() const noexcept { return bytes_; }

  private:
    // Builds spans that are right, and so need no check, which takes time in their size.
    friend class value_rows;
    value_view(std::span<const std::uint32_t> cells, std::span<const std::uint64_t> ends,
               std::span<const char> bytes, std::size_t columns) noexcept
        : cells_(cells), ends_(ends), bytes_(bytes), columns_(columns) {}

    std::string_view text(std::uint32_t number) const noexcept {
        const std::size_t start = number == 0 ? 0 : ends_[number - 1];
        return {bytes_.data() + start, ends_[number] - start};
    }

    std::span<const std::uint32_t> cells_;
    std::span<const std::uint64_t> ends_;
    std::span<const char> bytes_;
    std::size_t columns_ = 0;
};

} // namespace fingerpost
