// Extracts the address from a socket's text form: with a port (`10.0.0.1:80`, `[2001:db8::1]:443`), in
// brackets, or with a zone (`fe80::1%eth0`).
#pragma once

#include <optional>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

// Returns the address part if the text has one of these forms, else the whole text. The part need not be a
// valid address.
std::string_view host_part(std::string_view text) noexcept;

// Returns the address part of such a text if parse_address() accepts it. Returns nothing for other texts,
// including plain addresses. Only zones of ASCII letters, digits and `.:-_@+~` are accepted, so the text
// never needs quotes in any output.
std::optional<std::string_view> socket_host(std::string_view text) noexcept;

} // namespace fingerpost
