// Records of routing tables: TABLE_DUMP, and of TABLE_DUMP_V2 the RIBs and the peers that their entries refer
// to by number.
#pragma once

#include <cstdint>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/mrt/entry.hpp"
#include "io/format/mrt/records.hpp"

namespace fingerpost::io::mrt {

struct peer {
    any_address address{};
    std::uint32_t as = 0;
};

using peer_table = std::vector<peer>;

// Reads the body of a PEER_INDEX_TABLE (RFC 6396, 4.3.1).
expected<peer_table, fault> read_peers(bytes body);

// Each function appends the entries of a record. After a fault `out` may contain some of them, which must be
// ignored.

// Also records of early dumps, which have many prefixes.
fault read_table_dump(const record& whole, std::vector<entry>& out);
// One of RIB_IPV4_UNICAST to RIB_IPV6_MULTICAST, with or without ADD-PATH.
fault read_rib(const record& whole, const peer_table& peers, std::vector<entry>& out);

} // namespace fingerpost::io::mrt
