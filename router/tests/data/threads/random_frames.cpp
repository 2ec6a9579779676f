// Builds frames byte by byte, without code of the router.
#include "router/tests/data/threads/random_frames.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace fingerpost::router::testing {
namespace {

constexpr std::size_t link_bytes = 14;

void put16(octets& bytes, std::size_t at, std::size_t value) {
    bytes[at] = static_cast<std::uint8_t>(value >> 8);
    bytes[at + 1] = static_cast<std::uint8_t>(value);
}

void append(octets& to, const octets& more) {
    to.insert(to.end(), more.begin(), more.end());
}

// Corrects the checksum if the header is long enough.
void sum_header(octets& bytes, std::size_t ip) {
    if (bytes.size() < ip + 20)
        return;
    const std::size_t length = std::min<std::size_t>((bytes[ip] & 15u) * 4u, bytes.size() - ip);
    put16(bytes, ip + 10, 0);
    put16(bytes, ip + 10, reference_checksum(bytes.data() + ip, length));
}

// The last byte is random, and for IPv6 also the byte before it.
constexpr std::array<std::string_view, 16> ipv4_networks = {
    "c63364", "c63364", "c00002", "c00002", "cb0071", "cb0072", "cb0073", "cb0074",
    "cb0075", "cb0076", "0a0000", "0a0100", "0a0500", "7f0000", "e00000", "ffffff",
};
constexpr std::array<std::string_view, 16> ipv6_networks = {
    "20010db8000100070000000000000000", "20010db8000100070000000000000000",
    "20010db8000200000000000000000000", "20010db8000200000000000000000000",
    "20010db8000a00710000000000000000", "20010db8000a00720000000000000000",
    "20010db8000a00730000000000000000", "20010db8000a00740000000000000000",
    "20010db8000a00750000000000000000", "20010db8000a00760000000000000000",
    "20010db8000000000000000000000000", "20010db8000100000000000000000000",
    "20010db8000500000000000000000000", "fe800000000000000000000000000000",
    "ff020000000000000000000000000000", "00000000000000000000000000000000",
};
// Sources of hosts, for most packets.
constexpr std::array<std::string_view, 2> ipv4_homes = {"c00002", "c63364"};
constexpr std::array<std::string_view, 2> ipv6_homes = {"20010db8000200000000000000000000",
                                                        "20010db8000100070000000000000000"};

constexpr std::array<std::uint8_t, 8> protocols = {17, 17, 6, 1, 58, 47, 0, 255};
constexpr std::array<std::uint8_t, 16> hop_limits = {64, 64, 64, 64, 64, 64,  64, 64,
                                                     64, 64, 64, 64, 0,  255, 1,  2};
constexpr std::array<std::size_t, 12> lengths = {0, 1, 8, 18, 46, 100, 548, 1240, 1352, 1372, 1380, 1480};
constexpr std::array<std::uint16_t, 6> ethertypes = {0x0800, 0x86dd, 0x8100, 0x0806, 0x88a8, 0x0600};
constexpr std::array<std::uint8_t, 8> options = {0, 1, 7, 68, 131, 137, 148, 94};
constexpr std::array<std::uint8_t, 6> extensions = {0, 43, 44, 51, 60, 60};

} // namespace

random_frames::random_frames(std::uint32_t seed) : random_(seed), noise_(2 * longest_frame) {
    for (std::uint8_t& one : noise_)
        one = byte();
}

void random_frames::add_random(octets& to, std::size_t count) {
    const auto from = noise_.begin() + below(longest_frame);
    to.insert(to.end(), from, from + static_cast<std::ptrdiff_t>(count));
}

octets random_frames::link_header(unsigned port, std::uint16_t ethertype) {
    octets bytes = hex("020000000000 020000000099 0000");
    bytes[5] = static_cast<std::uint8_t>(port + 1);
    if (one_in(40))
        bytes[below(6)] = byte();
    if (one_in(40))
        std::fill_n(bytes.begin(), 6, std::uint8_t{0xff});
    if (one_in(8)) {
        constexpr std::array<std::uint16_t, 6> tags = {0, 5, 5, 0xe005, 100, 4095};
        bytes.insert(bytes.begin() + 12, {0x81, 0, 0, 0});
        put16(bytes, 14, one_of(tags));
    }
    put16(bytes, bytes.size() - 2, ethertype);
    return bytes;
}

octets random_frames::address(bool ipv4, bool as_source) {
    const bool at_home = as_source && !one_in(20);
    if (!as_source && one_in(30)) {
        octets anything;
        add_random(anything, ipv4 ? 4 : 16);
        return anything;
    }
    octets bytes = ipv4 ? hex(at_home ? one_of(ipv4_homes) : one_of(ipv4_networks))
                        : hex(at_home ? one_of(ipv6_homes) : one_of(ipv6_networks));
    if (ipv4)
        bytes.push_back(0);
    bytes.back() = one_in(4) ? byte() : static_cast<std::uint8_t>(below(16));
    return bytes;
}

std::size_t random_frames::payload_length() {
    return one_in(2) ? below(100) : one_in(2) ? one_of(lengths) : below(1481);
}

