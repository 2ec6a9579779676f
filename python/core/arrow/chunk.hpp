// Our own columns that Arrow's structs can export: the answers of a lookup of a whole column.
//
// A chunk is immutable and shared: each exported ArrowArray keeps its chunk alive, and its consumer may
// release it in any thread, without Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "python/core/arrow/abi.hpp"

namespace fingerpost::python::arrow {

// A boolean is a bit, the lowest first.
enum class kind : std::uint8_t { uint8, uint32, int64, float64, boolean, utf8, large_utf8, structure };

// The format string in the specification.
const char* format_of(kind k) noexcept;
// The name by which users of Arrow know the type.
const char* name_of(kind k) noexcept;

// The type of a column; `fields` are the named fields of a struct.
struct column_type {
    kind type = kind::uint32;
    std::string name;
    std::vector<column_type> fields;
};

// Uninitialised memory for `count` values.
template <class T>
std::shared_ptr<T[]> room_for(std::size_t count) {
    return std::make_shared_for_overwrite<T[]>(count > 0 ? count : 1);
}

struct chunk {
    kind type = kind::uint32;
    std::size_t length = 0;
    std::size_t nulls = 0;
    // One bit for each row, the lowest first; a row is null if its bit is clear. Null if no row is null.
    std::shared_ptr<const std::uint8_t[]> valid;
    // Values of a fixed size; for text, where each row starts, and where the last one ends.
    std::shared_ptr<const void> values;
    // The texts, one after the other.
    std::shared_ptr<const char[]> text;
    // The fields of a struct, each as long as the struct.
    std::vector<std::shared_ptr<const chunk>> children;

    bool is_valid(std::size_t row) const noexcept {
        return valid == nullptr || (valid[row / 8] >> (row % 8) & 1) != 0;
    }
};

// The bytes of a bitmap for this many rows.
constexpr std::size_t bitmap_bytes(std::size_t rows) noexcept {
    return (rows + 7) / 8;
}

// They fill an empty struct, and throw std::bad_alloc.
void export_type(const column_type& type, ArrowSchema& out);
void export_chunk(std::shared_ptr<const chunk> from, ArrowArray& out);
void export_stream(const column_type& type, std::vector<std::shared_ptr<const chunk>> chunks,
                   ArrowArrayStream& out);

// All chunks as one; throws std::length_error if texts become too long for offsets of 32 bits.
std::shared_ptr<const chunk> joined(const column_type& type,
                                    const std::vector<std::shared_ptr<const chunk>>& chunks);

} // namespace fingerpost::python::arrow
