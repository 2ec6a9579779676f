// The lookups of Polars expressions. An expression refers to its lookup by a number.
//
//      in this process        the expression contains a column with the number, whose memory owns the lookup
//      in another process     the options of the expression name the image to open
#pragma once

#include <memory>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>

#include "python/core/arrow/chunk.hpp"
#include "python/core/vectors/call.hpp"

namespace fingerpost::python {

// All functions need the GIL, and that the module was imported.
class held_lookup {
  public:
    explicit held_lookup(call_options options) : options_(std::move(options)) {}

    const call_options& options() const noexcept { return options_; }
    // The type of the result, which can change if the values are Python objects. The first call determines
    // the type that the later ones require: require_type() raises TypeError for another one.
    arrow::column_type type();
    void require_type(const arrow::column_type& now);

  private:
    call_options options_;
    std::optional<std::string> known_type_;
};

// Adds the function `_hold_lookup` to the module.
void bind_held_lookups(nanobind::module_& to);

// The lookup with the number in `options`, a pickled dict. If this process does not have it, opens the image.
// Raises ValueError without an image, and the exceptions of Table.open().
std::shared_ptr<held_lookup> find_lookup(nanobind::bytes options);

} // namespace fingerpost::python
