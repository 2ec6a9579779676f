// Makes the process an ordinary user once everything is open that only root may open, and keeps the few
// capabilities that the router needs later.
//
// User and group change for the whole process. Capabilities belong to threads: the calling one, and those
// that it starts later, keep `kept`; threads that run already lose all. So the control thread calls this.
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

// Of linux/capability.h: those that the router may need at its start or later.
enum class capability : std::uint8_t {
    setgid = 6,
    setuid = 7,
    net_admin = 12,
    net_raw = 13,
    sys_admin = 21,
    sys_nice = 23
};

// Whether the calling thread has it now.
bool has_capability(capability one) noexcept;

// TAP interfaces, addresses and routes are changed with net_admin.
inline constexpr capability kept_by_default[] = {capability::net_admin};

// Who to become. Names are looked up before anything changes.
struct account {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups; // all that the user is in
};

// An empty group is the user's own. The error is a sentence with the name in it.
expected<account, std::string> find_account(const std::string& user, const std::string& group);

// Nothing when all has been dropped, and cannot be got back. With an error the process should end: a part of
// the privileges may be gone.
std::optional<std::string> drop_privileges(const account& to,
                                           std::span<const capability> kept = kept_by_default);

} // namespace fingerpost::system
