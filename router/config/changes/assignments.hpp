// Applies single settings given as text, such as `scheme=poptrie`, to a configuration. `fingerpost router
// set` sends such settings.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "router/config/config.hpp"

namespace fingerpost::router {

// Each assignment is KEY=VALUE; lists also accept KEY+=VALUE and KEY-=VALUE. Keys are written as in the
// documentation, with the port's name in them: `port.lan.mtu`. Values are written as in the file, except that
// strings need no quotation marks and lists no brackets.
//
// `base` is the configuration to change. `read` is the report of the file that `base` was read from; messages
// take line numbers from it. The report of the result contains all errors of the assignments and of the
// changed configuration. If it has errors, the settings of the result must not be used.
parsed_config assign_settings(const config& base, const report& read,
                              std::span<const std::string> assignments, std::span<const std::string> schemes);

} // namespace fingerpost::router
