// Moves structs out of capsules, and reads the chunks of streams.
#include "python/core/arrow/import.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace fingerpost::python::arrow {
namespace nb = nanobind;
namespace {

// Moves the content out of a capsule with this name. The capsule's destructor then does nothing.
template <class S>
owned<S> take(nb::handle capsule, const char* name) {
    void* held = PyCapsule_GetPointer(capsule.ptr(), name);
    if (held == nullptr)
        throw nb::python_error();
    S& raw = *static_cast<S*>(held);
    if (raw.release == nullptr)
        throw nb::value_error("the Arrow capsule is empty: its data was already imported");
    return owned<S>(raw);
}

[[noreturn]] void fail(ArrowArrayStream& stream, int code) {
    const char* reason = stream.get_last_error(&stream);
    throw std::runtime_error(std::string("the Arrow stream failed: ") +
                             (reason != nullptr ? reason : std::strerror(code)));
}

imported read(owned<ArrowArrayStream> stream) {
    imported result;
    result.chunked = true;
    if (const int code = stream->get_schema(&*stream, result.schema.out()); code != 0)
        fail(*stream, code);
    for (;;) {
        owned<ArrowArray> chunk;
        if (const int code = stream->get_next(&*stream, chunk.out()); code != 0)
            fail(*stream, code);
        if (!chunk)
            return result;
        result.chunks.push_back(std::move(chunk));
    }
}

} // namespace

bool is_arrow(nb::handle object) {
    return nb::hasattr(object, "__arrow_c_array__") || nb::hasattr(object, "__arrow_c_stream__");
}

imported import_arrow(nb::handle object) {
    if (nb::hasattr(object, "__arrow_c_array__")) {
        const nb::object pair = object.attr("__arrow_c_array__")(nb::none());
        if (!nb::isinstance<nb::tuple>(pair) || nb::len(pair) != 2)
            throw nb::type_error("__arrow_c_array__ did not return a pair of capsules");
        imported result;
        result.schema = take<ArrowSchema>(pair[0], "arrow_schema");
        result.chunks.push_back(take<ArrowArray>(pair[1], "arrow_array"));
        return result;
    }
    auto stream = take<ArrowArrayStream>(object.attr("__arrow_c_stream__")(nb::none()), "arrow_array_stream");
    const nb::gil_scoped_release unlocked;
    return read(std::move(stream));
}

} // namespace fingerpost::python::arrow
