// Fuzzes the handling of a received frame. The input becomes a frame, possibly cut into two segments. Packets
// that may be forwarded are rewritten, fragmented and answered, and every outcome is checked against rules
// that hold for any frame. The first four bytes choose the flags of the network card, the place of the cut
// and the VLAN.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <rte_eal.h>
#include <rte_mbuf.h>

#include "router/packet/fragment.hpp"
#include "router/packet/icmp.hpp"
#include "router/packet/inspect_burst.hpp"
#include "router/packet/notes.hpp"
#include "router/packet/plain_group.hpp"
#include "router/packet/rewrite.hpp"

namespace fingerpost::router {
namespace {

constexpr std::size_t chosen_bytes = 4;
// The router has the first address that the seeds send to.
const rte_ether_addr our_mac{{0x02, 0, 0, 0, 0, 1}}, next_mac{{0x02, 0, 0, 0, 0, 2}};

void require(bool holds, const char* what) {
    if (holds)
        return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::abort();
}

rte_mempool* start() {
    static char arguments[][16] = {"fuzz", "--no-huge",   "--no-pci",       "-m",           "64", "-l",
                                   "0",    "--no-shconf", "--no-telemetry", "--log-level=1"};
    std::array<char*, std::size(arguments)> pointers{};
    std::ranges::transform(arguments, pointers.begin(), [](char* argument) { return argument; });
    require(rte_eal_init(static_cast<int>(pointers.size()), pointers.data()) >= 0, "DPDK starts");
    rte_mempool* pool = rte_pktmbuf_pool_create("fuzz", 255, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
    require(pool != nullptr, "there is memory for packets");
    return pool;
}

rte_mempool& pool() {
    static rte_mempool* const instance = start();
    return *instance;
}

const ingress& port() {
    static const ingress instance = [] {
        ingress result{our_mac, {}, flow_key(1)};
        result.vlans.set(5);
        return result;
    }();
    return instance;
}

struct free_packet {
    void operator()(rte_mbuf* packet) const { rte_pktmbuf_free(packet); }
};
using packet_pointer = std::unique_ptr<rte_mbuf, free_packet>;

struct heap_data {
    rte_mbuf_ext_shared_info shared{};
    std::unique_ptr<std::uint8_t[]> memory;
};

// Allocates memory of exactly this size on the heap, so that the sanitizer detects reads past the end.
packet_pointer segment(const std::uint8_t* bytes, std::size_t count) {
    const std::size_t size = RTE_PKTMBUF_HEADROOM + count;
    auto* data = new heap_data{{}, std::make_unique<std::uint8_t[]>(size)};
    data->shared.free_cb = [](void*, void* opaque) { delete static_cast<heap_data*>(opaque); };
    data->shared.fcb_opaque = data;
    rte_mbuf_ext_refcnt_set(&data->shared, 1);
    packet_pointer packet(rte_pktmbuf_alloc(&pool()));
    rte_pktmbuf_attach_extbuf(packet.get(), data->memory.get(), 0, static_cast<std::uint16_t>(size),
                              &data->shared);
    packet->data_off = RTE_PKTMBUF_HEADROOM;
    packet->data_len = static_cast<std::uint16_t>(count);
    packet->pkt_len = packet->data_len;
    std::memcpy(data->memory.get() + RTE_PKTMBUF_HEADROOM, bytes, count);
    return packet;
}

packet_pointer frame_of(const std::uint8_t* data, std::size_t size) {
    const std::uint8_t* bytes = data + chosen_bytes;
    const std::size_t count = size - chosen_bytes;
    const std::size_t first = (data[0] & 1) != 0 ? std::min<std::size_t>(data[1], count) : count;
    packet_pointer frame = segment(bytes, first);
    if (first < count)
        rte_pktmbuf_chain(frame.get(), segment(bytes + first, count - first).release());
    if ((data[0] & 2) != 0)
        frame->ol_flags |= RTE_MBUF_F_RX_IP_CKSUM_GOOD;
    if ((data[0] & 4) != 0)
        frame->ol_flags |= RTE_MBUF_F_RX_RSS_HASH;
    if ((data[0] & 8) != 0) {
        frame->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
        frame->vlan_tci = static_cast<std::uint16_t>(data[2] << 8 | data[3]);
    }
    return frame;
}

bool sums_to_zero(const rte_mbuf& packet) {
    return rte_ipv4_cksum(&ipv4_header(packet)) == 0;
}

void answer(const rte_mbuf& packet) {
    const auto what = static_cast<icmp_error>(hops_left(packet) % 5);
    auto reply = is_ipv4(packet)
                     ? make_icmpv4_error(packet, what, 1400, {0xc00002fe}, pool())
                     : make_icmpv6_error(packet, what, 1400, {u128{0x20010db8} << 96 | 1}, pool());
    require(reply || reply.error() == icmp_silence::forbidden,
            "a forbidden answer is the only one that fails");
    if (!reply)
        return;
    const packet_pointer message(*reply);
    require(ip_length(*message) <= (is_ipv4(packet) ? 576 : 1280), "an error has its greatest length");
    require(!is_ipv4(*message) || sums_to_zero(*message), "an error has a right checksum");
    require(!may_answer(*message), "there is no error about an error");
}

void cut(rte_mbuf& packet) {
    std::array<rte_mbuf*, most_fragments> into{};
    const std::uint32_t header = rte_ipv4_hdr_len(&ipv4_header(packet));
    const std::uint32_t payload = ip_length(packet) - header;
    const auto count = fragment(packet, 100, into, pool());
    if (!count)
        return;
    std::uint32_t total = 0;
    for (unsigned i = 0; i < *count; ++i) {
        const packet_pointer part(into[i]);
        require(ip_length(*part) <= 100 && sums_to_zero(*part), "a fragment fits and has a right checksum");
        total += ip_length(*part) - rte_ipv4_hdr_len(&ipv4_header(*part));
    }
    require(total == payload, "fragments hold the whole payload");
}

void forward(rte_mbuf& packet, const std::uint8_t* chosen) {
    const bool ipv4 = is_ipv4(packet);
    require(ipv4 != is_ipv6(packet), "a packet to forward is of one family");
    require(ip_length(packet) == (ipv4 ? rte_be_to_cpu_16(ipv4_header(packet).total_length)
                                       : 40u + rte_be_to_cpu_16(ipv6_header(packet).payload_len)),
            "a packet to forward is trimmed");
    answer(packet);
    if (ipv4)
        cut(packet);
    const bool good_sum = ipv4 && sums_to_zero(packet);
    const std::uint32_t length = ip_length(packet);
    const std::uint8_t hops = hops_left(packet);
    const way_out way{link_header(next_mac, our_mac, chosen[1] % 2 == 0 ? 0 : 77), 9000};
    if (!rewrite(packet, way)) {
        require(hops <= 1 || length > 9000, "only spent and long packets stay");
        return;
    }
    require(hops_left(packet) + 1 == hops, "one hop is counted");
    require(!good_sum || sums_to_zero(packet), "the checksum follows");
    require(ip_length(packet) == length && link_length(packet) == way.header.length(),
            "only the link header changes its length");
    const auto& mac = rte_pktmbuf_mtod(&packet, const rte_ether_hdr*)->dst_addr;
    require(rte_is_same_ether_addr(&mac, &next_mac) != 0, "the frame goes to the next hop");
    packet.ol_flags &= ~RTE_MBUF_F_RX_VLAN_STRIPPED; // the second network card removes no tag
    require(inspect(packet, ingress{next_mac, vlan_ids().set(), flow_key(1)}).what ==
                    (ipv4 ? verdict::forward_ipv4 : verdict::forward_ipv6) ||
                !good_sum,
            "the next router forwards it");
}

void run(const std::uint8_t* data, std::size_t size) {
    const packet_pointer alone = frame_of(data, size);
    const inspected alone_result = inspect(*alone, port());
    // Enough frames that some are checked as a group.
    std::array<packet_pointer, detail::group_size + 1> owners;
    std::array<rte_mbuf*, owners.size()> burst;
    for (std::size_t i = 0; i < burst.size(); ++i)
        burst[i] = (owners[i] = frame_of(data, size)).get();
    sorted_burst sorted;
    inspect_burst(burst, port(), sorted);
    const auto all_if = [&](bool so) { return so ? burst.size() : 0; };
    require(sorted.host_count == all_if(alone_result.what == verdict::host),
            "a burst sends the same to the host");
    require(sorted.drop_count == all_if(alone_result.what == verdict::drop), "a burst drops the same");
    require(sorted.drop_count == 0 || sorted.reasons[0] == alone_result.why,
            "a burst drops for the same reason");
    if (sorted.forward_count == 0)
        return;
    for (rte_mbuf* const packet : burst) {
        note_flow(*packet, port().flows);
        require(flow_hash(*alone) == flow_hash(*packet) || (data[0] & 4) != 0, "a burst has the same hash");
        require(alone->packet_type == packet->packet_type && alone->pkt_len == packet->pkt_len,
                "a burst forwards the same");
    }
    forward(*alone, data);
}

} // namespace
} // namespace fingerpost::router

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fingerpost::router;
    if (size >= chosen_bytes) {
        run(data, size);
        require(rte_mempool_in_use_count(&pool()) == 0, "all packets are freed");
    }
    return 0;
}
