// Compares short texts, the usual contents of table cells, without a call.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/values/column_type.hpp"

namespace fingerpost {

// `are_equal_empty()` returns the result for two empty texts.
template <class F>
bool equal_texts(std::string_view a, std::string_view b, F are_equal_empty) noexcept {
    const std::size_t size = a.size();
    if (size != b.size())
        return false;
    // Both loads are within the text and may overlap.
    const auto equal_ends = [&]<class U>(U) {
        const std::size_t last = size - sizeof(U);
        return ((load_little<U>(a.data()) ^ load_little<U>(b.data())) |
                (load_little<U>(a.data() + last) ^ load_little<U>(b.data() + last))) == 0;
    };
    if (size > 16)
        return std::memcmp(a.data(), b.data(), size) == 0;
    if (size >= 8)
        return equal_ends(std::uint64_t{});
    if (size >= 4)
        return equal_ends(std::uint32_t{});
    if (size == 0)
        return are_equal_empty();
    return a[0] == b[0] && a[size / 2] == b[size / 2] && a[size - 1] == b[size - 1];
}

inline bool equal_texts(std::string_view a, std::string_view b) noexcept {
    return equal_texts(a, b, [] { return true; });
}

// A missing cell differs from every text, even the empty one.
inline bool equal_cells(std::string_view a, std::string_view b) noexcept {
    return equal_texts(a, b, [&] { return is_missing(a) == is_missing(b); });
}

} // namespace fingerpost
