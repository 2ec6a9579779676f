// The grammar of JSON numbers, and a walk over a column.
#include "cli/answers/bare_values.hpp"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace fingerpost::cli {
namespace {

// All whole numbers up to it are doubles.
constexpr std::int64_t most_whole = std::int64_t{1} << 53;

std::size_t count_digits(std::string_view text) {
    const std::size_t end = text.find_first_not_of("0123456789");
    return end == std::string_view::npos ? text.size() : end;
}

template <class T>
bool reads_whole(std::string_view text, T& number) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end;
}

struct seen_values {
    bool numbers = false;
    bool booleans = false;
    bool texts = false;

    bool are_mixed() const { return texts || (numbers && booleans); }
};

void look_at(std::string_view text, seen_values& seen) {
    if (text.empty())
        return;
    if (text == "true" || text == "false")
        seen.booleans = true;
    else if (is_json_number(text))
        seen.numbers = true;
    else
        seen.texts = true;
}

template <class A>
void look_at_all(const family_table<A>* table, std::size_t column, seen_values& seen) {
    if (table == nullptr || column >= table->values().columns())
        return;
    const answer_values& values = table->values();
    if (values.is_number(column)) {
        seen.numbers = true;
        return;
    }
    for (std::size_t row = 0; row < values.size() && !seen.are_mixed(); ++row)
        look_at(values.cell({static_cast<std::uint32_t>(row)}, column), seen);
}

} // namespace

bool is_json_number(std::string_view text) {
    std::string_view rest = text;
    if (rest.starts_with('-'))
        rest.remove_prefix(1);
    const std::size_t whole = count_digits(rest);
    if (whole == 0 || (whole > 1 && rest[0] == '0'))
        return false;
    rest.remove_prefix(whole);
    const bool is_whole = rest.empty();
    if (rest.starts_with('.')) {
        const std::size_t digits = count_digits(rest.substr(1));
        if (digits == 0)
            return false;
        rest.remove_prefix(digits + 1);
    }
    if (!rest.empty()) {
        if (rest[0] != 'e' && rest[0] != 'E')
            return false;
        rest.remove_prefix(1);
        if (rest.starts_with('+') || rest.starts_with('-'))
            rest.remove_prefix(1);
        if (rest.empty() || count_digits(rest) != rest.size())
            return false;
    }
    if (is_whole) {
        std::int64_t number = 0;
        return reads_whole(text, number) && number >= -most_whole && number <= most_whole;
    }
    double number = 0;
    return reads_whole(text, number);
}

bool is_bare_column(const answer_table& table, const std::array<std::size_t, 2>& column) {
    seen_values seen;
    look_at_all(table.ipv4(), column[0], seen);
    look_at_all(table.ipv6(), column[1], seen);
    return !seen.are_mixed() && (seen.numbers || seen.booleans);
}

} // namespace fingerpost::cli
