// Reads blocks of addresses from columns, and explains why a row is bad.
//
// A text is valid exactly if parse_address() accepts it (net/text.hpp). The first separator decides the
// family.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/columns/block.hpp"
#include "fingerpost/columns/column.hpp"
#include "fingerpost/net/text.hpp"
#include "fingerpost/simd/isa.hpp"

namespace fingerpost::simd {
struct byte_order_kernels;
}

namespace fingerpost::columns {

struct kernel_set;

// Reads blocks of one column. It has no state between blocks, so threads may share a reader if each has its
// own block. The column and everything that it points to must outlive the reader.
class block_reader {
  public:
    explicit block_reader(const column& from, simd::isa which = simd::preferred_isa()) noexcept;

    // Reads `count` rows, at most block_rows, from row `first`. They must be below row_count().
    void read(std::size_t first, std::size_t count, block& out) const noexcept;

  private:
    const column* from_;
    const kernel_set* texts_;
    const simd::byte_order_kernels* bytes_;
};

// Bytes of a text or binary row. Returns nothing for a null row, for a row that points outside its buffers,
// and for rows of other layouts.
std::optional<std::string_view> bytes_of(const column& of, std::size_t row) noexcept;

// A description of a bad row for users.
struct bad_row {
    std::size_t row = 0;
    std::string text;   // text as in the column, or binary as hexadecimal digits; empty if unreadable
    std::string reason; // the reason without the text, as from message()
};

// Parses the row again to find the reason, which is empty if the row is not bad.
bad_row explain(const column& of, std::size_t row);

} // namespace fingerpost::columns
