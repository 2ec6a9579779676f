// fingerpost.ArrowColumn: a column that libraries with the Arrow PyCapsule interface accept without a copy.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "python/core/arrow/chunk.hpp"
#include "python/core/arrow/convert.hpp"

namespace fingerpost::python::arrow {

class column {
  public:
    column(column_type type, std::vector<std::shared_ptr<const chunk>> chunks, bool chunked)
        : type_(std::move(type)), exported_(type_), chunks_(std::move(chunks)), chunked_(chunked) {}

    // The type that consumers get if they request no other.
    const column_type& type() const noexcept { return exported_; }
    // Exports texts as utf8 or, if they are too long for it, as large_utf8.
    void export_offsets() { exported_ = type_with_offsets(type_, chunks_); }
    const std::vector<std::shared_ptr<const chunk>>& chunks() const noexcept { return chunks_; }
    // Whether the input was chunked. Some libraries have different types for chunked data.
    bool chunked() const noexcept { return chunked_; }
    std::size_t length() const noexcept;
    std::size_t nulls() const noexcept;

    // A list with None for nulls and dicts for structs.
    nanobind::list to_pylist() const;
    std::string repr() const;

    // Capsules of the PyCapsule interface. `request` is None or the capsule of a schema.
    nanobind::object schema_capsule() const;
    nanobind::tuple array_capsules(nanobind::handle request) const;
    nanobind::object stream_capsule(nanobind::handle request) const;

  private:
    column_type requested(nanobind::handle request) const;

    column_type type_; // of the chunks
    column_type exported_;
    std::vector<std::shared_ptr<const chunk>> chunks_;
    bool chunked_;
};

void bind_column(nanobind::module_& module);

} // namespace fingerpost::python::arrow
