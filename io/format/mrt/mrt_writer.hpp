// Writes a table as an MRT file of type TABLE_DUMP_V2 (RFC 6396, 4.3), with one peer for all routes.
//
//      PEER_INDEX_TABLE      the collector, and the peer
//      RIB_IPV4_UNICAST      a record for each route: its prefix, ORIGIN, AS_PATH, NEXT_HOP
//      RIB_IPV6_UNICAST      the same, with MP_REACH_NLRI as RFC 6396, 4.3.4 shortens it: the next hop alone
//
// In BGP the next hop of a route is an address. An IPv4 route may have an IPv6 next hop (RFC 8950), which is
// written in MP_REACH_NLRI too. Other next hops (IPv4 ones of IPv6 routes, names, numbers and none) are
// refused, or replaced if a substitute is given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/net/any.hpp"
#include "io/format/mrt/tables.hpp"

namespace fingerpost::io::mrt {

// How the next hops of IPv6 routes are written: alone, as in RFC 6396, or within all of MP_REACH_NLRI, as in
// messages. GoBGP before 3.16 reads only the second form; bgpdump and this program read both.
enum class reach_form : std::uint8_t { next_hop, whole };

struct writer_options {
    std::uint32_t seconds = 0; // since 1970, for all records and routes
    // The addresses are from blocks for documentation; the AS number is a private one.
    ipv4_address collector{0xc000'0201};          // 192.0.2.1: its identifier
    ipv4_address identifier{0xc000'0202};         // 192.0.2.2: the peer's
    peer from{ipv4_address{0xc000'0202}, 64'512}; // the path of each route begins with its AS
    reach_form reach = reach_form::next_hop;
    // For next hops that cannot be written; without a substitute such routes are refused.
    std::optional<ipv4_address> ipv4_substitute{};
    std::optional<ipv6_address> ipv6_substitute{};
};

// The values that are written with a route, as text.
struct written_values {
    std::string_view next_hop;
    // `64500`, or `{64500,64501}` for a set; if empty, the path contains the peer's AS only.
    std::string_view origin_as{};
};

class table_writer {
  public:
    explicit table_writer(const writer_options& options) : options_(options) {}

    // Both functions append to `out`. The table of peers is written first, once.
    void begin(std::string& out) const;
    // Returns why the route is refused, in words; empty if it was written.
    template <class A>
    std::string add(const prefix<A>& where, const written_values& values, std::string& out);

    // The number of routes whose next hops were replaced.
    std::uint64_t substituted() const noexcept { return substituted_; }

  private:
    writer_options options_;
    std::uint32_t number_ = 0; // of the next route's record
    std::uint64_t substituted_ = 0;
};

} // namespace fingerpost::io::mrt
