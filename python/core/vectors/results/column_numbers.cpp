// Reads the numbers of all rows, and stores them in the table.
#include "python/core/vectors/results/column_numbers.hpp"

#include <algorithm>
#include <charconv>

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

// Reading all rows pays off if there are more results than this part of the rows, possibly in several calls.
constexpr std::size_t rows_per_result = 4;

std::size_t row_count(const query& lookups) noexcept {
    const std::size_t ipv4 = lookups.rows<ipv4_address>().rows();
    const std::size_t ipv6 = lookups.rows<ipv6_address>().rows();
    return lookups.first_index<ipv6_address>() != 0 ? ipv4 + ipv6 : std::max(ipv4, ipv6);
}

// Rows are only added, so the numbers that are known stay valid. Returns false if a number does not fit.
template <class T>
bool read(const query& lookups, std::size_t column, std::size_t rows, std::vector<T>& numbers) {
    const value_view& ipv4 = lookups.rows<ipv4_address>();
    const value_view& ipv6 = lookups.rows<ipv6_address>();
    const std::size_t first6 = lookups.first_index<ipv6_address>();
    numbers.reserve(rows);
    for (std::size_t row = numbers.size(); row < rows; ++row) {
        const bool is_ipv4 = row < ipv4.rows();
        const next_hop hop{static_cast<std::uint32_t>(is_ipv4 ? row : row - first6)};
        const auto number = number_of<T>((is_ipv4 ? ipv4 : ipv6).cell(hop, column));
        if (!number)
            return false;
        numbers.push_back(*number);
    }
    return true;
}

} // namespace

template <class T>
std::optional<T> number_of(std::string_view text) noexcept {
    T number{};
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (!text.empty() && (error != std::errc{} || stop != text.data() + text.size()))
        return std::nullopt;
    return number;
}
template std::optional<std::int64_t> number_of(std::string_view) noexcept;
template std::optional<double> number_of(std::string_view) noexcept;

std::shared_ptr<const column_numbers> numbers_of(shared_table& of, const query& lookups, std::size_t column,
                                                 std::size_t results) {
    const std::size_t rows = row_count(lookups);
    kept_numbers& before = of.known_numbers()[column];
    const bool is_integer = lookups.type(column) == column_type::integer;
    const auto size_of = [&](const column_numbers& numbers) {
        return is_integer ? numbers.integers.size() : numbers.floats.size();
    };
    if (before.numbers != nullptr && size_of(*before.numbers) >= rows)
        return before.numbers;
    before.requested += results;
    if (before.requested < rows / rows_per_result)
        return nullptr;
    const std::shared_ptr<const column_numbers> known = before.numbers;
    const auto numbers = std::make_shared<column_numbers>();
    bool all_fit = false;
    {
        const nb::gil_scoped_release free;
        if (known != nullptr)
            *numbers = *known;
        all_fit = is_integer ? read(lookups, column, rows, numbers->integers)
                             : read(lookups, column, rows, numbers->floats);
    }
    of.known_numbers()[column] = {all_fit ? numbers : nullptr, 0};
    return all_fit ? numbers : nullptr;
}

} // namespace fingerpost::python
