// Route updates as text, in the order in which they came: `A prefix next_hop` announces, `W prefix`
// withdraws.
//
//     change prefix asn name             a header may name the columns of values; without it, next_hop
//     A 10.0.0.0/8 64500 "A, Inc."
//     W 10.1.0.0/16
//
// Words are separated and quoted, and comments begin, as in tables (table_text.hpp); `a` and `w` are
// accepted. As there, a route may have no next hop, and then all its values are empty; otherwise it has one
// value for each column. A line may begin with the time of recording, a whole number, which is not kept. A
// withdrawal may name a next hop, which is ignored. So recordings like `1418774413 w 202.70.88.0/21 0.0.0.0`
// are read as they are.
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
    std::uint64_t lines = 0;     // of any kind
    std::uint64_t announced = 0; // updates, not prefixes
    std::uint64_t withdrawn = 0;
    std::uint64_t masked = 0;       // updates whose host bits were cleared
    std::uint64_t other_family = 0; // updates that were skipped
};

template <class A>
struct loaded_updates {
    std::vector<route<A>> updates; // in order; the next hop none withdraws
    value_rows values;             // of the next hops
    update_counts counts;
};

// Takes updates in chunks of any size. A session may carry both families: updates of the other family are
// skipped. Instantiated for 32 and 128 bits.
template <class A>
class update_reader : private line_reader {
  public:
    // `file` is the name of the input in errors.
    explicit update_reader(std::string file, host_bits policy = host_bits::mask);

    // False after the first error, which finish() will return; then no more input is needed.
    bool feed(std::string_view chunk);
    expected<loaded_updates<A>, input_error> finish() &&;

  private:
    bool take_line(std::string_view line);
    bool take_update(const update_line& line);

    update_cutter cutter_;
    loaded_updates<A> read_;
};

} // namespace fingerpost::io
