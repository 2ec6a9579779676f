// VLAN devices: the requests to the kernel, and the message if it does not support them.
#include "router/routes/kernel/vlan_devices.hpp"

#include <cstddef>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <linux/rtnetlink.h>
#include <unistd.h>

#include "router/routes/netlink/netlink_message.hpp"
#include "router/routes/netlink/netlink_request.hpp"
#include "router/tests/routes/shell.hpp"
#include "system/network_namespace.hpp"

namespace fingerpost::router {
namespace {

TEST(vlan_devices, are_asked_for_by_name_parent_and_id) {
    netlink_request request;
    const nlmsghdr* const message = request.add_vlan("left.4094", 77, 4094, 5);
    EXPECT_EQ(message->nlmsg_seq, 5u);
    EXPECT_TRUE(message->nlmsg_flags & NLM_F_ACK);
    const auto* const first = reinterpret_cast<const std::byte*>(message);
    std::vector<std::byte> bytes(first, first + message->nlmsg_len);
    const int number = 78; // chosen by the kernel, as in its own messages
    std::memcpy(bytes.data() + sizeof(nlmsghdr) + offsetof(ifinfomsg, ifi_index), &number, sizeof number);
    const auto decoded = decode_netlink(bytes);
    ASSERT_TRUE(decoded) << decoded.error().reason;
    ASSERT_EQ(decoded->size(), 1u);
    const auto* const link = std::get_if<link_message>(&(*decoded)[0].body);
    ASSERT_NE(link, nullptr);
    EXPECT_EQ(link->link.name, "left.4094");
    EXPECT_EQ(link->link.parent, 77u);
    EXPECT_EQ(link->link.vlan, 4094);
}

// Runs in a network namespace with an interface `left`; skipped with a message if that is not possible.
class vlan_device_test : public ::testing::Test {
  protected:
    void SetUp() override {
        if (const auto added = system::shell("ip netns add " + space); !added) {
            std::cerr
                << "SKIPPED: VLAN devices are not tested, as no network namespace can be made (no root?): "
                << added.message() << '\n';
            GTEST_SKIP();
        }
        made = true;
        ASSERT_TRUE(system::shell("ip -n " + space + " link add left type veth peer name right"));
    }
    void TearDown() override {
        if (made) {
            EXPECT_TRUE(system::shell("ip netns del " + space));
        }
    }
    std::optional<system::failure> add(const std::string& tap, const std::vector<unsigned>& ids) const {
        std::optional<system::failure> failed;
        const auto entered =
            system::in_network_namespace(space, [&] { failed = add_vlan_devices(tap, ids); });
        return entered ? entered : failed;
    }

    std::string space = "fp-vlan-" + std::to_string(::getpid());
    bool made = false;
};

TEST_F(vlan_device_test, are_there_afterwards_or_the_kernel_says_why_not) {
    const auto failed = add("left", {5, 100});
    if (failed) { // a kernel without VLAN devices
        EXPECT_NE(failed->reason.find("VLAN device left.5: "), std::string::npos) << failed->reason;
        return;
    }
    EXPECT_TRUE(system::shell("ip -n " + space + " link show left.100"));
    EXPECT_FALSE(add("left", {5, 6})) << "what is there already stays";
}

TEST_F(vlan_device_test, faults_name_the_interface) {
    const auto missing = add("middle", {5});
    ASSERT_TRUE(missing);
    EXPECT_NE(missing->reason.find("interface middle: "), std::string::npos) << missing->reason;
    EXPECT_FALSE(add("middle", {})) << "nothing is asked for";
    ASSERT_TRUE(system::shell("ip -n " + space + " link add abcdefghijklm type veth peer name other"));
    const auto too_long = add("abcdefghijklm", {100});
    ASSERT_TRUE(too_long);
    EXPECT_NE(too_long->reason.find("'abcdefghijklm.100' would be longer than 15 bytes"), std::string::npos)
        << too_long->reason;
}

} // namespace
} // namespace fingerpost::router
