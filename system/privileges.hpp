// Changes the process to an ordinary user when everything that needs root is open, and keeps the few
// capabilities that the router needs later.
//
// User and group change for the whole process. Capabilities belong to threads: the calling thread and those
// that it starts later keep `capabilities`; threads that are already running lose all. So the control thread
// must call this.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "fingerpost/base/expected.hpp"

namespace fingerpost::system {

// Numbers of linux/capability.h, for the capabilities that the router may need.
enum class capability : std::uint8_t {
    setgid = 6,
    setuid = 7,
    net_admin = 12,
    net_raw = 13,
    sys_admin = 21,
    sys_nice = 23
};

// Whether the calling thread has the capability.
bool has_capability(capability item) noexcept;

// net_admin is needed to change TAP interfaces, addresses and routes.
inline constexpr capability kept_by_default[] = {capability::net_admin};

// The user to become. Names are looked up before anything changes.
struct account {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups; // all groups of the user
};

// An empty group means the user's group. The error is a sentence with the name.
expected<account, std::string> find_account(const std::string& user, const std::string& group);

// Drops all other privileges, which cannot be regained. Returns nothing on success. After an error the
// process should end, because some privileges may be gone.
std::optional<std::string> drop_privileges(const account& target,
                                           std::span<const capability> capabilities = kept_by_default);

} // namespace fingerpost::system
