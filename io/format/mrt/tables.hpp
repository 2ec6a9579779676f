// Reads records of routing tables: TABLE_DUMP, and the RIBs and tables of peers of TABLE_DUMP_V2. Entries of
// RIBs have peer indices.
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

// Each function appends the entries of a record. After a fault, `out` may have some of the entries; the
// caller must discard them.

// Reads a TABLE_DUMP record. In early dumps it may have many prefixes.
fault read_table_dump(const record& whole, std::vector<entry>& out);
// Reads one of the types from RIB_IPV4_UNICAST to RIB_IPV6_MULTICAST, with or without ADD-PATH.
fault read_rib(const record& whole, const peer_table& peers, std::vector<entry>& out);

} // namespace fingerpost::io::mrt
