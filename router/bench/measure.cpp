// Runs the competitors.
#include "router/bench/measure.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <numeric>
#include <random>
#include <thread>
#include <utility>

#include <rte_cycles.h>

#include "bench/harness/timing/clock.hpp"
#include "bench/workloads/trace/traces.hpp"
#include "fingerpost/registry/registry.hpp"
#include "router/bench/gateways.hpp"
#include "router/bench/plain_loop.hpp"
#include "router/bench/route_changes.hpp"
#include "router/bench/turns.hpp"
#include "tests/oracle/by_length.hpp"

namespace fingerpost::bench {
namespace {

using namespace std::chrono_literals;
using router::run_mode;

constexpr auto warm_up = 3ms;
constexpr std::size_t most_checked = std::size_t{1} << 16; // addresses of the trace, for every competitor
constexpr std::size_t group_size = 3; // schemes in memory at the same time, each with every arrangement

std::chrono::nanoseconds milliseconds(double ms) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(ms * 1e6));
}

template <class A>
class measurement {
  public:
    measurement(std::vector<route<A>> sorted, const std::string& table, const router_settings& settings,
                const progress_teller& progress)
        : settings_(settings), progress_(progress), table_(table), routes_(std::move(sorted)),
          order_(settings.seed) {
        gateways_ = number_gateways<A>(routes_, settings.gateways);
    }

    router_report run() {
        auto created = make_circuit<A>();
        if (!created) {
            note("the ports of the benchmark: {}", message(created.error()));
            return std::move(report_);
        }
        circuit_ = std::move(*created);
        left_.plan(bench_step::whole, settings_.workloads.size() * groups(), seconds_a_group());
        for (const std::string& workload : settings_.workloads)
            if (play(workload))
                run_workload(workload);
        return std::move(report_);
    }

  private:
    std::size_t groups() const { return (settings_.schemes.size() + group_size - 1) / group_size; }
    // An estimate until one group has been measured: each scheme runs without changes, at a load and with
    // changes.
    double seconds_a_group() const {
        return static_cast<double>(group_size) * settings_.rounds * settings_.round_ms / 1000 * 20;
    }

    template <class... T>
    void note(fmt::format_string<T...> words, T&&... values) {
        report_.circumstances.notes.push_back(fmt::format(words, std::forward<T>(values)...));
    }

    // Draws the trace and lets the oracle compute the next hop of each address.
    bool play(const std::string& workload) {
        auto trace = make_trace<A>(workload, routes<A>(routes_), settings_.addresses, settings_.seed);
        if (!trace) {
            note("workload {}: {}", workload, message(trace.error()));
            return false;
        }
        std::vector<A> forwarded;
        std::copy_if(trace->begin(), trace->end(), std::back_inserter(forwarded),
                     [](A a) { return is_forwarded(a); });
        if (forwarded.empty()) {
            note("workload {}: no router forwards to its addresses", workload);
            return false;
        }
        const oracle::by_length<A> truth(routes_);
        expected_.clear();
        for (const A a : std::span(forwarded).first(std::min(most_checked, forwarded.size())))
            expected_.push_back(truth.lookup(a).id);
        circuit_->play(forwarded);
        return true;
    }

    void run_workload(const std::string& workload) {
        std::vector<measured_competitor<A>> references = make_references(workload);
        rounds_ = 0;
        for (std::size_t first = 0; first < settings_.schemes.size(); first += group_size) {
            left_.begin(bench_step::whole);
            std::vector<measured_competitor<A>> group;
            for (std::size_t i = first; i < std::min(first + group_size, settings_.schemes.size()); ++i)
                add_scheme(group, settings_.schemes[i], workload);
            measure_group(references, group);
            for (measured_competitor<A>& competitor : group)
                finish(competitor);
        }
        for (measured_competitor<A>& competitor : references)
            finish(competitor);
    }

