// Exports columns as Arrow structs. The private data of a struct owns everything that it points to.
#include <array>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <utility>

#include "python/core/arrow/chunk.hpp"
#include "python/core/arrow/convert.hpp"
#include "python/core/arrow/owned.hpp"

namespace fingerpost::python::arrow {
namespace {

struct schema_parts {
    std::string name;
    std::vector<owned<ArrowSchema>> children;
    std::vector<ArrowSchema*> pointers;
    owned<ArrowSchema> dictionary;
};

struct array_parts {
    std::shared_ptr<const chunk> exported;
    std::vector<const void*> buffers;
    std::vector<std::int64_t> text_sizes; // for views
    std::vector<owned<ArrowArray>> children;
    std::vector<ArrowArray*> pointers;
    owned<ArrowArray> dictionary;
};

struct stream_parts {
    column_type type; // the type that is exported
    std::vector<std::shared_ptr<const chunk>> chunks;
    std::size_t next = 0;
    std::string error;
};

// A consumer may have moved children out; these are empty.
template <class Parts, class S>
void release(S* s) {
    delete static_cast<Parts*>(s->private_data);
    s->release = nullptr;
}

template <class S>
void point_to_children(std::vector<owned<S>>& children, std::vector<S*>& pointers) {
    pointers.reserve(children.size());
    for (owned<S>& child : children)
        pointers.push_back(&*child);
}

// A text buffer must not be null, even if it is empty.
void point_to_buffers(const chunk& from, array_parts& parts) {
    parts.buffers = {from.valid.get()};
    if (from.type != kind::structure)
        parts.buffers.push_back(from.values.get());
    for (const text_buffer& text : from.texts) {
        parts.buffers.push_back(text.bytes.get() != nullptr ? text.bytes.get() : "");
        parts.text_sizes.push_back(static_cast<std::int64_t>(text.size));
    }
    if (from.type != kind::utf8_view)
        return;
    parts.text_sizes.reserve(1);
    parts.buffers.push_back(parts.text_sizes.data());
}

stream_parts& parts_of(ArrowArrayStream* stream) noexcept {
    return *static_cast<stream_parts*>(stream->private_data);
}

// Functions of a stream must not throw.
template <class Body>
int guarded(ArrowArrayStream* stream, Body&& body) noexcept {
    stream_parts& parts = parts_of(stream);
    try {
        body(parts);
        return 0;
    } catch (const std::length_error& error) {
        parts.error = error.what();
        return EOVERFLOW;
    } catch (...) {
        parts.error.clear();
        return ENOMEM;
    }
}

int next_schema(ArrowArrayStream* stream, ArrowSchema* out) noexcept {
    return guarded(stream, [&](const stream_parts& parts) { export_type(parts.type, *out); });
}

int next_chunk(ArrowArrayStream* stream, ArrowArray* out) noexcept {
    return guarded(stream, [&](stream_parts& parts) {
        *out = {};
        if (parts.next < parts.chunks.size())
            export_chunk(converted(parts.chunks[parts.next++], parts.type), *out);
    });
}

const char* last_error(ArrowArrayStream* stream) noexcept {
    const std::string& error = parts_of(stream).error;
    return error.empty() ? "out of memory" : error.c_str();
}

} // namespace

const char* format_of(kind k) noexcept {
    constexpr std::array formats = {"C", "I", "l", "g", "b", "vu", "u", "U", "i", "+s"};
    return formats[static_cast<std::size_t>(k)];
}

const char* name_of(kind k) noexcept {
    constexpr std::array names = {"uint8",     "uint32", "int64",      "float64",    "bool",
                                  "utf8_view", "utf8",   "large_utf8", "dictionary", "struct"};
    return names[static_cast<std::size_t>(k)];
}

void export_type(const column_type& type, ArrowSchema& out) {
    auto parts = std::make_unique<schema_parts>();
    parts->name = type.name;
    parts->children.resize(type.fields.size());
    for (std::size_t i = 0; i < type.fields.size(); ++i)
        export_type(type.fields[i], *parts->children[i]);
    point_to_children(parts->children, parts->pointers);
    if (type.type == kind::dictionary)
        export_type({kind::utf8, {}, {}}, *parts->dictionary);
    out = {.format = format_of(type.type),
           .name = parts->name.c_str(),
           .metadata = nullptr,
           .flags = flag_nullable,
           .n_children = static_cast<std::int64_t>(type.fields.size()),
           .children = parts->pointers.data(),
           .dictionary = parts->dictionary ? &*parts->dictionary : nullptr,
           .release = &release<schema_parts, ArrowSchema>,
           .private_data = parts.get()};
    static_cast<void>(parts.release());
}

void export_chunk(std::shared_ptr<const chunk> from, ArrowArray& out) {
    auto parts = std::make_unique<array_parts>();
    point_to_buffers(*from, *parts);
    if (from->type == kind::dictionary) {
        export_chunk(from->children.front(), *parts->dictionary);
    } else {
        parts->children.resize(from->children.size());
        for (std::size_t i = 0; i < from->children.size(); ++i)
            export_chunk(from->children[i], *parts->children[i]);
    }
    point_to_children(parts->children, parts->pointers);
    out = {.length = static_cast<std::int64_t>(from->length),
           .null_count = static_cast<std::int64_t>(from->nulls),
           .offset = 0,
           .n_buffers = static_cast<std::int64_t>(parts->buffers.size()),
           .n_children = static_cast<std::int64_t>(parts->pointers.size()),
           .buffers = parts->buffers.data(),
           .children = parts->pointers.data(),
           .dictionary = parts->dictionary ? &*parts->dictionary : nullptr,
           .release = &release<array_parts, ArrowArray>,
           .private_data = parts.get()};
    parts->exported = std::move(from);
    static_cast<void>(parts.release());
}

void export_stream(const column_type& type, std::vector<std::shared_ptr<const chunk>> chunks,
                   ArrowArrayStream& out) {
    auto parts = std::make_unique<stream_parts>(stream_parts{type, std::move(chunks), 0, {}});
    out = {.get_schema = &next_schema,
           .get_next = &next_chunk,
           .get_last_error = &last_error,
           .release = &release<stream_parts, ArrowArrayStream>,
           .private_data = parts.release()};
}

} // namespace fingerpost::python::arrow
