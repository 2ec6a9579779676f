// std::format support for all types with a text form, if the standard library has <format>. The format
// specification is that of strings: width, fill and alignment.
#pragma once

#include <version>

#include "fingerpost/base/cxx20.hpp"

#if defined(__cpp_lib_format)

#include <format>
#include <string>
#include <string_view>

#include "fingerpost/net/text.hpp"

template <fingerpost::written T>
struct std::formatter<T, char> : std::formatter<std::string_view, char> {
    template <class Context>
    auto format(const T& value, Context& context) const {
        return std::formatter<std::string_view, char>::format(fingerpost::to_string(value), context);
    }
};

#endif
