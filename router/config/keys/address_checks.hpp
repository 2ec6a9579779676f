// What texts with addresses may be.
#pragma once

#include <string>
#include <string_view>

namespace fingerpost::router {

// Returns what is wrong, or nothing.
std::string check_address(const std::string& text);
bool is_loopback(std::string_view address);

} // namespace fingerpost::router
