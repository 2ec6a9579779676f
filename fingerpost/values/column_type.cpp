// The grammar of numbers in JSON, and the range of integers.
#include "fingerpost/values/column_type.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace fingerpost {
namespace {

// A number with this many digits before the point and without an exponent is finite and fits in 64 bits.
constexpr std::size_t sure_digits = 18;

constexpr std::array<std::string_view, 4> names{"text", "integer", "float", "boolean"};

// Skips digits.
const char* past_digits(const char* at, const char* end) noexcept {
    while (at != end && *at >= '0' && *at <= '9')
        ++at;
    return at;
}

template <class T>
bool reads_whole(std::string_view text, T& number) noexcept {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end;
}

// True if the rest of the text is an exponent such as `e10` or `E-3`.
bool is_exponent(const char* at, const char* end) noexcept {
    if (at == end || (*at != 'e' && *at != 'E'))
        return false;
    ++at;
    if (at != end && (*at == '+' || *at == '-'))
        ++at;
    return at != end && past_digits(at, end) == end;
}

bool is_finite(std::string_view text) noexcept {
    double value = 0;
    return reads_whole(text, value) && std::isfinite(value);
}

} // namespace

std::string_view name_of(column_type type) noexcept {
    return names[static_cast<std::size_t>(type)];
}

std::optional<column_type> column_type_named(std::string_view name) noexcept {
    const auto match = std::find(names.begin(), names.end(), name);
    if (match == names.end())
        return std::nullopt;
    return static_cast<column_type>(match - names.begin());
}

common_types common_types::of_any(std::string_view text) noexcept {
    const char* const end = text.data() + text.size();
    const bool is_negative = text.starts_with('-');
    const char* const first = text.data() + (is_negative ? 1 : 0);
    const char* at = past_digits(first, end);
    if (at == first)
        return common_types(text == "true" || text == "false" ? unsigned{boolean} : 0U);
    const auto whole = static_cast<std::size_t>(at - first);
    // JSON readers parse -0 as an integer, which loses the sign.
    if ((whole > 1 && *first == '0') || text == "-0")
        return common_types(0);
    if (at == end)
        return of_integer(text, is_negative, whole <= sure_digits);
    if (*at == '.') {
        const char* const point = at++;
        at = past_digits(at, end);
        if (at == point + 1)
            return common_types(0);
    }
    const bool is_number =
        at == end ? whole <= sure_digits || is_finite(text) : is_exponent(at, end) && is_finite(text);
    return common_types(is_number ? unsigned{number | any_number} : 0U);
}

common_types common_types::of_integer(std::string_view text, bool is_negative, bool is_short) noexcept {
    std::int64_t with_sign = 0;
    std::uint64_t without_sign = 0;
    unsigned bits = 0;
    if (is_short || reads_whole(text, with_sign))
        bits |= signed_integer | number | any_number;
    if (!is_negative && (is_short || reads_whole(text, without_sign)))
        bits |= unsigned_integer | number | any_number;
    // Longer numbers are usually identifiers, not quantities, and a double would lose digits.
    if (bits == 0 && is_finite(text))
        bits = any_number;
    return common_types(bits);
}

column_type common_types::narrowest() const noexcept {
    if (!has_texts())
        return column_type::text;
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
