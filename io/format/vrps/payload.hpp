// Checks one validated ROA payload, and adds it to a table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/cxx20.hpp"
#include "io/format/parts/joined_routes.hpp"

namespace fingerpost::io {

struct payload {
    std::string_view asn; // with or without `AS`
    std::string_view prefix;
    std::string_view max_length; // empty: equal to the prefix length
    std::string_view ta;
};

// Returns the columns of tables of payloads.
const std::vector<std::string>& payload_columns();

// Adds a payload. Returns the fault if it is refused.
std::optional<route_fault> add_payload(joined_table& table, const payload& roa);

} // namespace fingerpost::io
