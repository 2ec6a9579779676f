// Writes a table as an MRT file of type TABLE_DUMP_V2 (RFC 6396, 4.3), with one peer for all routes.
//
//      PEER_INDEX_TABLE      the collector, and the peer
//      RIB_IPV4_UNICAST      a record for each route: its prefix, ORIGIN, AS_PATH, NEXT_HOP
//      RIB_IPV6_UNICAST      a record for each route, with MP_REACH_NLRI instead of NEXT_HOP. MP_REACH_NLRI
//      has only
//                            the next hop, as in RFC 6396, 4.3.4.
//
// In BGP a next hop is an address. An IPv4 route may have an IPv6 next hop (RFC 8950), which is also written
// in MP_REACH_NLRI. Other next hops (IPv4 addresses for IPv6 routes, names, numbers, and missing ones) are
// refused, or replaced by a substitute if there is one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/net/any.hpp"
#include "io/format/mrt/tables.hpp"

namespace fingerpost::io::mrt {

// How next hops of IPv6 routes are written: alone, as in RFC 6396, or in a complete MP_REACH_NLRI, as in
// messages. GoBGP before 3.16 reads only the second form; bgpdump and this program read both.
enum class reach_form : std::uint8_t { next_hop, whole };

struct writer_options {
    std::uint32_t seconds = 0; // since 1970, for all records and routes
    // The addresses are from documentation blocks; the AS number is a private one.
    ipv4_address collector{0xc000'0201};          // 192.0.2.1: its identifier
    ipv4_address identifier{0xc000'0202};         // 192.0.2.2: the identifier of the peer
    peer from{ipv4_address{0xc000'0202}, 64'512}; // the path of each route begins with this AS
    reach_form reach = reach_form::next_hop;
    // Substitutes for next hops that cannot be written. Without a substitute, such routes are refused.
    std::optional<ipv4_address> ipv4_substitute{};
    std::optional<ipv6_address> ipv6_substitute{};
};

// The values of a route to write, as text.
struct written_values {
    std::string_view next_hop;
    // `64500`, or `{64500,64501}` for a set. If empty, the path has only the AS of the peer.
    std::string_view origin_as{};
};

class table_writer {
  public:
    explicit table_writer(const writer_options& options) : options_(options) {}

    // Appends the table of peers to `out`. Must be called once, before the first add().
    void begin(std::string& out) const;
    // Appends a route to `out`. Returns the reason if the route is refused; empty if it was written.
    template <class A>
    std::string add(const prefix<A>& where, const written_values& values, std::string& out);

    // Number of routes whose next hops were replaced.
    std::uint64_t substituted() const noexcept { return substituted_; }

  private:
    writer_options options_;
    std::uint32_t number_ = 0; // of the next record
    std::uint64_t substituted_ = 0;
};

} // namespace fingerpost::io::mrt
