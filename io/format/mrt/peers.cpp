// Reads tables of peers.
#include "io/format/mrt/peers.hpp"

namespace fingerpost::io::mrt {
namespace {

constexpr std::uint8_t has_ipv6_address = 1;
constexpr std::uint8_t has_as4 = 2;
constexpr std::size_t least_peer_bytes = 11;

peer read_peer(byte_reader& in) {
    const std::uint8_t kind = in.u8();
    in.skip(4); // BGP identifier
    peer read;
    if ((kind & has_ipv6_address) != 0)
        read.address = in.address<ipv6_address>();
    else
        read.address = in.address<ipv4_address>();
    read.as = (kind & has_as4) != 0 ? in.u32() : in.u16();
    return read;
}

} // namespace

expected<peer_table, fault> read_peers(bytes body) {
    byte_reader in(body);
    in.skip(4);        // the collector's BGP identifier
    in.skip(in.u16()); // the name of its view
    const std::size_t count = in.u16();
    // A count that the bytes cannot contain must not cost memory.
    if (!in.ok() || in.left() < count * least_peer_bytes)
        return unexpected{fault("the table of peers is cut short")};
    peer_table peers(count);
    for (peer& each : peers)
        each = read_peer(in);
    if (!in.ok())
        return unexpected{fault("the table of peers is cut short")};
    if (in.left() != 0)
        return unexpected{fault("bytes follow the last peer")};
    return peers;
}

} // namespace fingerpost::io::mrt
