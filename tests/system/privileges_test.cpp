// Tries what a process may no longer do after it has dropped privileges. The tests run in a child, because
// this cannot be undone.
#include "system/privileges.hpp"

#include <array>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fingerpost::system {
namespace {

// The effective and the permitted capabilities, or all ones when they cannot be read.
std::pair<std::uint64_t, std::uint64_t> capabilities() {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, 2> sets{};
    if (syscall(SYS_capget, &header, sets.data()) != 0)
        return {~std::uint64_t{0}, ~std::uint64_t{0}};
    return {sets[0].effective | std::uint64_t{sets[1].effective} << 32,
            sets[0].permitted | std::uint64_t{sets[1].permitted} << 32};
}

// Returns the number of the first step that failed, or 0. The test output shows the number.
template <class F>
int in_child(F steps) {
    const pid_t child = fork();
    if (child == 0)
        _exit(steps());
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

class Privileges : public ::testing::Test {
  protected:
    void SetUp() override {
        if (geteuid() != 0 || (capabilities().second & (1U << CAP_SETUID)) == 0)
            GTEST_SKIP() << "NOT TESTED: dropping privileges needs root; run the tests as root";
    }
};

TEST_F(Privileges, UserGroupAndCapabilitiesAreGoneButForOne) {
    const auto nobody = find_account("nobody", "");
    ASSERT_TRUE(nobody.has_value()) << nobody.error();
    ASSERT_NE((*nobody).user, 0U);
    const int step = in_child([&] {
        if (drop_privileges(*nobody))
            return 1;
        if (getuid() != (*nobody).user || geteuid() != (*nobody).user || getegid() != (*nobody).group)
            return 2;
        std::vector<gid_t> groups((*nobody).groups.size() + 1);
        groups.resize(static_cast<std::size_t>(getgroups(static_cast<int>(groups.size()), groups.data())));
        if (groups != (*nobody).groups)
            return 8;
        const std::uint64_t wanted = 1U << CAP_NET_ADMIN;
        if (capabilities() != std::pair{wanted, wanted})
            return 3;
        if (setuid(0) == 0 || seteuid(0) == 0 || setgid(0) == 0)
            return 4;
        if (access("/etc/shadow", R_OK) == 0)
            return 5;
        if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
            return 6;
        // Raw sockets need a capability that was dropped.
        if (socket(AF_INET, SOCK_RAW, 1) >= 0)
            return 7;
        return 0;
    });
    EXPECT_EQ(step, 0);
}

TEST_F(Privileges, ThreadsThatStartLaterHaveTheSameAndThoseBeforeHaveNone) {
    const auto nobody = find_account("nobody", "");
    ASSERT_TRUE(nobody.has_value());
    const int step = in_child([&] {
        std::array<int, 2> go{};
        if (pipe(go.data()) != 0)
            return 1;
        std::uint64_t before = 1;
        uid_t before_user = 0;
        std::thread early([&] {
            char byte = 0;
            if (read(go[0], &byte, 1) == 1) {
                before = capabilities().second;
                before_user = getuid();
            }
        });
        const auto fault = drop_privileges(*nobody);
        const ssize_t written = write(go[1], "x", 1);
        early.join();
        if (fault || written != 1)
            return 2;
        if (before != 0 || before_user != (*nobody).user)
            return 3;
        std::uint64_t later = 0;
        std::thread([&] { later = capabilities().first; }).join();
        return later == 1U << CAP_NET_ADMIN ? 0 : 4;
    });
    EXPECT_EQ(step, 0);
}

TEST_F(Privileges, WhatIsKeptIsChosen) {
    const auto nobody = find_account("nobody", "");
    ASSERT_TRUE(nobody.has_value());
    EXPECT_EQ(in_child([&] {
                  const std::array kept{capability::net_raw, capability::sys_nice};
                  if (drop_privileges(*nobody, kept))
                      return 1;
                  return capabilities().first == (1U << CAP_NET_RAW | 1U << CAP_SYS_NICE) ? 0 : 2;
              }),
              0);
    EXPECT_EQ(in_child([&] {
                  if (drop_privileges(*nobody, {}))
                      return 1;
                  return capabilities().second == 0 ? 0 : 2;
              }),
              0);
}

TEST_F(Privileges, WithoutPrivilegesThereIsAReason) {
    const auto nobody = find_account("nobody", "");
    ASSERT_TRUE(nobody.has_value());
    EXPECT_EQ(in_child([&] {
                  if (drop_privileges(*nobody, {}))
                      return 1;
                  const auto fault = drop_privileges({.user = 1, .group = 1, .groups = {}}, {});
                  return fault && fault->starts_with("cannot set ") &&
                                 fault->ends_with("Operation not permitted")
                             ? 0
                             : 2;
              }),
              0);
}

TEST(Accounts, NamesAreLookedUp) {
    const auto root = find_account("root", "");
    ASSERT_TRUE(root.has_value());
    EXPECT_EQ((*root).user, 0U);
    EXPECT_EQ((*root).group, 0U);
    const auto other_group = find_account("root", "daemon");
    ASSERT_TRUE(other_group.has_value());
    EXPECT_NE((*other_group).group, 0U);
    const auto no_user = find_account("no-such-user", "");
    ASSERT_FALSE(no_user.has_value());
    EXPECT_EQ(no_user.error(), "unknown user 'no-such-user'");
    const auto no_group = find_account("root", "no-such-group");
    ASSERT_FALSE(no_group.has_value());
    EXPECT_EQ(no_group.error(), "unknown group 'no-such-group'");
}

} // namespace
} // namespace fingerpost::system
