// Bytes that routes have instead of next hops, and files of them.
#pragma once

#include <cstddef>

#include "capi/handles.hpp"

namespace fingerpost::capi {

// Replaces all routes of `to` by those of a table with bytes. Throws std::bad_alloc; then, as after an error,
// nothing has changed.
status load_bytes(bytes_table& to, const fingerpost_table& from, commit_result& done);

// Of the mapped file, and of what had to be built for an older version.
std::size_t file_bytes(const mapped_table& of) noexcept;

} // namespace fingerpost::capi