    std::vector<measured_competitor<A>> make_references(const std::string& workload) {
        std::vector<measured_competitor<A>> references;
        references.push_back(make_competitor(A::bits == 32 ? "rte_fib" : "rte_fib6", "loop", {}, workload));
        set(references.back(), make_dpdk_loop<A>(*circuit_, routes_, gateways_, settings_.burst));
        for (const arrangement& how : arrangements()) {
            references.push_back(make_competitor("fixed", std::string(name_of(how.mode)), how, workload));
            set_routed(references.back(), how, {"", &fixed_scheme<A>()});
        }
        references.push_back(make_competitor("fixed", "loop", {}, workload));
        set(references.back(),
            make_scheme_loop<A>(*circuit_, routes_, gateways_, fixed_scheme<A>(), settings_.burst));
        for (measured_competitor<A>& competitor : references)
            competitor.is_reference = true;
        return references;
    }

    void add_scheme(std::vector<measured_competitor<A>>& group, const std::string& name,
                    const std::string& workload) {
        const scheme_entry<A>* const scheme = find_scheme<A>(name);
        for (const arrangement& how : arrangements()) {
            group.push_back(make_competitor(name, std::string(name_of(how.mode)), how, workload));
            set_routed(group.back(), how, {name, nullptr});
        }
        group.push_back(make_competitor(name, "loop", {}, workload));
        set(group.back(), make_scheme_loop<A>(*circuit_, routes_, gateways_, *scheme, settings_.burst));
    }

    // One thread for each stage if there are enough cores; otherwise all stages in turn on one core.
    std::vector<arrangement> arrangements() const {
        std::vector<arrangement> result;
        for (const run_mode mode : settings_.ways) {
            arrangement how{mode, false};
            how.in_turn = how.cores() > settings_.cpus.size();
            result.push_back(how);
        }
        return result;
    }

    measured_competitor<A> make_competitor(const std::string& name, const std::string& way,
                                           const arrangement& how, const std::string& workload) const {
        measured_competitor<A> competitor;
        router_row& row = competitor.row;
        row.name = name;
        row.way = way;
        row.cores = how.cores();
        row.in_turn = how.in_turn;
        row.family = A::bits == 32 ? 4U : 6U;
        row.table = table_;
        row.routes = routes_.size();
        row.gateways = gateways_;
        row.workload = workload;
        row.burst = settings_.burst;
        return competitor;
    }
    template <class Runs>
    bool set(measured_competitor<A>& competitor, Runs runs) const {
        if (!runs) {
            competitor.row.fault = runs.error();
            return false;
        }
        competitor.runs = std::move(*runs);
        competitor.row.bytes = competitor.runs->memory_bytes();
        return true;
    }
    void set_routed(measured_competitor<A>& competitor, const arrangement& how,
                    const scheme_of_router<A>& scheme) const {
        auto created =
            make_routed<A>(*circuit_, routes_, gateways_, how, scheme, settings_.burst, host_lcore);
        routed* const data_plane = created ? created->get() : nullptr;
        if (set(competitor, std::move(created)))
            competitor.data_plane = data_plane;
    }

    void measure_group(std::vector<measured_competitor<A>>& references,
                       std::vector<measured_competitor<A>>& group) {
        std::vector<measured_competitor<A>*> competitors;
        for (std::vector<measured_competitor<A>>* part : {&references, &group})
            for (measured_competitor<A>& competitor : *part)
                if (competitor.row.fault.empty())
                    competitors.push_back(&competitor);
        for (measured_competitor<A>* competitor : competitors)
            if (competitor->row.name != "fixed" && competitor->row.checked == 0)
                check(*competitor);
        const std::size_t before = std::exchange(rounds_, rounds_ + settings_.rounds);
        std::vector<std::size_t> turns(competitors.size());
        std::iota(turns.begin(), turns.end(), std::size_t{0});
        for (unsigned round = 0; round < settings_.rounds; ++round) {
            tell(group, "round", round, settings_.rounds);
            std::shuffle(turns.begin(), turns.end(), order_);
            for (const std::size_t i : turns)
                if (competitors[i]->row.wrong == 0)
                    add_round(*competitors[i]);
        }
        for (measured_competitor<A>* competitor : competitors)
            compare(*competitor, references, competitor->is_reference ? 0 : before);
        for (measured_competitor<A>* competitor : competitors)
            if (competitor->row.has_speed() &&
                (competitor->row.way == "complete" || competitor->row.way == "loop"))
                measure_under_load(*competitor, group);
    }

