// Reads the routes of one peer, or the best routes of all peers, from an MRT file with a table.
//
// The best route of a prefix has the shortest AS path. Ties are broken by the lowest peer address (IPv4
// before IPv6), then by the lowest peer AS, the lowest path identifier, and the text of the values. BGP
// chooses in this way (RFC 4271, 9.1.2.2) as far as a collector can: the preferences of different peers
// cannot be compared. The order of the file does not matter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/mrt/choice.hpp"
#include "io/format/mrt/counts.hpp"
#include "io/format/parts/input_error.hpp"
#include "io/format/parts/table_data.hpp"
#include "io/format/parts/table_notes.hpp"
#include "io/source/file.hpp"

namespace fingerpost::io {

struct mrt_report {
    mrt::counts counted;
    // The damage that was skipped, in order, up to 1,000 entries; `counted` has the total.
    std::vector<mrt::damage> damaged;
    std::uint64_t multicast = 0; // entries that are not routes for forwarding
    std::uint64_t updates = 0;   // entries of messages among those of the table
};

// Returns the skipped parts other than damage, like notes_of() of table_notes.hpp.
std::vector<table_note> notes_of(const mrt_report& report);

// Reads TABLE_DUMP and TABLE_DUMP_V2. `path`: as for file_source::open. Damaged records are skipped. It is an
// error if the file is truncated, or has no records, no routes of the peer, or only updates. Running out of
// memory is an error, not an exception. `report` may be null.
expected<both_tables, input_error> load_mrt_table(const std::string& path, const table_options& options = {},
                                                  const mrt_choice& choice = {},
                                                  mrt_report* report = nullptr);
// Reads an open source to its end.
expected<both_tables, input_error> load_mrt_table(file_source& source, const table_options& options = {},
                                                  const mrt_choice& choice = {},
                                                  mrt_report* report = nullptr);

} // namespace fingerpost::io
