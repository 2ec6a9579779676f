// Schemes with strides in their names: `multibit_fixed:8-8-8-8` is `multibit_fixed` with four levels of 8
// bits.
//
// Strides are numbers from 1 to 24, separated by dashes. Their sum must reach the address width with the last
// one, but not without it. The last stride is reduced to fit.
#pragma once

#include <cstdint>
#include <iosfwd> // declares std::string
#include <span>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/fib/scheme_entry.hpp"

namespace fingerpost {

inline constexpr unsigned widest_stride = 24;

// Parses strides for addresses of `width` bits. Returns an explanation if they are invalid. Throws
// std::bad_alloc.
expected<std::vector<std::uint8_t>, std::string> read_strides(std::string_view text, unsigned width);

// Returns the part of `name` after the scheme's name and a colon, if it contains strides for this scheme,
// else an empty text.
constexpr std::string_view strides_in_name(const scheme_facts& facts, std::string_view name) noexcept {
    if (!facts.takes_strides || !name.starts_with(facts.name))
        return {};
    name.remove_prefix(facts.name.size());
    if (!name.starts_with(':') || name.find_first_not_of("0123456789-", 1) != name.npos)
        return {};
    return name.substr(1);
}

// Explains why a name with strides is invalid. Returns an empty text for other names. Throws std::bad_alloc.
template <class A>
std::string fault_of_strides(std::span<const scheme_entry<A>> listed, std::string_view name);

// Returns the entry for a name with strides, or nullptr if the name has none, its strides are invalid, 1,024
// other such names exist already, or memory runs out.
template <class A>
const scheme_entry<A>* scheme_with_strides(std::span<const scheme_entry<A>> listed,
                                           std::string_view name) noexcept;

} // namespace fingerpost
