// Columns of our own that Arrow's structs can hand out: what a lookup of a whole column answers.
//
// A chunk is immutable once made and shared: each exported ArrowArray keeps the chunk that it shows alive,
// and is released by whoever took it, in any thread, without Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "python/core/arrow/abi.hpp"

namespace fingerpost::python::arrow {

enum class kind : std::uint8_t { uint8, uint32, int64, float64, utf8, large_utf8, structure };

// The format string of the specification.
const char* format_of(kind k) noexcept;
// The name that users of Arrow know the type by.
const char* name_of(kind k) noexcept;

// The type of a column; `fields` are those of a struct, which have names.
struct column_type {
    kind type = kind::uint32;
    std::string name;
    std::vector<column_type> fields;
};

// Memory that nothing has written to yet, with room for `count` values.
template <class T>
std::shared_ptr<T[]> room_for(std::size_t count) {
    return std::make_shared_for_overwrite<T[]>(count > 0 ? count : 1);
}

struct chunk {
    kind type = kind::uint32;
    std::size_t length = 0;
    std::size_t nulls = 0;
    // One bit a row, the lowest first; a row is null where it is clear. Not there when no row is null.
    std::shared_ptr<const std::uint8_t[]> valid;
    // Values of a fixed size; or, of text, where each row starts, and where the last one ends.
    std::shared_ptr<const void> values;
    // The texts, one after the other.
    std::shared_ptr<const char[]> text;
    // Of a struct, each as long as the struct.
    std::vector<std::shared_ptr<const chunk>> children;

    bool is_valid(std::size_t row) const noexcept {
        return valid == nullptr || (valid[row / 8] >> (row % 8) & 1) != 0;
    }
};

// Bytes of a bitmap of so many rows.
constexpr std::size_t bitmap_bytes(std::size_t rows) noexcept {
    return (rows + 7) / 8;
}

// Fills an empty struct. They throw std::bad_alloc.
void export_type(const column_type& type, ArrowSchema& out);
void export_chunk(std::shared_ptr<const chunk> from, ArrowArray& out);
void export_stream(const column_type& type, std::vector<std::shared_ptr<const chunk>> chunks,
                   ArrowArrayStream& out);

// All chunks as one; throws std::length_error when texts with offsets of 32 bits grow beyond those.
std::shared_ptr<const chunk> joined(const column_type& type,
                                    const std::vector<std::shared_ptr<const chunk>>& chunks);

} // namespace fingerpost::python::arrow
