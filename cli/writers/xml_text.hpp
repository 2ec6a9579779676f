// Any bytes as the text of an XML document.
#pragma once

#include <string>
#include <string_view>

namespace fingerpost::cli {

// Fit for text and for attributes in double quotes. What is not printable comes as an escape (\xNN), so that
// the document is well-formed whatever the text is.
std::string xml_text(std::string_view text);

} // namespace fingerpost::cli
