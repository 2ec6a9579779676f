// DPDK's environment for tests, and packets made of bytes.
#include "router/tests/data/packets.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <unistd.h>

#include <rte_eal.h>

namespace fingerpost::router::testing {

namespace {

unsigned digit(char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
}

rte_mempool* start() {
    static char program[] = "test", no_huge[] = "--no-huge", no_pci[] = "--no-pci", memory[] = "-m",
                megabytes[] = "64", no_files[] = "--no-shconf", no_telemetry[] = "--no-telemetry",
                cores[] = "--lcores", level[] = "--log-level=error";
    // One for the test and eight for threads, which share all processors of the machine.
    std::string nine = "(0-8)@(0-" + std::to_string(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)) - 1) + ")";
    char* arguments[] = {program,  no_huge,      no_pci, memory,      megabytes,
                         no_files, no_telemetry, cores,  nine.data(), level};
    rte_mempool* pool = nullptr;
    if (rte_eal_init(static_cast<int>(std::size(arguments)), arguments) >= 0)
        pool = rte_pktmbuf_pool_create("packets", 2047, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
    if (pool == nullptr) {
        std::fprintf(stderr, "DPDK's environment does not start\n");
        std::abort();
    }
    return pool;
}

// Data of an mbuf in memory from operator new.
struct heap_data {
    rte_mbuf_ext_shared_info shared{};
    std::unique_ptr<std::uint8_t[]> memory;
};

} // namespace

octets hex(std::string_view digits) {
    octets bytes;
    for (std::size_t i = 0; i < digits.size();) {
        if (digits[i] == ' ') {
            ++i;
            continue;
        }
        bytes.push_back(static_cast<std::uint8_t>(digit(digits[i]) << 4 | digit(digits[i + 1])));
        i += 2;
    }
    return bytes;
}

std::uint16_t reference_checksum(const std::uint8_t* bytes, std::size_t count) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        sum += static_cast<std::uint32_t>(i % 2 == 0 ? bytes[i] << 8 : bytes[i]);
        if (sum > 0xffff)
            sum -= 0xffff;
    }
    return static_cast<std::uint16_t>(~sum);
}

frame frame::ip_set(std::size_t offset, std::string_view digits) const {
    return set(ip + offset, digits);
}

