// Sources of addresses for lookups: Arrow columns and numpy arrays, read in blocks of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fingerpost/base/function_ref.hpp"
#include "fingerpost/columns/column_lookup.hpp"
#include "python/core/query.hpp"
#include "python/core/vectors/signals.hpp"

namespace fingerpost::python {

using answers = columns::block_answers;
using columns::block_rows;
using columns::row_bits;
using columns::row_state;

// Working memory of a thread.
struct scratch : columns::lookup_memory {
    std::array<std::uint64_t, block_rows> first_halves;
    std::array<std::uint64_t, block_rows> low_halves;
    std::vector<char> text;                // text of a block, for sources that create it
    std::vector<std::int64_t> text_starts; // starts of rows in `text`
};

// Rows of addresses. Their memory must outlive the source. Several threads may use a source at the same time.
class source {
  public:
    source() = default;
    source(const source&) = delete;
    source& operator=(const source&) = delete;
    virtual ~source() = default;

    virtual std::size_t rows() const noexcept = 0;
    // Looks up rows [first, first + count), at most block_rows. Writes only rows, nulls, bad, ids and the
    // states of `out`.
    virtual void answer(std::size_t first, std::size_t count, scratch& with, answers& out) const = 0;
    // Explains why a row is bad.
    virtual columns::bad_row explain(std::size_t row) const = 0;
    // Called before rows are read. A dictionary looks up its entries with make_scratch().
    virtual void prepare(function_ref<scratch&()> make_scratch, between_pieces between) {
        static_cast<void>(make_scratch);
        static_cast<void>(between);
    }
};

// Kind of the rows of a source. Prefixes are always texts.
enum class row_kind : std::uint8_t { address, prefix };

// A source for a column in a layout of the library.
std::unique_ptr<source> column_source(columns::column from, row_kind kind = row_kind::address);

// Entries of a dictionary, which several sources can share.
class dictionary;
std::shared_ptr<dictionary> make_dictionary(columns::column entries, row_kind kind);

// Indices into a dictionary, whose entries are looked up once. Index is an integer of 1 to 8 bytes. A row
// with an index outside the dictionary is bad.
template <class Index>
std::unique_ptr<source> indices_source(std::span<const Index> indices, columns::validity valid,
                                       std::shared_ptr<dictionary> entries);

// Addresses that are `stride` bytes apart in an array, at any alignment.
struct strided {
    const char* bytes = nullptr;
    std::size_t rows = 0;
    std::ptrdiff_t stride = 0;
};

// IPv4 addresses as 32-bit numbers, in host order or swapped.
std::unique_ptr<source> number_source(strided from, bool swapped);
// Halves of IPv6 addresses as 64-bit numbers.
struct half_column {
    strided from;
    bool swapped = false;
};
// First halves, with as many low halves or none. Without low halves, a lookup may throw long_routes.
std::unique_ptr<source> halves_source(half_column first, std::optional<half_column> low);
// Texts of at most `width` characters, padded with zeros. A character has one byte, or four (code points).
std::unique_ptr<source> padded_text_source(strided from, std::size_t width, bool code_points, bool swapped,
                                           row_kind kind);

} // namespace fingerpost::python
