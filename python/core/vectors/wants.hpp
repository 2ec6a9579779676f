// What lookup_many is asked for: `want=` and `default=`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <string>
#include <vector>

#include "python/core/shared_table.hpp"

namespace fingerpost::python {

enum class wanted : std::uint8_t { value, index, length, prefix, column };

struct want {
    wanted what = wanted::value;
    std::string name;
    std::size_t column = 0;  // for wanted::column
    nanobind::object missed; // the value for an address without a route; None for none
};

struct wants {
    std::vector<want> all; // at least one, each name once
    bool listed = false;   // a list was given: answers come by name, also for a list of one
};

// Raises TypeError for objects that name nothing, ValueError for a name that this table does not know. With a
// list, `missed` is None or a dict from names to values.
wants parse_wants(nanobind::handle want, nanobind::handle missed, const shared_table& of);

// Whether the answer tells which route matched, and not only where it leads.
inline bool names_route(const want& one) noexcept {
    return one.what == wanted::length || one.what == wanted::prefix;
}

} // namespace fingerpost::python
