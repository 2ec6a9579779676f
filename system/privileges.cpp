// The kernel prescribes the order: keep the capabilities when the user changes, then reduce them to the
// required ones.
#include "system/privileges.hpp"

#include <array>
#include <cerrno>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace fingerpost::system {
namespace {

static_assert(static_cast<int>(capability::setgid) == CAP_SETGID);
static_assert(static_cast<int>(capability::setuid) == CAP_SETUID);
static_assert(static_cast<int>(capability::sys_admin) == CAP_SYS_ADMIN);
static_assert(static_cast<int>(capability::net_admin) == CAP_NET_ADMIN);
static_assert(static_cast<int>(capability::net_raw) == CAP_NET_RAW);
static_assert(static_cast<int>(capability::sys_nice) == CAP_SYS_NICE);

constexpr std::size_t max_entry_bytes = 1U << 20;

std::string error_text(const std::string& action) {
    return action + ": " + std::generic_category().message(errno);
}

// Returns an entry of passwd or group, or nothing. The buffer grows until the entry fits.
template <class Entry, class Query>
std::optional<Entry> find_entry(const std::string& name, std::vector<char>& buffer, Query query) {
    for (buffer.resize(1'024); buffer.size() <= max_entry_bytes; buffer.resize(buffer.size() * 2)) {
        Entry entry{};
        Entry* result = nullptr;
        const int error = query(name.c_str(), &entry, buffer.data(), buffer.size(), &result);
        if (error != ERANGE)
            return result == nullptr ? std::nullopt : std::optional(entry);
    }
    return std::nullopt;
}

std::vector<gid_t> groups_of(const std::string& user, gid_t group) {
    int count = 16;
    std::vector<gid_t> groups(static_cast<std::size_t>(count));
    // If the list is too short, the call fails and sets the required length.
    while (getgrouplist(user.c_str(), group, groups.data(), &count) < 0)
        groups.resize(static_cast<std::size_t>(count));
    groups.resize(static_cast<std::size_t>(count));
    return groups;
}

std::optional<std::string> set_capabilities(std::span<const capability> capabilities) {
    // Version 3 has two words of 32 capabilities.
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, 2> sets{};
    for (const capability item : capabilities) {
        const auto number = static_cast<unsigned>(item);
        __user_cap_data_struct& word = sets[number / 32];
        word.effective |= 1U << (number % 32);
        word.permitted = word.effective;
    }
    if (syscall(SYS_capset, &header, sets.data()) != 0)
        return error_text("cannot set capabilities");
    return std::nullopt;
}

} // namespace

bool has_capability(capability item) noexcept {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, 2> sets{};
    if (syscall(SYS_capget, &header, sets.data()) != 0)
        return false;
    const auto number = static_cast<unsigned>(item);
    return (sets[number / 32].effective >> (number % 32) & 1U) != 0;
}

expected<account, std::string> find_account(const std::string& user, const std::string& group) {
    std::vector<char> buffer;
    const auto owner = find_entry<passwd>(user, buffer, getpwnam_r);
    if (!owner)
        return unexpected{"unknown user '" + user + "'"};
    account result{.user = owner->pw_uid, .group = owner->pw_gid, .groups = {}};
    if (!group.empty()) {
        const auto entry = find_entry<::group>(group, buffer, getgrnam_r);
        if (!entry)
            return unexpected{"unknown group '" + group + "'"};
        result.group = entry->gr_gid;
    }
    result.groups = groups_of(user, result.group);
    return result;
}

std::optional<std::string> drop_privileges(const account& target, std::span<const capability> capabilities) {
    if (prctl(PR_SET_KEEPCAPS, 1) != 0)
        return error_text("cannot keep capabilities");
    if (setgroups(target.groups.size(), target.groups.data()) != 0)
        return error_text("cannot set the groups");
    if (setresgid(target.group, target.group, target.group) != 0)
        return error_text("cannot set the group");
    if (setresuid(target.user, target.user, target.user) != 0)
        return error_text("cannot set the user");
    if (prctl(PR_SET_KEEPCAPS, 0) != 0 || prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
        return error_text("cannot limit capabilities");
    if (auto fault = set_capabilities(capabilities))
        return fault;
    // From now on, no program that is started can gain privileges.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return error_text("cannot disable new privileges");
    if (target.user != 0 && setresuid(0, 0, 0) == 0)
        return std::string("root privileges could be regained");
    return std::nullopt;
}

} // namespace fingerpost::system
