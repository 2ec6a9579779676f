// Locates rows in their arrays, for kernels and their callers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fingerpost/columns/kernels.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::columns {
namespace {

// Bytes of a row. Bytes up to `limit`, which is not before the end of the row, may also be read.
struct piece {
    const char* at;
    std::size_t size;
    const char* limit;
};

FINGERPOST_INLINE bool has_value(validity valid, std::size_t row) {
    const std::size_t bit = valid.offset + row;
    return valid.bits == nullptr || (valid.bits[bit / 8] >> bit % 8 & 1) != 0;
}

// Returns false if the row is not within its buffer.
template <class Offset>
FINGERPOST_INLINE bool find_row(const offset_rows<Offset>& in, std::size_t row, piece& out) {
    Offset ends[2];
    __builtin_memcpy(ends, in.offsets + row, sizeof ends);
    // A negative offset becomes a very large one.
    const auto begin = static_cast<std::uint64_t>(ends[0]);
    const auto end = static_cast<std::uint64_t>(ends[1]);
    if (begin > end || end > in.size)
        return false;
    out = {in.data + begin, end - begin, in.data + in.size};
    return true;
}

FINGERPOST_INLINE bool find_row(const view_rows& in, std::size_t row, piece& out) {
    const char* const bytes = reinterpret_cast<const char*>(in.views + row);
    std::int32_t words[4];
    __builtin_memcpy(words, bytes, sizeof words);
    const auto size = static_cast<std::uint64_t>(words[0]);
    if (size <= view::longest_inline) {
        out = {bytes + sizeof words[0], size, reinterpret_cast<const char*>(in.views + in.count)};
        return true;
    }
    const auto buffer = static_cast<std::uint64_t>(words[2]);
    const auto offset = static_cast<std::uint64_t>(words[3]);

    if (words[0] < 0 || words[3] < 0 || buffer >= in.buffer_count ||
        offset + size > in.buffers[buffer].size())
        return false;
    const char* const start = in.buffers[buffer].data();
    out = {start + offset, size, start + in.buffers[buffer].size()};
    return true;
}

} // namespace
} // namespace fingerpost::columns
