// What the cells of a column are. A cell stays the text that was read; its column's type says how formats
// with types write it: JSON 64500 without quotes, Python an int.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fingerpost/base/bits.hpp"

namespace fingerpost {

enum class column_type : std::uint8_t { text, integer, number, boolean };

// text, integer, float or boolean.
std::string_view name_of(column_type type) noexcept;
// Nothing for any other name.
std::optional<column_type> column_type_named(std::string_view name) noexcept;

// A cell without a value, as opposed to an empty text. It equals the empty text as a text does; is_missing()
// tells them apart.
inline constexpr std::string_view missing_cell{};
constexpr bool is_missing(std::string_view cell) noexcept {
    return cell.data() == nullptr;
}

// The types that texts have in common: begins with all, and loses those that a text is not of.
//
//     integer    in decimal, as it is usually written (not 007, +1 or -0), and all of a column within 64 bits
//                with a sign, or all within 64 bits without one
//     number     as JSON writes it, finite as a double; a whole number only if it may be an integer
//     boolean    true or false
class common_types {
  public:
    // Of no text so far.
    common_types() noexcept = default;
    // Of one text, which is not missing.
    static common_types of(std::string_view text) noexcept {
        return is_plain_integer(text) ? common_types(signed_integer | unsigned_integer | number | any_number)
                                      : of_any(text);
    }

    void operator&=(common_types other) noexcept { bits_ &= other.bits_; }
    // A place for those of a text that has not been looked at.
    static constexpr common_types unknown() noexcept { return common_types(not_known); }
    bool is_unknown() const noexcept { return bits_ == not_known; }

    bool has_texts() const noexcept { return (bits_ & no_text) == 0; }
    // Whether the type is text, whatever comes.
    bool is_text_alone() const noexcept { return bits_ == 0; }
    // The narrowest one; text without any text.
    column_type narrowest() const noexcept;
    // Whether all the texts are values of this type. A number may be any that JSON can write.
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
    // Whether it is a whole number of at most 16 digits, which most texts of tables with many different ones
    // are.
    static bool is_plain_integer(std::string_view text) noexcept {
        const std::size_t size = text.size();
        if (size == 0 || size > 16 || (text[0] == '0' && size > 1))
            return false;
        // Two loads, which may overlap, read all of a text of 4 to 16 bytes.
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

// The type of a column that joins one of each type.
constexpr column_type joined(column_type a, column_type b) noexcept {
    const auto is_number = [](column_type type) {
        return type == column_type::integer || type == column_type::number;
    };
    if (a == b)
        return a;
    return is_number(a) && is_number(b) ? column_type::number : column_type::text;
}

} // namespace fingerpost
