// The hosts for which a server answers.
//
// Any web site may let its name resolve to 127.0.0.1, and so send requests to a server there from within a
// browser (DNS rebinding). The browser then sends that name as the Host. So a server on a loopback address
// answers only for names of this machine and for configured names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fingerpost::system {

// 127.0.0.0/8 and ::1, without brackets.
bool is_loopback_address(std::string_view text);

// The name or address of a Host field without its port and brackets; nothing if the field is invalid.
std::optional<std::string_view> split_host(std::string_view host);

struct http_hosts {
    bool checks = false; // if false, answers for every host
    std::vector<std::string> names{};

    // Allows `localhost`, loopback addresses, and the configured names. A request without a host, which
    // HTTP/1.0 allows, does not come from a browser.
    bool allows(std::string_view host) const;
};

} // namespace fingerpost::system
