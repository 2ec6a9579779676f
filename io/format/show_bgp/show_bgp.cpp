// Finds the columns in the header line, and puts together the lines of a path.
#include "io/format/show_bgp/show_bgp.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

constexpr std::array<std::string_view, 6> bgp_columns{"next_hop",   "origin_as", "path",
                                                      "local_pref", "med",       "weight"};
// A path would make up most of a table.
constexpr std::size_t usual_bgp_columns = 2;

constexpr std::string_view status_letters = " *>=+?abcdfhimrstxERSVINLC";

bool is_status(std::string_view text) {
    return text.find_first_not_of(status_letters) == std::string_view::npos;
}

bool is_digit_of(std::string_view line, std::size_t at) {
    return at < line.size() && line[at] >= '0' && line[at] <= '9';
}

// The text of a column that is right aligned; `at` becomes its end.
std::string_view take_column(std::string_view line, std::size_t& at, std::size_t width) {
    const std::size_t begin = std::exchange(at, at + width);
    return begin < line.size() ? trimmed(line.substr(begin, width)) : std::string_view();
}

// A preference of more than seven digits moves all that follows to the right.
std::size_t width_of_preference(std::string_view line, std::size_t at, std::size_t width) {
    while (is_digit_of(line, at + width) && is_digit_of(line, at + width - 1))
        ++width;
    return width;
}

bool is_number_or_empty(std::string_view text) {
    std::uint32_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return text.empty() || (read.ec == std::errc() && read.ptr == text.data() + text.size());
}

// The AS that announced the route first: the last one of the path that is in no confederation.
std::string_view origin_as_of(std::string_view path) {
    std::string_view last;
    bool is_inside = false;
    for (std::string_view rest = trimmed(path); !rest.empty(); rest = trimmed(rest)) {
        const std::size_t size = std::min(rest.find(' '), rest.size());
        const std::string_view word = rest.substr(0, size);
        rest.remove_prefix(size);
        is_inside = is_inside || word.starts_with('(');
        if (!is_inside)
            last = word;
        is_inside = is_inside && !word.ends_with(')');
    }
    return last;
}

// The prefix of a network that is written without a length: as old as classes. Empty if it has none.
std::string classful(std::string_view text) {
    const auto address = parse_address<ipv4_address>(text);
    if (!address)
        return {};
    const std::uint32_t top = address->value >> 24;
    const char* const length = address->value == 0 ? "/0"
                               : top < 128         ? "/8"
                               : top < 192         ? "/16"
                               : top < 224         ? "/24"
                                                   : nullptr;
    return length == nullptr ? std::string() : std::string(text) + length;
}

} // namespace

show_bgp_reader::show_bgp_reader(std::string file, const table_options& options)
    : fixed_reader(std::move(file), options, "output of show ip bgp", {bgp_columns, usual_bgp_columns}) {
    tell("output of show ip bgp");
}

std::optional<show_bgp_reader::layout> show_bgp_reader::find_layout(std::string_view line) {
    constexpr std::array<std::string_view, 6> names{"Network", "Next Hop", "Metric",
                                                    "LocPrf",  "Weight",   "Path"};
    std::array<std::size_t, names.size()> at{};
    std::size_t from = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        at[i] = line.find(names[i], from);
        if (at[i] == std::string_view::npos)
            return std::nullopt;
        from = at[i] + names[i].size();
    }
    if (!trimmed(line.substr(0, at[0])).empty() || at[0] == 0)
        return std::nullopt;
    const auto end = [&](std::size_t i) { return at[i] + names[i].size(); };
    return layout{at[0], end(2), end(3), end(4)};
}

bool show_bgp_reader::take_line(std::string_view line) {
    if (const auto found = find_layout(line)) {
        if (!end_section())
            return false;
        layout_ = found;
        is_output_ = true;
        return true;
    }
    is_output_ = is_output_ || line.starts_with("BGP table version is ") || line.starts_with("No BGP ");
    if (!first_line_ && !trimmed(line).empty()) {
        first_line_ = line;
        first_number_ = lines_read();
    }
    if (!layout_)
        return !line.starts_with('*') ||
               refuse(line, "a route without a line above it that has Network, Next Hop and Path");
    if (trimmed(line).empty() || line.starts_with("Displayed ") || line.starts_with("Total number ")) {
        const bool goes_on = end_section();
        layout_.reset();
        return goes_on;
    }
    if (!trimmed(line.substr(0, layout_->network)).empty())
        return begin_path(line);
    if (wanted_ == wanted::nothing)
        return drops_rest_ || refuse(line, "a line that goes on without a route above it");
    return go_on(line, 0);
}

