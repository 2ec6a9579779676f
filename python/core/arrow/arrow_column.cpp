// The Python class ArrowColumn.
#include "python/core/arrow/arrow_column.hpp"

#include <string_view>
#include <utility>

#include <nanobind/stl/string.h>

#include "python/core/arrow/owned.hpp"

namespace fingerpost::python::arrow {
namespace nb = nanobind;
namespace {

// Returns a capsule that owns the struct, with the destructor that the specification requires. A consumer
// moves the data out; the destructor frees the empty struct.
template <class S>
nb::object capsule_of(std::unique_ptr<owned<S>> held, const char* name) {
    static_assert(sizeof(owned<S>) == sizeof(S),
                  "the pointer of the capsule must be a pointer to the struct");
    PyObject* capsule = PyCapsule_New(held.get(), name, [](PyObject* self) {
        delete static_cast<owned<S>*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
    });
    if (capsule == nullptr)
        throw nb::python_error();
    static_cast<void>(held.release());
    return nb::steal(capsule);
}

nb::object schema_capsule_of(const column_type& type) {
    auto schema = std::make_unique<owned<ArrowSchema>>();
    export_type(type, **schema);
    return capsule_of(std::move(schema), "arrow_schema");
}

nb::object value_at(const column_type& type, const chunk& from, std::size_t row) {
    if (!from.is_valid(row))
        return nb::none();
    switch (from.type) {
    case kind::uint8:
        return nb::int_(static_cast<const std::uint8_t*>(from.values.get())[row]);
    case kind::uint32:
        return nb::int_(static_cast<const std::uint32_t*>(from.values.get())[row]);
    case kind::int64:
        return nb::int_(static_cast<const std::int64_t*>(from.values.get())[row]);
    case kind::float64:
        return nb::float_(static_cast<const double*>(from.values.get())[row]);
    case kind::boolean:
        return nb::bool_((static_cast<const std::uint8_t*>(from.values.get())[row / 8] >> row % 8 & 1) != 0);
    case kind::utf8_view: {
        const std::string_view text = text_of(static_cast<const view*>(from.values.get())[row], from.texts);
        return nb::str(text.data(), text.size());
    }
    default:
        break;
    }
    nb::dict result;
    for (std::size_t i = 0; i < type.fields.size(); ++i)
        result[type.fields[i].name.c_str()] = value_at(type.fields[i], *from.children[i], row);
    return result;
}

} // namespace

std::size_t column::length() const noexcept {
    std::size_t sum = 0;
    for (const auto& part : chunks_)
        sum += part->length;
    return sum;
}

std::size_t column::nulls() const noexcept {
    std::size_t sum = 0;
    for (const auto& part : chunks_)
        sum += part->nulls;
    return sum;
}

nb::list column::to_pylist() const {
    nb::list result;
    for (const auto& part : chunks_)
        for (std::size_t row = 0; row < part->length; ++row)
            result.append(value_at(type_, *part, row));
    return result;
}

std::string column::repr() const {
    std::string type = name_of(exported_.type);
    for (std::size_t i = 0; i < type_.fields.size(); ++i)
        type += (i == 0 ? " (" : ", ") + type_.fields[i].name;
    type += type_.fields.empty() ? "" : ")";
    return "<fingerpost.ArrowColumn: " + std::to_string(length()) + " rows of " + type + ", " +
           std::to_string(nulls()) + " null>";
}

column_type column::requested(nb::handle request) const {
    if (request.is_none())
        return exported_;
    const void* const schema = PyCapsule_GetPointer(request.ptr(), "arrow_schema");
    if (schema == nullptr)
        throw nb::python_error();
    return requested_type(type_, *static_cast<const ArrowSchema*>(schema));
}

nb::object column::schema_capsule() const {
    return schema_capsule_of(exported_);
}

nb::tuple column::array_capsules(nb::handle request) const {
    const column_type type = requested(request);
    auto array = std::make_unique<owned<ArrowArray>>();
    {
        const nb::gil_scoped_release free;
        export_chunk(converted(joined(type_, chunks_), type), **array);
    }
    return nb::make_tuple(schema_capsule_of(type), capsule_of(std::move(array), "arrow_array"));
}

nb::object column::stream_capsule(nb::handle request) const {
    auto stream = std::make_unique<owned<ArrowArrayStream>>();
    export_stream(requested(request), chunks_, **stream);
    return capsule_of(std::move(stream), "arrow_array_stream");
}

void bind_column(nb::module_& module) {
    const auto requested = nb::arg("requested_schema") = nb::none();
    nb::class_<column>(
        module, "ArrowColumn",
        "A column in Arrow's memory layout. Table.lookup_many returns it for Arrow input.\n\n"
        "pyarrow.array(), pyarrow.chunked_array(), polars.Series() and other functions that support the "
        "Arrow PyCapsule interface\naccept it without a copy. to_pylist() needs no other library. A struct "
        "has one field for each want.")
        .def("__len__", &column::length)
        .def("__repr__", &column::repr)
        .def("to_pylist", &column::to_pylist, "Returns the rows as a list, with None for nulls.")
        .def_prop_ro("null_count", &column::nulls, "Number of null rows.")
        .def_prop_ro(
            "num_chunks", [](const column& c) { return c.chunks().size(); },
            "Number of chunks, the same as that of the input.")
        .def_prop_ro("chunked", &column::chunked, "Whether the input was a stream of chunks.")
        .def_prop_ro(
            "type", [](const column& c) { return std::string(name_of(c.type().type)); },
            "Name of the Arrow type: uint8, uint32, int64, float64, bool, utf8_view or struct.")
        .def("__arrow_c_schema__", &column::schema_capsule,
             "Exports the type through the Arrow PyCapsule interface.")
        .def(
            "__arrow_c_array__", &column::array_capsules, requested,
            "Exports the rows as one array. Several chunks are joined.\n\n"
            "Texts are utf8_view and share the memory of the table. requested_schema can request them as\n"
            "utf8, large_utf8 or a dictionary of utf8 with int32 indices, which copies them. Other requests\n"
            "are ignored. Raises ValueError for more than 2 GiB of text in utf8 or a dictionary.")
        .def("__arrow_c_stream__", &column::stream_capsule, requested,
             "Exports the rows as a stream of chunks. requested_schema is that of __arrow_c_array__.");
}

} // namespace fingerpost::python::arrow
