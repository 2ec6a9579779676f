// Routing tables as JSON: objects with a member network, prefix, cidr or dst, or with two members for the
// ends of a range, one after the other or in an array. All other members, except objects and arrays, are
// columns of values. If an object lacks one of them, its route has an empty text there.
//
//     {"network":"10.0.0.0/8","asn":64500,"name":"A, Inc."}
#pragma once

#include <cstddef>
#include <optional>
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
    std::optional<std::string> find_network_members();
    std::optional<std::string> fill_cells();
    std::optional<std::size_t> column_of(std::string_view name);
    bool is_network(std::string_view name) const;
    void begin_columns();
    std::optional<input_error> complete();

    route_taker taker_;
    std::vector<std::string> network_; // one or two names of members
    std::vector<std::string> columns_; // names of the columns of values
    std::vector<char> is_seen_;        // columns that some object has
    std::vector<std::string_view> cells_;
    std::size_t next_column_ = 0; // objects usually have their members in the same order
    bool has_columns_ = false;
};

} // namespace fingerpost::io
