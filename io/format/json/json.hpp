// Reads tables as JSON objects, one after the other or in an array. An object has a member network, prefix,
// cidr or dst, or two members for the ends of a range, or one for the network and one for its length. All
// other members, except objects and arrays, are value columns; a member that is absent or null is missing for
// its route. A column of only numbers or only Booleans has that type; others have the type text. An object
// that shares no member with the previous ones is not a route.
//
//     {"network":"10.0.0.0/8","asn":64500,"name":"A, Inc."}
//     {"network":"10.0.0.0","masklen":8,"asn":64500,"name":"A, Inc."}
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/json/object_reader.hpp"
#include "io/format/parts/route_taker.hpp"
#include "io/format/parts/table_columns.hpp"

namespace fingerpost::io {

class json_reader : private object_reader {
  public:
    json_reader(std::string file, const table_options& options);

    bool feed(std::string_view chunk);
    expected<one_table, input_error> finish() &&;
    expected<both_tables, input_error> finish_both() &&;

  private:
    bool take_object();
    bool take_route();
    std::optional<std::string> find_network_members();
    void find_later_length(const std::vector<std::string>& names);
    bool has_other_names() const;
    bool has_known_name() const;
    void record_names();
    std::optional<std::string> fill_cells();
    std::optional<std::size_t> column_of(std::string_view name);
    bool is_network(std::string_view name) const;
    void begin_columns();
    std::optional<input_error> complete();

    route_taker taker_;
    std::vector<std::string> network_; // one or two member names
    std::string length_;               // name of the member with the length, if there is one
    length_rule length_rule_;
    std::string joined_;                       // a network joined with the length next to it
    std::vector<std::string> names_;           // member names of the last route
    std::set<std::string, std::less<>> known_; // member names of all routes
    std::uint64_t without_network_ = 0;
    std::vector<std::string> columns_; // names of the value columns
    std::vector<char> is_seen_;        // columns that at least one object has
    std::vector<json_type> types_;     // types of the columns that have values
    std::vector<std::string_view> cells_;
    std::size_t next_column_ =
        0; // where the search begins, because objects usually have the same member order
    bool has_columns_ = false;
};

} // namespace fingerpost::io
