// Assembles the lines of a path.
#include "io/format/show_bgp/show_bgp.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/shell_prompt.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

constexpr std::array<std::string_view, 6> bgp_columns{"next_hop",   "origin_as", "path",
                                                      "local_pref", "med",       "weight"};
// Number of columns that are kept by default. Paths would make up most of a table.
constexpr std::size_t usual_bgp_columns = 2;

constexpr std::array<std::string_view, 1> bgp_main_tables{"default"};
constexpr std::string_view bgp_version_line = "BGP table version is ";

// Returns the AS that originated the route: the last AS of the path outside a confederation.
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

// Returns the classful prefix of a network that is written without a length; empty if there is none.
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

bool is_of_path(char c) {
    return (c >= '0' && c <= '9') || c == ' ' ||
           std::string_view(".,(){}[]").find(c) != std::string_view::npos;
}

// Returns the table that a line between two tables names: its VRF, or else its route distinguisher.
std::optional<std::string_view> bgp_table_named_in(std::string_view text) {
    constexpr std::string_view instance = "Instance ", distinguisher = "Route Distinguisher: ",
                               kind = "For address family: ", vrf = "default for vrf ";
    if (text.starts_with(instance) && text.ends_with(':'))
        return text.substr(instance.size(), text.size() - instance.size() - 1);
    if (text.starts_with(kind)) {
        text.remove_prefix(kind.size());
        return text == "IPv4 Unicast" || text == "IPv6 Unicast" ? bgp_main_tables.front() : text;
    }
    if (!text.starts_with(distinguisher))
        return std::nullopt;
    text.remove_prefix(distinguisher.size());
    const std::size_t name = text.find(vrf);
    if (name == std::string_view::npos)
        return text.substr(0, text.find(' '));
    text.remove_prefix(name + vrf.size());
    return text.substr(0, text.find(')'));
}

} // namespace

show_bgp_reader::show_bgp_reader(std::string file, const table_options& options)
    : fixed_reader(std::move(file), options, "output of show ip bgp", {bgp_columns, usual_bgp_columns},
                   bgp_main_tables) {
    report_format("output of show ip bgp");
}

bool show_bgp_reader::take_line(std::string_view line) {
    // Most lines are routes, and only they begin with `*`.
    if (layout_ && line.starts_with('*'))
        return take_row(line);
    if (const auto layout = find_bgp_layout(line)) {
        if (!end_path())
            return false;
        layout_ = layout;
        is_output_ = true;
        return true;
    }
    const std::string_view text = trimmed(line);
    is_output_ = is_output_ || text.starts_with(bgp_version_line) || text.starts_with("No BGP ");
    if (!first_line_ && !text.empty()) {
        first_line_ = line;
        first_number_ = lines_read();
    }
    if (const auto table = bgp_table_named_in(text)) {
        table_ = *table;
        return end_path();
    }
    if (!layout_)
        return !line.starts_with('*') ||
               refuse(line, "a route before the header line with Network, Next Hop and Path");
    if (text.empty() || command_after_prompt(line) || text.starts_with("Displayed ") ||
        text.starts_with("Total number ") || text.starts_with("Processed ")) {
        const bool goes_on = end_path();
        layout_.reset();
        return goes_on;
    }
    return take_row(line);
}

bool show_bgp_reader::take_row(std::string_view line) {
    const auto row = cut_bgp_row(line, *layout_, expected_ != expected_part::nothing);
    if (!row) {
        const bool goes_on = end_path();
        network_.clear();
        drops_rest_ = true;
        return goes_on &&
               refuse(line, "not a route of show ip bgp, which begins with its status, such as *>");
    }
    if (!row->status.empty() || !row->network.empty())
        return begin_path(*row, line);
    if (expected_ != expected_part::nothing)
        return go_on(line, row->rest);
    if (drops_rest_)
        return true;
    if (network_.empty())
        return refuse(line, "this line continues a route, but no route precedes it");
    return begin_path(*row, line);
}

