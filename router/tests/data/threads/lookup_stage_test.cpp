// The next hops of bursts of both families, with and without IPv6 routes longer than /64, and of bursts of
// several VRFs.
#include "router/threads/lookup_stage.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "router/packet/notes.hpp"
#include "router/tests/data/forward/forwarding_fixture.hpp"

namespace fingerpost::router {
namespace {

using testing::Forwarding;
using testing::net4;
using testing::net6;
using testing::packet_pointer;
using testing::via;

class LookupStage : public Forwarding {
  protected:
    void SetUp() override {
        ASSERT_NO_FATAL_FAILURE(Forwarding::SetUp());
        auto created = lookup_stage::create(made->view(), flow_key(1), counts);
        ASSERT_TRUE(created);
        stage.emplace(std::move(*created));
        for (const char* const gateway : {"10.0.0.2", "10.0.0.3", "10.0.0.4"})
            resolve(10, gateway, 7);
        announce(net4("20.0.0.0/8"), via("10.0.0.2", 10));
        announce(net6("2001:db8:9::/64"), via("10.0.0.3", 10));
    }
    // A burst whose families alternate if `mixed`; each packet must get the next hop given by number().
    void expect_right(std::size_t size, bool mixed) {
        std::vector<packet_pointer> packets;
        std::vector<rte_mbuf*> burst;
        std::vector<next_hop> wanted;
        for (std::size_t i = 0; i < size; ++i) {
            const bool is_first = i % 2 == 0;
            const char* const to = mixed && i % 3 == 1 ? "20.1.2.3"
                                   : is_first          ? "2001:db8:9::1"
                                                       : "2001:db8:9::8000:0:0:7";
            packets.push_back(packet_to(to));
            burst.push_back(packets.back().get());
            wanted.push_back(number(to));
        }
        auto into = std::make_unique<looked_up>();
        burst_headers headers;
        read_headers(burst, headers);
        stage->run(burst, headers, *into);
        ASSERT_EQ(into->forward.size(), size);
        for (std::size_t i = 0; i < size; ++i) {
            EXPECT_EQ(into->forward[i], burst[i]);
            EXPECT_EQ(into->entries[i], &(*made->view().hops)[wanted[i]]) << "packet " << i << " of " << size;
        }
    }
    // The headers must describe the remaining packets of a burst, whichever packets were removed.
    void expect_headers_of_the_rest(std::size_t size, std::size_t of_three) {
        std::vector<packet_pointer> packets;
        std::vector<rte_mbuf*> burst;
        std::size_t ipv4 = 0, left = 0;
        for (std::size_t i = 0; i < size; ++i) {
            // IPv4 without a route, IPv6 with a route, IPv4 with a route.
            const std::size_t kind = (i + of_three) % 3;
            packets.push_back(packet_to(kind == 0 ? "21.1.2.3" : kind == 1 ? "2001:db8:9::1" : "20.1.2.3"));
            burst.push_back(packets.back().get());
            ipv4 += kind == 2;
            left += kind != 0;
        }
        auto into = std::make_unique<looked_up>();
        burst_headers headers;
        read_headers(burst, headers);
        stage->run(burst, headers, *into);
        ASSERT_EQ(into->forward.size(), left);
        EXPECT_EQ(headers.ipv4, ipv4);
        for (std::size_t i = 0; i < left; ++i)
            EXPECT_EQ(headers.ip[i], rte_pktmbuf_mtod_offset(into->forward[i], std::uint8_t*,
                                                             link_length(*into->forward[i])));
    }
    void expect_right_bursts() {
        for (const std::size_t size : {1u, 2u, 7u, 16u, 33u, 64u})
            for (const bool mixed : {false, true})
                ASSERT_NO_FATAL_FAILURE(expect_right(size, mixed));
    }

    thread_counters counts;
    std::optional<lookup_stage> stage;

