// Tables from files that are not text: MRT files and saved images.
#pragma once

#include <string>
#include <vector>

#include "io/format/mrt/choice.hpp"
#include "io/format/parts/table_data.hpp"
#include "io/source/table_file.hpp"

namespace fingerpost::cli {

// These throw failure with the words of the error. The routes of one peer, or the best routes of all
// (io/source/mrt/mrt_table.hpp), with the columns next_hop, peer_address, peer_as and origin_as.
io::both_tables read_mrt_table(io::table_input& input, const io::table_options& options,
                               const io::peer_choice& peer);
// The routes of an image, with its columns; without values their next hops are numbers. `path` must be a
// file, because images are mapped.
io::both_tables read_image_table(const std::string& path, const io::table_options& options);

// Keeps only these columns, in this order; all of them without names. `file` is the name of the table in
// errors.
void keep_columns(io::both_tables& tables, const std::vector<std::string>& names, const std::string& file);

} // namespace fingerpost::cli
