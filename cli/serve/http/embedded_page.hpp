// The files that `serve` serves: the page of cli/serve/http/page and the description of the HTTP interface.
// CMake makes the source from them (cmake/embed_page.cmake).
#pragma once

#include <string_view>

namespace fingerpost::cli {

// With its style and script inside.
extern const std::string_view page_html;
// The value of Content-Security-Policy for it: nothing may be loaded, and of styles and scripts only those of
// the page, by their hashes.
extern const std::string_view page_policy;
// docs/use/serve-openapi.json.
extern const std::string_view openapi_json;

} // namespace fingerpost::cli
