// Extracts values of any type from JSON.
#include "cli/router/router_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/writers/grouped.hpp"

namespace fingerpost::cli {

const answer& member_of(const answer& object, const char* name) {
    static const answer none;
    const auto member = object.is_object() ? object.find(name) : object.end();
    return member == object.end() ? none : *member;
}

std::optional<double> number_of(const answer& object, const char* name) {
    const answer& value = member_of(object, name);
    if (value.is_number())
        return value.get<double>();
    if (!value.is_string())
        return std::nullopt;
    const auto& text = value.get_ref<const std::string&>();
    double number = 0;
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    return fault == std::errc{} && stop == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::uint64_t whole_of(const answer& object, const char* name) {
    const answer& value = member_of(object, name);
    return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
}

std::string word_of(const answer& object, const char* name) {
    const answer& value = member_of(object, name);
    return value.is_string() ? value.get<std::string>() : std::string();
}

std::string duration_text(double seconds) {
    const auto whole = static_cast<std::uint64_t>(std::max(seconds, 0.0));
    const std::uint64_t minutes = whole / 60;
    const std::uint64_t hours = minutes / 60;
    if (hours >= 24)
        return fmt::format("{} d {} h", hours / 24, hours % 24);
    if (hours != 0)
        return fmt::format("{} h {} min", hours, minutes % 60);
    if (minutes != 0)
        return fmt::format("{} min {} s", minutes, whole % 60);
    return fmt::format("{} s", whole);
}

std::string text_of(const answer& object, const char* name) {
    const answer& value = member_of(object, name);
    if (value.is_number_unsigned())
        return grouped(value.get<std::uint64_t>());
    if (value.is_null() || value == "")
        return "-";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string percent_of(const std::optional<double>& share) {
    return share ? fmt::format("{:.1f} %", *share * 100) : "-";
}

std::string real_text(const std::optional<double>& number) {
    return number ? fmt::format("{:.1f}", *number) : "-";
}

std::string source_text(const answer& summary) {
    std::string text = fmt::format("{}, {}", text_of(summary, "source"), text_of(summary, "source_detail"));
    const answer& state = member_of(summary, "source_state");
    if (number_of(summary, "source_connected") == 0.0)
        text += state == "ended" ? "; it did not come back, and its routes were withdrawn"
                                 : "; it is not connected";
    if (number_of(summary, "source_refreshing").value_or(0) != 0)
        text += "; routes are being announced again";
    if (number_of(summary, "source_stale_routes").value_or(0) != 0) {
        text += fmt::format("; {} routes are stale", text_of(summary, "source_stale_routes"));
        if (const double seconds = number_of(summary, "source_stale_seconds").value_or(0); seconds > 0)
            text += fmt::format(" since {}", duration_text(seconds));
    }
    if (number_of(summary, "source_refused").value_or(0) != 0)
        text += fmt::format("; {} other clients were refused", text_of(summary, "source_refused"));
    if (number_of(summary, "source_other_tables").value_or(0) != 0)
        text += fmt::format("; {} routes of tables without a VRF were left out",
                            text_of(summary, "source_other_tables"));
    if (number_of(summary, "source_errors").value_or(0) != 0)
        text += fmt::format("; {} errors", text_of(summary, "source_errors"));
    return text;
}

} // namespace fingerpost::cli
