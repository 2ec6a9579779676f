// Collects the values of routes. Equal rows get the same number, and equal texts are stored once.
// is_missing() identifies missing cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fingerpost/base/hash_index.hpp"
#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/values/shared_bytes.hpp"
#include "fingerpost/values/short_text.hpp"
#include "fingerpost/values/view.hpp"

namespace fingerpost {

// Unique texts, numbered from 0 in the order of first use. The missing cell is one of them.
class unique_texts {
  public:
    // Throws std::bad_alloc or, after 2^32 - 2 texts, std::length_error.
    std::uint32_t intern(std::string_view text);
    // Interns each text and writes its number. Memory accesses of many texts overlap, so this takes a
    // fraction of the time of single calls. `numbers` is as long as `texts`. Throws like intern(); texts
    // before the failed one remain.
    void intern(std::span<const std::string_view> texts, std::span<std::uint32_t> numbers);

    std::size_t size() const noexcept { return ends_.size(); }
    // Valid until the next intern().
    std::string_view operator[](std::uint32_t number) const noexcept {
        return number == missing_ ? missing_cell : text(number);
    }
    std::span<const std::uint64_t> ends() const noexcept { return ends_; }
    std::span<const char> bytes() const noexcept { return bytes_.view(); }
    // Keeps the bytes that exist now, without the rest of this object.
    std::shared_ptr<const char[]> share_bytes() const noexcept { return bytes_.share(); }
    // Number of the missing cell, or none if no cell is missing.
    std::uint32_t missing() const noexcept { return missing_; }
    const hash_index& index() const noexcept { return index_; }

  private:
    std::string_view text(std::uint32_t number) const noexcept {
        const std::size_t start = number == 0 ? 0 : ends_[number - 1];
        return bytes_.view().substr(start, ends_[number] - start);
    }
    // For the empty text, also compares whether it is a missing cell.
    bool is(std::uint32_t number, std::string_view other) const noexcept {
        return equal_texts(text(number), other, [&] { return (number == missing_) == is_missing(other); });
    }
    std::uint32_t intern_hashed(std::string_view text, std::uint32_t hash);
    void make_room();

    shared_bytes bytes_;              // all texts, concatenated
    std::vector<std::uint64_t> ends_; // end of each text in bytes_
    hash_index index_;
    std::uint32_t last_ = hash_index::none; // tables repeat a text on consecutive lines
    std::uint32_t missing_ = hash_index::none;
};

// Rows are numbered from 0 in the order of first use. The number is the next hop of their routes.
class value_rows {
  public:
    // Creates rows with one column, next_hop.
    value_rows();
    // Requires at least one column.
    explicit value_rows(std::span<const std::string_view> columns);

    // Takes one cell for each column. Throws std::bad_alloc, or std::length_error if numbers run out.
    next_hop intern(std::span<const std::string_view> cells);
    // For rows with one column.
    next_hop intern(std::string_view cell) { return intern(std::span(&cell, 1)); }
    // Interns consecutive rows in `cells`, as many as `numbers` has elements, with overlapping memory
    // accesses. The numbers are those of single calls. If a cell equals the one in the row above, passing the
    // same memory is faster than a copy. Throws like intern(). Then no row counts, but some may have been
    // stored.
    void intern(std::span<const std::string_view> cells, std::span<next_hop> numbers);

    std::size_t columns() const noexcept { return columns_; }
    // Number of rows.
    std::size_t size() const noexcept { return cells_.size() / columns_ - 1; }
    // Type of a column; text by default.
    column_type type(std::size_t column) const noexcept { return types_[column]; }
    std::span<const column_type> types() const noexcept { return types_; }
    void set_type(std::size_t column, column_type type) noexcept { types_[column] = type; }
    // Takes one type for each column.
    void set_types(std::span<const column_type> types) { types_.assign(types.begin(), types.end()); }
    // Texts are valid until the next intern().
    std::string_view name(std::size_t column) const noexcept { return texts_[cells_[column]]; }
    std::string_view cell(next_hop row, std::size_t column) const noexcept {
        return texts_[cells_[(std::size_t{row.id} + 1) * columns_ + column]];
    }
    // First cell of a row.
    std::string_view operator[](next_hop row) const noexcept { return cell(row, 0); }

    // Valid until the next intern() or change of a type. Takes constant time.
    value_view view() const noexcept;

    // True if any cell of the column is not missing.
    bool has_cells(std::size_t column) const noexcept;
    // Returns the common types of all cells in each column that are not missing. `is_used` selects rows; all
    // rows if empty.
    std::vector<common_types> common(std::span<const char> is_used = {}) const;

    const unique_texts& texts() const noexcept { return texts_; }
    const hash_index& index() const noexcept { return index_; }

  private:
    void make_room();
    void intern_texts(std::span<const std::string_view> cells);
    next_hop intern_end(std::uint32_t hash);
    common_types common(std::size_t column, std::size_t first, std::size_t end, std::span<const char> is_used,
                        std::span<common_types> text_types) const;
    std::span<const std::uint32_t> end_row() const noexcept { return std::span(cells_).last(columns_); }
    std::span<const std::uint32_t> row(std::uint32_t number) const noexcept {
        return std::span(cells_).subspan((std::size_t{number} + 1) * columns_, columns_);
    }

    std::size_t columns_;
    std::vector<column_type> types_;
    unique_texts texts_;
    std::vector<std::uint32_t> cells_; // in the format of value_view
    hash_index index_;                 // of rows
    next_hop last_ = next_hop::none;
    // For rows that are interned together: the numbers of their texts, and the cells to search.
    std::vector<std::uint32_t> row_texts_;
    std::vector<std::string_view> searched_;
    std::vector<std::size_t> places_;
    std::vector<std::uint32_t> numbers_;
};

} // namespace fingerpost
