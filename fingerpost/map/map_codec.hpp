// Conversion of map values to and from the text form in images.
#pragma once

#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

// Specialise this template for your own type:
//
//      static std::string write(const T& value);               may throw any exception
//      static std::optional<T> read(std::string_view text);    nothing if the text is not valid
//
// Strings are written unchanged and numbers in decimal, so the command line can print them. Other trivially
// copyable types are written as their bytes. Only programs with the same layout of T can read such an image,
// and another size is refused.
template <class T>
struct map_codec {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
                  "specialise fingerpost::map_codec for this type");

    static std::string write(const T& value) {
        if constexpr (is_number) {
            char text[longest];
            const auto done = std::to_chars(text, text + longest, value);
            return std::string(text, done.ptr);
        } else {
            return std::string(reinterpret_cast<const char*>(&value), sizeof value);
        }
    }
    static std::optional<T> read(std::string_view text) {
        T value;
        if constexpr (is_number) {
            const char* const end = text.data() + text.size();
            const auto done = std::from_chars(text.data(), end, value);
            if (done.ec != std::errc() || done.ptr != end)
                return std::nullopt;
        } else {
            if (text.size() != sizeof value)
                return std::nullopt;
            std::memcpy(static_cast<void*>(&value), text.data(), sizeof value);
        }
        return value;
    }

  private:
    static constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
    // Long enough for the shortest text that reads back as the same floating-point number.
    static constexpr std::size_t longest = 64;
};

template <>
struct map_codec<std::string> {
    static std::string write(const std::string& value) { return value; }
    static std::optional<std::string> read(std::string_view text) { return std::string(text); }
};

} // namespace fingerpost
