// Reads tables as `bgpdump -m` and `bgpdump -M` print them: one line for each route of a peer.
//
//     TABLE_DUMP2|1267286400|B|192.0.2.1|64500|10.0.0.0/8|64500 64501|IGP|192.0.2.9|0|0||NAG||
//
// Only the best route of a prefix is kept: the one with the greatest local preference, then the shortest path
// (a set counts as one AS), then the best origin (IGP, EGP, INCOMPLETE), then the lowest MED, then the lowest
// peer address (IPv4 before IPv6). Of equal routes, the first one is kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/best_routes.hpp"
#include "io/format/parts/line_reader.hpp"

namespace fingerpost::io {

class bgpdump_reader : private line_reader {
  public:
    bgpdump_reader(std::string file, const table_options& options);

    bool feed(std::string_view chunk);
    expected<one_table, input_error> finish() &&;
    expected<both_tables, input_error> finish_both() &&;

  private:
    bool take_line(std::string_view line);
    bool take_route(std::string_view line, bool has_path_id);
    std::optional<input_error> complete();

    std::optional<best_table> table_;
    std::vector<std::string_view> fields_;
};

} // namespace fingerpost::io
