// Headers in lines that begin with #: those of Zeek's logs, and of the extended log format of the W3C, which
// IIS, CloudFront and Exchange write.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enrich/rows/input_kinds.hpp"

namespace fingerpost::cli::enrich {

struct comment_header {
    std::string lines{};              // all of them, with their ends
    std::vector<std::string> names{}; // of the columns, as the line of names has them
    std::string name_line{};          // without its end
    std::string before_names{};       // what it begins with
    row_layout layout{};
    char name_delimiter = '\t';
};

// Takes the first line off, with its end.
std::string_view take_whole_line(std::string_view& text);
std::string_view without_end(std::string_view line);

// Whether the first line of a text is one of such a header.
bool begins_comment_header(std::string_view text);
// Whether a line of a text is the one of names, or of the types of Zeek's columns.
bool is_name_line(std::string_view line);
bool is_type_line(std::string_view line);

// The header that a text begins with, up to the first line without #; nothing if no line of it has names, or
// the delimiter is none that rows can be read with. W3C does not say what stands between columns, so that is
// found out from the first row.
std::optional<comment_header> read_comment_header(std::string_view text);
// Whether the text goes on after all lines that begin with #, with another whole line.
bool has_row_after_comments(std::string_view text);

} // namespace fingerpost::cli::enrich
