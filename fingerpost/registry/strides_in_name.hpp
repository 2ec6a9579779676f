// Schemes whose users choose strides: `multibit_fixed:8-8-8-8` is `multibit_fixed` with four levels of 8
// bits.
//
// The strides are numbers from 1 to 24 with dashes between them. Those in front of the last one add up to
// less than the width of addresses, all of them to the width or more; what is more is cut from the last one.
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

// The strides that this text tells for addresses of so many bits, or what is wrong with them. Throws
// std::bad_alloc.
expected<std::vector<std::uint8_t>, std::string> read_strides(std::string_view text, unsigned width);

// What follows the name of a scheme and its colon, if this is a name of strides of that scheme; else empty.
constexpr std::string_view strides_in_name(const scheme_facts& facts, std::string_view name) noexcept {
    if (!facts.takes_strides || !name.starts_with(facts.name))
        return {};
    name.remove_prefix(facts.name.size());
    if (!name.starts_with(':') || name.find_first_not_of("0123456789-", 1) != name.npos)
        return {};
    return name.substr(1);
}

// What is wrong with the strides of this name; empty for a name that tells none. Throws std::bad_alloc.
template <class A>
std::string fault_of_strides(std::span<const scheme_entry<A>> all, std::string_view name);

// The entry of a name with strides. nullptr if the name has none, its strides are wrong, 1,024 other such
// names are kept already, or memory ran out.
template <class A>
const scheme_entry<A>* scheme_with_strides(std::span<const scheme_entry<A>> all,
                                           std::string_view name) noexcept;

} // namespace fingerpost
