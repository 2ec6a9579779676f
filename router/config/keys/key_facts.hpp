// What is known of a key of the configuration without a file.
#pragma once

#include <string>

namespace fingerpost::router {

struct key_facts {
    std::string name; // keys of sections have the section before them: `fpm.port`, `port.mtu`
    std::string type;
    std::string preset;
    std::string meaning;
    bool is_list = false;
};

} // namespace fingerpost::router
