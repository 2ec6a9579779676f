// Checks of address texts.
#pragma once

#include <string>
#include <string_view>

namespace fingerpost::router {

// Returns the reason why the text is not an address, or an empty text.
std::string check_address(const std::string& text);
bool is_loopback(std::string_view address);

} // namespace fingerpost::router
