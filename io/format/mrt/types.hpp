// The numbers of MRT and BGP that the reader uses, with their names in RFC 6396, 8050 and 4271.
#pragma once

#include <cstdint>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io::mrt {

namespace type {
inline constexpr std::uint16_t bgp = 5; // deprecated
inline constexpr std::uint16_t table_dump = 12;
inline constexpr std::uint16_t table_dump_v2 = 13;
inline constexpr std::uint16_t bgp4mp = 16;
inline constexpr std::uint16_t bgp4mp_et = 17;
} // namespace type

namespace bgp_subtype {
inline constexpr std::uint16_t update = 1;
inline constexpr std::uint16_t state_change = 3;
inline constexpr std::uint16_t open = 5;
inline constexpr std::uint16_t notification = 6;
inline constexpr std::uint16_t keepalive = 7;
} // namespace bgp_subtype

namespace table_dump_v2_subtype {
inline constexpr std::uint16_t peer_index_table = 1;
inline constexpr std::uint16_t rib_ipv4_unicast = 2;
inline constexpr std::uint16_t rib_ipv4_multicast = 3;
inline constexpr std::uint16_t rib_ipv6_unicast = 4;
inline constexpr std::uint16_t rib_ipv6_multicast = 5;
inline constexpr std::uint16_t rib_generic = 6;
inline constexpr std::uint16_t geo_peer_table = 7;
inline constexpr std::uint16_t rib_ipv4_unicast_addpath = 8;
inline constexpr std::uint16_t rib_ipv6_multicast_addpath = 11;
inline constexpr std::uint16_t rib_generic_addpath = 12;
} // namespace table_dump_v2_subtype

namespace bgp4mp_subtype {
inline constexpr std::uint16_t state_change = 0;
inline constexpr std::uint16_t message = 1;
inline constexpr std::uint16_t message_as4 = 4;
inline constexpr std::uint16_t state_change_as4 = 5;
inline constexpr std::uint16_t message_local = 6;
inline constexpr std::uint16_t message_as4_local = 7;
inline constexpr std::uint16_t message_addpath = 8;
inline constexpr std::uint16_t message_as4_addpath = 9;
inline constexpr std::uint16_t message_local_addpath = 10;
inline constexpr std::uint16_t message_as4_local_addpath = 11;
} // namespace bgp4mp_subtype

namespace message_type {
inline constexpr std::uint8_t open = 1;
inline constexpr std::uint8_t update = 2;
inline constexpr std::uint8_t notification = 3;
inline constexpr std::uint8_t keepalive = 4;
inline constexpr std::uint8_t route_refresh = 5;
} // namespace message_type

namespace attribute_type {
inline constexpr std::uint8_t as_path = 2;
inline constexpr std::uint8_t next_hop = 3;
inline constexpr std::uint8_t aggregator = 7;
inline constexpr std::uint8_t mp_reach_nlri = 14;
inline constexpr std::uint8_t mp_unreach_nlri = 15;
inline constexpr std::uint8_t as4_path = 17;
inline constexpr std::uint8_t as4_aggregator = 18;
} // namespace attribute_type

// Address families, and the subsequent address families whose routes are read.
inline constexpr std::uint16_t afi_ipv4 = 1;
inline constexpr std::uint16_t afi_ipv6 = 2;
inline constexpr std::uint8_t safi_unicast = 1;
inline constexpr std::uint8_t safi_multicast = 2;

} // namespace fingerpost::io::mrt
