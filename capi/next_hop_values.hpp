// Tables with bytes instead of next hops, and their files.
#pragma once

#include <cstddef>

#include "capi/handles.hpp"

namespace fingerpost::capi {

// Replaces all routes of `to` by those of a table with bytes. On errors nothing changes. Throws
// std::bad_alloc.
status load_bytes(bytes_table& to, const fingerpost_table& from, commit_result& done);

// Memory of the mapped file and of the structures that were rebuilt for an old version.
std::size_t file_bytes(const mapped_table& of) noexcept;

} // namespace fingerpost::capi
