// Reads addresses and prefixes from the Python objects that represent them.
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

// All of these need the GIL. They raise TypeError for objects of other types, and ValueError for objects that
// represent no address or prefix, with the object and the reason.
any_address address_of(PyObject* object, std::optional<family> wanted);
// The same for what is looked up: a str may also be an address as sockets have it (net/socket_text.hpp).
any_address address_to_look_up(PyObject* object, std::optional<family> wanted);
// Host bits are cleared.
any_prefix prefix_of(PyObject* object);
// None, 4 or 6.
std::optional<family> family_argument(PyObject* object);

// The bytes of a str, valid as long as the str, if it has a UTF-8 form; otherwise nothing, without an
// exception.
std::optional<std::string_view> text_of(PyObject* str) noexcept;

// The prefix that a text represents, without host bits, of the family that it begins like. The length of an
// IPv4 prefix may be given by a mask or, as in ipaddress, by a host mask. The error is the reason. Needs no
// GIL.
expected<any_prefix, std::string> parse_any_prefix(std::string_view text);

PyObject* new_text(std::string_view utf8);
template <class A>
PyObject* new_text(const prefix<A>& where) {
    char text[max_prefix_text<A>];
    return new_text(std::string_view(text, static_cast<std::size_t>(format(where, text) - text)));
}

} // namespace fingerpost::python
