// Splits a block into lines, for all scanners of lines.
#pragma once

#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

#include "cli/enrich/scan/scanned.hpp"

namespace fingerpost::cli::enrich {

inline void refuse_too_long(scanned_block& into, scanned_row& row, std::string_view text) {
    row.is_bad = row.is_left_out = true;
    into.refuse_row(fault::too_long, text.substr(0, shown_of_too_long),
                    fmt::format("the row has more than {} bytes; it is left out", max_row_bytes), row.begin);
}

// Calls scan_line(line, row) for each line that is neither empty nor too long. It adds cells and completes
// the row.
template <class F>
void for_each_line(scanned_block& into, F scan_line) {
    const std::string_view bytes = into.block->bytes;
    for (std::size_t begin = 0; begin < bytes.size();) {
        const void* const position = std::memchr(bytes.data() + begin, '\n', bytes.size() - begin);
        const std::size_t line_feed =
            position != nullptr ? static_cast<std::size_t>(static_cast<const char*>(position) - bytes.data())
                                : bytes.size();
        const bool has_return = line_feed != begin && bytes[line_feed - 1] == '\r';
        const std::string_view line = bytes.substr(begin, line_feed - begin - (has_return ? 1 : 0));
        scanned_row row;
        row.begin = static_cast<std::uint32_t>(begin);
        row.insert = static_cast<std::uint32_t>(begin + line.size());
        row.end = static_cast<std::uint32_t>(position != nullptr ? line_feed + 1 : line_feed);
        row.cells = static_cast<std::uint32_t>(into.cells.size());
        if (line.empty())
            row.is_blank = true;
        else if (line_feed - begin > max_row_bytes)
            refuse_too_long(into, row, line);
        else
            scan_line(line, row);
        row.cell_count = static_cast<std::uint32_t>(into.cells.size()) - row.cells;
        into.add(row);
        begin = row.end;
    }
}

} // namespace fingerpost::cli::enrich
