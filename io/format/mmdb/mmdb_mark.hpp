// What the metadata of a MaxMind DB begins with, and where it is.
#pragma once

#include <cstddef>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

inline constexpr std::string_view mmdb_mark = "\xab\xcd\xef"
                                              "MaxMind.com";
// The mark begins within so many last bytes of a file.
inline constexpr std::size_t max_mmdb_metadata_bytes = std::size_t{128} << 10;

} // namespace fingerpost::io