bool show_bgp_reader::end_section() {
    const bool was_open = std::exchange(wanted_, wanted::nothing) != wanted::nothing;
    const bool goes_on =
        !was_open || refuse_at(path_line_, path_text_, "the route has no next hop or no path");
    network_.clear();
    drops_rest_ = false;
    return goes_on;
}

bool show_bgp_reader::begin_path(std::string_view line) {
    if (wanted_ != wanted::nothing &&
        !refuse_at(path_line_, path_text_, "the route has no next hop or no path"))
        return false;
    wanted_ = wanted::nothing;
    drops_rest_ = true;
    const std::string_view status = line.substr(0, layout_->network);
    if (!is_status(status))
        return refuse(line, "no route of show ip bgp, which begins with its status, such as *>");
    std::size_t at = layout_->network;
    if (at < line.size() && line[at] != ' ') {
        const std::size_t end = std::min(line.find(' ', at), line.size());
        const std::string_view word = line.substr(at, end - at);
        at = end;
        network_ = word.find('/') != std::string_view::npos ? std::string(word) : classful(word);
        if (network_.empty())
            return refuse(word, "a network without a length that is in no class with one");
    } else if (network_.empty()) {
        return refuse(line, "there is no network in this line, and none above it");
    }
    drops_rest_ = false;
    is_best_ = status.find('>') != std::string_view::npos;
    path_text_ = line;
    path_line_ = lines_read();
    wanted_ = wanted::next_hop;
    return go_on(line, at);
}

bool show_bgp_reader::go_on(std::string_view line, std::size_t at) {
    at = std::min(line.find_first_not_of(' ', at), line.size());
    if (at == line.size())
        return true;
    if (wanted_ == wanted::next_hop) {
        const std::size_t end = std::min(line.find(' ', at), line.size());
        next_hop_ = line.substr(at, end - at);
        wanted_ = wanted::rest;
        at = end;
        if (trimmed(line.substr(at)).empty())
            return true;
    }
    wanted_ = wanted::nothing;
    return take_rest(line, at);
}

bool show_bgp_reader::take_rest(std::string_view line, std::size_t at) {
    const std::size_t begin = std::min(at, layout_->metric_end);
    at = begin;
    const std::string_view metric = take_column(line, at, layout_->metric_end - begin);
    const std::string_view preference =
        take_column(line, at, width_of_preference(line, at, layout_->preference_end - layout_->metric_end));
    const std::string_view weight = take_column(line, at, layout_->weight_end - layout_->preference_end);
    if (!is_number_or_empty(metric) || !is_number_or_empty(preference) || !is_number_or_empty(weight))
        return refuse(line, "the columns are not where the line with Network and Next Hop has them");
    std::string_view path = at < line.size() ? trimmed(line.substr(at)) : std::string_view();
    if (path.empty() || std::string_view("ie?").find(path.back()) == std::string_view::npos ||
        (path.size() > 1 && path[path.size() - 2] != ' '))
        return refuse(line, "the path does not end with i, e or ?");
    path = trimmed(path.substr(0, path.size() - 1));
    if (!is_best_) {
        made().leave_out();
        return true;
    }
    const std::array<std::string_view, 6> cells{next_hop_, origin_as_of(path), path, preference, metric,
                                                weight};
    return add(network_, cells);
}

bool show_bgp_reader::take_end() {
    if (first_line_ && !is_output_ &&
        !refuse_at(first_number_, *first_line_, "no line of the input has Network, Next Hop and Path"))
        return false;
    return end_section();
}

namespace {

bool is_show_bgp(std::string_view line) {
    if (line.starts_with("BGP table version is "))
        return true;
    const std::size_t network = line.find("Network "), hop = line.find(" Next Hop ");
    return network != std::string_view::npos && trimmed(line.substr(0, network)).empty() && network != 0 &&
           hop != std::string_view::npos && line.find(" Weight Path") != std::string_view::npos;
}

} // namespace

extern const format_entry show_bgp_format;
constinit const format_entry show_bgp_format{
    .name = "show-bgp",
    .summary = "output of `show ip bgp` and `show bgp ipv6 unicast` of FRR, Quagga and Cisco IOS",
    .has_line = [](const detected_line& at, const table_options&) { return is_show_bgp(at.line); },
    .open = open_reader<show_bgp_reader>};

} // namespace fingerpost::io