octets random_frames::ipv4_options() {
    octets bytes;
    for (unsigned n = 1 + below(3); n-- > 0;) {
        const std::uint8_t kind = one_of(options);
        bytes.push_back(kind);
        if (kind < 2)
            continue;
        const auto length = static_cast<std::uint8_t>(one_in(8) ? below(256) : 3 + below(9));
        bytes.push_back(length);
        bytes.push_back(static_cast<std::uint8_t>(one_in(2) ? 4 : below(16)));
        add_random(bytes, std::min<std::size_t>(length, 12) - std::min<std::size_t>(length, 3));
    }
    bytes.resize(std::min<std::size_t>(40, (bytes.size() + 3) & ~std::size_t{3}));
    return bytes;
}

octets random_frames::ipv4_packet() {
    octets bytes = hex("45000000 00000000 00000000");
    bytes[1] = one_in(4) ? byte() : std::uint8_t{0};
    put16(bytes, 4, below(65536));
    if (one_in(3))
        put16(bytes, 6, 0x4000);
    else if (one_in(8))
        put16(bytes, 6, below(65536)); // usually a fragment
    bytes[8] = one_of(hop_limits);
    bytes[9] = one_of(protocols);
    append(bytes, address(true, true));
    append(bytes, address(true, false));
    if (one_in(8))
        append(bytes, ipv4_options());
    bytes[0] = static_cast<std::uint8_t>(0x40 | bytes.size() / 4);
    add_random(bytes, std::min(payload_length(), 1500 - bytes.size()));
    put16(bytes, 2, bytes.size());
    return bytes;
}

octets random_frames::extension_headers(std::uint8_t& protocol) {
    octets all;
    for (unsigned n = 1 + below(3); n-- > 0;) {
        octets header{protocol, static_cast<std::uint8_t>(one_in(12) ? byte() : below(3))};
        protocol = n == 0 && one_in(2) ? std::uint8_t{0} : one_of(extensions);
        // Options: padding, a router alert, or one with any type and length.
        while (header.size() + 6 <= (header[1] % 4 + 1) * 8u)
            append(header, one_in(3)   ? hex("010400000000")
                           : one_in(2) ? hex("050200000100")
                                       : octets{byte(), static_cast<std::uint8_t>(below(6)), 0, 0, 0, 0});
        header.resize((header[1] % 4 + 1) * std::size_t{8});
        header.insert(header.end(), all.begin(), all.end());
        all = header;
    }
    return all;
}

octets random_frames::ipv6_packet() {
    std::uint8_t protocol = one_in(8) ? byte() : one_of(protocols);
    octets payload = one_in(5) ? extension_headers(protocol) : octets{};
    add_random(payload, payload_length());
    payload.resize(std::min<std::size_t>(payload.size(), 1460));
    octets bytes = hex("60000000 0000 0000");
    put16(bytes, 4, payload.size());
    bytes[6] = protocol;
    bytes[7] = one_of(hop_limits);
    append(bytes, address(false, true));
    append(bytes, address(false, false));
    append(bytes, payload);
    return bytes;
}

void random_frames::spoil(octets& bytes) {
    const auto size = static_cast<unsigned>(bytes.size());
    switch (below(5)) {
    case 0:
        bytes.resize(below(size + 1));
        break;
    case 1:
        add_random(bytes, std::min<std::size_t>(below(300), longest_frame - bytes.size()));
        break;
    case 2: // one of the header fields, most of which are lengths and versions
        bytes[link_bytes + below(8)] = one_in(3) ? std::uint8_t{0} : byte();
        break;
    case 3:
        put16(bytes, link_bytes + (one_in(2) ? 2 : 4), below(size + 40));
        break;
    default:
        for (unsigned n = 1 + below(6); n-- > 0;)
            bytes[one_in(2) ? below(std::min(size, 60U)) : below(size)] ^=
                static_cast<std::uint8_t>(1U << below(8));
    }
}

octets random_frames::next(unsigned port) {
    octets bytes;
    switch (below(16)) {
    case 0:
        add_random(bytes, one_in(2) ? below(100) : below(longest_frame + 1));
        return bytes;
    case 1:
        bytes = link_header(port, one_of(ethertypes));
        add_random(bytes, one_in(2) ? below(100) : below(longest_frame + 1 - 18));
        if (one_in(2) && bytes.size() >= link_bytes + 20) {
            bytes[link_bytes] = static_cast<std::uint8_t>(one_in(2) ? 0x45 : 0x60);
            sum_header(bytes, link_bytes);
        }
        return bytes;
    default:
        break;
    }
    const bool ipv4 = one_in(2);
    bytes = link_header(port, ipv4 ? std::uint16_t{0x0800} : std::uint16_t{0x86dd});
    const std::size_t ip = bytes.size();
    append(bytes, ipv4 ? ipv4_packet() : ipv6_packet());
    const bool spoilt = one_in(4);
    if (ipv4)
        sum_header(bytes, ip);
    if (spoilt)
        spoil(bytes);
    if (ipv4 && spoilt && one_in(2))
        sum_header(bytes, ip);
    if (one_in(10))
        bytes.resize(std::min(longest_frame, bytes.size() + below(46))); // padding
    return bytes;
}

packet_pointer random_frames::as_packet(const octets& bytes) {
    if (!one_in(8))
        return make_packet(bytes);
    const auto size = static_cast<unsigned>(bytes.size());
    return make_segmented_packet(bytes, one_in(4) ? below(size + 1) : std::min(size, 74 + below(1000)));
}

octets random_frames::next_of_kernel() {
    octets bytes = hex("020000000098 020000000001 0000");
    put16(bytes, 12, kernel_ethertype);
    add_random(bytes, below(1501));
    return bytes;
}

} // namespace fingerpost::router::testing
