// Cuts lines at `|`, ranks routes, and stores next hop, origin AS, peer and path.
#include "io/format/bgpdump/bgpdump.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

// Indices of the fields. With a path identifier, the fields from `path` on are shifted by one.
enum field : std::size_t {
    kind,
    time,
    letter,
    peer,
    peer_as,
    where,
    path,
    origin,
    next_hop_field,
    preference,
    med
};
constexpr std::size_t least_fields = next_hop_field + 1;

const std::vector<std::string>& dump_columns() {
    static const std::vector<std::string> names{"next_hop", "origin_as",  "peer", "peer_as",
                                                "path",     "local_pref", "med"};
    return names;
}
// Number of dump_columns that are kept by default. Paths would make up most of a table.
constexpr std::size_t usual_columns = 4;

std::uint32_t number_or_zero(std::string_view text) {
    std::uint32_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() ? number : 0;
}

std::string_view last_word(std::string_view text) {
    const auto blank = text.rfind(' ');
    return blank == std::string_view::npos ? text : text.substr(blank + 1);
}

std::uint64_t words_in(std::string_view path) {
    path = trimmed(path);
    return path.empty() ? 0 : 1 + static_cast<std::uint64_t>(std::count(path.begin(), path.end(), ' '));
}

std::uint64_t origin_rank(std::string_view origin) {
    return origin == "IGP" ? 0 : origin == "EGP" ? 1 : 2;
}

// A rank ends in three numbers that order peers: the family and the two halves of the address.
void rank_peer(std::string_view peer, route_rank& rank) {
    if (const auto four = parse_address<ipv4_address>(peer)) {
        rank[6] = four->value;
    } else if (const auto six = parse_address<ipv6_address>(peer)) {
        rank[4] = 1;
        rank[5] = static_cast<std::uint64_t>(six->value >> 64);
        rank[6] = static_cast<std::uint64_t>(six->value);
    }
}

table_options with_usual_values(table_options options) {
    if (options.values.empty())
        options.values.assign(dump_columns().begin(), dump_columns().begin() + usual_columns);
    return options;
}

} // namespace

bgpdump_reader::bgpdump_reader(std::string file, const table_options& options)
    : line_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), "output of bgpdump -m",
                  options.policy) {
    auto table = best_table::make(with_usual_values(options), dump_columns());
    if (table)
        table_.emplace(std::move(*table));
    else
        fail({}, table.error());
    if (options.on_understood)
        options.on_understood("output of bgpdump -m");
}

bool bgpdump_reader::feed(std::string_view chunk) {
    return feed_lines(chunk, [this](std::string_view line) { return take_line(line); });
}

bool bgpdump_reader::take_line(std::string_view line) {
    if (has_return(line))
        return refuse(line, return_in_line);
    if (trimmed(line).empty() || line.starts_with('#'))
        return true;
    if (line.find('\0') != std::string_view::npos)
        return refuse(line, "there is a NUL byte in the line");
    fields_.clear();
    for (std::string_view rest = line;;) {
        const auto end = rest.find('|');
        fields_.push_back(rest.substr(0, end));
        if (end == std::string_view::npos)
            break;
        rest.remove_prefix(end + 1);
    }
    if (!fields_[kind].starts_with("TABLE_DUMP"))
        return refuse(line, fields_[kind].starts_with("BGP4MP")
                                ? "a BGP update, not a route of a table"
                                : "not a line of bgpdump -m, which would begin with TABLE_DUMP");
    return take_route(line, fields_[kind].ends_with("_AP"));
}

bool bgpdump_reader::take_route(std::string_view line, bool has_path_id) {
    if (has_path_id && fields_.size() > path)
        fields_.erase(fields_.begin() + path);
    // `bgpdump -M` writes neither a next hop nor the fields after it; `bgpdump -m` does.
    const bool is_short = fields_.size() == origin + 1;
    if (fields_.size() < least_fields && !is_short)
        return refuse(line, "fewer than nine fields");
    fields_.resize(std::max<std::size_t>(fields_.size(), med + 1));
    const std::array<std::string_view, 7> cells{fields_[next_hop_field],
                                                last_word(trimmed(fields_[path])),
                                                fields_[peer],
                                                fields_[peer_as],
                                                fields_[path],
                                                fields_[preference],
                                                fields_[med]};
    route_rank rank{~std::uint64_t{number_or_zero(fields_[preference])}, words_in(fields_[path]),
                    origin_rank(fields_[origin]), number_or_zero(fields_[med])};
    rank_peer(fields_[peer], rank);
    const auto fault = table_->add(fields_[where], rank, cells);
    return !fault || refuse(fault->text, fault->reason);
}

std::optional<input_error> bgpdump_reader::complete() {
    return finish_lines([this](std::string_view line) { return take_line(line); });
}

expected<both_tables, input_error> bgpdump_reader::finish_both() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*table_).finish_both(lines_read(), skipped());
}

expected<one_table, input_error> bgpdump_reader::finish() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(*table_).finish(lines_read(), skipped());
}

extern const format_entry bgpdump_format;
constinit const format_entry bgpdump_format{.name = "bgpdump",
                                            .summary = "output of `bgpdump -m` or `bgpdump -M`",
                                            .has_line =
                                                [](const detected_line& at, const table_options&) {
                                                    return at.line.starts_with("TABLE_DUMP") &&
                                                           at.line.find('|') != std::string_view::npos;
                                                },
                                            .open = open_reader<bgpdump_reader>};

} // namespace fingerpost::io
