// The name that somebody who mistyped one may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fingerpost {

// The nearest by letters left out, added, changed or swapped; a longer one that begins like it counts as
// near. Empty when none is.
std::string near_name(std::string_view given, std::span<const std::string> names);

// `; did you mean NAME?` for the nearest, else nothing.
std::string did_you_mean(std::string_view given, std::span<const std::string> names);

} // namespace fingerpost
