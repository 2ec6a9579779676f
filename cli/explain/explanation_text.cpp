// Explanations for people: the prefixes that cover the address, one row for each step, and the result.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/explain/explanation.hpp"
#include "io/format/parts/printable.hpp"
#include "terminal/columns.hpp"

namespace fingerpost::cli {
namespace {

// Escape sequences for terminals (ECMA-48).
namespace style {
constexpr std::string_view bold = "1";
constexpr std::string_view green = "1;32";
constexpr std::string_view faint = "2";
constexpr std::string_view plain;
} // namespace style

class painter {
  public:
    explicit painter(bool color) : color_(color) {}

    // Line ends stay outside, because colour behind them would reach the next line.
    std::string operator()(std::string_view look, std::string_view text) const {
        const std::size_t size = std::min(text.find_last_not_of('\n') + 1, text.size());
        if (!color_ || size == 0 || look.empty())
            return std::string(text);
        return fmt::format("\x1b[{}m{}\x1b[0m{}", look, text.substr(0, size), text.substr(size));
    }

  private:
    bool color_;
};

std::string counted(std::size_t count, std::string_view one, std::string_view several) {
    return fmt::format("{} {}", count, count == 1 ? one : several);
}

std::string name_or_dash(const std::string& name) {
    return name.empty() ? "-" : io::printable(name);
}

// The lines of a table, with the first and the last one coloured.
std::string paint_rows(const std::string& rows, const painter& paint, std::string_view first,
                       std::string_view last) {
    std::string out;
    for (std::size_t at = 0; at < rows.size();) {
        const std::size_t end = rows.find('\n', at) + 1;
        const std::string_view line = std::string_view(rows).substr(at, end - at);
        out += at == 0 ? paint(first, line) : end == rows.size() ? paint(last, line) : std::string(line);
        at = end;
    }
    return out;
}

std::string covers_text(const explanation& e, const painter& paint) {
    std::string out = paint(style::bold, io::printable(e.asked));
    if (e.asked != e.address)
        out += fmt::format(", looked up as {},", e.address);
    if (e.covers.empty())
        out += " is covered by no prefix of the table, so it has no route.\n";
    else if (e.covers.size() == 1)
        out += " is covered by one prefix.\n\n";
    else
        out += fmt::format(" is covered by {} prefixes, of which the longest wins.\n\n", e.covers.size());
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
    out += e.first == e.last
               ? "No address beside it has the same answer.\n"
               : fmt::format("All addresses from {} to {} have this answer.\n", e.first, e.last);
    return out;
}

std::string compared_with_keys(const explained_step& step) {
    const std::size_t count = step.values.size();
    if (count == 0)
        return "no keys here";
    // In hash tables, and when checking a path, only equal keys count.
    const bool wants_equal = step.result == outcome::missed || !step.is_ascending;
    if (wants_equal && count > 1)
        return fmt::format("{} of {} keys equals it", step.is_key ? "one" : "none", count);
    const std::string& first = step.values.front();
    if (count == 1)
        return fmt::format("{} the key {}",
                           step.is_key      ? step.is_cut ? "shares 64 bits with" : "equals"
                           : wants_equal    ? "is not"
                           : step.below > 0 ? "above"
                                            : "below",
                           first);
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
        return step.found ? fmt::format("-> {}", *step.found) : "->";
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

std::string steps_table(const explained_lookup& lookup, const explanation& e, const painter& paint) {
    const bool has_nodes =
        std::any_of(lookup.steps.begin(), lookup.steps.end(), [](const auto& s) { return !s.kind.empty(); });
    std::vector<columns::head> heads{{"step", true}, {"part"}};
    if (has_nodes)
        heads.insert(heads.end(), {{"node"}, {"level", true}});
    heads.insert(heads.end(), {{"offset", true},
                               {"bits"},
                               {"value"},
                               {"bytes", true},
                               {"line", true},
                               {"what the scheme finds"},
                               {""}});
    columns rows(std::move(heads));
    for (std::size_t i = 0; i < lookup.steps.size(); ++i) {
        const explained_step& step = lookup.steps[i];
        std::vector<std::string> cells{std::to_string(i + 1), step.part};
        if (has_nodes) {
            cells.push_back(step.kind.empty() ? "-" : step.kind);
            cells.push_back(step.node ? std::to_string(step.level) : "-");
        }
        for (std::string cell :
             {std::to_string(step.offset), bits_of(step), step.seen.empty() ? "-" : step.seen,
              std::to_string(step.bytes), lines_of(step), comparison_of(step), outcome_of(step, e)})
            cells.push_back(std::move(cell));
        rows.add(std::move(cells));
    }
    const bool ends_in_answer = lookup.steps.back().result == outcome::answered;
    return paint_rows(rows.text(), paint, style::faint, ends_in_answer ? style::green : style::plain);
}

std::string totals_of(const explained_lookup& lookup) {
    return fmt::format("{}, {} of 64 bytes, {} read", counted(lookup.steps.size(), "step", "steps"),
                       counted(lookup.lines(), "cache line", "cache lines"),
                       counted(lookup.bytes_read(), "byte", "bytes"));
}

std::string lookup_text(const explained_lookup& lookup, const explanation& e, const painter& paint) {
    std::string out = fmt::format("{}: {}\n", paint(style::bold, lookup.scheme), lookup.summary);
    const std::string answer = e.answer();
    if (!lookup.shows_steps)
        return out + fmt::format("This scheme does not show its steps. Its answer: {}.\n", answer);
    if (lookup.steps.empty())
        return out + fmt::format("The table is empty, so there is nothing to read: {}.\n", answer);
    out += "\n" + steps_table(lookup, e, paint) + "\n";
    out += fmt::format("{}: {}.\n", totals_of(lookup), answer);
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

std::string as_text(const explanation& e, bool color) {
    const painter paint(color);
    std::string out = covers_text(e, paint);
    for (const explained_lookup& lookup : e.lookups)
        out += "\n" + lookup_text(lookup, e, paint);
    if (e.lookups.size() > 1)
        out += "\n" + comparison_text(e, paint);
    return out;
}

} // namespace fingerpost::cli
