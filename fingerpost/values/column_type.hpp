// Types of columns. A cell is always stored as the text that was read. The type of its column determines how
// typed formats write it, for example 64500 without quotes in JSON and as an int in Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fingerpost/base/bits.hpp"

namespace fingerpost {

enum class column_type : std::uint8_t { text, integer, number, boolean };

// Returns text, integer, float or boolean.
std::string_view name_of(column_type type) noexcept;
// Returns nothing for any other name.
std::optional<column_type> column_type_named(std::string_view name) noexcept;

// A cell without a value, in contrast to an empty text. Both compare equal as texts; is_missing()
// distinguishes them.
inline constexpr std::string_view missing_cell{};
constexpr bool is_missing(std::string_view cell) noexcept {
    return cell.data() == nullptr;
}

// The types that texts have in common. Starts with all types and loses those that a text does not have.
//
//     integer    decimal without 007, +1 and -0; all in a column fit in signed or all in unsigned 64 bits
//     number     a JSON number, finite as a double; a whole number only if it can be an integer
//     boolean    true or false
class common_types {
  public:
    // No texts so far.
    common_types() noexcept = default;
    // Types of one text, which is not missing.
    static common_types of(std::string_view text) noexcept {
        return is_plain_integer(text) ? common_types(signed_integer | unsigned_integer | number | any_number)
                                      : of_any(text);
    }

    void operator&=(common_types other) noexcept { bits_ &= other.bits_; }
    // A placeholder for a text that was not examined yet.
    static constexpr common_types unknown() noexcept { return common_types(not_known); }
    bool is_unknown() const noexcept { return bits_ == not_known; }

    bool has_texts() const noexcept { return (bits_ & no_text) == 0; }
    // True if the type is text, whatever follows.
    bool is_text_alone() const noexcept { return bits_ == 0; }
    // The narrowest type, or text if there were no texts.
    column_type narrowest() const noexcept;
    // True if all texts are values of this type. A number may be any number of JSON.
    bool has(column_type type) const noexcept;

  private:
    enum bit : std::uint8_t {
        signed_integer = 1,
        unsigned_integer = 2,
        number = 4,
        boolean = 8,
        any_number = 16,
        no_text = 32,
        not_known = 64
    };
    // True for a whole number of at most 16 digits. Most texts in tables with many different ones are.
    static bool is_plain_integer(std::string_view text) noexcept {
        const std::size_t size = text.size();
        if (size == 0 || size > 16 || (text[0] == '0' && size > 1))
            return false;
        // Two loads, which may overlap, read a text of 4 to 16 bytes.
        const auto are_digits = [&]<class U>(U) {
            constexpr U ones = static_cast<U>(0x0101'0101'0101'0101);
            const auto is_other = [](U bytes) {
                return ((bytes & (ones * 0xf0)) ^ (ones * 0x30)) |
                       (((bytes + ones * 6) & (ones * 0xf0)) ^ (ones * 0x30));
            };
            return (is_other(load_little<U>(text.data())) |
                    is_other(load_little<U>(text.data() + size - sizeof(U)))) == 0;
        };
        if (size >= 8)
            return are_digits(std::uint64_t{});
        if (size >= 4)
            return are_digits(std::uint32_t{});
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        return is_digit(text[0]) && is_digit(text[size / 2]) && is_digit(text[size - 1]);
    }
    static common_types of_any(std::string_view text) noexcept;
    static common_types of_integer(std::string_view text, bool is_negative, bool is_short) noexcept;
    explicit constexpr common_types(unsigned bits) noexcept : bits_(static_cast<std::uint8_t>(bits)) {}

    std::uint8_t bits_ = signed_integer | unsigned_integer | number | boolean | any_number | no_text;
};

// The type of a column that combines columns of these types.
constexpr column_type joined(column_type a, column_type b) noexcept {
    const auto is_number = [](column_type type) {
        return type == column_type::integer || type == column_type::number;
    };
    if (a == b)
        return a;
    return is_number(a) && is_number(b) ? column_type::number : column_type::text;
}

} // namespace fingerpost
