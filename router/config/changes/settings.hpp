// Differences between the running configuration and another one, and which of them can be applied while the
// router forwards packets.
#pragma once

#include <string>
#include <vector>

#include "router/config/config.hpp"
#include "router/config/keys/config_key.hpp"

namespace fingerpost::router {

// All keys and their values, in the order of the documentation. Keys of a port contain its name:
// `port.lan.mtu`. The configuration must have been accepted by parse_config().
std::vector<setting> settings_of(const config& from);

struct setting_change {
    std::string key;
    std::string before;   // empty for an added port
    std::string after;    // empty for a removed port
    bool at_once = false; // applied without a restart

    // `port.lan.mtu: 1500, now 9000`
    std::string to_text() const;
    friend bool operator==(const setting_change&, const setting_change&) = default;
};

// An added or removed port is one change with the key `port.NAME`.
std::vector<setting_change> changes_between(const config& now, const config& target);

// Returns `now` with the values of `target` that can change without a restart.
config with_changes_at_once(const config& now, const config& target);

// True if the threads of the data plane must be restarted.
bool has_other_threads(const config& now, const config& target);

// True for a key that can change while the router runs.
bool changes_at_once(std::string_view key);

} // namespace fingerpost::router
