// The page of `explain` without its data. cmake/embed_explain_page.cmake writes both parts from the files
// beside this one.
#pragma once

#include <string_view>

namespace fingerpost::cli {

extern const std::string_view page_head; // ends inside the element that holds the data
extern const std::string_view page_tail;

} // namespace fingerpost::cli
