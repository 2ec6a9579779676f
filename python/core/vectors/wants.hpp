// The arguments `want=` and `default=` of lookup_many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <string>
#include <vector>

#include "python/core/shared_table.hpp"

namespace fingerpost::python {

enum class want_kind : std::uint8_t { value, index, length, prefix, column };

struct want {
    want_kind what = want_kind::value;
    std::string name;
    std::size_t column = 0;  // for want_kind::column
    nanobind::object missed; // default for addresses without a route; None if there is none
};

struct wants {
    std::vector<want> list; // not empty, with unique names
    bool listed = false;    // `want` is a list: results are returned by name, even if it has one element
};

// Raises TypeError for objects other than names, ValueError for a name that is unknown in this table. For a
// list, `missed` is None or a dict from names to values.
wants parse_wants(nanobind::handle want, nanobind::handle missed, const shared_table& of);

// Whether the result depends on the matched route, not only on its next hop.
inline bool names_route(const want& entry) noexcept {
    return entry.what == want_kind::length || entry.what == want_kind::prefix;
}

} // namespace fingerpost::python
