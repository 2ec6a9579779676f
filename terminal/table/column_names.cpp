// Renames columns, and compares the names that readers of the output will see.
#include "terminal/table/column_names.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "io/format/parts/input_error.hpp"
#include "io/format/parts/printable.hpp"
#include "terminal/failure.hpp"
#include "terminal/quoting.hpp"

namespace fingerpost::cli {
namespace {

// The names of the command precede those of the columns.
constexpr std::size_t command_name_count = 3;

std::string owner_of(std::size_t place) {
    return place < command_name_count ? "the command's column"
                                      : fmt::format("column {} of the table", place - command_name_count + 1);
}

void rename_each(std::span<const renaming> renamings, std::vector<std::string>& names) {
    std::vector<bool> is_renamed(names.size(), false);
    const std::vector<std::string> former = names;
    for (const renaming& renaming_of_name : renamings) {
        std::size_t place = 0;
        while (place < names.size() && (is_renamed[place] || former[place] != renaming_of_name.from))
            ++place;
        if (place == names.size())
            throw usage_error(no_such_name(renaming_of_name.from, former));
        names[place] = renaming_of_name.to;
        is_renamed[place] = true;
    }
}

} // namespace

std::string rename_hint(std::string_view old_name) {
    std::string words = "--rename ";
    for (const char c : old_name) {
        if (c == ',' || c == '=' || c == '\\')
            words += '\\';
        words += c;
    }
    return io::printable(words + "=NAME");
}

std::string no_such_name(std::string_view name, std::span<const std::string> names) {
    std::string list;
    for (const std::string& column : names)
        if (!column.empty())
            list += (list.empty() ? "" : ", ") + io::printable(column);
    return fmt::format("--rename: no column {}; columns: {}", io::quoted(name), list);
}

std::string read_renamings(std::string_view text, std::vector<renaming>& target) {
    std::vector<renaming> renamings;
    renaming current;
    bool has_equals = false;
    const auto take = [&] {
        const bool is_complete = has_equals && !current.from.empty() && !current.to.empty();
        renamings.push_back(std::exchange(current, {}));
        has_equals = false;
        return is_complete;
    };
    bool is_valid = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_plain = text[i] == '\\' && i + 1 < text.size();
        i += is_plain ? 1 : 0;
        if (!is_plain && text[i] == ',')
            is_valid = take() && is_valid;
        else if (!is_plain && text[i] == '=' && !has_equals)
            has_equals = true;
        else
            (has_equals ? current.to : current.from) += text[i];
    }
    is_valid = take() && is_valid;
    if (!is_valid)
        return io::quoted(text) + " is not OLD=NEW";
    target.insert(target.end(), renamings.begin(), renamings.end());
    return {};
}

std::optional<equal_names> find_equal(std::span<const std::string> names) {
    std::vector<std::string> shown_names;
    for (const std::string& name : names)
        shown_names.push_back(valid_utf8(name));
    // By name, then by position.
    std::vector<std::size_t> order(shown_names.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return shown_names[a] != shown_names[b] ? shown_names[a] < shown_names[b] : a < b;
    });
    std::optional<equal_names> pair;
    for (std::size_t i = 1; i < order.size(); ++i) {
        const bool is_equal =
            shown_names[order[i - 1]] == shown_names[order[i]] && !shown_names[order[i]].empty();
        if (is_equal && (!pair || order[i] < pair->second))
            pair = equal_names{order[i - 1], order[i]};
    }
    return pair;
}

answer_names name_answers(std::vector<std::string> columns, std::span<const renaming> renamings,
                          bool with_errors) {
    std::vector<std::string> names{"address", "prefix", with_errors ? "error" : ""};
    names.insert(names.end(), columns.begin(), columns.end());
    rename_each(renamings, names);
    if (const auto equal = find_equal(names)) {
        const std::string& name = names[equal->first];
        throw usage_error(fmt::format(
            "two columns would have the name {}: {} and {}; rename the first with {}", io::quoted(name),
            owner_of(equal->first), owner_of(equal->second), rename_hint(name)));
    }
    return {names[0], names[1], names[2], {names.begin() + command_name_count, names.end()}};
}

} // namespace fingerpost::cli
