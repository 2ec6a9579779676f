// Feeds bytes to the cutter of rows, whole and in chunks, and reads the rows: both ways give the same rows,
// which hold all bytes.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enrich/rows/comment_header.hpp"
#include "cli/enrich/rows/csv_rows.hpp"
#include "cli/enrich/rows/row_cutter.hpp"
#include "fuzz/require.hpp"

namespace {

using namespace fingerpost::cli::enrich;

// The ends of all rows, taken from blocks; checks that the blocks hold all bytes and begin where they say.
std::vector<std::size_t> rows_of(std::string_view text, std::size_t chunk, const csv_dialect& dialect) {
    std::vector<std::size_t> ends;
    std::size_t offset = 0;
    row_cutter cutter("fuzz", dialect.has_blanks() ? nullptr : &dialect);
    const auto take = [&](row_block&& block) {
        require(!block.is_too_long && text.substr(offset, block.bytes.size()) == block.bytes);
        const auto before = text.substr(0, offset);
        require(block.first_line ==
                1 + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')));
        for (const line_region& region : block.by_line)
            require(region.begin < region.end && region.end <= block.bytes.size());
        auto lines = block.by_line.begin();
        for (const char* at = block.bytes.data(); at != block.bytes.data() + block.bytes.size();) {
            const auto here = static_cast<std::size_t>(at - block.bytes.data());
            lines = std::find_if(lines, block.by_line.end(),
                                 [here](const line_region& region) { return region.end > here; });
            const char* end = block.bytes.data() + block.bytes.size();
            if (lines != block.by_line.end() && lines->begin <= here)
                end = block.bytes.data() + std::min(block.bytes.find('\n', here), block.bytes.size() - 1) + 1;
            const std::size_t wanted[] = {0, 2, 3};
            std::string_view fields[3];
            const csv_row row = read_csv_row(at, end, dialect, wanted, fields);
            require(row.end >= at && row.next > at && row.next >= row.end && row.next <= end);
            require(row.next == end || row.next[-1] == '\n');
            const std::vector<std::string> texts =
                csv_texts({at, static_cast<std::size_t>(row.end - at)}, dialect);
            std::string scratch;
            for (std::size_t i = 0; i < row.field_count; ++i) {
                require(fields[i].data() >= at && fields[i].data() + fields[i].size() <= row.end);
                require(texts.at(wanted[i]) == csv_text(fields[i], dialect, scratch));
            }
            require(row.field_count == 3 || texts.size() <= wanted[row.field_count]);
            require(row.columns == texts.size());
            at = row.next;
            ends.push_back(offset + static_cast<std::size_t>(at - block.bytes.data()));
        }
        offset += block.bytes.size();
        return true;
    };
    for (std::size_t at = 0; at < text.size(); at += chunk)
        require(cutter.feed(text.substr(at, chunk), take));
    require(cutter.finish(take) && offset == text.size());
    return ends;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2)
        return 0;
    const csv_dialect dialect{"\t, "[std::min(data[0] & 3, 2)], (data[0] & 4) == 0};
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    require(rows_of(text, text.size(), dialect) == rows_of(text, std::size_t{1} + (data[0] >> 3), dialect));
    (void)read_comment_header(text);
    return 0;
}