    void tell(const std::vector<measured_competitor<A>>& group, const char* what, unsigned done,
              unsigned total) {
        if (progress_ && !group.empty())
            progress_(fmt::format("{} {}: {} {} of {}", group.front().row.workload, group.front().row.name,
                                  what, done + 1, total),
                      left_.seconds_left());
    }

    // One pass over the addresses that the oracle has computed.
    void check(measured_competitor<A>& competitor) {
        circuit_->check(&expected_);
        const std::uint64_t before = circuit_->sent();
        if (start(competitor)) {
            const auto limit = std::chrono::steady_clock::now() + 30s;
            while (circuit_->sent() - before < expected_.size() && std::chrono::steady_clock::now() < limit)
                std::this_thread::sleep_for(1ms);
            competitor.runs->stop();
        }
        competitor.row.checked = circuit_->sent() - before;
        competitor.row.wrong = circuit_->wrong();
        find_missing(competitor);
        circuit_->check(nullptr);
        if (competitor.row.fault.empty() && competitor.row.checked < expected_.size())
            competitor.row.fault = "it does not forward the trace within 30 seconds";
    }

    void find_missing(measured_competitor<A>& competitor) {
        if (competitor.row.fault.empty() && circuit_->missing() != 0)
            competitor.row.fault = fmt::format("{} packets were not forwarded", circuit_->missing());
    }

    bool start(measured_competitor<A>& competitor) {
        if (competitor.runs->start())
            return true;
        competitor.row.fault = "its cores are busy";
        return false;
    }

    // Runs `meanwhile` while the competitor forwards packets.
    template <class F>
    double mpps_during(F meanwhile) {
        std::this_thread::sleep_for(warm_up);
        const instant from = instant::now();
        const std::uint64_t sent = circuit_->sent();
        meanwhile();
        const instant to = instant::now();
        const auto packets = static_cast<double>(circuit_->sent() - sent);
        return packets / seconds_between(from, to) / 1e6;
    }
    auto wait() const {
        return [this] { std::this_thread::sleep_for(milliseconds(settings_.round_ms)); };
    }

    void add_round(measured_competitor<A>& competitor) {
        if (circuit_->missing() != 0)
            circuit_->close();
        if (!start(competitor))
            return;
        const double mpps = mpps_during(wait());
        competitor.runs->stop();
        find_missing(competitor);
        competitor.row.mpps_rounds.push_back(mpps);
    }

    void measure_under_load(measured_competitor<A>& competitor,
                            const std::vector<measured_competitor<A>>& group) {
        if (competitor.is_reference && competitor.row.delay)
            return;
        if (settings_.delays)
            competitor.row.delay = forward_at_load(competitor, group, wait());
        if (!settings_.changes || competitor.data_plane == nullptr || competitor.row.name == "fixed")
            return;
        route_changes<A> changes(competitor.data_plane->tables(), routes_, gateways_, settings_.seed);
        competitor.row.changing = forward_and_change(competitor, group, [&] {
            return changes.change(milliseconds(settings_.round_ms), settings_.changes_per_second,
                                  settings_.change_burst);
        });
        changes.restore();
        competitor.row.replacing = forward_and_change(
            competitor, group, [&] { return changes.replace(milliseconds(settings_.round_ms)); });
        changes.restore();
    }

