// Numbers with digits in groups of three, for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace fingerpost::cli {

// `12,345`
inline std::string grouped(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3; at -= 3)
        digits.insert(at - 3, ",");
    return digits;
}

} // namespace fingerpost::cli
