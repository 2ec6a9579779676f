// Addresses and prefixes out of the Python objects that name them.
#pragma once

#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/net/any.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::python {

// What is accepted, for messages and docstrings.
inline constexpr std::string_view accepted_addresses =
    "str, bytes of 4 or 16 in network order, an address of ipaddress, or an int with family=4 or family=6";
inline constexpr std::string_view accepted_prefixes =
    "str, a network, address or interface of ipaddress, bytes of 4 or 16 (one address), a tuple (address, "
    "length), or a tuple (int, length, family)";

// All need the GIL, and raise TypeError for what is none of the accepted, ValueError for what names no
// address or prefix, with the object and the reason.
any_address address_of(PyObject* object, std::optional<family> wanted);
// Host bits are cleared.
any_prefix prefix_of(PyObject* object);
// None, 4 or 6.
std::optional<family> family_argument(PyObject* object);

// The bytes of a str, which live as long as it does, if it has an UTF-8 form; else nothing, without
// exception.
std::optional<std::string_view> text_of(PyObject* str) noexcept;

// The prefix that a text is, without host bits, of the family that it begins like. Of IPv4 the length may be
// given by a mask or, as ipaddress has it, by a host mask. Without the GIL.
expected<any_prefix, text_error> parse_any_prefix(std::string_view text) noexcept;
// Why a text is no prefix, and why it is no address. Without the GIL.
std::string reason_for_prefix(text_error error, std::string_view text);
std::string reason_for(text_error error, std::string_view text);

PyObject* new_text(std::string_view utf8);
template <class A>
PyObject* new_text(const prefix<A>& where) {
    char text[max_prefix_text<A>];
    return new_text(std::string_view(text, static_cast<std::size_t>(format(where, text) - text)));
}

} // namespace fingerpost::python
