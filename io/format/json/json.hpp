// Routing tables as JSON: objects with a member network, prefix, cidr or dst, or with two members for the
// ends of a range, or with one for the length beside one for the network, one after the other or in an array.
// All other members, except objects and arrays, are columns of values. If an object lacks one of them, or has
// null, it is missing for its route. A column whose members are all numbers or all booleans has that type;
// any other is one of texts. An object that has none of the members of the others is no route.
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
    bool knows_a_name() const;
    void note_names();
    std::optional<std::string> fill_cells();
    std::optional<std::size_t> column_of(std::string_view name);
    bool is_network(std::string_view name) const;
    void begin_columns();
    std::optional<input_error> complete();

    route_taker taker_;
    std::vector<std::string> network_; // one or two names of members
    std::string length_;               // the name of the member with the length, if there is one
    length_rule length_rule_;
    std::string joined_;                       // a network with the length beside it
    std::vector<std::string> names_;           // of the members of the last route
    std::set<std::string, std::less<>> known_; // of the members of all routes
    std::uint64_t without_network_ = 0;
    std::vector<std::string> columns_; // names of the columns of values
    std::vector<char> is_seen_;        // columns that some object has
    std::vector<json_type> types_;     // of the columns that have values
    std::vector<std::string_view> cells_;
    std::size_t next_column_ = 0; // objects usually have their members in the same order
    bool has_columns_ = false;
};

} // namespace fingerpost::io
