// Suggests a name for a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fingerpost {

// Returns the name with the fewest letters removed, added, changed or swapped. A longer name that begins with
// `typed` counts as near. Returns an empty string if no name is near.
std::string near_name(std::string_view typed, std::span<const std::string> names);

// Returns `; did you mean NAME?` for the nearest name, or an empty string.
std::string did_you_mean(std::string_view typed, std::span<const std::string> names);

} // namespace fingerpost
