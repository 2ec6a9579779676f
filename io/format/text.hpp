// Routing tables as text: one route a line, `prefix` or `prefix next_hop`.
//
// The two are separated by blanks, tabs or one comma. A next hop is any word without blanks, commas and
// control characters: a number, an address, a name. `#` at the start of a word begins a comment; empty lines
// and CRLF are fine. Of a prefix that comes twice the last one counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/route.hpp"
#include "fingerpost/net/text.hpp"
#include "io/format/input_error.hpp"
#include "io/format/line_reader.hpp"
#include "io/format/names.hpp"

namespace fingerpost::io {

struct table_options {
    // Routes of the other family are skipped. Without it finish() wants one family, that of the first route.
    std::optional<family> only = {};
    // Routes of both families are taken, for finish_both().
    bool both = false;
    host_bits policy = host_bits::mask;
};

struct table_counts {
    std::uint64_t lines = 0;        // of any kind
    std::uint64_t duplicates = 0;   // routes that a later one of the same prefix replaced
    std::uint64_t masked = 0;       // routes whose host bits were cleared
    std::uint64_t other_family = 0; // routes that `only` skipped
};

template <class A>
struct loaded_table {
    std::vector<route<A>> routes; // in prefix order, each prefix once, next hops numbered densely from 0
    next_hop_names next_hops;     // a route without a next hop has the one of the empty name
    table_counts counts;
};

// A table without any route is an IPv6 one unless the options say otherwise.
using any_table = std::variant<loaded_table<ipv4_address>, loaded_table<ipv6_address>>;

// Of one input, each as if the routes of the other were not there; both count all lines.
struct both_tables {
    loaded_table<ipv4_address> ipv4;
    loaded_table<ipv6_address> ipv6;
};

// Takes a table in chunks of any size. Nothing of it can be had before finish(), so there are no half tables.
class table_reader : private line_reader {
  public:
    // `file` is what errors call the input.
    table_reader(std::string file, table_options options);

    // False after the first error, which finish() will return; nothing more need be fed then.
    bool feed(std::string_view chunk);
    expected<any_table, input_error> finish() &&;
    expected<both_tables, input_error> finish_both() &&;

  private:
    bool take_line(std::string_view line);
    bool take_route(std::string_view where, std::string_view hop);
    template <class A>
    bool add(loaded_table<A>& table, std::string_view where, std::string_view hop);

    table_options options_;
    both_tables tables_;
    family kind_;  // what texts that begin like neither family are taken for
    bool decided_; // whether kind_ is the family of the input
    std::uint64_t other_family_ = 0;
};

} // namespace fingerpost::io
