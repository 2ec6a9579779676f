// Documentation of one configuration key.
#pragma once

#include <string>

namespace fingerpost::router {

struct key_facts {
    std::string name; // full name: `fpm.port`, `port.mtu`
    std::string type;
    std::string preset;
    std::string meaning;
    bool is_list = false;
};

} // namespace fingerpost::router
