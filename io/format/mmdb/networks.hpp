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
    std::vector<mmdb_network<ipv4_address>> ipv4; // in the order of the addresses
    std::vector<mmdb_network<ipv6_address>> ipv6;
    std::vector<MMDB_entry_s> records; // each once, although many networks may have the same
    std::vector<ipv6_prefix> aliases;  // blocks that lead to the IPv4 networks, which are not in `ipv6`
};

// What becomes of the IPv6 addresses that lead to IPv4 networks: 2002:c000:201::, ::192.0.2.1 and the like.
enum class mmdb_aliases : std::uint8_t { note, repeat };

// All networks, or what is wrong with the tree, with the byte of the file. Throws std::bad_alloc.
expected<mmdb_networks, std::string> networks_of(const MMDB_s& database, mmdb_aliases aliases);

} // namespace fingerpost::io

#endif
