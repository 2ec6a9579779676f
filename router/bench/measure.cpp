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
constexpr std::size_t checked = std::size_t{1} << 16; // addresses of the trace, for every competitor
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
        auto made = make_circuit<A>();
        if (!made) {
            note("the ports of the benchmark: {}", message(made.error()));
            return std::move(report_);
        }
        circuit_ = std::move(*made);
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
        for (const A a : std::span(forwarded).first(std::min(checked, forwarded.size())))
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
            for (measured_competitor<A>& one : group)
                finish(one);
        }
        for (measured_competitor<A>& one : references)
            finish(one);
    }

    std::vector<measured_competitor<A>> make_references(const std::string& workload) {
        std::vector<measured_competitor<A>> made;
        made.push_back(make_competitor(A::bits == 32 ? "rte_fib" : "rte_fib6", "loop", {}, workload));
        set(made.back(), make_dpdk_loop<A>(*circuit_, routes_, gateways_, settings_.burst));
        for (const arrangement& how : arrangements()) {
            made.push_back(make_competitor("fixed", std::string(name_of(how.mode)), how, workload));
            set_routed(made.back(), how, {"", &fixed_scheme<A>()});
        }
        made.push_back(make_competitor("fixed", "loop", {}, workload));
        set(made.back(),
            make_scheme_loop<A>(*circuit_, routes_, gateways_, fixed_scheme<A>(), settings_.burst));
        for (measured_competitor<A>& one : made)
            one.is_reference = true;
        return made;
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
        std::vector<arrangement> made;
        for (const run_mode mode : settings_.ways) {
            arrangement how{mode, false};
            how.in_turn = how.cores() > settings_.cpus.size();
            made.push_back(how);
        }
        return made;
    }

    measured_competitor<A> make_competitor(const std::string& name, const std::string& way,
                                           const arrangement& how, const std::string& workload) const {
        measured_competitor<A> made;
        router_row& row = made.row;
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
        return made;
    }
    template <class Made>
    bool set(measured_competitor<A>& one, Made made) const {
        if (!made) {
            one.row.fault = made.error();
            return false;
        }
        one.runs = std::move(*made);
        one.row.bytes = one.runs->memory_bytes();
        return true;
    }
    void set_routed(measured_competitor<A>& one, const arrangement& how,
                    const scheme_of_router<A>& scheme) const {
        auto made = make_routed<A>(*circuit_, routes_, gateways_, how, scheme, settings_.burst, host_lcore);
        routed* const data_plane = made ? made->get() : nullptr;
        if (set(one, std::move(made)))
            one.data_plane = data_plane;
    }

    void measure_group(std::vector<measured_competitor<A>>& references,
                       std::vector<measured_competitor<A>>& group) {
        std::vector<measured_competitor<A>*> all;
        for (std::vector<measured_competitor<A>>* some : {&references, &group})
            for (measured_competitor<A>& one : *some)
                if (one.row.fault.empty())
                    all.push_back(&one);
        for (measured_competitor<A>* one : all)
            if (one->row.name != "fixed" && one->row.checked == 0)
                check(*one);
        const std::size_t before = std::exchange(rounds_, rounds_ + settings_.rounds);
        std::vector<std::size_t> turns(all.size());
        std::iota(turns.begin(), turns.end(), std::size_t{0});
        for (unsigned round = 0; round < settings_.rounds; ++round) {
            tell(group, "round", round, settings_.rounds);
            std::shuffle(turns.begin(), turns.end(), order_);
            for (const std::size_t i : turns)
                if (all[i]->row.wrong == 0)
                    add_round(*all[i]);
        }
        for (measured_competitor<A>* one : all)
            compare(*one, references, one->is_reference ? 0 : before);
        for (measured_competitor<A>* one : all)
            if (one->row.has_speed() && (one->row.way == "complete" || one->row.way == "loop"))
                measure_under_load(*one, group);
    }

    void tell(const std::vector<measured_competitor<A>>& group, const char* what, unsigned done,
              unsigned all) {
        if (progress_ && !group.empty())
            progress_(fmt::format("{} {}: {} {} of {}", group.front().row.workload, group.front().row.name,
                                  what, done + 1, all),
                      left_.seconds_left());
    }

    // One pass over the addresses that the oracle has computed.
    void check(measured_competitor<A>& one) {
        circuit_->check(&expected_);
        const std::uint64_t before = circuit_->sent();
        if (start(one)) {
            const auto limit = std::chrono::steady_clock::now() + 30s;
            while (circuit_->sent() - before < expected_.size() && std::chrono::steady_clock::now() < limit)
                std::this_thread::sleep_for(1ms);
            one.runs->stop();
        }
        one.row.checked = circuit_->sent() - before;
        one.row.wrong = circuit_->wrong();
        find_missing(one);
        circuit_->check(nullptr);
        if (one.row.fault.empty() && one.row.checked < expected_.size())
            one.row.fault = "it does not forward the trace in half a minute";
    }

    void find_missing(measured_competitor<A>& one) {
        if (one.row.fault.empty() && circuit_->missing() != 0)
            one.row.fault = fmt::format("{} packets were not forwarded", circuit_->missing());
    }

    bool start(measured_competitor<A>& one) {
        if (one.runs->start())
            return true;
        one.row.fault = "its cores are not free";
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

    void add_round(measured_competitor<A>& one) {
        if (circuit_->missing() != 0)
            circuit_->close();
        if (!start(one))
            return;
        const double mpps = mpps_during(wait());
        one.runs->stop();
        find_missing(one);
        one.row.mpps_rounds.push_back(mpps);
    }

    void measure_under_load(measured_competitor<A>& one, const std::vector<measured_competitor<A>>& group) {
        if (one.is_reference && one.row.delay)
            return;
        if (settings_.delays)
            one.row.delay = forward_at_load(one, group, wait());
        if (!settings_.changes || one.data_plane == nullptr || one.row.name == "fixed")
            return;
        route_changes<A> changes(one.data_plane->tables(), routes_, gateways_, settings_.seed);
        one.row.changing = forward_and_change(one, group, [&] {
            return changes.change(milliseconds(settings_.round_ms), settings_.changes_per_second,
                                  settings_.change_burst);
        });
        changes.restore();
        one.row.replacing =
            forward_and_change(one, group, [&] { return changes.replace(milliseconds(settings_.round_ms)); });
        changes.restore();
    }

    template <class F>
    delay_result forward_at_load(measured_competitor<A>& one,
                                 const std::vector<measured_competitor<A>>& group, F meanwhile) {
        delay_result found{.load_mpps = settings_.load * one.row.mpps.median};
        std::vector<double> delays;
        std::vector<double> lost;
        for (unsigned round = 0; round < settings_.rounds; ++round) {
            tell(group, "load, round", round, settings_.rounds);
            circuit_->open(found.load_mpps * 1e6);
            const std::uint64_t before = circuit_->sent();
            if (!start(one))
                break;
            (void)mpps_during(meanwhile);
            one.runs->stop();
            const auto sent = static_cast<double>(circuit_->sent() - before);
            const auto late = static_cast<double>(circuit_->lost());
            lost.push_back(100 * late / std::max(1.0, sent + late));
            const std::vector<double> some = circuit_->delays_us();
            delays.insert(delays.end(), some.begin(), some.end());
        }
        circuit_->close();
        std::sort(delays.begin(), delays.end());
        found.p50 = quantile(delays, 0.5);
        found.p90 = quantile(delays, 0.9);
        found.p99 = quantile(delays, 0.99);
        found.p99_9 = quantile(delays, 0.999);
        found.most = delays.empty() ? 0 : delays.back();
        found.lost_percent_least = lost.empty() ? 0 : *std::min_element(lost.begin(), lost.end());
        found.lost_percent_median = quartiles_of(lost).median;
        return found;
    }

    template <class F>
    change_result forward_and_change(measured_competitor<A>& one,
                                     const std::vector<measured_competitor<A>>& group, F change) {
        change_result found;
        change_counts done;
        const auto counted = [&] {
            const change_counts some = change();
            done.changes += some.changes;
            done.tables += some.tables;
            done.seconds += some.seconds;
        };
        std::vector<double> losses;
        circuit_->close();
        for (unsigned round = 0; round < settings_.rounds; ++round) {
            tell(group, "changes, round", round, settings_.rounds);
            if (!start(one))
                break;
            const double before = mpps_during(wait());
            const double changing = mpps_during(counted);
            const double after = mpps_during(wait());
            one.runs->stop();
            if (const double quiet = (before + after) / 2; quiet > 0)
                losses.push_back(100 * (1 - changing / quiet));
        }
        found.loss_percent = quartiles_of(std::move(losses));
        found.changes_per_second = static_cast<double>(done.changes) / std::max(done.seconds, 1e-9);
        found.seconds_a_table = done.tables == 0 ? 0 : done.seconds / static_cast<double>(done.tables);
        if (settings_.delays)
            found.open = forward_at_load(one, group, counted);
        return found;
    }

    void finish(measured_competitor<A>& one) {
        one.row.cycles =
            one.row.mpps.median == 0 ? 0 : static_cast<double>(rte_get_tsc_hz()) / 1e6 / one.row.mpps.median;
        report_.rows.push_back(std::move(one.row));
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
    router_report made = measurement<A>(std::move(sorted), table, settings, progress).run();
    made.load = settings.load;
    made.wanted_changes_per_second = settings.changes_per_second;
    made.change_burst = settings.change_burst;
    return made;
}

template router_report measure_router(std::vector<route<ipv4_address>>, const std::string&,
                                      const router_settings&, const progress_teller&);
template router_report measure_router(std::vector<route<ipv6_address>>, const std::string&,
                                      const router_settings&, const progress_teller&);

} // namespace fingerpost::bench