    static packet_pointer packet_to(const char* to) {
        const any_address address = testing::at(to);
        const auto* const six = std::get_if<ipv6_address>(&address);
        testing::frame one = six != nullptr ? testing::ipv6_frame() : testing::ipv4_frame();
        const std::size_t place = one.ip + (six != nullptr ? 24u : 16u), bytes = six != nullptr ? 16u : 4u;
        const u128 value = six != nullptr ? six->value : u128{std::get<ipv4_address>(address).value};
        for (std::size_t i = 0; i < bytes; ++i)
            one.bytes[place + i] = static_cast<std::uint8_t>(value >> (8 * (bytes - 1 - i)));
        packet_pointer made = testing::make_packet((six != nullptr ? one : one.summed()).bytes);
        EXPECT_EQ(inspect(*made, testing::test_ingress()).what,
                  six != nullptr ? verdict::forward_ipv6 : verdict::forward_ipv4);
        return made;
    }
};

// The router's own IPv6 address is a /128 route.
TEST_F(LookupStage, HeadersAreThoseOfThePacketsThatAreLeft) {
    for (const std::size_t size : {1u, 2u, 3u, 7u, 33u, 64u})
        for (std::size_t shift = 0; shift < 3; ++shift)
            ASSERT_NO_FATAL_FAILURE(expect_headers_of_the_rest(size, shift));
}

TEST_F(LookupStage, WithRoutesLongerThan64BitsLowHalvesDecide) {
    ASSERT_FALSE(made->view().routes->reader()->pin().answers_first64());
    ASSERT_NO_FATAL_FAILURE(expect_right_bursts());
    announce(net6("2001:db8:9:0:8000::/65"), via("10.0.0.4", 10));
    ASSERT_NE(number("2001:db8:9::1"), number("2001:db8:9::8000:0:0:7"));
    ASSERT_NO_FATAL_FAILURE(expect_right_bursts());
}

TEST_F(LookupStage, WithoutThemFirstHalvesDo) {
    made->links().remove_address({10, testing::at("2001:db8::1"), 64, std::nullopt, true});
    made->links().commit();
    ASSERT_TRUE(made->view().routes->reader()->pin().answers_first64());
    ASSERT_NO_FATAL_FAILURE(expect_right_bursts());
    announce(net6("2001:db8:9:0:8000::/65"), via("10.0.0.4", 10));
    ASSERT_FALSE(made->view().routes->reader()->pin().answers_first64());
    ASSERT_NO_FATAL_FAILURE(expect_right_bursts());
}

// Port 0 is in VRF 1, its VLAN 5 in VRF 2, port 1 in the default VRF; each has other next hops.
class LookupStageVrfs : public LookupStage {
  protected:
    vrf_list vrfs() const override {
        vrf_list all;
        all.assign(0, std::nullopt, all.add({"red", 100}));
        all.assign(0, 5, all.add({"blue", 200}));
        return all;
    }
    void SetUp() override {
        ASSERT_NO_FATAL_FAILURE(LookupStage::SetUp());
        for (vrf_number vrf = 1; vrf <= 2; ++vrf) {
            made->announce(vrf, net4("20.0.0.0/8"), via(vrf == 1 ? "10.0.0.3" : "10.0.0.4", 10));
            made->announce(vrf, net6("2001:db8:9::/64"), via(vrf == 1 ? "10.0.0.4" : "10.0.0.2", 10));
        }
        made->commit();
    }
    struct place {
        std::uint16_t port;
        std::uint16_t vlan;
    };
    static constexpr place places[] = {{1, 0}, {0, 0}, {0, 5}};

    // Packet i arrives at places[of[i % of.size()]], which is also the number of its VRF.
    void expect_right(std::size_t size, const std::vector<vrf_number>& of) {
        std::vector<packet_pointer> packets;
        std::vector<rte_mbuf*> burst;
        std::vector<const next_hop_entry*> wanted;
        for (std::size_t i = 0; i < size; ++i) {
            const char* const to = i % 5 < 2 ? "2001:db8:9::1" : "20.1.2.3";
            const vrf_number vrf = of[i % of.size()];
            packets.push_back(packet_to(to));
            burst.push_back(packets.back().get());
            note_ingress_port(*burst[i], places[vrf].port);
            note_vlan(*burst[i], places[vrf].vlan);
            wanted.push_back(&entry(to, vrf));
        }
        auto into = std::make_unique<looked_up>();
        burst_headers headers;
        read_headers(burst, headers);
        stage->run(burst, headers, *into);
        ASSERT_EQ(into->forward.size(), size);
        for (std::size_t i = 0; i < size; ++i) {
            EXPECT_EQ(into->forward[i], burst[i]);
            EXPECT_EQ(into->entries[i], wanted[i]) << "packet " << i << " of " << size;
        }
    }
};

TEST_F(LookupStageVrfs, EachPacketIsLookedUpInItsOwn) {
    ASSERT_NE(number("20.1.2.3", 1), number("20.1.2.3", 2));
    ASSERT_NE(number("20.1.2.3", 1), number("20.1.2.3"));
    for (const std::size_t size : {0u, 1u, 2u, 7u, 16u, 33u, 64u})
        for (const std::vector<vrf_number>& of : std::vector<std::vector<vrf_number>>{
                 {0}, {1}, {2}, {0, 1}, {2, 1, 0}, {1, 1, 1, 2}, {0, 0, 2, 1, 1, 2, 0}})
            ASSERT_NO_FATAL_FAILURE(expect_right(size, of));
}

TEST_F(LookupStageVrfs, OnePacketToo) {
    const packet_pointer like = packet_to("20.9.9.9");
    for (vrf_number vrf = 0; vrf <= 2; ++vrf) {
        note_ingress_port(*like, places[vrf].port);
        note_vlan(*like, places[vrf].vlan);
        EXPECT_EQ(stage->find(*parse_address<ipv4_address>("20.1.2.3"), *like).hop, number("20.1.2.3", vrf));
        EXPECT_EQ(stage->find(*parse_address<ipv6_address>("2001:db8:9::1"), *like).hop,
                  number("2001:db8:9::1", vrf));
    }
}

} // namespace
} // namespace fingerpost::router
