// Converts numbers, booleans and dictionaries to texts.
#include "python/core/arrow/cell_texts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace fingerpost::python::arrow {

namespace {

// Returns nullopt for NaN.
template <class Float>
std::optional<std::string> float_text(Float number, std::size_t row) {
    if (std::isnan(number))
        return std::nullopt;
    if (!std::isfinite(number))
        throw std::invalid_argument(in_row(row) + "infinite floats are not supported");
    std::array<char, 32> digits;
    std::string text(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

// The text of each row of a chunk that has no texts.
std::vector<std::optional<std::string>> texts_of_values(std::string_view format, const ArrowArray& from) {
    std::vector<std::optional<std::string>> texts(
        static_cast<std::size_t>(std::max<std::int64_t>(from.length, 0)));
    const auto put_float = [&](std::size_t row, auto number) { texts[row] = float_text(number, row); };
    if (format == "n")
        return texts;
    if (format == "f")
        for_numbers<float>(from, put_float);
    else if (format == "g")
        for_numbers<double>(from, put_float);
    else if (format == "b")
        for (std::size_t row = 0; const std::optional<bool> value : booleans_of(from)) {
            if (value)
                texts[row] = *value ? "true" : "false";
            ++row;
        }
    else
        for_integers(format[0], from,
                     [&](std::size_t row, auto number) { texts[row] = std::to_string(number); });
    return texts;
}

} // namespace

bool is_text(std::string_view format) noexcept {
    return format == "u" || format == "U" || format == "vu";
}

bool is_integer(std::string_view format) noexcept {
    return format.size() == 1 && std::string_view("cCsSiIlL").find(format.front()) != std::string_view::npos;
}

std::optional<fingerpost::column_type> type_of_cells(const ArrowSchema& type) noexcept {
    const std::string_view format = type_of_rows(type).format;
    if (is_text(format) || format == "n")
        return fingerpost::column_type::text;
    return is_integer(format)               ? std::optional(fingerpost::column_type::integer)
           : format == "f" || format == "g" ? std::optional(fingerpost::column_type::number)
           : format == "b"                  ? std::optional(fingerpost::column_type::boolean)
                                            : std::nullopt;
}

std::string in_row(std::size_t row) {
    return "row " + std::to_string(row) + ": ";
}

std::vector<std::int64_t> entries_of(const ArrowSchema& type, const ArrowArray& from) {
    if (from.dictionary == nullptr)
        throw std::invalid_argument("invalid Arrow array: missing dictionary");
    std::vector<std::int64_t> entries(static_cast<std::size_t>(std::max<std::int64_t>(from.length, 0)),
                                      null_entry);
    const std::int64_t count = from.dictionary->length;
    for_integers(type.format[0], from, [&](std::size_t row, auto entry) {
        if (std::cmp_less(entry, 0) || std::cmp_greater_equal(entry, count))
            throw std::invalid_argument("invalid Arrow array: index outside the dictionary");
        entries[row] = static_cast<std::int64_t>(entry);
    });
    return entries;
}

cell_texts::cell_texts(const ArrowSchema& type, const ArrowArray& from, layout_memory& memory)
    : is_encoded_(type.dictionary != nullptr) {
    if (is_encoded_)
        entries_ = entries_of(type, from);
    const ArrowSchema& of_texts = type_of_rows(type);
    const ArrowArray& holder = is_encoded_ ? *from.dictionary : from;
    if (is_text(of_texts.format))
        texts_ = column_of(of_texts, holder, memory);
    else
        values_ = texts_of_values(of_texts.format, holder);
    count_ = values_ ? values_->size() : columns::row_count(texts_);
}

} // namespace fingerpost::python::arrow
