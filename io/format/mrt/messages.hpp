// Records of BGP messages: BGP4MP, BGP4MP_ET and the deprecated type BGP.
#pragma once

#include <vector>

#include "io/format/mrt/counts.hpp"
#include "io/format/mrt/entry.hpp"
#include "io/format/mrt/records.hpp"

namespace fingerpost::io::mrt {

// Each function appends the entries of the UPDATE in a record, withdrawals first, and counts records and
// messages of other kinds. After a fault, `out` may have some of the entries; the caller must discard them.
fault read_bgp4mp(const record& whole, std::vector<entry>& out, counts& totals);
fault read_bgp(const record& whole, std::vector<entry>& out, counts& totals);

} // namespace fingerpost::io::mrt