frame frame::set(std::size_t offset, std::string_view digits) const {
    frame changed = *this;
    const octets put = hex(digits);
    std::copy(put.begin(), put.end(), changed.bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    return changed;
}

frame frame::tagged(std::uint16_t tci) const {
    frame changed = *this;
    const octets tag{0x81, 0x00, static_cast<std::uint8_t>(tci >> 8), static_cast<std::uint8_t>(tci)};
    changed.bytes.insert(changed.bytes.begin() + 12, tag.begin(), tag.end());
    changed.ip += 4;
    return changed;
}

frame frame::padded(std::size_t more) const {
    frame changed = *this;
    changed.bytes.insert(changed.bytes.end(), more, 0xee);
    return changed;
}

frame frame::cut(std::size_t length) const {
    frame changed = *this;
    changed.bytes.resize(length);
    return changed;
}

frame frame::with_options(std::string_view digits) const {
    frame changed = *this;
    const octets options = hex(digits);
    changed.bytes.insert(changed.bytes.begin() + static_cast<std::ptrdiff_t>(ip + 20), options.begin(),
                         options.end());
    changed.bytes[ip] = static_cast<std::uint8_t>(0x40 | (20 + options.size()) / 4);
    changed.bytes[ip + 3] = static_cast<std::uint8_t>(changed.bytes[ip + 3] + options.size());
    return changed.summed();
}

frame frame::with_extension(std::uint8_t protocol, std::string_view digits) const {
    frame changed = *this;
    octets header = hex(digits);
    header[0] = bytes[ip + 6];
    changed.bytes.insert(changed.bytes.begin() + static_cast<std::ptrdiff_t>(ip + 40), header.begin(),
                         header.end());
    changed.bytes[ip + 6] = protocol;
    changed.bytes[ip + 5] = static_cast<std::uint8_t>(changed.bytes[ip + 5] + header.size());
    return changed;
}

frame frame::summed() const {
    frame changed = *this;
    std::uint8_t* header = changed.bytes.data() + ip;
    header[10] = header[11] = 0;
    const std::uint16_t sum =
        reference_checksum(header, std::min<std::size_t>((header[0] & 15u) * 4u, bytes.size() - ip));
    header[10] = static_cast<std::uint8_t>(sum >> 8);
    header[11] = static_cast<std::uint8_t>(sum);
    return changed;
}

frame ipv4_frame() {
    return {hex("020000000001 020000000002 0800"
                "4500002e 12340000 40117c4f c0000201 c6336407"
                "1000 2000 001a 0000"
                "000102030405060708090a0b0c0d0e0f1011")};
}

frame ipv6_frame() {
    return {hex("020000000001 020000000002 86dd"
                "60012345 001a 11 40"
                "20010db8000000000000000000000001 20010db8000100000000000000000007"
                "1000 2000 001a 0000"
                "000102030405060708090a0b0c0d0e0f1011")};
}

ingress test_ingress() {
    ingress port{our_mac, {}, flow_key(7)};
    port.vlans.set(5);
    port.vlans.set(100);
    return port;
}

rte_mempool& test_pool() {
    static rte_mempool* const pool = start();
    return *pool;
}

rte_mempool* new_pool(const char* name, unsigned packets, std::uint16_t room) {
    test_pool(); // without the environment there are no pools
    return rte_pktmbuf_pool_create(name, packets, 0, 0, room, SOCKET_ID_ANY);
}

packet_pointer make_packet(const octets& bytes) {
    const std::size_t size = RTE_PKTMBUF_HEADROOM + bytes.size();
    auto* data = new heap_data{{}, std::make_unique<std::uint8_t[]>(size)};
    data->shared.free_cb = [](void*, void* opaque) { delete static_cast<heap_data*>(opaque); };
    data->shared.fcb_opaque = data;
    rte_mbuf_ext_refcnt_set(&data->shared, 1);
    packet_pointer packet(rte_pktmbuf_alloc(&test_pool()));
    std::uint8_t* memory = data->memory.get();
    rte_pktmbuf_attach_extbuf(packet.get(), memory, 0, static_cast<std::uint16_t>(size), &data->shared);
    packet->data_off = RTE_PKTMBUF_HEADROOM;
    packet->data_len = static_cast<std::uint16_t>(bytes.size());
    packet->pkt_len = packet->data_len;
    if (!bytes.empty())
        std::memcpy(memory + RTE_PKTMBUF_HEADROOM, bytes.data(), bytes.size());
    return packet;
}

packet_pointer make_direct_packet(const octets& bytes) {
    packet_pointer packet(rte_pktmbuf_alloc(&test_pool()));
    std::memcpy(rte_pktmbuf_append(packet.get(), static_cast<std::uint16_t>(bytes.size())), bytes.data(),
                bytes.size());
    return packet;
}

packet_pointer make_segmented_packet(const octets& bytes, std::size_t first) {
    const auto middle = bytes.begin() + static_cast<std::ptrdiff_t>(first);
    packet_pointer head = make_packet({bytes.begin(), middle});
    packet_pointer tail = make_packet({middle, bytes.end()});
    rte_pktmbuf_chain(head.get(), tail.release());
    return head;
}

octets bytes_of(const rte_mbuf& packet) {
    octets bytes;
    for (const rte_mbuf* segment = &packet; segment != nullptr; segment = segment->next) {
        const auto* data = rte_pktmbuf_mtod(segment, const std::uint8_t*);
        bytes.insert(bytes.end(), data, data + segment->data_len);
    }
    return bytes;
}

} // namespace fingerpost::router::testing
