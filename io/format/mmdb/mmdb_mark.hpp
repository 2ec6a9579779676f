// Start and position of the metadata of a MaxMind DB.
#pragma once

#include <cstddef>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

inline constexpr std::string_view mmdb_mark = "\xab\xcd\xef"
                                              "MaxMind.com";
// The mark begins within this number of bytes before the end of a file.
inline constexpr std::size_t max_mmdb_metadata_bytes = std::size_t{128} << 10;

} // namespace fingerpost::io
