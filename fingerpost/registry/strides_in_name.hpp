// Schemes with strides in their names: `multibit_fixed:8-8-8-8` is `multibit_fixed` with four levels of 8
// bits.
//
// The strides are numbers from 1 to 24, separated by dashes. Without the last one their sum is below the
// width of addresses; with it the sum is the width or more, and the last stride is cut to fit.
#pragma once

#include <cstdint>
#include <iosfwd> // std::string, declared only
#include <span>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/fib/scheme_entry.hpp"

namespace fingerpost {

inline constexpr unsigned widest_stride = 24;

// The strides that this text gives for addresses of this many bits, or an explanation of what is wrong.
// Throws std::bad_alloc.
expected<std::vector<std::uint8_t>, std::string> read_strides(std::string_view text, unsigned width);

// The part of `name` after the scheme's name and a colon, if it gives strides of this scheme; else empty.
constexpr std::string_view strides_in_name(const scheme_facts& facts, std::string_view name) noexcept {
    if (!facts.takes_strides || !name.starts_with(facts.name))
        return {};
    name.remove_prefix(facts.name.size());
    if (!name.starts_with(':') || name.find_first_not_of("0123456789-", 1) != name.npos)
        return {};
    return name.substr(1);
}

// Explains what is wrong with a name that gives strides; a name without strides is fine. Throws
// std::bad_alloc.
template <class A>
std::string fault_of_strides(std::span<const scheme_entry<A>> all, std::string_view name);

// The entry of a name with strides. nullptr if the name has none, its strides are wrong, 1,024 other such
// names are kept already, or memory ran out.
template <class A>
const scheme_entry<A>* scheme_with_strides(std::span<const scheme_entry<A>> all,
                                           std::string_view name) noexcept;

} // namespace fingerpost
