// A forwarding table with two ports, for tests that examine the entries seen by data threads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

#include "router/forward/forwarding.hpp"
#include "router/tests/data/addresses.hpp"
#include "router/tests/data/packets.hpp"

namespace fingerpost::router::testing {

// Grace periods end when the test ends them.
struct manual_clock final : grace_clock {
    std::uint64_t begun = 0;
    std::uint64_t over = 0;
    std::uint64_t begin() override { return ++begun; }
    bool is_over(std::uint64_t period) override { return period <= over; }
};

inline ipv4_prefix net4(const char* text) {
    return *parse_prefix<ipv4_address>(text);
}
inline ipv6_prefix net6(const char* text) {
    return *parse_prefix<ipv6_address>(text);
}
inline destination via(const char* gateway, std::uint32_t interface = 0, std::uint16_t weight = 1) {
    return {action::forward, {{at(gateway), interface, weight}}};
}
// The Ethernet header written for an IPv4 packet.
inline octets written(const next_hop_entry& entry) {
    std::array<std::uint8_t, link_header::most_bytes> before{};
    entry.out.header.write_before(before.data() + before.size(), true);
    return {before.end() - entry.out.header.length(), before.end()};
}

// Port 0 is link 10 with the VLAN device 12 on top of it, port 1 is link 11, link 20 belongs to the kernel.
class Forwarding : public ::testing::Test {
  protected:
    void SetUp() override {
        test_pool(); // starts DPDK
        auto created = forwarding::create({.taps = {"fp0", "fp1"}, .vrfs = vrfs()}, clock);
        ASSERT_TRUE(created);
        made = std::move(*created);
        interfaces& links = made->links();
        links.set_link({10, "fp0", mac_of(1), 1500, true, 0, 0});
        links.set_link({11, "fp1", mac_of(2), 9000, true, 0, 0});
        links.set_link({12, "fp0.5", mac_of(1), 1400, true, 10, 5});
        links.set_link({20, "eth9", mac_of(9), 1500, true, 0, 0});
        add_address(10, "10.0.0.1", 24);
        add_address(11, "10.1.0.1", 24);
        add_address(12, "10.5.0.1", 24);
        add_address(20, "192.168.9.1", 24);
        add_address(10, "2001:db8::1", 64);
        links.commit();
    }
    virtual vrf_list vrfs() const { return {}; }
    void add_address(std::uint32_t interface, const char* address, std::uint8_t length) {
        made->links().set_address({interface, at(address), length, std::nullopt, true});
    }
    void resolve(std::uint32_t interface, const char* address, std::uint8_t last_of_mac,
                 neighbour_state state = neighbour_state::resolved) {
        made->links().set_neighbour({interface, at(address), mac_of(last_of_mac), state});
        made->links().commit();
    }
    void announce(const any_prefix& where, const route_target& to) {
        made->announce(where, to);
        made->commit();
    }
    next_hop number(const char* address, vrf_number vrf = default_vrf) {
        const auto view = made->view();
        auto reader = (vrf == default_vrf ? view.routes : view.others[vrf - 1u])->reader();
        return std::visit([&](auto a) { return reader->pin().lookup(a); }, at(address));
    }
    const next_hop_entry& entry(const char* address, vrf_number vrf = default_vrf) {
        return (*made->view().hops)[number(address, vrf)];
    }
    hop_kind kind(const char* address, vrf_number vrf = default_vrf) { return entry(address, vrf).kind; }
    void end_grace() {
        for (int i = 0; i < 3; ++i) {
            clock.over = clock.begun;
            made->poll();
        }
    }

    manual_clock clock;
    std::unique_ptr<forwarding> made;
};

} // namespace fingerpost::router::testing
