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
constexpr std::size_t own_names = 3;

std::string whose(std::size_t place) {
    return place < own_names ? "the command's own"
                             : fmt::format("column {} of the table", place - own_names + 1);
}

void rename_each(std::span<const renaming> renamings, std::vector<std::string>& names) {
    std::vector<bool> is_renamed(names.size(), false);
    const std::vector<std::string> former = names;
    for (const renaming& one : renamings) {
        std::size_t place = 0;
        while (place < names.size() && (is_renamed[place] || former[place] != one.from))
            ++place;
        if (place == names.size())
            throw usage_error(no_such_name(one.from, former));
        names[place] = one.to;
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
    std::string there;
    for (const std::string& one : names)
        if (!one.empty())
            there += (there.empty() ? "" : ", ") + io::printable(one);
    return fmt::format("--rename: no column {}; columns: {}", io::quoted(name), there);
}

std::string read_renamings(std::string_view text, std::vector<renaming>& into) {
    std::vector<renaming> read;
    renaming one;
    bool has_equals = false;
    const auto take = [&] {
        const bool is_whole = has_equals && !one.from.empty() && !one.to.empty();
        read.push_back(std::exchange(one, {}));
        has_equals = false;
        return is_whole;
    };
    bool right = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_plain = text[i] == '\\' && i + 1 < text.size();
        i += is_plain ? 1 : 0;
        if (!is_plain && text[i] == ',')
            right = take() && right;
        else if (!is_plain && text[i] == '=' && !has_equals)
            has_equals = true;
        else
            (has_equals ? one.to : one.from) += text[i];
    }
    right = take() && right;
    if (!right)
        return io::quoted(text) + " is not OLD=NEW";
    into.insert(into.end(), read.begin(), read.end());
    return {};
}

std::optional<equal_names> find_equal(std::span<const std::string> names) {
    std::vector<std::string> written;
    for (const std::string& name : names)
        written.push_back(valid_utf8(name));
    // By name, then by position.
    std::vector<std::size_t> order(written.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return written[a] != written[b] ? written[a] < written[b] : a < b;
    });
    std::optional<equal_names> found;
    for (std::size_t i = 1; i < order.size(); ++i) {
        const bool is_equal = written[order[i - 1]] == written[order[i]] && !written[order[i]].empty();
        if (is_equal && (!found || order[i] < found->second))
            found = equal_names{order[i - 1], order[i]};
    }
    return found;
}

answer_names name_answers(std::vector<std::string> columns, std::span<const renaming> renamings,
                          bool with_errors) {
    std::vector<std::string> names{"address", "prefix", with_errors ? "error" : ""};
    names.insert(names.end(), columns.begin(), columns.end());
    rename_each(renamings, names);
    if (const auto equal = find_equal(names)) {
        const std::string& name = names[equal->first];
        throw usage_error(fmt::format("two columns would be called {}: {} and {}; rename the first with {}",
                                      io::quoted(name), whose(equal->first), whose(equal->second),
                                      rename_hint(name)));
    }
    return {names[0], names[1], names[2], {names.begin() + own_names, names.end()}};
}

} // namespace fingerpost::cli
