// Adds a route for every object, and adds columns when new members appear.
#include "io/format/json/json.hpp"

#include "io/format/parts/format_entry.hpp"
#include <algorithm>
#include <utility>

namespace fingerpost::io {
namespace {

// With more different names, the members are data rather than columns.
constexpr std::size_t max_members = 256;

} // namespace

json_reader::json_reader(std::string file, const table_options& options)
    : object_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), {}, "network"),
      taker_(options), columns_(options.values) {
    taker_.builder().keep_empty_texts();
}

bool json_reader::feed(std::string_view chunk) {
    return feed_objects(chunk, [this] { return take_object(); });
}

bool json_reader::take_object() {
    const bool is_like_last = !has_other_names();
    // The last record of a log or an export often describes the other records.
    if (!is_like_last && has_columns_ && !has_known_name()) {
        ++without_network_;
        return true;
    }
    if (!is_like_last) {
        if (const auto fault = find_network_members())
            return refuse(*fault);
        record_names();
    }
    return take_route();
}

bool json_reader::take_route() {
    if (const auto fault = fill_cells())
        return refuse(*fault);
    std::string_view first = members().text_of(network_[0]);
    if (network_.size() == 2) {
        const auto fault = taker_.add_range(first, members().text_of(network_[1]), cells_);
        return !fault || refuse(fault->text, fault->reason);
    }
    auto fault = length_.empty() ? std::nullopt
                                 : join_length(first, members().text_of(length_), length_rule_, joined_);
    if (!fault)
        fault = taker_.add(first, cells_);
    return !fault || refuse(fault->text, fault->reason);
}

bool json_reader::is_network(std::string_view name) const {
    return std::find(network_.begin(), network_.end(), name) != network_.end() ||
           (!length_.empty() && name == length_ && !length_rule_.is_value);
}

bool json_reader::has_other_names() const {
    if (names_.size() != members().size())
        return true;
    for (std::size_t i = 0; i < names_.size(); ++i)
        if (names_[i] != members()[i].name)
            return true;
    return names_.empty();
}

bool json_reader::has_known_name() const {
    for (std::size_t i = 0; i < members().size(); ++i)
        if (known_.contains(members()[i].name))
            return true;
    return false;
}

void json_reader::record_names() {
    names_.clear();
    for (std::size_t i = 0; i < members().size(); ++i) {
        names_.push_back(members()[i].name);
        if (known_.size() < max_members)
            known_.insert(names_.back());
    }
}

// Finds the network members; they are usually those of the previous object.
std::optional<std::string> json_reader::find_network_members() {
    std::size_t matches = 0;
    std::vector<std::string> names;
    std::vector<std::string_view> texts;
    for (std::size_t i = 0; i < members().size(); ++i) {
        names.push_back(members()[i].name);
        texts.push_back(members()[i].text);
        matches += std::find(network_.begin(), network_.end(), names.back()) != network_.end() ? 1 : 0;
    }
    if (!network_.empty() && matches == network_.size()) {
        find_later_length(names);
        return std::nullopt;
    }
    const auto columns = find_network(names, taker_.options().network, texts);
    if (!columns)
        return columns.error();
    if (!*columns)
        return advised("no member has a name such as network, prefix or cidr",
                       taker_.options().advice.network);
    const bool is_first = network_.empty();
    network_.assign(1, names[(*columns)->first]);
    if ((*columns)->last)
        network_.push_back(names[*(*columns)->last]);
    length_ = (*columns)->length ? names[*(*columns)->length] : std::string();
    length_rule_ = (*columns)->rule;
    length_rule_.is_value = length_rule_.is_value || has_columns_;
    if (is_first && taker_.options().on_understood)
        taker_.options().on_understood(
            "JSON with member " + network_[0] + (network_.size() == 2 ? " to " + network_[1] : "") +
            (length_.empty() || length_rule_.is_value ? "" : " and lengths in " + length_));
    return std::nullopt;
}

