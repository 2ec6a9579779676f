// Explanations for people: the prefixes that cover the address, one row for each step, and the result.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/explain/explanation.hpp"
#include "cli/explain/steps_table.hpp"
#include "io/format/parts/printable.hpp"
#include "terminal/columns.hpp"
#include "terminal/help.hpp"

namespace fingerpost::cli {
namespace {

std::string counted(std::size_t count, std::string_view singular, std::string_view plural) {
    return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

std::string name_or_dash(const std::string& name) {
    return name.empty() ? "-" : io::printable(name);
}

// Wraps the words; a width of 0 is unlimited.
std::string lines_of(std::string_view words, std::size_t width) {
    return width == 0 ? std::string(words) : wrapped(words, 0, width);
}

std::string covers_text(const explanation& e, const painter& paint, std::size_t width) {
    const std::string input = io::printable(e.input);
    std::string words = input;
    if (e.input != e.address)
        words += fmt::format(", looked up as {},", e.address);
    if (e.covers.empty())
        words += " matches no prefix of the table, so it has no route.";
    else if (e.covers.size() == 1)
        words += " matches one prefix.";
    else
        words += fmt::format(" matches {} prefixes; the longest one wins.", e.covers.size());
    std::string out = paint(style::bold, input) + lines_of(words, width).substr(input.size());
    out += e.covers.empty() ? "\n" : "\n\n";
    if (!e.covers.empty()) {
        std::vector<columns::head> heads{{"  prefix"}};
        for (const std::string& name : e.columns)
            heads.push_back({e.columns.size() == 1 ? "next hop" : name});
        heads.push_back({""});
        columns rows(std::move(heads));
        for (const covering_prefix& cover : e.covers) {
            std::vector<std::string> cells{"  " + cover.prefix};
            for (const std::string& value : cover.values)
                cells.push_back(name_or_dash(value));
            cells.emplace_back(&cover == &e.covers.back() ? "<- the longest match" : "");
            rows.add(std::move(cells));
        }
        out += paint_rows(rows.text(), paint, style::faint, style::green) + "\n";
    }
    out += lines_of(e.first == e.last
                        ? "No neighbouring address has the same answer."
                        : fmt::format("All addresses from {} to {} have this answer.", e.first, e.last),
                    width);
    return out + '\n';
}

std::string totals_of(const explained_lookup& lookup) {
    return fmt::format("{}, {} of 64 bytes, {} read", counted(lookup.steps.size(), "step", "steps"),
                       counted(lookup.lines(), "cache line", "cache lines"),
                       counted(lookup.bytes_read(), "byte", "bytes"));
}

std::string lookup_text(const explained_lookup& lookup, const explanation& e, const painter& paint,
                        std::size_t width) {
    std::string out = lines_of(fmt::format("{}: {}", lookup.scheme, lookup.summary), width) + '\n';
    out = paint(style::bold, lookup.scheme) + out.substr(lookup.scheme.size());
    const std::string answer = e.answer();
    if (!lookup.shows_steps)
        return out +
               lines_of(fmt::format("This scheme does not show its steps. Answer: {}.", answer), width) +
               '\n';
    if (lookup.steps.empty())
        return out +
               lines_of(fmt::format("The table is empty, so there is nothing to read. Answer: {}.", answer),
                        width) +
               '\n';
    out += "\n" + steps_table(lookup, e, paint, width) + "\n";
    out += lines_of(fmt::format("{}: {}.", totals_of(lookup), answer), width) + '\n';
    return out;
}

std::string comparison_text(const explanation& e, const painter& paint) {
    columns rows({{"scheme"},
                  {"steps", true},
                  {"cache lines", true},
                  {"bytes read", true},
                  {"bytes of memory", true}});
    for (const explained_lookup& lookup : e.lookups) {
        const auto shown = [&](std::uint64_t count) {
            return lookup.shows_steps ? std::to_string(count) : std::string("-");
        };
        rows.add({std::string(lookup.scheme), shown(lookup.steps.size()), shown(lookup.lines()),
                  shown(lookup.bytes_read()), std::to_string(lookup.memory_bytes)});
    }
    return paint_rows(rows.text(), paint, style::faint, style::plain);
}

} // namespace

std::size_t explained_lookup::lines() const {
    std::size_t count = 0;
    for (const explained_step& step : steps)
        count = std::max(count, *std::max_element(step.lines.begin(), step.lines.end()));
    return count;
}

bool explained_step::counts_to_match() const {
    return matched && matched->bit / 64 >= counted.first_word &&
           matched->bit / 64 < counted.first_word + counted.words;
}

std::uint64_t explained_lookup::bytes_read() const {
    std::uint64_t sum = 0;
    for (const explained_step& step : steps)
        sum += step.bytes;
    return sum;
}

std::string explanation::answer() const {
    if (covers.empty())
        return "no route";
    std::string words = columns.size() == 1 ? "next hop " : "";
    for (const std::string& value : covers.back().values)
        words += (&value == covers.back().values.data() ? "" : ", ") + name_or_dash(value);
    return words;
}

std::string as_text(const explanation& e, bool color, std::size_t width) {
    const painter paint(color);
    std::string out = covers_text(e, paint, width);
    for (const explained_lookup& lookup : e.lookups)
        out += "\n" + lookup_text(lookup, e, paint, width);
    if (e.lookups.size() > 1)
        out += "\n" + comparison_text(e, paint);
    return out;
}

} // namespace fingerpost::cli
