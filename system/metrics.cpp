// Writes escapes and numbers in the metrics format.
#include "system/metrics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>

namespace fingerpost::system {
namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

[[maybe_unused]] bool is_label_name(std::string_view name) {
    return !name.empty() && is_letter(name[0]) && !name.starts_with("__") &&
           std::all_of(name.begin(), name.end(),
                       [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

[[maybe_unused]] bool is_metric_name(std::string_view name) {
    std::string bare_name(name);
    std::replace(bare_name.begin(), bare_name.end(), ':', '_');
    return !bare_name.empty() && is_letter(bare_name[0]) &&
           std::all_of(bare_name.begin(), bare_name.end(),
                       [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

// Returns the number of bytes of the UTF-8 character at `at`; 0 if there is none (RFC 3629).
std::size_t character(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const unsigned first = byte(0);
    if (first < 0x80)
        return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    // Excludes second bytes of overlong forms, of surrogates, and of numbers that are too large.
    const unsigned min_second = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned max_second = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (byte(1) < min_second || byte(1) > max_second)
        return 0;
    for (std::size_t i = 2; i < length; ++i)
        if (byte(i) < 0x80 || byte(i) > 0xbf)
            return 0;
    return length;
}

// Replaces invalid UTF-8 by the replacement character, because one bad name must not invalidate all metrics.
void append_escaped(std::string& output, std::string_view text, bool quotes) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character(text, at);
        const char c = text[at];
        if (length == 0)
            output += "\xef\xbf\xbd";
        else if (c == '\n')
            output += "\\n";
        else if (c == '\\' || (quotes && c == '"'))
            output.append({'\\', c});
        else
            output += text.substr(at, length);
        at += std::max<std::size_t>(length, 1);
    }
}

std::string number(double value) {
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "+Inf" : "-Inf";
    return fmt::format("{}", value);
}

std::string_view name_of(metric_kind kind) {
    switch (kind) {
    case metric_kind::counter:
        return "counter";
    case metric_kind::gauge:
        return "gauge";
    case metric_kind::histogram:
        return "histogram";
    }
    return "untyped";
}

} // namespace

void metrics_writer::begin(std::string_view name, metric_kind kind, std::string_view help) {
    assert(is_metric_name(name));
    [[maybe_unused]] const bool fresh = names_.emplace(name).second;
    assert(fresh);
    name_ = name;
    kind_ = kind;
    text_ += fmt::format("# HELP {} ", name);
    append_escaped(text_, help, false);
    text_ += fmt::format("\n# TYPE {} {}\n", name, name_of(kind));
}

void metrics_writer::line(std::string_view suffix, labels of, const label* last, std::string_view value) {
    assert(!name_.empty());
    text_ += name_;
    text_ += suffix;
    char separator = '{';
    const auto add = [&](const label& entry) {
        assert(is_label_name(entry.first));
        text_ += separator;
        text_ += entry.first;
        text_ += "=\"";
        append_escaped(text_, entry.second, true);
        text_ += '"';
        separator = ',';
    };
    std::for_each(of.begin(), of.end(), add);
    if (last != nullptr)
        add(*last);
    text_ += fmt::format("{} {}\n", separator == ',' ? "}" : "", value);
}

void metrics_writer::sample(labels of, std::uint64_t value) {
    assert(kind_ != metric_kind::histogram);
    line("", of, nullptr, fmt::format("{}", value));
}

void metrics_writer::sample(labels of, double value) {
    assert(kind_ != metric_kind::histogram);
    line("", of, nullptr, number(value));
}

void metrics_writer::histogram(labels of, std::span<const double> bounds,
                               std::span<const std::uint64_t> counts, double sum) {
    assert(kind_ == metric_kind::histogram && counts.size() == bounds.size() + 1);
    assert(std::is_sorted(bounds.begin(), bounds.end()));
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        total += counts[i];
        const std::string bound = i < bounds.size() ? number(bounds[i]) : "+Inf";
        const label at_most{"le", bound};
        line("_bucket", of, &at_most, fmt::format("{}", total));
    }
    line("_sum", of, nullptr, number(sum));
    line("_count", of, nullptr, fmt::format("{}", total));
}

} // namespace fingerpost::system
