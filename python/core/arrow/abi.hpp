// The three structs of Arrow's C data and C stream interfaces, as their specification lays them out. They are
// an ABI: every producer and consumer has its own copy, and no library of Arrow is needed.
#pragma once

#include <cstdint>

namespace fingerpost::python::arrow {

// A struct with a null `release` is empty and owns nothing.

// The type of a column. Children are the fields of a struct; with a dictionary, `format` is that of the
// indices.
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

// The rows of a column: `length` of them from row `offset` on. `null_count` is -1 if it is not known.
struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

// Chunks of one type, one after the other; an empty array marks the end. Functions return an errno.
struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

static_assert(sizeof(ArrowSchema) == 72 && sizeof(ArrowArray) == 80 && sizeof(ArrowArrayStream) == 40,
              "the layout that the specification gives on machines of 64 bits");

// A bit of ArrowSchema::flags: rows may be null.
inline constexpr std::int64_t flag_nullable = 2;

} // namespace fingerpost::python::arrow
