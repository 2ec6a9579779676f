// The environment as JSON, and text in columns.
#include "bench/report/report_parts.hpp"

#include <algorithm>

namespace fingerpost::bench {
namespace {

void write(json_writer& json, const gpu_facts& gpu) {
    json.begin_object();
    json.member("name", gpu.name);
    json.member("driver", gpu.driver);
    json.member("cuda", gpu.cuda);
    json.member("compute_capability", gpu.compute_capability);
    json.member("multiprocessors", gpu.multiprocessors);
    json.member("clock_mhz", gpu.clock_mhz);
    json.member("memory_bytes", gpu.memory_bytes);
    json.member("l2_bytes", gpu.l2_bytes);
    json.end_object();
}

} // namespace

void write(json_writer& json, const environment& e) {
    json.begin_object();
    json.member("date", e.date);
    json.member("version", e.version);
    json.member("commit", e.commit);
    json.member("command_line", e.command_line);
    json.member("cpu", e.cpu);
    json.member("cpu_id", e.cpu_id);
    json.member("tuning", e.tuning);
    json.member("cores", e.cores);
    json.member("pinned", e.pinned);
    json.member("caches", e.caches);
    json.member("governor", e.governor);
    json.member("huge_pages", e.huge_pages);
    json.member("kernel", e.kernel);
    json.member("load", e.load);
    json.member("compiler", e.compiler);
    json.member("flags", e.flags);
    json.member("isas", e.isas);
    json.member("tsc_hz", e.tsc_hz);
    json.member("addresses", e.addresses);
    json.member("rounds", e.rounds);
    json.member("round_ms", e.round_ms);
    json.member("statistic", e.statistic);
    json.member("seed", e.seed);
    json.member("baseline", e.baseline);
    if (e.gpu) {
        json.key("gpu");
        write(json, *e.gpu);
    }
    json.member("notes", e.notes);
    json.end_object();
}

void write_quartiles(json_writer& json, const std::string& name, const quartiles& q, bool known) {
    const std::pair<const char*, double> parts[] = {{"_median", q.median}, {"_q1", q.q1}, {"_q3", q.q3}};
    for (const auto& [suffix, number] : parts)
        json.member_if(known, name + suffix, number);
}

std::string aligned(const std::vector<text_row>& lines, std::size_t word_columns) {
    std::vector<std::size_t> widths(lines.front().size());
    for (const text_row& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], line[i].size());
    std::string text;
    for (const text_row& line : lines) {
        std::string out;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (i != 0)
                out += "  ";
            out += i < word_columns ? fmt::format("{:<{}}", line[i], widths[i])
                                    : fmt::format("{:>{}}", line[i], widths[i]);
        }
        text += out.substr(0, out.find_last_not_of(' ') + 1) + '\n';
    }
    return text;
}

} // namespace fingerpost::bench
