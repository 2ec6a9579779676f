// The peers that entries of TABLE_DUMP_V2 refer to by number.
#pragma once

#include <cstdint>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/mrt/entry.hpp"

namespace fingerpost::io::mrt {

struct peer {
    any_address address{};
    std::uint32_t as = 0;
};

using peer_table = std::vector<peer>;

// Reads the body of a PEER_INDEX_TABLE (RFC 6396, 4.3.1).
expected<peer_table, fault> read_peers(bytes body);

} // namespace fingerpost::io::mrt
