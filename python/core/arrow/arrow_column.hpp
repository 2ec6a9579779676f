// fingerpost.ArrowColumn: a column that libraries with the Arrow PyCapsule interface accept without a copy.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "python/core/arrow/chunk.hpp"

namespace fingerpost::python::arrow {

class column {
  public:
    column(column_type type, std::vector<std::shared_ptr<const chunk>> chunks, bool chunked)
        : type_(std::move(type)), chunks_(std::move(chunks)), chunked_(chunked) {}

    const column_type& type() const noexcept { return type_; }
    const std::vector<std::shared_ptr<const chunk>>& chunks() const noexcept { return chunks_; }
    // Whether the input was chunked. Some libraries have different types for chunked data.
    bool chunked() const noexcept { return chunked_; }
    std::size_t length() const noexcept;
    std::size_t nulls() const noexcept;

    // A list with None for nulls and dicts for structs.
    nanobind::list to_pylist() const;
    std::string repr() const;

    // Capsules of the PyCapsule interface.
    nanobind::object schema_capsule() const;
    nanobind::tuple array_capsules() const;
    nanobind::object stream_capsule() const;

  private:
    column_type type_;
    std::vector<std::shared_ptr<const chunk>> chunks_;
    bool chunked_;
};

void bind_column(nanobind::module_& module);

} // namespace fingerpost::python::arrow
