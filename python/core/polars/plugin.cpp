// The C functions that Polars calls for the expression plugin `fingerpost_lookup`, version 0.1 of its
// interface. Polars finds them by name in the module's file, calls them from its own threads, without the
// GIL, and possibly in a process that has not imported the module.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/core/arrow/chunk.hpp"
#include "python/core/arrow/import.hpp"
#include "python/core/module_lock.hpp"
#include "python/core/polars/held_lookup.hpp"
#include "python/core/vectors/results/arrow_results.hpp"
#include "python/core/vectors/sources/arrow_source.hpp"

#define FINGERPOST_EXPORTED __attribute__((visibility("default")))

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

using arrow::ArrowArray;
using arrow::ArrowSchema;

// A column in the layout of Polars. A null `private_data` means an error.
struct series_export {
    ArrowSchema* type;
    ArrowArray** chunks;
    std::size_t chunk_count;
    void (*release)(series_export*);
    void* private_data;
};

// The memory of an exported series. The importer takes the arrays, and releases only the rest.
struct series_parts {
    arrow::owned<ArrowSchema> type;
    std::vector<ArrowArray> chunks;
    std::vector<ArrowArray*> pointers;
};

thread_local std::string last_error;

// Runs `body` with the GIL. Its exception becomes the error of this thread.
template <class Body>
void run_guarded(Body body) noexcept {
    const PyGILState_STATE gil = PyGILState_Ensure();
    try {
        body();
    } catch (nb::python_error& error) {
        try {
            last_error = nb::str(error.value()).c_str();
        } catch (...) {
            last_error = "fingerpost: an exception without a text";
        }
    } catch (const std::exception& error) {
        last_error = error.what();
    }
    PyGILState_Release(gil);
}

std::shared_ptr<held_lookup> find_lookup(const std::uint8_t* options, std::size_t size) {
    // The process may not have imported the module.
    static_cast<void>(nb::module_::import_("fingerpost._core"));
    const module_lock lock;
    return python::find_lookup(nb::bytes(reinterpret_cast<const char*>(options), size));
}

// Moves the content out of a series.
arrow::imported take(series_export& from) {
    arrow::imported result;
    result.chunked = true;
    result.schema = arrow::owned<ArrowSchema>(*from.type);
    for (std::size_t i = 0; i < from.chunk_count; ++i)
        result.chunks.emplace_back(*from.chunks[i]);
    return result;
}

void release_parts(series_export* series) {
    delete static_cast<series_parts*>(series->private_data);
    series->release = nullptr;
}

void export_series(const arrow::column& from, std::string name, series_export& out) {
    auto parts = std::make_unique<series_parts>();
    arrow::column_type type = from.type();
    type.name = std::move(name);
    arrow::export_type(type, *parts->type.out());
    auto chunks = from.chunks();
    if (chunks.empty())
        chunks.push_back(arrow::joined(type, {}));
    parts->chunks.resize(chunks.size());
    for (std::size_t i = 0; i < chunks.size(); ++i)
        parts->pointers.push_back(&parts->chunks[i]);
    for (std::size_t i = 0; i < chunks.size(); ++i)
        arrow::export_chunk(chunks[i], parts->chunks[i]);
    out = {&*parts->type, parts->pointers.data(), parts->pointers.size(), &release_parts, parts.get()};
    static_cast<void>(parts.release());
}

void look_up(held_lookup& lookup, arrow::imported rows, series_export& out) {
    const std::string name = rows.schema->name != nullptr ? rows.schema->name : "";
    // Freed after the call, which uses it.
    const std::unique_ptr<arrow_chunks> chunks = read_chunks(std::move(rows), row_kind::address);
    const module_lock lock;
    call by(lookup.options(), chunks->rows);
    const arrow::column answer = answer_as_arrow(by, chunks->sources, true);
    lookup.require_type(answer.type());
    export_series(answer, name, out);
}

} // namespace
} // namespace fingerpost::python

extern "C" {

using fingerpost::python::series_export;
using fingerpost::python::arrow::ArrowSchema;

// NOLINTBEGIN(bugprone-reserved-identifier): the names that Polars requires.
FINGERPOST_EXPORTED std::uint32_t _polars_plugin_get_version() {
    return 1;
}

FINGERPOST_EXPORTED const char* _polars_plugin_get_last_error_message() {
    return fingerpost::python::last_error.c_str();
}

// The type of the result, for the planner. Polars keeps the arguments.
FINGERPOST_EXPORTED void _polars_plugin_field_fingerpost_lookup(const ArrowSchema* arguments, std::size_t,
                                                                ArrowSchema* out, const std::uint8_t* options,
                                                                std::size_t size) {
    using namespace fingerpost::python;
    run_guarded([&] {
        const auto lookup = find_lookup(options, size);
        const module_lock lock;
        arrow::column_type type = lookup->type();
        type.name = arguments[0].name;
        arrow::export_type(type, *out);
    });
}

// Looks up the first argument. The others keep the lookup alive. All arguments are this function's to
// release.
FINGERPOST_EXPORTED void _polars_plugin_fingerpost_lookup(series_export* arguments, std::size_t count,
                                                          const std::uint8_t* options, std::size_t size,
                                                          series_export* out, const void*) {
    using namespace fingerpost::python;
    run_guarded([&] {
        std::vector<arrow::imported> columns;
        for (std::size_t i = 0; i < count; ++i) {
            columns.push_back(take(arguments[i]));
            arguments[i].release(&arguments[i]);
        }
        look_up(*find_lookup(options, size), std::move(columns[0]), *out);
    });
}
// NOLINTEND(bugprone-reserved-identifier)

} // extern "C"
