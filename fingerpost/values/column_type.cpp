// The grammar of JSON's numbers, and the range of integers.
#include "fingerpost/values/column_type.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace fingerpost {
namespace {

constexpr std::array<std::string_view, 4> names{"text", "integer", "float", "boolean"};

std::size_t count_digits(std::string_view text) noexcept {
    std::size_t count = 0;
    while (count < text.size() && text[count] >= '0' && text[count] <= '9')
        ++count;
    return count;
}

template <class T>
bool reads_whole(std::string_view text, T& number) noexcept {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end;
}

// What follows the digits before the point: `.5`, `e10`, `.5e-3`.
bool is_rest_of_number(std::string_view rest) noexcept {
    if (rest.starts_with('.')) {
        const std::size_t digits = count_digits(rest.substr(1));
        if (digits == 0)
            return false;
        rest.remove_prefix(digits + 1);
    }
    if (rest.empty())
        return true;
    if (rest[0] != 'e' && rest[0] != 'E')
        return false;
    rest.remove_prefix(1);
    if (rest.starts_with('+') || rest.starts_with('-'))
        rest.remove_prefix(1);
    return !rest.empty() && count_digits(rest) == rest.size();
}

} // namespace

std::string_view name_of(column_type type) noexcept {
    return names[static_cast<std::size_t>(type)];
}

std::optional<column_type> column_type_named(std::string_view name) noexcept {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        return std::nullopt;
    return static_cast<column_type>(found - names.begin());
}

common_types common_types::of(std::string_view text) noexcept {
    common_types made;
    made.bits_ = 0;
    if (text == "true" || text == "false") {
        made.bits_ = boolean;
        return made;
    }
    const bool is_negative = text.starts_with('-');
    std::string_view rest = text.substr(is_negative ? 1 : 0);
    const std::size_t whole = count_digits(rest);
    // Readers of JSON take -0 for an integer, which loses the sign.
    if (whole == 0 || (whole > 1 && rest[0] == '0') || text == "-0")
        return made;
    rest.remove_prefix(whole);
    if (rest.empty()) {
        // Fewer digits than the largest number of 64 bits has fit in any case.
        constexpr std::size_t sure_digits = 18;
        std::int64_t with_sign = 0;
        std::uint64_t without_sign = 0;
        if (whole <= sure_digits || reads_whole(text, with_sign))
            made.bits_ |= signed_integer | number;
        if (!is_negative && (whole <= sure_digits || reads_whole(text, without_sign)))
            made.bits_ |= unsigned_integer | number;
    }
    if ((made.bits_ & number) != 0) {
        made.bits_ |= any_number;
        return made;
    }
    double value = 0;
    if (!is_rest_of_number(rest) || !reads_whole(text, value) || !std::isfinite(value))
        return made;
    // Digits of more than 64 bits name something more often than they count it, and a double would lose some.
    made.bits_ = any_number | (rest.empty() ? 0 : number);
    return made;
}

column_type common_types::narrowest() const noexcept {
    if ((bits_ & (signed_integer | unsigned_integer)) != 0)
        return column_type::integer;
    return (bits_ & number) != 0    ? column_type::number
           : (bits_ & boolean) != 0 ? column_type::boolean
                                    : column_type::text;
}

bool common_types::has(column_type type) const noexcept {
    switch (type) {
    case column_type::text:
        break;
    case column_type::integer:
        return (bits_ & (signed_integer | unsigned_integer)) != 0;
    case column_type::number:
        return (bits_ & any_number) != 0;
    case column_type::boolean:
        return (bits_ & boolean) != 0;
    }
    return true;
}

} // namespace fingerpost
