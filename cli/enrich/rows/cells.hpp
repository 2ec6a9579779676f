// The text of added columns in each form of output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/enrich/rows/input_kinds.hpp"
#include "fingerpost/values/column_type.hpp"

namespace fingerpost::cli::enrich {

enum class cell_style : std::uint8_t {
    csv,   // `,value`, in quotes where it must be, and where it is an empty text
    tsv,   // a tab and the value, in quotes as in CSV
    json,  // `,"name":"value"`; null when there is none
    tab,   // a tab and the value; tabs and line ends in it are written \t, \n, \r, and a backslash is doubled
    pairs, // ` name=value`, both as put_pair_text() writes them
    words, // a blank and the value, in quotes where it must be; `-` when there is none
    zeek,  // a tab and the value, with tabs, line ends and backslashes as \xHH; `-` when there is none
};

cell_style style_of(const row_layout& layout, log_style log);

// An added column: what stands between it and what is before it, then the value, which may be missing.
void put_cell(cell_style style, std::string_view name, std::string_view value, std::string& out);
// The same of JSON, with the type of the column.
void put_json_cell(std::string_view name, std::string_view value, column_type type, std::string& out);
// A member whose value is an array of such elements.
void put_json_list(std::string_view name, std::string_view elements, std::string& out);
// A name or a value of a pair: in quotes where it has blanks, control characters, quotes, backslashes or an
// equals sign, and an empty name is. In quotes it is a string of JSON, in which bytes from 0x80 on stand for
// themselves.
void put_pair_text(std::string_view text, bool is_name, std::string& out);
// The name of a column in a header.
void put_name(cell_style style, std::string_view name, std::string& out);

} // namespace fingerpost::cli::enrich
