// Result file and text tables of the experiment `amortised`.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "bench/measured/amortised_result.hpp"
#include "bench/report/report_parts.hpp"

namespace fingerpost::bench {
namespace {

void write_batch(json_writer& json, const batch_row& row) {
    json.begin_object();
    json.member("scheme", row.scheme);
    json.member("policy", row.policy);
    json.member("table", row.table);
    json.member("routes", row.routes);
    json.member("batch", row.batch);
    write_quartiles(json, "us_per_change", row.us_per_change, row.has_numbers());
    json.member("rounds", row.rounds);
    json.member("checked", row.checked);
    json.member("wrong", row.wrong);
    json.member("failed", row.failed);
    json.end_object();
}

void write_rebuild(json_writer& json, const rebuild_row& row) {
    json.begin_object();
    json.member("scheme", row.scheme);
    json.member("table", row.table);
    json.member("routes", row.routes);
    write_quartiles(json, "build_ms", row.ms, true);
    json.member("builds", row.builds);
    json.end_object();
}

// A table with a line for each name and a column for each number, cells[name][number], in the order of
// appearance.
class grid {
  public:
    explicit grid(text_row words) : words_(words.size()) { lines_.push_back(std::move(words)); }

    void put(const text_row& names, std::size_t number, std::string cell) {
        text_row& headings = lines_[0];
        const std::string heading = std::to_string(number);
        const auto from = headings.begin() + static_cast<std::ptrdiff_t>(words_);
        const auto column =
            static_cast<std::size_t>(std::find(from, headings.end(), heading) - headings.begin());
        if (column == headings.size())
            headings.push_back(heading);
        auto line = std::find_if(lines_.begin() + 1, lines_.end(), [&](const text_row& other) {
            return std::equal(names.begin(), names.end(), other.begin());
        });
        if (line == lines_.end())
            line = lines_.insert(line, names);
        line->resize(std::max(line->size(), column + 1), "-");
        (*line)[column] = std::move(cell);
    }
    std::string text() {
        for (text_row& line : lines_)
            line.resize(lines_[0].size(), "-");
        return aligned(lines_, words_);
    }

  private:
    std::size_t words_;
    std::vector<text_row> lines_;
};

} // namespace

std::string to_json(const amortised_report& report) {
    return document(report.circumstances, [&](json_writer& json) {
        write_rows(json, "batches", report.batches, write_batch);
        write_rows(json, "rebuilds", report.rebuilds, write_rebuild);
    });
}

std::string to_text(const amortised_report& report) {
    if (report.batches.empty() && report.rebuilds.empty())
        return "nothing was measured\n";
    std::string text;
    if (!report.batches.empty()) {
        const batch_row& first = report.batches.front();
        grid table({"scheme", "policy"});
        for (const batch_row& row : report.batches)
            table.put({row.scheme, row.policy}, row.batch,
                      row.has_numbers() ? fmt::format("{:.2f}", row.us_per_change.median)
                                        : (row.failed ? "FAILED" : "WRONG"));
        text +=
            fmt::format("table {}: {} routes; {}\nMicroseconds per change, by changes per transaction\n\n{}",
                        first.table, first.routes, report.circumstances.cpu, table.text());
    }
    if (!report.rebuilds.empty()) {
        grid table({"scheme"});
        for (const rebuild_row& row : report.rebuilds)
            table.put({row.scheme}, row.routes, fmt::format("{:.1f}", row.ms.median));
        text += fmt::format("{}Milliseconds per full build, by number of routes ({})\n\n{}",
                            text.empty() ? "" : "\n", report.rebuilds.front().table, table.text());
    }
    return text;
}

} // namespace fingerpost::bench
