// One call from the name of an MRT file that holds a table to the routes of one peer in it, or to the best
// ones of all peers.
//
// Of several routes for a prefix the best is the one with the shortest AS path; of equally long ones that of
// the lowest peer address (IPv4 before IPv6), then of the lowest peer AS, then of the lowest path identifier,
// then the one whose values come first as text. That is how BGP chooses (RFC 4271, 9.1.2.2) as far as it goes
// by what a collector knows: its peers' preferences mean nothing beside each other. The order of the file
// does not matter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/mrt/choice.hpp"
#include "io/format/mrt/counts.hpp"
#include "io/format/parts/input_error.hpp"
#include "io/format/parts/table_data.hpp"
#include "io/source/file.hpp"

namespace fingerpost::io {

struct mrt_report {
    mrt::counts counted;
    // What was skipped as damaged, in order: the first thousand; `counted` has all.
    std::vector<mrt::damage> damaged;
    std::uint64_t multicast = 0; // entries that are no routes of addresses
    std::uint64_t updates = 0;   // entries of messages between the table's
};

// Takes TABLE_DUMP and TABLE_DUMP_V2. `path` as for file_source::open. Damaged records are skipped; that the
// file ends early, has no record at all or no route of the peer is an error, and so are updates without a
// table. Memory that runs out is an error too, not an exception. `report` may be null.
expected<both_tables, input_error> load_mrt_table(const std::string& path, const table_options& options = {},
                                                  const mrt_choice& choice = {},
                                                  mrt_report* report = nullptr);
// The same of a source that is open, to its end.
expected<both_tables, input_error> load_mrt_table(file_source& source, const table_options& options = {},
                                                  const mrt_choice& choice = {},
                                                  mrt_report* report = nullptr);

} // namespace fingerpost::io
