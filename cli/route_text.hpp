// Routes as lines of table text (io/format/text.hpp).
#pragma once

#include <string>
#include <string_view>

#include "fingerpost/net/text.hpp"

namespace fingerpost::cli {

// `prefix` or `prefix next_hop`.
template <class A>
void append_route(const prefix<A>& where, std::string_view hop, std::string& out) {
    char text[max_prefix_text<A>];
    out.append(text, format(where, text));
    if (!hop.empty()) {
        out += ' ';
        out += hop;
    }
    out += '\n';
}

} // namespace fingerpost::cli
