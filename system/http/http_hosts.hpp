// The hosts that a server answers for.
//
// A web site can let its name resolve to 127.0.0.1, and so make a browser send requests to a local server
// (DNS rebinding). The browser then sends that name as the Host. So a server on a loopback address answers
// only for names of this machine and for configured names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fingerpost::system {

// Whether the text is in 127.0.0.0/8 or is ::1, without brackets.
bool is_loopback_address(std::string_view text);

// Returns the name or address of a Host field, without port and brackets; nothing if it is invalid.
std::optional<std::string_view> split_host(std::string_view host);

struct http_hosts {
    bool checks = false; // if false, every host is allowed
    std::vector<std::string> names{};

    // Allows `localhost`, loopback addresses, and the configured names. Also allows requests without a host,
    // which only HTTP/1.0 has and browsers do not send.
    bool allows(std::string_view host) const;
};

} // namespace fingerpost::system
