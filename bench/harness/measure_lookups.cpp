// Builds, checks and times the competitors of the lookup benchmark, and summarizes the results.
#include "bench/harness/measure_lookups.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "bench/harness/timing/gate.hpp"
#include "bench/harness/timing/team.hpp"
#include "bench/workloads/random.hpp"
#include "bench/workloads/trace/traces.hpp"
#include "fingerpost/net/text.hpp"
#include "tests/oracle/by_parent.hpp"

namespace fingerpost::bench {
namespace {

// Minimum number of addresses in a round. With fewer, starting and stopping would be noticeable.
constexpr std::size_t least_a_round = std::size_t{1} << 14;

template <class A>
struct built_competitor {
    const competitor<A>* who;
    fib_pointer<A> fib;
    double build_ms;
    std::size_t builds;
};

// A case that is timed in each round.
struct timed_case {
    std::size_t competitor; // index of the built competitor
    lookup_form form;
    unsigned threads;
    std::size_t count; // addresses per thread in a round
    std::vector<double> mlps;
    std::vector<double> cycles;
};

template <class A>
class lookup_bench {
  public:
    lookup_bench(const routes<A>& table, const lookup_settings& settings, const table_labels& labels,
                 const progress_teller& progress)
        : table_(table), settings_(settings), labels_(labels), progress_(progress), oracle_(table.sorted()) {
        if (settings.throughput)
            for (const lookup_input input : inputs())
                for (const std::size_t batch : settings.batches)
                    forms_.push_back({false, batch, input});
        if (settings.latency)
            forms_.push_back({true, 1});
        for (const std::size_t batch : settings.batches) {
            if (settings.cached)
                forms_.push_back({false, batch, lookup_input::whole, trace_place::cache});
            if (settings.streamed)
                forms_.push_back({false, batch, lookup_input::whole, trace_place::memory});
        }
    }

    lookup_results run(const std::vector<competitor<A>>& competitors) {
        plan(competitors.size());
        for (const competitor<A>& entry : competitors)
            build(entry);
        for (const std::string& workload : settings_.workloads)
            measure(workload);
        return std::move(results_);
    }

  private:
    std::vector<lookup_input> inputs() const {
        std::vector<lookup_input> forms = {lookup_input::whole};
        if (settings_.first64)
            forms.push_back(lookup_input::first64);
        if (settings_.halves)
            forms.push_back(lookup_input::halves);
        return forms;
    }
    void say(const std::string& what) const {
        if (progress_)
            progress_(what, left_.seconds_left());
    }
    void plan(std::size_t competitors) {
        const std::size_t cases = competitors * forms_.size() * settings_.threads.size();
        const std::size_t workloads = settings_.workloads.size();
        left_.plan(bench_step::build, competitors, 1);
        left_.plan(bench_step::prepare, workloads, 1);
        // Add 1/8, because a case warms up before it is timed.
        left_.plan(bench_step::round, workloads * settings_.rounds,
                   static_cast<double>(cases) * settings_.round_ms * 1.125e-3);
    }

    // Builds from sorted routes, so that the time includes a sweep if the scheme needs one.
    void build(const competitor<A>& entry) {
        left_.begin(bench_step::build);
        say(fmt::format("building {} ({})", entry.name, entry.isa));
        const std::vector<route<A>> sorted(table_.sorted().begin(), table_.sorted().end());
        std::vector<double> ms;
        fib_pointer<A> fib;
        double total = 0;
        while (ms.size() < settings_.rounds && (ms.size() < 2 || total < build_seconds)) {
            const routes<A> fresh(sorted);
            fib.reset();
            const instant start = instant::now();
            auto attempt = entry.build(fresh);
            const double seconds = seconds_between(start, instant::now());
            if (!attempt) {
                results_.notes.push_back(fmt::format("{} ({}) was not built: {}", entry.name, entry.isa,
                                                     message(attempt.error())));
                return;
            }
            fib = std::move(*attempt);
            ms.push_back(seconds * 1e3);
            total += seconds;
        }
        const std::size_t builds = ms.size();
        built_.push_back({&entry, std::move(fib), quartiles_of(std::move(ms)).median, builds});
    }

