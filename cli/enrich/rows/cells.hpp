// The text of added columns in each output style.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/enrich/rows/input_kinds.hpp"
#include "fingerpost/values/column_type.hpp"

namespace fingerpost::cli::enrich {

enum class cell_style : std::uint8_t {
    csv,   // `,value`; quoted if necessary, and if the text is empty
    tsv,   // a tab and the value, quoted as in CSV
    json,  // `,"name":"value"`; null if missing
    tab,   // a tab and the value, with \t, \n and \r for tabs and line ends, and doubled backslashes
    pairs, // ` name=value`, both as put_pair_text() writes them
    words, // a blank and the value, quoted if necessary; `-` if missing
    zeek,  // a tab and the value, with \xHH for tabs, line ends and backslashes; `-` if missing
};

cell_style style_of(const row_layout& layout, log_style log);

// Writes an added column: the separator, then the value, which may be missing.
void put_cell(cell_style style, std::string_view name, std::string_view value, std::string& out);
// Writes an added JSON member with the column's type.
void put_json_cell(std::string_view name, std::string_view value, column_type type, std::string& out);
// Writes a JSON member whose value is an array of these elements.
void put_json_list(std::string_view name, std::string_view elements, std::string& out);
// Writes the name or value of a pair. Text is quoted if it has blanks, control characters, quotes,
// backslashes or an equals sign; so is an empty name. Quoted text is a JSON string in which bytes from 0x80
// up stay unescaped.
void put_pair_text(std::string_view text, bool is_name, std::string& out);
// Writes a column name in a header.
void put_name(cell_style style, std::string_view name, std::string& out);

} // namespace fingerpost::cli::enrich
