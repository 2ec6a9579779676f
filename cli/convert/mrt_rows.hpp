// Entries of MRT files as rows of CSV.
#pragma once

#include <string>
#include <string_view>

#include "io/format/mrt/entry.hpp"

namespace fingerpost::cli {

// The types are those of `bgpdump -m`: A announced, W withdrawn, B in the table. Times have a fraction if the
// file has one. Missing values are empty. An origin that is an AS_SET is `{1,2}`, in quotes.
inline constexpr std::string_view mrt_csv_head = "type,time,peer,peer_as,prefix,next_hop,origin_as\n";

void append_csv(const io::mrt::entry& e, std::string& out);

} // namespace fingerpost::cli
