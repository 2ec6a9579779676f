// Reads route updates as text, in order: `A prefix next_hop` announces, `W prefix` withdraws.
//
//     change prefix asn name             an optional header with the value columns; the default is next_hop
//     A 10.0.0.0/8 64500 "A, Inc."
//     W 10.1.0.0/16
//
// Separators, quotes and comments are those of tables (table_text.hpp); `a` and `w` are accepted. An
// announcement without values has missing values; otherwise it has one value for each column. A line may
// begin with the time of recording, a whole number, which is ignored. So is the next hop of a withdrawal. So
// recordings like `1418774413 w 202.70.88.0/21 0.0.0.0` can be read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/route.hpp"
#include "fingerpost/net/text.hpp"
#include "fingerpost/values/rows.hpp"
#include "io/format/parts/input_error.hpp"
#include "io/format/parts/line_reader.hpp"
#include "io/format/updates/update_line.hpp"

namespace fingerpost::io {

struct update_counts {
    std::uint64_t lines = 0;     // all lines, also empty ones and comments
    std::uint64_t announced = 0; // number of updates, not of prefixes
    std::uint64_t withdrawn = 0;
    std::uint64_t masked = 0;       // updates whose host bits were cleared
    std::uint64_t other_family = 0; // updates that were skipped
};

template <class A>
struct loaded_updates {
    std::vector<route<A>> updates; // in order; next_hop::none means a withdrawal
    value_rows values;             // rows of the next hops
    update_counts counts;
};

// Reads updates in chunks of any size. A session may carry both families; updates of the other family are
// skipped. Instantiated for 32 and 128 bits.
template <class A>
class update_reader : private line_reader {
  public:
    // `file`: the name of the input in errors.
    explicit update_reader(std::string file, host_bits policy = host_bits::mask);

    // Returns false after the first error, which finish() returns; the rest need not be fed.
    bool feed(std::string_view chunk);
    expected<loaded_updates<A>, input_error> finish() &&;

  private:
    bool take_line(std::string_view line);
    bool take_update(const update_line& line);

    update_cutter cutter_;
    loaded_updates<A> read_;
};

} // namespace fingerpost::io
