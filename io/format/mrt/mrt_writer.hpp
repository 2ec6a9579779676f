// Writes a table as an MRT file of type TABLE_DUMP_V2 (RFC 6396, 4.3), with one peer that tells every route.
//
//      PEER_INDEX_TABLE      the collector, and the peer
//      RIB_IPV4_UNICAST      a record for each route: its prefix, ORIGIN, AS_PATH, NEXT_HOP
//      RIB_IPV6_UNICAST      the same, with MP_REACH_NLRI as RFC 6396, 4.3.4 shortens it: the next hop alone
//
// BGP wants the next hop of a route to be an address. An IPv4 route may have an IPv6 one (RFC 8950), which
// stands in MP_REACH_NLRI too. Others, IPv4 ones of IPv6 routes, names, numbers and none, are refused, or
// replaced where that is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/net/any.hpp"
#include "io/format/mrt/peers.hpp"

namespace fingerpost::io::mrt {

// How MRT files have the next hops of IPv6 routes: alone, as RFC 6396 says, or within all of MP_REACH_NLRI,
// as messages have it. GoBGP before 3.16 reads the second form only, bgpdump and this program read both.
enum class reach_form : std::uint8_t { next_hop, whole };

struct writer_options {
    std::uint32_t seconds = 0; // since 1970, of all records and routes
    // The addresses are of blocks for documentation, the AS is a private one.
    ipv4_address collector{0xc000'0201};          // 192.0.2.1: its identifier
    ipv4_address identifier{0xc000'0202};         // 192.0.2.2: the peer's
    peer from{ipv4_address{0xc000'0202}, 64'512}; // the path of each route begins with its AS
    reach_form reach = reach_form::next_hop;
    // For next hops that cannot be written; without them such routes are refused.
    std::optional<ipv4_address> ipv4_substitute{};
    std::optional<ipv6_address> ipv6_substitute{};
};

// What a route is written with, as text.
struct written_values {
    std::string_view next_hop;
    // `64500`, or `{64500,64501}` for a set; without it, empty, the path is that of the peer alone.
    std::string_view origin_as{};
};

class table_writer {
  public:
    explicit table_writer(const writer_options& options) : options_(options) {}

    // Both append to `out`. The table of peers comes first, once.
    void begin(std::string& out) const;
    // Why the route is refused, in words; empty when it is written.
    template <class A>
    std::string add(const prefix<A>& where, const written_values& values, std::string& out);

    // Routes whose next hops were replaced.
    std::uint64_t substituted() const noexcept { return substituted_; }

  private:
    writer_options options_;
    std::uint32_t number_ = 0; // of the next record of a route
    std::uint64_t substituted_ = 0;
};

} // namespace fingerpost::io::mrt
