// The files that `serve` serves: the page in cli/serve/http/page and the description of the HTTP interface.
// CMake generates their source (cmake/embed_page.cmake).
#pragma once

#include <string_view>

namespace fingerpost::cli {

// Contains its style and script.
extern const std::string_view page_html;
// The page's Content-Security-Policy: nothing may be loaded, and only the page's own styles and scripts run,
// identified by hashes.
extern const std::string_view page_policy;
// Contents of docs/use/serve-openapi.json.
extern const std::string_view openapi_json;

} // namespace fingerpost::cli