// Refuses a path without a next hop or an end when the next one begins.
bool show_bgp_reader::end_path() {
    const bool was_open = std::exchange(expected_, expected_part::nothing) != expected_part::nothing;
    const bool goes_on =
        !was_open || refuse_at(path_line_, path_text_, "the route has no next hop or no path");
    network_.clear();
    drops_rest_ = false;
    return goes_on;
}

bool show_bgp_reader::begin_path(const bgp_row& row, std::string_view line) {
    const std::string above = std::exchange(network_, {});
    if (!end_path())
        return false;
    drops_rest_ = true;
    const std::string_view word = row.network;
    network_ = word.empty()                               ? above
               : word.find('/') != std::string_view::npos ? std::string(word)
                                                          : classful(word);
    if (network_.empty())
        return word.empty() ? refuse(line, "no network on this line or above it")
                            : refuse(word, "a network without a length whose class has none");
    drops_rest_ = false;
    is_best_ = row.status.find('>') != std::string_view::npos;
    path_text_ = line;
    path_line_ = lines_read();
    expected_ = expected_part::next_hop;
    return go_on(line, row.rest);
}

// `at`: start of the next word on the line.
bool show_bgp_reader::go_on(std::string_view line, std::size_t at) {
    if (at == line.size())
        return true;
    if (expected_ == expected_part::next_hop) {
        const std::size_t end = std::min(line.find(' ', at), line.size());
        // FRR appends the VRF of a next hop, and `<` if the router announced the route itself: 192.0.2.1@5<
        const std::string_view word = line.substr(at, end - at);
        const auto stop = std::find_if(word.begin(), word.end(), [](char c) { return c == '@' || c == '<'; });
        next_hop_.assign(word.begin(), stop);
        shift_ = static_cast<std::ptrdiff_t>(at) - static_cast<std::ptrdiff_t>(layout_->next_hop);
        expected_ = expected_part::rest;
        at = end;
        if (trimmed(line.substr(at)).empty())
            return true;
    }
    expected_ = expected_part::nothing;
    return take_rest(line, at);
}

bool show_bgp_reader::take_rest(std::string_view line, std::size_t at) {
    const auto numbers = cut_bgp_numbers(line, at, *layout_, shift_);
    if (!numbers)
        return refuse(line, "the columns do not match the header line with Network and Next Hop");
    std::string_view path = numbers->path;
    if (path.empty() || std::string_view("ie?").find(path.back()) == std::string_view::npos ||
        (path.size() > 1 && path[path.size() - 2] != ' '))
        return refuse(line, "the path does not end with i, e or ?");
    path = trimmed(path.substr(0, path.size() - 1));
    if (!std::all_of(path.begin(), path.end(), is_of_path))
        return refuse(line, "the path has something other than AS numbers");
    fixed_columns* const columns = table_for(table_, network_);
    if (columns == nullptr)
        return true;
    if (!is_best_) {
        columns->leave_out();
        return true;
    }
    const std::array<std::string_view, 6> cells{next_hop_,           origin_as_of(path), path,
                                                numbers->preference, numbers->metric,    numbers->weight};
    return check(columns->add(network_, cells));
}

bool show_bgp_reader::take_end() {
    if (first_line_ && !is_output_ &&
        !refuse_at(first_number_, *first_line_, "no line of the input has Network, Next Hop and Path"))
        return false;
    return end_path();
}

namespace {

bool is_show_bgp(std::string_view line) {
    return trimmed(line).starts_with(bgp_version_line) || find_bgp_layout(line) || bgp_table_named_in(line) ||
           has_command(line, "bgp");
}

} // namespace

extern const format_entry show_bgp_format;
constinit const format_entry show_bgp_format{
    .name = "show-bgp",
    .summary = "output of `show ip bgp` and `show bgp ipv6 unicast` of FRR, Quagga and Cisco IOS",
    .has_line = [](const detected_line& at, const table_options&) { return is_show_bgp(at.line); },
    .has_routing_tables = true,
    .open = open_reader<show_bgp_reader>};

} // namespace fingerpost::io
