// First bytes of a saved table image.
#pragma once

#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

inline constexpr std::string_view image_start = "\x89"
                                                "FPI\r\n\x1a\n";

} // namespace fingerpost::io
