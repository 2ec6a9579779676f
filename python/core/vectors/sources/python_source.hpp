// Sources for Python lists and numpy arrays.
#pragma once

#include <memory>
#include <nanobind/nanobind.h>
#include <optional>
#include <string_view>

#include "fingerpost/net/text.hpp"
#include "python/core/vectors/sources/source.hpp"

namespace fingerpost::python {

// The accepted numpy arrays, for messages.
inline constexpr std::string_view accepted_arrays =
    "uint32 (n,): IPv4 addresses as numbers; uint8 (n, 4) and (n, 16): bytes in network order; uint64 (n, 2) "
    "or a structure of two uint64: high and low half of IPv6 addresses; bytes (S), str (U) and object (n,): "
    "text";

// The rows of Python objects.
struct row_form {
    row_kind kind = row_kind::address;
    std::optional<family> numbers; // the family of integers
};

// A list, a tuple or an array of objects, copied with the GIL: str, None or NaN for null, and other objects
// that represent an address or a prefix. Other objects raise TypeError with the row.
std::unique_ptr<source> source_of_objects(nanobind::handle sequence, row_form form);

// A numpy array, which must outlive the source. `keep` is set to a copy that must outlive it too. Raises
// TypeError with a list of accepted arrays.
std::unique_ptr<source> source_of_array(nanobind::handle array, row_form form, nanobind::object& keep);

// Halves of IPv6 addresses in arrays of uint64, which must outlive the source. `low` may be None. Raises
// TypeError for other types and shapes, ValueError for different lengths.
std::unique_ptr<source> source_of_halves(nanobind::handle first, nanobind::handle low);

} // namespace fingerpost::python
