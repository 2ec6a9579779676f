// Single settings given as text, such as `scheme=poptrie`, on top of a configuration: what `fingerpost router
// set` sends.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "router/config/config.hpp"

namespace fingerpost::router {

// Each assignment is KEY=VALUE; lists also take KEY+=VALUE and KEY-=VALUE. A key is as in the documentation,
// with a port's name in it: `port.lan.mtu`. A value is as in the file, but text needs no quotation marks and
// a list no brackets.
//
// `base` is the configuration to change, and `read` the report of the file that it came from, for the lines
// in messages. The report of the result has all faults of the assignments, and of what they make of the
// configuration; if it has errors, its settings must not be used.
parsed_config assign_settings(const config& base, const report& read,
                              std::span<const std::string> assignments, std::span<const std::string> schemes);

} // namespace fingerpost::router
