// The networks in the search tree of a MaxMind DB.
#pragma once

#include "fingerpost/base/cxx20.hpp"
#if FINGERPOST_HAVE_MAXMINDDB

#include <cstdint>
#include <maxminddb.h>
#include <string>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost::io {

template <class A>
struct mmdb_network {
    prefix<A> where;
    std::uint32_t record; // an index into mmdb_networks::records
};

struct mmdb_networks {
    std::vector<mmdb_network<ipv4_address>> ipv4; // in address order
    std::vector<mmdb_network<ipv6_address>> ipv6;
    std::vector<MMDB_entry_s> records; // each record once, even if many networks have it
    std::vector<ipv6_prefix> aliases;  // blocks that point to the IPv4 networks; not in `ipv6`
};

// How to treat IPv6 addresses that point to IPv4 networks, such as 2002:c000:201:: and ::192.0.2.1.
enum class mmdb_aliases : std::uint8_t { note, repeat };

// Returns all networks, or a description of the damage and its position in the file. Throws std::bad_alloc.
expected<mmdb_networks, std::string> networks_of(const MMDB_s& database, mmdb_aliases aliases);

} // namespace fingerpost::io

#endif
