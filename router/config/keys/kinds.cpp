// Numbers and times of the configuration file.
#include "router/config/keys/kinds.hpp"

#include <array>
#include <bit>
#include <charconv>

namespace fingerpost::router {
namespace {

struct time_unit {
    std::string_view name;
    std::int64_t milliseconds;
};
// Longest first, so that a time is shown in the largest unit that fits.
constexpr std::array time_units{time_unit{"h", 3'600'000}, time_unit{"m", 60'000}, time_unit{"s", 1'000},
                                time_unit{"ms", 1}};
// Larger than any key allows, and small enough that the product does not overflow.
constexpr std::int64_t most_of_a_unit = 1'000'000'000;

} // namespace

bool number_bounds::holds(std::int64_t number) const noexcept {
    if (number < 0)
        return false;
    const auto plain = static_cast<std::uint64_t>(number);
    return plain >= least && plain <= most && (!power_of_two || std::has_single_bit(plain));
}

std::string number_bounds::to_text() const {
    return fmt::format("{} from {} to {}", power_of_two ? "a power of two" : "a whole number", least, most);
}

std::optional<std::chrono::milliseconds> parse_time(std::string_view text) noexcept {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, number);
    if (fault != std::errc{} || number < 0 || number > most_of_a_unit)
        return std::nullopt;
    const std::string_view name(stop, static_cast<std::size_t>(end - stop));
    for (const time_unit& unit : time_units)
        if (unit.name == name)
            return std::chrono::milliseconds(number * unit.milliseconds);
    return std::nullopt;
}

std::string to_text(std::chrono::milliseconds time) {
    for (const time_unit& unit : time_units)
        if (time.count() % unit.milliseconds == 0 && time.count() >= unit.milliseconds)
            return fmt::format("{}{}", time.count() / unit.milliseconds, unit.name);
    return "0s";
}

} // namespace fingerpost::router
