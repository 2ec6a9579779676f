// Routes as lines of table text (io/format/text/table_text.hpp).
#pragma once

#include <string>
#include <string_view>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/text_field.hpp"

namespace fingerpost::cli {

// `prefix` or `prefix next_hop`; the next hop must not contain control characters.
template <class A>
void append_route(const prefix<A>& where, std::string_view hop, std::string& out) {
    char text[max_prefix_text<A>];
    out.append(text, format(where, text));
    io::append_text_value(out, hop);
}

} // namespace fingerpost::cli
