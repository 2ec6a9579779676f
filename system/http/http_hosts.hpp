// Which hosts a server answers for.
//
// A page of any site may have its name lead to 127.0.0.1 and so ask a server there from within a browser (DNS
// rebinding). The browser then sends that name as the Host, so a server on a loopback address answers for
// names of this machine alone, and for those that it is told.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fingerpost::system {

// 127.0.0.0/8 and ::1, without brackets.
bool is_loopback_address(std::string_view text);

// The name or address of a Host field without its port and brackets; nothing when it is no such field.
std::optional<std::string_view> split_host(std::string_view host);

struct http_hosts {
    bool checks = false; // else every host is answered for
    std::vector<std::string> names{};

    // `localhost`, loopback addresses, and the names. A request without a host, as HTTP/1.0 allows, is none
    // of a browser.
    bool allows(std::string_view host) const;
};

} // namespace fingerpost::system