    void measure(const std::string& workload) {
        left_.begin(bench_step::prepare);
        say(fmt::format("{}: drawing addresses", workload));
        auto trace = make_trace<A>(workload, table_, settings_.addresses, settings_.seed);
        if (!trace) {
            left_.drop(bench_step::round, settings_.rounds);
            const bool none = trace.error() == errc::not_found;
            results_.notes.push_back(
                fmt::format("workload {} was left out: {}", workload,
                            none ? "the table has no such address" : message(trace.error())));
            return;
        }
        trace_ = std::move(*trace);
        split_trace();
        const std::vector<gate_result<A>> gates = check(workload);
        std::vector<timed_case> cases = plan(gates);
        time_all(workload, cases);
        for (std::size_t i = 0; i < built_.size(); ++i)
            if (gates[i].wrong != 0)
                refuse(workload, built_[i], gates[i]);
        for (const timed_case& timed : cases)
            add_row(workload, timed, gates[timed.competitor]);
    }

    void split_trace() {
        const auto halves_of = [&](aligned_array<std::uint64_t>& to, bool is_needed, auto half) {
            auto halves = aligned_array<std::uint64_t>::make(is_needed ? trace_.size() : 0);
            if (!halves)
                throw std::bad_alloc();
            to = std::move(*halves);
            std::transform(trace_.span().begin(),
                           trace_.span().begin() + static_cast<std::ptrdiff_t>(to.size()), to.span().begin(),
                           half);
        };
        halves_of(first_, settings_.first64 || settings_.halves, [](A a) { return top64(a); });
        halves_of(low_, settings_.halves, [](A a) { return bottom64(a); });
    }
    trace_slice<A> slice_of_trace(std::size_t start, std::size_t count) const noexcept {
        return trace_slice<A>{trace_.span(), first_.span(), low_.span()}.subspan(start, count);
    }

    std::vector<gate_result<A>> check(const std::string& workload) {
        const trace_slice<A> sample = slice_of_trace(0, std::min(settings_.checked, trace_.size()));
        std::vector<next_hop> right(sample.size());
        std::transform(sample.whole.begin(), sample.whole.end(), right.begin(),
                       [&](A a) { return oracle_.lookup(a); });
        std::vector<gate_result<A>> gates;
        for (const built_competitor<A>& entry : built_) {
            say(fmt::format("{}: checking {} ({})", workload, entry.who->name, entry.who->isa));
            gates.push_back(check_forms<A>(*entry.fib, forms_, sample, right));
        }
        return gates;
    }

    std::vector<timed_case> plan(const std::vector<gate_result<A>>& gates) const {
        std::vector<timed_case> cases;
        for (std::size_t i = 0; i < built_.size(); ++i) {
            if (gates[i].wrong != 0)
                continue;
            for (std::size_t f = 0; f < forms_.size(); ++f)
                for (const unsigned threads : settings_.threads)
                    cases.push_back({i, forms_[f], threads, round_count(gates[i].per_second[f]), {}, {}});
        }
        return cases;
    }

    // Number of addresses that take about round_ms, in whole batches of 64, at most 1/4 of the trace.
    std::size_t round_count(double per_second) const {
        const auto target = static_cast<std::size_t>(per_second * settings_.round_ms * 1e-3);
        const std::size_t most = std::max(trace_.size() / 4, std::min(trace_.size(), least_a_round));
        const std::size_t count = std::clamp(target, std::min(least_a_round, most), most);
        return count < 64 ? count : count / 64 * 64;
    }

