// Prefixes in the encoding of BGP: a length in bits, then the bytes that this length needs (RFC 4271, 4.3).
#pragma once

#include <vector>

#include "fingerpost/net/text.hpp"
#include "io/format/mrt/entry.hpp"

namespace fingerpost::io::mrt {

inline constexpr fault prefix_too_long = "a prefix is longer than its addresses";
inline constexpr fault prefix_cut_short = "a prefix is cut short";

// Reads one prefix and clears the bits past its length. Returns a fault if it is too long or truncated.
fault read_prefix(byte_reader& in, family kind, any_prefix& out);

// Whether a path identifier precedes each prefix (RFC 7911).
enum class path_ids : std::uint8_t { absent, present };

// Appends a copy of `like` for each prefix of a list. A list that can only be read with path identifiers is
// read with them, even if the record type has none, because BIRD 1.6 wrote such records. `guessed` counts
// these lists. If there is a fault, `out` is unchanged.
fault append_prefixes(bytes list, family kind, path_ids ids, const entry& like, std::vector<entry>& out,
                      std::uint64_t& guessed);

} // namespace fingerpost::io::mrt
