// A check of a record before libmaxminddb decodes it. The library follows every pointer of a record, and a
// few bytes of pointers to pointers would make it fill all memory.
#pragma once

#include "fingerpost/base/cxx20.hpp"
#if FINGERPOST_HAVE_MAXMINDDB

#include <cstddef>
#include <maxminddb.h>
#include <optional>
#include <string_view>

namespace fingerpost::io {

// Records of real files have less than a hundred values.
inline constexpr std::size_t max_record_values = 100'000;

// Why a record is not decoded: it has too many values, or is cut off. Nothing if it can be.
std::optional<std::string_view> why_no_record(const MMDB_entry_s& record);

} // namespace fingerpost::io

#endif
