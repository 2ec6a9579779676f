// Addresses in log lines, as people and programs write them.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "cli/answers/address_field.hpp"

namespace fingerpost::cli::enrich {

using cli::any_address;
using cli::parse_field;

struct found_address {
    any_address what;
    std::size_t offset;
    std::size_t size; // size of the address without brackets, port and zone
};

// Finds the next address at or after `from`, which must not be inside a word. An address is not part of a
// word, a name, a version number with more or fewer parts, or a time. `::` alone counts only in brackets.
std::optional<found_address> find_address(std::string_view text, std::size_t from);

} // namespace fingerpost::cli::enrich
