// Prefixes as BGP writes them: a length in bits, then as many bytes as it needs (RFC 4271, 4.3).
#pragma once

#include <vector>

#include "fingerpost/net/text.hpp"
#include "io/format/mrt/entry.hpp"

namespace fingerpost::io::mrt {

inline constexpr fault prefix_too_long = "a prefix is longer than its addresses";
inline constexpr fault prefix_cut_short = "a prefix is cut short";

// Reads one prefix; bits past its length are cleared. Returns a fault if it is too long or cut short.
fault read_prefix(byte_reader& in, family kind, any_prefix& out);

// Whether a path identifier precedes each prefix (RFC 7911).
enum class path_ids : std::uint8_t { absent, present };

// Appends, for each prefix of a list, a copy of this entry with that prefix. If a list can be read only with
// path identifiers, it is read so, whatever its record says: BIRD 1.6 wrote such records. `guessed` counts
// these lists. A fault leaves `out` as it was.
fault append_prefixes(bytes list, family kind, path_ids ids, const entry& like, std::vector<entry>& out,
                      std::uint64_t& guessed);

} // namespace fingerpost::io::mrt
