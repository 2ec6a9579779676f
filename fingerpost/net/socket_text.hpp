// The address within the text of a socket: with a port (`10.0.0.1:80`, `[2001:db8::1]:443`), in brackets, or
// with a zone (`fe80::1%eth0`).
#pragma once

#include <optional>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

// The part of a text that is the address if the text has one of these forms; the text itself if not. The part
// need not be an address.
std::string_view host_part(std::string_view text) noexcept;

// The address within such a text, which parse_address() takes; nothing if the text is another one, also if it
// is just an address. Zones of other characters than ASCII letters, digits and `.:-_@+~` are refused: so the
// text needs no quotes in any output.
std::optional<std::string_view> socket_host(std::string_view text) noexcept;

} // namespace fingerpost
