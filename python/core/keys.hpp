// Converts Python objects to addresses and prefixes.
#pragma once

#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/net/any.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::python {

// The accepted objects, for messages and docstrings.
inline constexpr std::string_view accepted_addresses =
    "str, bytes of 4 or 16 in network order, an address of ipaddress, or an int with family=4 or family=6";
inline constexpr std::string_view accepted_prefixes =
    "str, a network, address or interface of ipaddress, bytes of 4 or 16 (one address), a tuple (address, "
    "length), or a tuple (int, length, family)";

// These functions need the GIL. They raise TypeError for objects of other types, and ValueError with the
// object and the reason for invalid addresses and prefixes.
any_address address_of(PyObject* object, std::optional<family> required);
// For lookups: a str may also have the form of a socket address (net/socket_text.hpp).
any_address address_to_look_up(PyObject* object, std::optional<family> required);
// Host bits are cleared.
any_prefix prefix_of(PyObject* object);
// None, 4 or 6.
std::optional<family> family_argument(PyObject* object);

// The UTF-8 bytes of a str, valid as long as the str. Returns nullopt, without an exception, if there
// are none.
std::optional<std::string_view> text_of(PyObject* str) noexcept;

// Parses a prefix of either family and clears its host bits. Instead of a length, IPv4 also accepts a netmask
// or, like ipaddress, a host mask. The error is the reason. Does not need the GIL.
expected<any_prefix, std::string> parse_any_prefix(std::string_view text);

PyObject* new_text(std::string_view utf8);
template <class A>
PyObject* new_text(const prefix<A>& where) {
    char text[max_prefix_text<A>];
    return new_text(std::string_view(text, static_cast<std::size_t>(format(where, text) - text)));
}

} // namespace fingerpost::python
