// Entries of MRT files as CSV rows.
#pragma once

#include <string>
#include <string_view>

#include "io/format/mrt/entry.hpp"

namespace fingerpost::cli {

// The types are those of `bgpdump -m`: A announced, W withdrawn, B table entry. Times have a fraction if the
// file has one. Missing values are empty. An origin that is an AS_SET is written as `{1,2}`, in quotes.
inline constexpr std::string_view mrt_csv_head = "type,time,peer,peer_as,prefix,next_hop,origin_as\n";

void append_csv(const io::mrt::entry& e, std::string& out);

} // namespace fingerpost::cli
