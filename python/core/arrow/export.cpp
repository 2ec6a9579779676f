// Exports columns as Arrow structs. The private data of a struct owns everything that it points to.
#include <array>
#include <cerrno>
#include <new>
#include <utility>

#include "python/core/arrow/chunk.hpp"
#include "python/core/arrow/owned.hpp"

namespace fingerpost::python::arrow {
namespace {

struct schema_parts {
    std::string name;
    std::vector<owned<ArrowSchema>> children;
    std::vector<ArrowSchema*> pointers;
};

struct array_parts {
    std::shared_ptr<const chunk> exported;
    std::array<const void*, 3> buffers{};
    std::vector<owned<ArrowArray>> children;
    std::vector<ArrowArray*> pointers;
};

struct stream_parts {
    column_type type;
    std::vector<std::shared_ptr<const chunk>> chunks;
    std::size_t next = 0;
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

std::int64_t buffers_of(kind type) noexcept {
    switch (type) {
    case kind::structure:
        return 1;
    case kind::utf8:
    case kind::large_utf8:
        return 3;
    default:
        return 2;
    }
}

stream_parts& parts_of(ArrowArrayStream* stream) noexcept {
    return *static_cast<stream_parts*>(stream->private_data);
}

// Functions of a stream must not throw. The only possible error is lack of memory.
template <class Body>
int guarded(Body&& body) noexcept {
    try {
        body();
        return 0;
    } catch (...) {
        return ENOMEM;
    }
}

int next_schema(ArrowArrayStream* stream, ArrowSchema* out) noexcept {
    return guarded([&] { export_type(parts_of(stream).type, *out); });
}

int next_chunk(ArrowArrayStream* stream, ArrowArray* out) noexcept {
    return guarded([&] {
        stream_parts& parts = parts_of(stream);
        *out = {};
        if (parts.next < parts.chunks.size())
            export_chunk(parts.chunks[parts.next++], *out);
    });
}

const char* last_error(ArrowArrayStream*) noexcept {
    return "out of memory";
}

} // namespace

const char* format_of(kind k) noexcept {
    constexpr std::array formats = {"C", "I", "l", "g", "b", "u", "U", "+s"};
    return formats[static_cast<std::size_t>(k)];
}

const char* name_of(kind k) noexcept {
    constexpr std::array names = {"uint8", "uint32", "int64",      "float64",
                                  "bool",  "utf8",   "large_utf8", "struct"};
    return names[static_cast<std::size_t>(k)];
}

void export_type(const column_type& type, ArrowSchema& out) {
    auto parts = std::make_unique<schema_parts>();
    parts->name = type.name;
    parts->children.resize(type.fields.size());
    for (std::size_t i = 0; i < type.fields.size(); ++i)
        export_type(type.fields[i], *parts->children[i]);
    point_to_children(parts->children, parts->pointers);
    out = {.format = format_of(type.type),
           .name = parts->name.c_str(),
           .metadata = nullptr,
           .flags = flag_nullable,
           .n_children = static_cast<std::int64_t>(type.fields.size()),
           .children = parts->pointers.data(),
           .dictionary = nullptr,
           .release = &release<schema_parts, ArrowSchema>,
           .private_data = parts.get()};
    static_cast<void>(parts.release());
}

void export_chunk(std::shared_ptr<const chunk> from, ArrowArray& out) {
    auto parts = std::make_unique<array_parts>();
    parts->buffers = {from->valid.get(), from->values.get(), from->text.get()};
    parts->children.resize(from->children.size());
    for (std::size_t i = 0; i < from->children.size(); ++i)
        export_chunk(from->children[i], *parts->children[i]);
    point_to_children(parts->children, parts->pointers);
    out = {.length = static_cast<std::int64_t>(from->length),
           .null_count = static_cast<std::int64_t>(from->nulls),
           .offset = 0,
           .n_buffers = buffers_of(from->type),
           .n_children = static_cast<std::int64_t>(parts->pointers.size()),
           .buffers = parts->buffers.data(),
           .children = parts->pointers.data(),
           .dictionary = nullptr,
           .release = &release<array_parts, ArrowArray>,
           .private_data = parts.get()};
    parts->exported = std::move(from);
    static_cast<void>(parts.release());
}

void export_stream(const column_type& type, std::vector<std::shared_ptr<const chunk>> chunks,
                   ArrowArrayStream& out) {
    auto parts = std::make_unique<stream_parts>(stream_parts{type, std::move(chunks)});
    out = {.get_schema = &next_schema,
           .get_next = &next_chunk,
           .get_last_error = &last_error,
           .release = &release<stream_parts, ArrowArrayStream>,
           .private_data = parts.release()};
}

} // namespace fingerpost::python::arrow
