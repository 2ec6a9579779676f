// Writes tables as sets of ipset and nftables.
#pragma once

#include <string_view>

#include "io/format/parts/table_data.hpp"
#include "terminal/console.hpp"

namespace fingerpost::cli {

// Writes input for `ipset restore`: hash:net sets with the fewest prefixes. `name` names one set for all
// routes; if it is empty, each value names a set. Throws failure for names that ipset does not accept.
void table_to_ipset(const io::both_tables& tables, std::string_view name, output& out);

// Writes input for `nft -f`: sets of ranges in the table `nft_table`, such as `inet filter`. The sets are
// flushed first, in the same transaction, so that loading a newer file replaces their elements.
void table_to_nft(const io::both_tables& tables, std::string_view name, std::string_view nft_table,
                  output& out);

// Why the text is not a family and name of an nftables table; nullptr if it is.
const char* nft_table_fault(std::string_view text);

} // namespace fingerpost::cli
