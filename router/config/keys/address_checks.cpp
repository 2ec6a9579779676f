// Addresses without ports.
#include "router/config/keys/address_checks.hpp"

#include "fingerpost/net/text.hpp"
#include "system/http/http_hosts.hpp"

namespace fingerpost::router {

std::string check_address(const std::string& text) {
    const bool is_one =
        parse_address<ipv4_address>(text).has_value() || parse_address<ipv6_address>(text).has_value();
    return is_one ? "" : "it is neither";
}

bool is_loopback(std::string_view address) {
    return system::is_loopback_address(address);
}

} // namespace fingerpost::router
