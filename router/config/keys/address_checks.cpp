// Checks of addresses without ports.
#include "router/config/keys/address_checks.hpp"

#include "fingerpost/net/text.hpp"
#include "system/http/http_hosts.hpp"

namespace fingerpost::router {

std::string check_address(const std::string& text) {
    return parse_address(text) ? "" : "it is neither";
}

bool is_loopback(std::string_view address) {
    return system::is_loopback_address(address);
}

} // namespace fingerpost::router
