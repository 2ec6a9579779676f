// Times single changes while other threads query.
#include "bench/harness/exact_queries.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <thread>

#include "bench/harness/run_changes.hpp"
#include "bench/harness/timing/team.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::bench {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
    return std::chrono::duration<double>(clock::now() - start).count();
}

// Threads that repeat a query and count.
class asking_team {
  public:
    asking_team(unsigned threads, std::span<const unsigned> cpus,
                const std::function<void(std::size_t)>& ask) {
        for (unsigned i = 0; i < threads; ++i)
            threads_.emplace_back([this, ask, cpus, i](const std::stop_token& stop) {
                // A new thread inherits the CPU affinity of its creator, which is pinned.
                keep_to(cpus);
                for (std::size_t n = i; !stop.stop_requested(); ++n) {
                    ask(n);
                    asked_.fetch_add(1, std::memory_order_relaxed);
                }
            });
    }
    std::uint64_t query_count() const noexcept { return asked_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> asked_{0};
    std::vector<std::jthread> threads_;
};

template <class A>
class query_case {
  public:
    query_case(table<A>& live, std::span<const route<A>> sorted, const update_list<A>& list,
               const query_settings& settings)
        : live_(live), sorted_(sorted), settings_(settings), play_(live, list) {}

    // Returns an error message, or nothing if the row is complete.
    std::optional<std::string> run(query_row& row) {
        {
            const asking_team team(row.threads, settings_.cpus, query(row.query));
            const auto start = clock::now();
            play_counts counts;
            while (seconds_since(start) < settings_.seconds && row.us.size() < settings_.changes) {
                const auto turn = play_.next();
                const auto before = clock::now();
                const errc e = play_.change(turn, counts);
                row.us.push_back(seconds_since(before) * 1e6);
                if (e != errc::ok) {
                    row.failed = true;
                    return "the changes failed: " + std::string(message(e));
                }
            }
            row.queries_per_second = static_cast<double>(team.query_count()) / seconds_since(start);
        }
        std::sort(row.us.begin(), row.us.end());
        if (const std::string_view fault = play_.finish_publish(); !fault.empty()) {
            row.failed = true;
            return std::string(fault);
        }
        const auto mismatch = play_.check(sorted_, row.checked);
        if (!mismatch)
            return std::nullopt;
        row.wrong = 1;
        return "a wrong answer for " + to_string(mismatch->address);
    }

  private:
    std::function<void(std::size_t)> query(const std::string& name) const {
        if (name == "walk")
            return [this](std::size_t) { (void)live_.copy_routes(); };
        return [this](std::size_t n) {
            constexpr std::size_t step = 7919; // jumps to distant routes
            (void)live_.match(sorted_[n * step % sorted_.size()].where.last());
        };
    }

    table<A>& live_;
    std::span<const route<A>> sorted_;
    const query_settings& settings_;
    live_play<A> play_;
};

} // namespace

template <class A>
void measure_queries(std::span<const route<A>> sorted, const std::vector<live_competitor>& competitors,
                     const query_settings& settings, const std::string& table_name, query_results& into,
                     const progress_teller& progress) {
    const auto list = make_updates<A>("churn", sorted, settings.changes, settings.seed);
    if (!list)
        return into.notes.push_back("nothing was measured: no route to change");
    constexpr const char* queries[] = {"none", "match", "walk"};
    countdown left;
    left.plan(bench_step::whole, competitors.size() * std::size(queries), settings.seconds);
    for (const live_competitor& entry : competitors)
        for (const char* const query : queries) {
            const std::string who = fmt::format("{} {} {}", entry.scheme, name_of(entry.how), query);
            left.begin(bench_step::whole);
            if (progress)
                progress("queries: " + who, left.seconds_left());
            auto live = filled_table<A>(entry, sorted);
            if (!live) {
                into.notes.push_back(fmt::format("{} was not built: {}", who, message(live.error())));
                continue;
            }
            query_row row{.scheme = entry.scheme,
                          .policy = std::string(name_of(entry.how)),
                          .table = table_name,
                          .routes = sorted.size(),
                          .query = query,
                          .threads = settings.threads};
            if (row.query == "none")
                row.threads = 0;
            if (const auto fault = query_case<A>(*live, sorted, *list, settings).run(row))
                into.wrong.push_back(fmt::format("{} is wrong and gets no numbers: {}", who, *fault));
            into.rows.push_back(std::move(row));
        }
}

template void measure_queries(std::span<const route<ipv4_address>>, const std::vector<live_competitor>&,
                              const query_settings&, const std::string&, query_results&,
                              const progress_teller&);
template void measure_queries(std::span<const route<ipv6_address>>, const std::vector<live_competitor>&,
                              const query_settings&, const std::string&, query_results&,
                              const progress_teller&);

} // namespace fingerpost::bench
