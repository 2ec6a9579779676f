// Builders of texts: views that share the memory of the table where it has the text.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "python/core/arrow/text_views.hpp"
#include "python/core/query.hpp"
#include "python/core/vectors/results/builders.hpp"

namespace fingerpost::python {

// The part of text_builder that does not depend on a type.
class row_views {
  public:
    // `shared` are buffers that the views of all rows may point to.
    row_views(std::size_t rows, std::string_view missed, std::vector<arrow::text_buffer> shared);

    arrow::view* row(std::size_t first) noexcept { return views_.get() + first; }
    // Where a block adds texts that no shared buffer has.
    arrow::text_store& store_of(std::size_t first) noexcept { return stores_[first / piece_rows]; }
    // Sets the views of the rows of a block that have no result.
    void fill_gaps(const answers& block) noexcept;
    void mark_shared() noexcept { uses_shared_.store(true, std::memory_order_relaxed); }
    void finish(arrow::chunk& into) &&;

  private:
    std::shared_ptr<arrow::view[]> views_;
    std::vector<arrow::text_buffer> shared_;
    arrow::view missed_{};
    std::vector<arrow::text_store> stores_;
    std::atomic<bool> uses_shared_ = false;
};

// Fill(answers, views, store) sets the views of the rows of a block that have a result, and returns whether
// any of them points to a shared buffer. Addresses without a route get `missed`.
template <class Fill>
class text_builder final : public builder {
  public:
    text_builder(std::size_t rows, std::string_view missed, std::vector<arrow::text_buffer> shared, Fill fill)
        : rows_(rows), fill_(std::move(fill)), texts_(rows, missed, std::move(shared)) {}

    void take(const answers& block) override {
        if (fill_(block, texts_.row(block.first), texts_.store_of(block.first)))
            texts_.mark_shared();
        texts_.fill_gaps(block);
    }
    arrow::column_type type() const override { return {arrow::kind::utf8_view, {}, {}}; }
    std::shared_ptr<const arrow::chunk> finish(const valid_sink& valid) override {
        arrow::chunk result = rows_of(arrow::kind::utf8_view, rows_, valid);
        std::move(texts_).finish(result);
        return std::make_shared<const arrow::chunk>(std::move(result));
    }

  private:
    std::size_t rows_;
    Fill fill_;
    row_views texts_;
};

template <class Fill>
std::unique_ptr<builder> make_text_builder(std::size_t rows, std::string_view missed,
                                           std::vector<arrow::text_buffer> shared, Fill fill) {
    return std::make_unique<text_builder<Fill>>(rows, missed, std::move(shared), std::move(fill));
}

// The numbers of the texts of one column, for rows of both families. Create it after the lookup.
class cell_numbers {
  public:
    cell_numbers(const query& lookups, std::size_t column);

    // For rows without a result, writes the number of a text that exists.
    void read(const answers& block, std::array<std::uint32_t, block_rows>& texts) const noexcept {
        for (std::size_t row = 0; row < block.rows; ++row) {
            const bool has = block.ids[row] != next_hop::none;
            const std::size_t cell = (std::size_t{block.route_hops[row].id} + 1) * columns_ + column_;
            texts[row] = rows_of(block, row).cells[has ? cell : 0];
        }
    }
    bool is_missing(const answers& block, std::size_t row, std::uint32_t text) const noexcept {
        return text == rows_of(block, row).missing;
    }

  private:
    struct family_rows {
        const std::uint32_t* cells;
        std::uint32_t missing;
    };
    const family_rows& rows_of(const answers& block, std::size_t row) const noexcept {
        return block.is_ipv4(row) ? ipv4_ : ipv6_;
    }
    template <class A>
    static family_rows rows_of(const query& lookups) noexcept;

    std::size_t columns_;
    std::size_t column_;
    family_rows ipv4_;
    family_rows ipv6_;
};

// Fills views of the cells of one column. Create it after the lookup.
class cell_views {
  public:
    // Adds the memory of the texts to `shared`.
    cell_views(const query& lookups, std::size_t column, std::vector<arrow::text_buffer>& shared);
    // Texts that are not UTF-8, which Arrow requires, are copied with U+FFFD for each byte that is wrong.
    bool operator()(const answers& block, arrow::view* out, arrow::text_store& mended) const;

  private:
    // The texts of one family. Without any, there is one empty text.
    struct family_texts {
        const std::uint64_t* ends;
        arrow::text_pool pool;
    };
    // The place of the text of each row; size 0 for rows without a result.
    struct places;

    template <class A>
    static family_texts texts_of(const query& lookups, std::vector<arrow::text_buffer>& shared);
    const family_texts& texts_of(const answers& block, std::size_t row) const noexcept {
        return block.is_ipv4(row) ? ipv4_ : ipv6_;
    }
    void find(const answers& block, places& out) const noexcept;

    cell_numbers numbers_;
    family_texts ipv4_;
    family_texts ipv6_;
};

} // namespace fingerpost::python
