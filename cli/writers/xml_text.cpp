// Replaces the four characters that are special in XML.
#include "cli/writers/xml_text.hpp"

#include "io/format/parts/printable.hpp"

namespace fingerpost::cli {

std::string xml_text(std::string_view text) {
    std::string out;
    for (const char c : io::printable(text)) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

} // namespace fingerpost::cli
