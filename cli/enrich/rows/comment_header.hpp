// Headers in lines that begin with #: those of Zeek's logs and of the W3C extended log format, which IIS,
// CloudFront and Exchange write.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enrich/rows/input_kinds.hpp"

namespace fingerpost::cli::enrich {

struct comment_header {
    std::string lines{};              // all lines, with their ends
    std::vector<std::string> names{}; // column names in the order of the name line
    std::string name_line{};          // without its line end
    std::string before_names{};       // text before the names
    row_layout layout{};
    char name_delimiter = '\t';
};

// Removes and returns the first line with its line end.
std::string_view take_whole_line(std::string_view& text);
std::string_view without_end(std::string_view line);

// Whether the first line of a text begins such a header.
bool begins_comment_header(std::string_view text);
// Whether a line has the names, or the types of Zeek's columns.
bool is_name_line(std::string_view line);
bool is_type_line(std::string_view line);

// The header at the start of a text, up to the first line without #. Returns nothing if no line has names, or
// if rows with this delimiter cannot be read. The W3C format does not define the delimiter, so it is derived
// from the first row.
std::optional<comment_header> read_comment_header(std::string_view text);
// Whether another complete line follows all lines that begin with #.
bool has_row_after_comments(std::string_view text);

} // namespace fingerpost::cli::enrich
