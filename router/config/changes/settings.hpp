// What differs between the configuration that the router runs with and another one, and which of that it can
// take over while it forwards packets.
#pragma once

#include <string>
#include <vector>

#include "router/config/config.hpp"
#include "router/config/keys/config_key.hpp"

namespace fingerpost::router {

// All keys with their values, in the order of the documentation. Keys of a port have its name:
// `port.lan.mtu`. Only for a configuration that parse_config() has accepted.
std::vector<setting> settings_of(const config& from);

struct setting_change {
    std::string key;
    std::string before;   // of a port that comes: empty
    std::string after;    // of a port that goes: empty
    bool at_once = false; // without a restart

    // `port.lan.mtu: 1500, now 9000`
    std::string to_text() const;
    friend bool operator==(const setting_change&, const setting_change&) = default;
};

// A port that comes or goes is one change, whose key is `port.NAME`.
std::vector<setting_change> changes_between(const config& now, const config& wanted);

// `now` with those values of `wanted` that can change at once.
config with_changes_at_once(const config& now, const config& wanted);

// True if the threads of the data plane must be made anew.
bool has_other_threads(const config& now, const config& wanted);

// True for a key that can change while the router runs.
bool changes_at_once(std::string_view key);

} // namespace fingerpost::router