    void time_all(const std::string& workload, std::vector<timed_case>& cases) {
        if (cases.empty())
            return left_.drop(bench_step::round, settings_.rounds);
        std::size_t longest = 0;
        for (const timed_case& timed : cases)
            longest = std::max(longest, timed.count);
        const unsigned most_threads = *std::max_element(settings_.threads.begin(), settings_.threads.end());
        std::vector<aligned_array<next_hop>> outs;
        for (unsigned t = 0; t < most_threads; ++t) {
            auto out = aligned_array<next_hop>::make(longest);
            if (!out)
                throw std::bad_alloc();
            outs.push_back(std::move(*out));
        }
        std::vector<std::size_t> order(cases.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        random_source random(settings_.seed, 1);
        for (unsigned round = 0; round < settings_.rounds; ++round) {
            left_.begin(bench_step::round);
            say(fmt::format("{}: round {} of {}", workload, round + 1, settings_.rounds));
            for (std::size_t i = order.size(); i > 1; --i)
                std::swap(order[i - 1], order[random.below(i)]);
            // Starts of the warm-up slices, followed by the starts of the timed slices of each thread.
            std::vector<std::size_t> starts(2 * std::size_t{most_threads});
            for (std::size_t& start : starts)
                start = random.below(trace_.size() - longest + 1);
            for (const std::size_t i : order)
                time_one(cases[i], starts, outs);
        }
    }

    void time_one(timed_case& timed, std::span<const std::size_t> starts,
                  std::vector<aligned_array<next_hop>>& outs) const {
        const any_fib<A>& fib = *built_[timed.competitor].fib;
        const bool in_cache = timed.form.place == trace_place::cache;
        const std::size_t most = in_cache ? cached_addresses : trace_.size();
        const auto pass = [&](std::size_t start, std::size_t count, std::size_t thread) {
            for (std::size_t done = 0; done < count; done += most)
                one_pass<A>(fib, timed.form,
                            slice_of_trace(in_cache ? 0 : start, std::min(most, count - done)),
                            outs[thread].span());
        };
        const std::size_t half = starts.size() / 2;
        const pass_time took = run_together(
            std::span(settings_.cpus).first(timed.threads),
            [&](std::size_t thread) {
                pass(starts[thread], std::max<std::size_t>(timed.count / 8, 1), thread);
            },
            [&](std::size_t thread) { pass(starts[half + thread], timed.count, thread); });
        const auto count = static_cast<double>(timed.count);
        timed.mlps.push_back(count * timed.threads / took.seconds * 1e-6);
        timed.cycles.push_back(took.cycles / count);
    }

    static const char* mode_of(lookup_form form) noexcept {
        if (form.place != trace_place::prefetched)
            return form.place == trace_place::cache ? "cached" : "streamed";
        if (form.input == lookup_input::whole)
            return form.latency ? "latency" : "throughput";
        return form.input == lookup_input::first64 ? "first64" : "halves";
    }
    lookup_row row_of(const std::string& workload, const built_competitor<A>& entry, lookup_form form,
                      unsigned threads, const gate_result<A>& gate) const {
        lookup_row row = row_about(table_, labels_);
        row.scheme = entry.who->name;
        row.isa = entry.who->isa;
        row.workload = workload;
        row.fits_l1 = find_workload(workload)->fits_l1;
        row.mode = mode_of(form);
        row.batch = form.batch;
        row.threads = threads;
        row.bytes = entry.fib->memory_bytes();
        row.build_ms_median = entry.build_ms;
        row.builds = entry.builds;
        row.checked = gate.checked;
        row.wrong = gate.wrong;
        return row;
    }

    void add_row(const std::string& workload, const timed_case& timed, const gate_result<A>& gate) {
        lookup_row row = row_of(workload, built_[timed.competitor], timed.form, timed.threads, gate);
        row.rounds = static_cast<unsigned>(timed.mlps.size());
        row.addresses_per_round = timed.count;
        row.mlps = quartiles_of(timed.mlps);
        row.by_statistic = settings_.judged_by.of_speeds(timed.mlps);
        row.cycles_median = quartiles_of(timed.cycles).median;
        row.mlps_rounds = timed.mlps;
        results_.rows.push_back(std::move(row));
    }

    void refuse(const std::string& workload, const built_competitor<A>& entry, const gate_result<A>& gate) {
        for (const lookup_form form : forms_)
            for (const unsigned threads : settings_.threads)
                results_.rows.push_back(row_of(workload, entry, form, threads, gate));
        const auto id = [](next_hop hop) { return hop == next_hop::none ? "none" : std::to_string(hop.id); };
        results_.wrong.push_back(fmt::format(
            "{} ({}) is wrong and was not timed: workload {}, {} of {} answers, first {}: {} instead of {}",
            entry.who->name, entry.who->isa, workload, gate.wrong, gate.checked,
            to_string(gate.first->address), id(gate.first->got), id(gate.first->expected)));
    }

    const routes<A>& table_;
    const lookup_settings& settings_;
    const table_labels& labels_;
    const progress_teller& progress_;
    oracle::by_parent<A> oracle_;
    std::vector<lookup_form> forms_;
    std::vector<built_competitor<A>> built_;
    aligned_array<A> trace_;
    aligned_array<std::uint64_t> first_, low_; // halves of the trace; empty if no form needs them
    countdown left_;
    lookup_results results_;
};

} // namespace

std::uint32_t runtime_zero() noexcept {
    static volatile std::uint32_t zero = 0;
    return zero;
}

template <class A>
lookup_results measure_lookup(const routes<A>& table, const std::vector<competitor<A>>& competitors,
                              const lookup_settings& settings, const table_labels& labels,
                              const progress_teller& progress) {
    return lookup_bench<A>(table, settings, labels, progress).run(competitors);
}

template lookup_results measure_lookup(const routes<ipv4_address>&,
                                       const std::vector<competitor<ipv4_address>>&, const lookup_settings&,
                                       const table_labels&, const progress_teller&);
template lookup_results measure_lookup(const routes<ipv6_address>&,
                                       const std::vector<competitor<ipv6_address>>&, const lookup_settings&,
                                       const table_labels&, const progress_teller&);

} // namespace fingerpost::bench
