// Counts without locks and names the metrics.
#include "cli/serve/serve_counters.hpp"

#include <algorithm>
#include <ratio>
#include <string_view>
#include <utility>

#include "fingerpost/simd/isa.hpp"
#include "system/metrics.hpp"
#include "system/service/process_metrics.hpp"

namespace fingerpost::cli {
namespace {

using system::metric_kind;
using system::metrics_writer;

double unix_seconds(std::chrono::system_clock::time_point when) {
    return std::chrono::duration<double>(when.time_since_epoch()).count();
}

void write_table(metrics_writer& out, const served_table& table, const reload_counts& reloads) {
    out.begin("fingerpost_serve_routes", metric_kind::gauge, "Routes in the table.");
    out.sample({{"family", "ipv4"}}, std::uint64_t{table.ipv4_routes()});
    out.sample({{"family", "ipv6"}}, std::uint64_t{table.ipv6_routes()});
    out.begin("fingerpost_serve_fib_bytes", metric_kind::gauge, "Memory that lookups read.");
    out.sample({}, std::uint64_t{table.memory_bytes()});
    out.begin("fingerpost_serve_generation", metric_kind::gauge,
              "Number of the table: 1 after the start, one more with each reload.");
    out.sample({}, table.generation);
    out.begin("fingerpost_serve_table_timestamp_seconds", metric_kind::gauge, "When the table was read.");
    out.sample({}, unix_seconds(table.loaded));
    out.begin("fingerpost_serve_reloads_total", metric_kind::counter, "Reloads, by result.");
    out.sample({{"result", "ok"}}, reloads.done);
    out.sample({{"result", "failed"}}, reloads.failed);
    out.begin("fingerpost_serve_last_reload_timestamp_seconds", metric_kind::gauge,
              "Time of the last attempt to read the table.");
    out.sample({}, unix_seconds(reloads.last));
    out.begin("fingerpost_serve_last_reload_successful", metric_kind::gauge,
              "Whether that attempt succeeded.");
    out.sample({}, std::uint64_t{!reloads.last_failed});
}

} // namespace

void serve_counters::count_code(int code) noexcept {
    if (code > 0 && static_cast<std::size_t>(code) < code_end)
        codes_[static_cast<std::size_t>(code)].fetch_add(1, std::memory_order_relaxed);
}

void serve_counters::count_answer(std::chrono::steady_clock::duration took) noexcept {
    const double seconds = std::chrono::duration<double>(took).count();
    const auto slot = std::lower_bound(bounds.begin(), bounds.end(), seconds) - bounds.begin();
    answers_[static_cast<std::size_t>(slot)].fetch_add(1, std::memory_order_relaxed);
    nanoseconds_.fetch_add(
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()),
        std::memory_order_relaxed);
}

std::string serve_counters::text(const served_table& table, const reload_counts& reloads) const {
    metrics_writer out;
    out.begin("fingerpost_serve_http_requests_total", metric_kind::counter,
              "HTTP requests answered, by status code.");
    for (std::size_t code = 0; code < code_end; ++code)
        if (const std::uint64_t count = codes_[code].load(std::memory_order_relaxed); count != 0)
            out.sample({{"code", std::to_string(code)}}, count);
    const auto both = [&](std::string_view name, metric_kind kind, std::string_view help, auto member) {
        out.begin(name, kind, help);
        out.sample({{"by", "http"}}, std::uint64_t{(http.*member).load(std::memory_order_relaxed)});
        out.sample({{"by", "socket"}}, std::uint64_t{(socket.*member).load(std::memory_order_relaxed)});
    };
    both("fingerpost_serve_addresses_total", metric_kind::counter, "Addresses answered.",
         &client_counts::addresses);
    both("fingerpost_serve_connections", metric_kind::gauge, "Open connections.",
         &client_counts::connections);
    both("fingerpost_serve_refused_connections_total", metric_kind::counter,
         "Connections refused because too many were open.", &client_counts::refused);
    out.begin("fingerpost_serve_answer_seconds", metric_kind::histogram,
              "Time to answer an HTTP request for addresses.");
    std::array<std::uint64_t, bounds.size() + 1> counts{};
    std::transform(answers_.begin(), answers_.end(), counts.begin(),
                   [](const auto& counter) { return counter.load(std::memory_order_relaxed); });
    out.histogram({}, bounds, counts,
                  static_cast<double>(nanoseconds_.load(std::memory_order_relaxed)) / std::nano::den);
    write_table(out, table, reloads);
    out.begin("fingerpost_serve_start_timestamp_seconds", metric_kind::gauge, "When the program started.");
    out.sample({}, unix_seconds(start_));
    out.begin("fingerpost_serve_access_log_lines_total", metric_kind::counter,
              "Lines of the access log, by result: those that could not be written in time are lost.");
    out.sample({{"result", "written"}}, log.written.load(std::memory_order_relaxed));
    out.sample({{"result", "lost"}}, log.lost.load(std::memory_order_relaxed));
    out.begin("fingerpost_build_info", metric_kind::gauge,
              "Version and instruction set of the program; always 1.");
    out.sample({{"version", FINGERPOST_VERSION}, {"kernels", simd::name_of(simd::preferred_isa())}},
               std::uint64_t{1});
    system::write_process_metrics(out);
    return std::move(out).text();
}

} // namespace fingerpost::cli
