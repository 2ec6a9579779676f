// Reads blocks of addresses from columns, and explains what is wrong with a bad row.
//
// A text is valid exactly if parse_address() accepts it (net/text.hpp). The family is that of the first
// separator.
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

// Reads blocks of one column. It holds no state between blocks: threads may share one reader, each with a
// block of its own. The column, and all that it points to, must outlive it.
class block_reader {
  public:
    explicit block_reader(const column& from, simd::isa which = simd::preferred_isa()) noexcept;

    // Reads rows [first, first + count), at most block_rows of them; first + count is at most row_count().
    void read(std::size_t first, std::size_t count, block& out) const noexcept;

  private:
    const column* from_;
    const kernel_set* texts_;
    const simd::byte_order_kernels* bytes_;
};

// The bytes of a row of text or binary; nothing for a null row, for a row that points outside its buffers,
// and for rows of other layouts.
std::optional<std::string_view> bytes_of(const column& of, std::size_t row) noexcept;

// A bad row, described for people.
struct bad_row {
    std::size_t row = 0;
    std::string text; // as it stands in the column; binary as hexadecimal digits; empty if it cannot be read
    std::string reason; // without the text, as message() words it
};

// Parses the row again to find the reason. The reason is empty for rows that are not bad.
bad_row explain(const column& of, std::size_t row);

} // namespace fingerpost::columns
