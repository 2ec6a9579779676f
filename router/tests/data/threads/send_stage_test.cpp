// Sending whole bursts by their headers gives the same frames, counters and marks as sending packet by
// packet.
//
// FINGERPOST_EFFORT multiplies the number of bursts, FINGERPOST_SEED chooses them.
#include "router/threads/send_stage.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "router/tests/data/random_bursts.hpp"
#include "router/tests/data/ring_device.hpp"

namespace fingerpost::router {
namespace {

using testing::octets;
using testing::packet_pointer;
using testing::received_frame;

// A send stage with two ports, and its output.
struct sender {
    testing::ring_device first{1}, second{1};
    thread_counters counts{};
    frame_sender out{{transmit_queue{first.number, 0}, transmit_queue{second.number, 0}}, {}, counts};
    send_stage stage{out, testing::test_pool(), counts};
    std::vector<next_hop_entry> entries{};
    packet_list host{};

    sender() {
        for (std::uint16_t i = 0; i < 8; ++i) {
            next_hop_entry one;
            one.kind = hop_kind::forward;
            one.port = i % 2;
            one.out = {link_header({{2, 0, 0, 0, 1, static_cast<std::uint8_t>(i)}}, testing::our_mac,
                                   i == 3 ? std::uint16_t{5} : std::uint16_t{0}),
                       i == 5 ? std::uint16_t{600} : std::uint16_t{1500}};
            entries.push_back(one);
        }
    }
};

struct checked_burst {
    std::vector<packet_pointer> owners{};
    std::vector<rte_mbuf*> packets{};
    std::vector<const next_hop_entry*> entries{};
};

// The packets of a burst to be forwarded; `hops` are the numbers of their entries.
checked_burst check(const std::vector<received_frame>& frames, const std::vector<unsigned>& hops,
                    const sender& by) {
    checked_burst made;
    const ingress port = testing::test_ingress();
    for (std::size_t i = 0; i < frames.size(); ++i) {
        packet_pointer packet = frames[i].as_packet();
        const verdict what = inspect(*packet, port).what;
        if (what != verdict::forward_ipv4 && what != verdict::forward_ipv6)
            continue;
        made.packets.push_back(packet.release()); // the stage frees it, or puts it into the list for the host
        made.entries.push_back(&by.entries[hops[i]]);
    }
    return made;
}

std::vector<octets> take_host(packet_list& host) {
    std::vector<octets> made;
    for (rte_mbuf* const one : host.span()) {
        made.push_back(testing::bytes_of(*packet_pointer(one)));
        made.back().push_back(static_cast<std::uint8_t>(cause_of(*one)));
    }
    host.clear();
    return made;
}

TEST(SendStage, WholeBurstsAreSentAsPacketsOneByOne) {
    testing::random_bursts bursts(testing::number_from("FINGERPOST_SEED", 1));
    sender one_by_one, together;
    for (std::uint64_t i = 0; i < 500 * testing::number_from("FINGERPOST_EFFORT", 1); ++i) {
        const std::vector<received_frame> frames = bursts.next();
        std::vector<unsigned> hops(frames.size());
        const std::uint32_t different = bursts.below(8) + 1;
        for (unsigned& hop : hops)
            hop = bursts.below(different);
        const checked_burst some = check(frames, hops, one_by_one);
        one_by_one.stage.run(some.packets, some.entries, one_by_one.host);
        const checked_burst same = check(frames, hops, together);
        burst_headers headers;
        read_headers(same.packets, headers);
        together.stage.run(same.packets, headers, same.entries, together.host);
        ASSERT_EQ(take_host(together.host), take_host(one_by_one.host)) << "burst " << i;
        if (bursts.below(2) == 0)
            continue; // frames of two bursts wait together
        one_by_one.out.flush();
        together.out.flush();
        ASSERT_EQ(together.first.take(), one_by_one.first.take()) << "burst " << i;
        ASSERT_EQ(together.second.take(), one_by_one.second.take()) << "burst " << i;
        for (std::size_t hop = 0; hop < together.entries.size(); ++hop)
            ASSERT_EQ(together.entries[hop].used.take(), one_by_one.entries[hop].used.take());
    }
    for (const drop_reason_facts& one : drop_reasons)
        EXPECT_EQ(together.counts.dropped[index_of(one.reason)].get(),
                  one_by_one.counts.dropped[index_of(one.reason)].get());
    EXPECT_EQ(together.counts.sent.get(), one_by_one.counts.sent.get());
    EXPECT_EQ(together.counts.generated.get(), one_by_one.counts.generated.get());
    EXPECT_GT(together.counts.sent.get(), 1000u);
}

} // namespace
} // namespace fingerpost::router