    template <class F>
    delay_result forward_at_load(measured_competitor<A>& competitor,
                                 const std::vector<measured_competitor<A>>& group, F meanwhile) {
        delay_result result{.load_mpps = settings_.load * competitor.row.mpps.median};
        std::vector<double> delays;
        std::vector<double> lost;
        for (unsigned round = 0; round < settings_.rounds; ++round) {
            tell(group, "load, round", round, settings_.rounds);
            circuit_->open(result.load_mpps * 1e6);
            const std::uint64_t before = circuit_->sent();
            if (!start(competitor))
                break;
            (void)mpps_during(meanwhile);
            competitor.runs->stop();
            const auto sent = static_cast<double>(circuit_->sent() - before);
            const auto late = static_cast<double>(circuit_->lost());
            lost.push_back(100 * late / std::max(1.0, sent + late));
            const std::vector<double> round_delays = circuit_->delays_us();
            delays.insert(delays.end(), round_delays.begin(), round_delays.end());
        }
        circuit_->close();
        std::sort(delays.begin(), delays.end());
        result.p50 = quantile(delays, 0.5);
        result.p90 = quantile(delays, 0.9);
        result.p99 = quantile(delays, 0.99);
        result.p99_9 = quantile(delays, 0.999);
        result.most = delays.empty() ? 0 : delays.back();
        result.lost_percent_least = lost.empty() ? 0 : *std::min_element(lost.begin(), lost.end());
        result.lost_percent_median = quartiles_of(lost).median;
        return result;
    }

    template <class F>
    change_result forward_and_change(measured_competitor<A>& competitor,
                                     const std::vector<measured_competitor<A>>& group, F change) {
        change_result result;
        change_counts done;
        const auto counted = [&] {
            const change_counts counts = change();
            done.changes += counts.changes;
            done.tables += counts.tables;
            done.seconds += counts.seconds;
        };
        std::vector<double> losses;
        circuit_->close();
        for (unsigned round = 0; round < settings_.rounds; ++round) {
            tell(group, "changes, round", round, settings_.rounds);
            if (!start(competitor))
                break;
            const double before = mpps_during(wait());
            const double changing = mpps_during(counted);
            const double after = mpps_during(wait());
            competitor.runs->stop();
            if (const double quiet = (before + after) / 2; quiet > 0)
                losses.push_back(100 * (1 - changing / quiet));
        }
        result.loss_percent = quartiles_of(std::move(losses));
        result.changes_per_second = static_cast<double>(done.changes) / std::max(done.seconds, 1e-9);
        result.seconds_a_table = done.tables == 0 ? 0 : done.seconds / static_cast<double>(done.tables);
        if (settings_.delays)
            result.open = forward_at_load(competitor, group, counted);
        return result;
    }

    void finish(measured_competitor<A>& competitor) {
        competitor.row.cycles = competitor.row.mpps.median == 0 ? 0
                                                                : static_cast<double>(rte_get_tsc_hz()) /
                                                                      1e6 / competitor.row.mpps.median;
        report_.rows.push_back(std::move(competitor.row));
    }

    const router_settings& settings_;
    const progress_teller& progress_;
    std::string table_;
    std::vector<route<A>> routes_;
    std::uint32_t gateways_ = 0;
    std::vector<std::uint32_t> expected_;
    std::unique_ptr<circuit_for<A>> circuit_;
    std::mt19937_64 order_;
    std::size_t rounds_ = 0; // of the references in this workload
    countdown left_;
    router_report report_;
};

} // namespace

template <class A>
router_report measure_router(std::vector<route<A>> sorted, const std::string& table,
                             const router_settings& settings, const progress_teller& progress) {
    router_report report = measurement<A>(std::move(sorted), table, settings, progress).run();
    report.load = settings.load;
    report.wanted_changes_per_second = settings.changes_per_second;
    report.change_burst = settings.change_burst;
    return report;
}

template router_report measure_router(std::vector<route<ipv4_address>>, const std::string&,
                                      const router_settings&, const progress_teller&);
template router_report measure_router(std::vector<route<ipv6_address>>, const std::string&,
                                      const router_settings&, const progress_teller&);

} // namespace fingerpost::bench
