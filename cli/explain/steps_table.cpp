// Chooses the columns that the width has room for.
#include "cli/explain/steps_table.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <vector>

#include "io/format/parts/printable.hpp"
#include "terminal/columns.hpp"
#include "terminal/help.hpp"

namespace fingerpost::cli {
namespace {

std::string compared_with_prefix(const explained_step& step) {
    std::string words = step.compared_bits == 0 ? ""
                                                : fmt::format("{} bits {}", step.compared_bits,
                                                              step.is_in_prefix ? "match" : "differ");
    if (step.branch && (step.compared_bits == 0 || step.is_in_prefix))
        words += fmt::format("{}bit {} is {}", words.empty() ? "" : ", ", step.compared_bits, *step.branch);
    return words;
}

std::string compared_with_keys(const explained_step& step) {
    const std::size_t count = step.values.size();
    if (count == 0)
        return "no keys";
    // In hash tables, and when checking a path, only equal keys count.
    const bool must_equal = step.result == outcome::missed || !step.is_ascending;
    if (must_equal && count > 1)
        return fmt::format("equals {} of {} keys", step.is_key ? "one" : "none", count);
    if (step.compared_bits != 0 || step.branch)
        return compared_with_prefix(step);
    if (count == 1)
        return fmt::format("{} the key {}",
                           step.is_key      ? step.is_cut ? "shares 64 bits with" : "equals"
                           : must_equal     ? "differs from"
                           : step.below > 0 ? "above"
                                            : "not above",
                           step.values.front());
    std::string words = fmt::format("above {} of {} keys", step.below, count);
    if (step.below < count)
        words += fmt::format(", next {}", step.values[step.below]);
    return words;
}

std::string comparison_of(const explained_step& step) {
    switch (step.with) {
    case compared::keys:
        return compared_with_keys(step);
    case compared::bitmap:
        return fmt::format("bit {} of a bitmap with {} set", step.key, step.set_bits);
    case compared::nothing:
        break;
    }
    return step.key.empty() ? "-" : fmt::format("entry {}", step.key);
}

std::string outcome_of(const explained_step& step, const explanation& e) {
    switch (step.result) {
    case outcome::goes_on:
        return step.next_entry ? fmt::format("-> {}", *step.next_entry) : "->";
    case outcome::missed:
        return "-> nothing";
    case outcome::answered:
        break;
    }
    return "=> " + e.answer();
}

std::string bits_of(const explained_step& step) {
    if (step.bits < 2)
        return step.bits == 0 ? "-" : std::to_string(step.first_bit);
    return fmt::format("{}-{}", step.first_bit, step.first_bit + step.bits - 1);
}

// A read across the end of a line may touch a new line and a known one.
std::string lines_of(const explained_step& step) {
    const std::size_t first = step.lines.front(), last = step.lines.back();
    if (step.lines.size() > 2 && last == first + step.lines.size() - 1)
        return fmt::format("{}-{}", first, last);
    return fmt::format("{}", fmt::join(step.lines, ","));
}

std::string text_or_dash(const std::string& text) {
    return text.empty() ? "-" : text;
}

struct step_column {
    std::string_view title;
    bool is_number;
    // 0: always shown; else the columns with the lowest numbers are left out first.
    unsigned leaves;
    std::string (*cell)(const explained_step&);
};
constexpr std::array<step_column, 9> all_columns{
    step_column{"part", false, 0, [](const explained_step& s) { return s.part; }},
    {"node", false, 5, [](const explained_step& s) { return text_or_dash(s.kind); }},
    {"prefix", false, 6, [](const explained_step& s) { return text_or_dash(s.prefix); }},
    {"level", true, 3, [](const explained_step& s) { return s.node ? std::to_string(s.level) : "-"; }},
    {"offset", true, 1, [](const explained_step& s) { return std::to_string(s.offset); }},
    {"bits", false, 0, bits_of},
    {"value", false, 4, [](const explained_step& s) { return text_or_dash(s.address_bits); }},
    {"bytes", true, 2, [](const explained_step& s) { return std::to_string(s.bytes); }},
    {"line", true, 7, lines_of}};
constexpr unsigned kept_in_one_line = 3; // columns that are left out before findings get their own lines

// One way to lay them out.
struct layout {
    unsigned left_out = 0;
    bool is_stacked = false; // the finding of a step is a line of its own below it
};

bool is_shown(const step_column& column, const layout& chosen, const explained_lookup& lookup) {
    if (column.leaves != 0 && column.leaves <= chosen.left_out)
        return false;
    const bool tells_nodes = column.title == "node" || column.title == "level" || column.title == "prefix";
    const auto has_node = [](const explained_step& s) { return s.node.has_value(); };
    return !tells_nodes || std::any_of(lookup.steps.begin(), lookup.steps.end(), has_node);
}

std::string laid_out(const explained_lookup& lookup, const explanation& e, const layout& chosen,
                     std::size_t width) {
    std::vector<columns::head> heads{{"step", true}};
    for (const step_column& column : all_columns)
        if (is_shown(column, chosen, lookup))
            heads.push_back({std::string(column.title), column.is_number});
    if (!chosen.is_stacked)
        heads.insert(heads.end(), {{"what the scheme finds"}, {""}});
    columns rows(std::move(heads));
    for (std::size_t i = 0; i < lookup.steps.size(); ++i) {
        const explained_step& step = lookup.steps[i];
        std::vector<std::string> cells{std::to_string(i + 1)};
        for (const step_column& column : all_columns)
            if (is_shown(column, chosen, lookup))
                cells.push_back(column.cell(step));
        if (!chosen.is_stacked) {
            cells.push_back(comparison_of(step));
            cells.push_back(outcome_of(step, e));
        }
        rows.add(std::move(cells));
    }
    const std::string text = rows.text();
    if (!chosen.is_stacked)
        return text;
    constexpr std::size_t indent = 6;
    std::string out;
    for (std::size_t at = 0, line = 0; at < text.size(); ++line) {
        const std::size_t end = text.find('\n', at) + 1;
        out += text.substr(at, end - at);
        if (line > 0) {
            const explained_step& step = lookup.steps[line - 1];
            const std::string finding = io::printable(comparison_of(step) + "  " + outcome_of(step, e));
            out += std::string(indent, ' ') + wrapped(finding, indent, width) + '\n';
        }
        at = end;
    }
    return out;
}

std::size_t widest_line(std::string_view text) {
    std::size_t widest = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        widest = std::max(widest, characters(text.substr(at, end - at)));
        at = end + 1;
    }
    return widest;
}

} // namespace

std::string steps_table(const explained_lookup& lookup, const explanation& e, const painter& paint,
                        std::size_t width) {
    layout chosen;
    std::string rows = laid_out(lookup, e, chosen, width);
    while (width != 0 && widest_line(rows) > width && chosen.left_out < all_columns.size()) {
        if (!chosen.is_stacked && chosen.left_out == kept_in_one_line)
            chosen = {0, true};
        else
            ++chosen.left_out;
        rows = laid_out(lookup, e, chosen, width);
    }
    const bool ends_in_answer = lookup.steps.back().result == outcome::answered;
    return paint_rows(rows, paint, style::faint, ends_in_answer ? style::green : style::plain);
}

} // namespace fingerpost::cli
