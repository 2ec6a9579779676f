// Columns of results, which can be exported as Arrow structs.
//
// A chunk is immutable and shared. Each exported ArrowArray keeps its chunk alive, and its consumer may
// release it in any thread, without the GIL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "python/core/arrow/abi.hpp"
#include "python/core/arrow/text_views.hpp"

namespace fingerpost::python::arrow {

// Booleans are stored as bits, the lowest first. Results have texts as utf8_view. The other types of text,
// and dictionaries of int32 and utf8, exist only for consumers that request them (convert.hpp).
enum class kind : std::uint8_t {
    uint8,
    uint32,
    int64,
    float64,
    boolean,
    utf8_view,
    utf8,
    large_utf8,
    dictionary,
    structure
};

// Format string of the specification.
const char* format_of(kind k) noexcept;
// Name of the Arrow type.
const char* name_of(kind k) noexcept;

// Type of a column. `fields` are the fields of a struct.
struct column_type {
    kind type = kind::uint32;
    std::string name;
    std::vector<column_type> fields;
};

// Uninitialized memory for `count` values.
template <class T>
std::shared_ptr<T[]> room_for(std::size_t count) {
    return std::make_shared_for_overwrite<T[]>(count > 0 ? count : 1);
}

struct chunk {
    kind type = kind::uint32;
    std::size_t length = 0;
    std::size_t nulls = 0;
    // One bit per row, the lowest first, clear for null rows. The pointer is null if no row is null.
    std::shared_ptr<const std::uint8_t[]> valid;
    // Values of a fixed size, or views. Rows of text that are null have empty views. For utf8 and large_utf8,
    // the start of each row, and the end of the last one.
    std::shared_ptr<const void> values;
    // The texts that views point to. For utf8 and large_utf8, one buffer with all texts, without gaps.
    std::vector<text_buffer> texts;
    // The fields of a struct, each as long as the struct, or the dictionary.
    std::vector<std::shared_ptr<const chunk>> children;

    bool is_valid(std::size_t row) const noexcept {
        return valid == nullptr || (valid[row / 8] >> (row % 8) & 1) != 0;
    }
};

// Size of a bitmap for this many rows, in bytes.
constexpr std::size_t bitmap_bytes(std::size_t rows) noexcept {
    return (rows + 7) / 8;
}

// Fill an empty struct. Throw std::bad_alloc. The type of a stream may differ from that of its chunks in the
// types of texts, which are converted chunk by chunk.
void export_type(const column_type& type, ArrowSchema& out);
void export_chunk(std::shared_ptr<const chunk> from, ArrowArray& out);
void export_stream(const column_type& type, std::vector<std::shared_ptr<const chunk>> chunks,
                   ArrowArrayStream& out);

// Joins all chunks of results. Texts are not copied.
std::shared_ptr<const chunk> joined(const column_type& type,
                                    const std::vector<std::shared_ptr<const chunk>>& chunks);

} // namespace fingerpost::python::arrow
