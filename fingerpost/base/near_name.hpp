// Finds the name that a user may have meant by a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fingerpost {

// Returns the name that needs the fewest letters left out, added, changed or swapped. A longer name that
// begins with `given` counts as near. Empty if no name is near.
std::string near_name(std::string_view given, std::span<const std::string> names);

// Returns `; did you mean NAME?` for the nearest name, else an empty text.
std::string did_you_mean(std::string_view given, std::span<const std::string> names);

} // namespace fingerpost
