// Fills and measures a table for each pair of a workload and a competitor.
#include "bench/harness/measure_updates.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <new>

#include "bench/harness/measure_update_case.hpp"
#include "bench/workloads/trace/traces.hpp"

namespace fingerpost::bench {
namespace {

template <class A>
class update_bench {
  public:
    update_bench(std::span<const route<A>> sorted, const update_settings& settings, const std::string& name,
                 const progress_teller& progress)
        : sorted_(sorted), settings_(settings), name_(name), progress_(progress) {}

    update_results run(std::span<const route<A>> recorded, const std::vector<live_competitor>& competitors) {
        // Single changes take up to all rounds. Then readers are timed alone and with each burst size.
        left_.plan(bench_step::whole, settings_.workloads.size() * competitors.size(),
                   static_cast<double>((settings_.turns + settings_.bursts.size() + 1) * settings_.rounds) *
                       settings_.round_ms * 1e-3);
        draw_trace();
        for (const std::string& workload : settings_.workloads) {
            say(fmt::format("{}: making changes", workload));
            const auto list = make_updates<A>(workload, sorted_, settings_.changes, settings_.seed, recorded);
            if (!list) {
                left_.drop(bench_step::whole, competitors.size());
                note(fmt::format("workload {} was left out: {}", workload,
                                 list.error() == errc::not_found ? "no route to change"
                                                                 : message(list.error())));
                continue;
            }
            if (list->without_effect != 0)
                note(fmt::format("workload {}: left out {} updates without effect", workload,
                                 list->without_effect));
            const std::vector<route<A>> start = with(list->beforehand);
            for (const live_competitor& entry : competitors)
                measure(workload, *list, start, entry);
        }
        return std::move(results_);
    }

  private:
    void say(const std::string& what) const {
        if (progress_)
            progress_(what, left_.seconds_left());
    }
    void note(std::string words) { results_.notes.push_back(std::move(words)); }

    // Draws the addresses that readers look up. Without routes, no address matches.
    void draw_trace() {
        say("drawing addresses");
        const routes<A> routes_of_table({sorted_.begin(), sorted_.end()});
        for (const char* workload : {"match", "uniform"})
            if (auto trace = make_trace<A>(workload, routes_of_table, settings_.addresses, settings_.seed)) {
                trace_ = std::move(*trace);
                return;
            }
        throw std::bad_alloc();
    }
    std::vector<route<A>> with(std::span<const route<A>> more) const {
        std::vector<route<A>> copy(sorted_.begin(), sorted_.end());
        copy.insert(copy.end(), more.begin(), more.end());
        std::sort(copy.begin(), copy.end(), [](const auto& a, const auto& b) { return a.where < b.where; });
        return copy;
    }

    void measure(const std::string& workload, const update_list<A>& list, const std::vector<route<A>>& start,
                 const live_competitor& entry) {
        const std::string who = fmt::format("{} {}", entry.scheme, name_of(entry.how));
        left_.begin(bench_step::whole);
        say(fmt::format("{}: {}", workload, who));
        update_row row;
        row.table = name_;
        row.routes = start.size();
        row.workload = workload;
        row.prefixes = list.prefixes;
        row.turns = std::max(settings_.turns, 1U);
        std::optional<std::string> fault;
        for (unsigned turn = 0; turn < row.turns && !fault; ++turn) {
            auto live = filled_table<A>(entry, start);
            if (!live)
                return note(fmt::format("{} was not built: {}", who, message(live.error())));
            row.scheme = entry.scheme;
            row.policy = name_of(live->update_policy());
            update_case<A> measurement(*live, start, list, settings_, row);
            fault = turn == 0 ? measurement.run(trace_.span()) : measurement.run_again(trace_.span());
        }
        std::sort(row.fastest_us.begin(), row.fastest_us.end());
        if (fault)
            results_.wrong.push_back(
                fmt::format("{} is wrong and gets no numbers: workload {}, {}", who, workload, *fault));
        results_.rows.push_back(std::move(row));
    }
    std::span<const route<A>> sorted_;
    const update_settings& settings_;
    const std::string& name_;
    const progress_teller& progress_;
    aligned_array<A> trace_;
    countdown left_;
    update_results results_;
};

} // namespace

template <class A>
update_results measure_updates(std::span<const route<A>> sorted, std::span<const route<A>> recorded,
                               const std::vector<live_competitor>& competitors,
                               const update_settings& settings, const std::string& table_name,
                               const progress_teller& progress) {
    return update_bench<A>(sorted, settings, table_name, progress).run(recorded, competitors);
}

template update_results measure_updates(std::span<const route<ipv4_address>>,
                                        std::span<const route<ipv4_address>>,
                                        const std::vector<live_competitor>&, const update_settings&,
                                        const std::string&, const progress_teller&);
template update_results measure_updates(std::span<const route<ipv6_address>>,
                                        std::span<const route<ipv6_address>>,
                                        const std::vector<live_competitor>&, const update_settings&,
                                        const std::string&, const progress_teller&);

} // namespace fingerpost::bench
