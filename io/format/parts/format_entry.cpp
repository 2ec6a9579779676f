// Recognises prefixes in the lines of several formats.
#include "io/format/parts/format_entry.hpp"

#include "fingerpost/net/text.hpp"

namespace fingerpost::io {

bool starts_like_prefix(std::string_view word) {
    if (word.find_first_of(",;|\"") != std::string_view::npos)
        return false;
    return detect_family(word).has_value() || word.find('/') != std::string_view::npos || word == "default" ||
           (!word.empty() && word[0] >= '0' && word[0] <= '9');
}

} // namespace fingerpost::io
