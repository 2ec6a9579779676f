// All keys of the configuration file, with their allowed values and meanings.
#pragma once

#include <span>
#include <string>

#include "router/config/config.hpp"
#include "router/config/keys/config_key.hpp"

namespace fingerpost::router {

// Keys of a [[port]] section.
key_set<port_config> keys_of_port();
key_set<config> keys_of_config(std::span<const std::string> schemes);

} // namespace fingerpost::router
