// Records of routing tables: TABLE_DUMP, and the RIBs of TABLE_DUMP_V2.
#pragma once

#include <vector>

#include "io/format/mrt/entry.hpp"
#include "io/format/mrt/peers.hpp"
#include "io/format/mrt/records.hpp"

namespace fingerpost::io::mrt {

// Each function appends the entries of a record. After a fault `out` may contain some of them, which must be
// ignored.

// Also records of early dumps, which have many prefixes.
fault read_table_dump(const record& whole, std::vector<entry>& out);
// One of RIB_IPV4_UNICAST to RIB_IPV6_MULTICAST, with or without ADD-PATH.
fault read_rib(const record& whole, const peer_table& peers, std::vector<entry>& out);

} // namespace fingerpost::io::mrt
