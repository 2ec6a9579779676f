// The structs of Arrow's C data and C stream interfaces, with the layout of their specification. They are an
// ABI: every producer and consumer has its own definition and needs no Arrow library.
#pragma once

#include <cstdint>

namespace fingerpost::python::arrow {

// A struct with a null `release` is empty and owns nothing.

// The type of a column. Children are the fields of a struct. With a dictionary, `format` describes the
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

// `length` rows of a column, starting at row `offset`. `null_count` is -1 if it is unknown.
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

// A sequence of chunks of one type. An empty array marks the end. Functions return an errno.
struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

static_assert(sizeof(ArrowSchema) == 72 && sizeof(ArrowArray) == 80 && sizeof(ArrowArrayStream) == 40,
              "the layout of the specification for 64-bit machines");

// Flag of ArrowSchema::flags: rows may be null.
inline constexpr std::int64_t flag_nullable = 2;

} // namespace fingerpost::python::arrow