// The length may be missing in the first objects; it is then also a value column.
void json_reader::find_later_length(const std::vector<std::string>& names) {
    if (!length_.empty() || network_.size() == 2)
        return;
    network_columns network{.first = static_cast<std::size_t>(
                                std::find(names.begin(), names.end(), network_[0]) - names.begin())};
    find_length(names, network);
    if (!network.length)
        return;
    length_ = names[*network.length];
    length_rule_ = {.is_wildcard = network.rule.is_wildcard, .is_value = true};
}

// Makes columns of the first object's members. Later, the rows of routes would have to be widened.
void json_reader::begin_columns() {
    has_columns_ = true;
    if (columns_.empty()) {
        for (std::size_t i = 0; i < members().size() && columns_.size() < max_members; ++i) {
            const std::string& name = members()[i].name;
            if (!is_network(name) && std::find(columns_.begin(), columns_.end(), name) == columns_.end())
                columns_.push_back(name);
        }
    }
    if (columns_.empty())
        columns_.emplace_back("next_hop");
    is_seen_.assign(columns_.size(), 0);
    types_.resize(columns_.size());
    taker_.builder().set_columns(views(columns_));
}

// Returns nothing if the column was not requested, or if there are too many.
std::optional<std::size_t> json_reader::column_of(std::string_view name) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const std::size_t column = (next_column_ + i) % columns_.size();
        if (columns_[column] == name) {
            next_column_ = column + 1;
            return column;
        }
    }
    if (!taker_.options().values.empty() || columns_.size() == max_members)
        return std::nullopt;
    columns_.emplace_back(name);
    is_seen_.push_back(0);
    types_.emplace_back();
    taker_.builder().add_column(name);
    return columns_.size() - 1;
}

std::optional<std::string> json_reader::fill_cells() {
    for (auto column = columns_.begin(); !has_columns_ && column != columns_.end(); ++column)
        if (std::find(columns_.begin(), column, *column) != column)
            return named_twice(*column);
    if (!has_columns_)
        begin_columns();
    cells_.assign(columns_.size(), std::string_view());
    const bool keeps_all = taker_.options().values.empty();
    for (std::size_t i = 0; i < members().size(); ++i) {
        if (keeps_all && is_network(members()[i].name))
            continue;
        const auto column = column_of(members()[i].name);
        if (!column && keeps_all)
            return "more than " + std::to_string(max_members) + " different members";
        if (!column)
            continue;
        cells_.resize(columns_.size());
        const json_member& member = members()[i];
        cells_[*column] = member.cell();
        is_seen_[*column] = 1;
        json_type& type = types_[*column];
        if (member.type)
            type = type ? joined(*type, *member.type) : member.type;
    }
    return std::nullopt;
}

std::optional<input_error> json_reader::complete() {
    auto error = finish_objects([this] { return take_object(); });
    const auto missing = std::find(is_seen_.begin(), is_seen_.end(), 0);
    if (!error && missing != is_seen_.end() && !taker_.options().values.empty()) {
        fail(columns_[static_cast<std::size_t>(missing - is_seen_.begin())], "no object has this member");
        error = take_error();
    }
    taker_.builder().set_types(types_);
    taker_.builder().count(skipped(), 0);
    taker_.builder().count_without_network(without_network_);
    return error;
}

expected<both_tables, input_error> json_reader::finish_both() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(taker_).finish_both(lines_read());
}

expected<one_table, input_error> json_reader::finish() && {
    if (auto error = complete())
        return unexpected{std::move(*error)};
    return std::move(taker_).finish(lines_read());
}

extern const format_entry json_format;
constinit const format_entry json_format{.name = "json",
                                         .summary = "JSON objects, one after the other or in an array",
                                         .written_as = "ndjson",
                                         .has_object = [](std::string_view) { return true; },
                                         .open = open_reader<json_reader>};

} // namespace fingerpost::io
