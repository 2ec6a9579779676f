// Addresses as people and programs write them into log lines.
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
    std::size_t size; // of the address alone, without brackets, port and zone
};

// The next address in a text, from an offset on at which no word goes on. It stands by itself: not within a
// word, a name, a version of more or fewer parts, or a time. `::` alone counts in brackets only.
std::optional<found_address> find_address(std::string_view text, std::size_t from);

} // namespace fingerpost::cli::enrich
