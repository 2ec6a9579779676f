// Times transactions of each size on a live table, and builds of each scheme.
#include "bench/harness/amortised.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <set>

#include "bench/harness/run_changes.hpp"
#include "bench/workloads/random.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::bench {
namespace {

using clock = std::chrono::steady_clock;

double since(clock::time_point start) {
    return std::chrono::duration<double>(clock::now() - start).count();
}

template <class A>
class batch_case {
  public:
    batch_case(table<A>& live, std::span<const route<A>> sorted, const update_list<A>& list,
               const amortised_settings& settings)
        : sorted_(sorted), settings_(settings), play_(live, list) {
        for (const std::size_t batch : settings.batches)
            if (batch <= list.prefixes)
                batches_.push_back(batch);
        samples_.resize(batches_.size());
    }

    // A batch with more changes than prefixes would undo its own changes.
    bool has_batches() const noexcept { return !batches_.empty(); }

    std::optional<std::string> run() {
        std::vector<std::size_t> order(batches_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        random_source random(settings_.seed, 9);
        // Run the largest batch first, untimed. It is the gate, and it makes allocations beforehand.
        if (auto fault = once(batches_.size() - 1))
            return fault;
        samples_.back().clear();
        if (auto fault = compare())
            return fault;
        for (unsigned round = 0; round < settings_.rounds; ++round) {
            for (std::size_t i = order.size(); i > 1; --i)
                std::swap(order[i - 1], order[random.below(i)]);
            for (const std::size_t i : order)
                if (auto fault = once(i))
                    return fault;
        }
        return compare();
    }
    // Returns a row for each batch with the common fields.
    void report(batch_row shared, std::vector<batch_row>& rows) const {
        shared.checked = checked_;
        shared.wrong = wrong_;
        shared.failed = failed_;
        shared.rounds = settings_.rounds;
        for (std::size_t i = 0; i < batches_.size(); ++i) {
            shared.batch = batches_[i];
            shared.us_per_change = quartiles_of(samples_[i]);
            rows.push_back(shared);
        }
    }

  private:
    std::optional<std::string> once(std::size_t i) {
        play_counts counts;
        std::size_t requested = 0;
        const auto start = clock::now();
        do {
            const errc e = play_.commit(batches_[i], counts);
            const std::string_view fault = e == errc::ok ? play_.finish_publish() : message(e);
            if (!fault.empty()) {
                failed_ = true;
                return "the changes failed: " + std::string(fault);
            }
            requested += batches_[i];
        } while (since(start) * 1e3 < settings_.round_ms);
        samples_[i].push_back(since(start) * 1e6 / static_cast<double>(requested));
        return std::nullopt;
    }
    std::optional<std::string> compare() {
        const auto mismatch = play_.check(sorted_, checked_);
        if (!mismatch)
            return std::nullopt;
        wrong_ = 1;
        return "a wrong answer for " + to_string(mismatch->address);
    }

    std::span<const route<A>> sorted_;
    const amortised_settings& settings_;
    live_play<A> play_;
    std::vector<std::size_t> batches_;
    std::vector<std::vector<double>> samples_;
    std::size_t checked_ = 0;
    std::size_t wrong_ = 0;
    bool failed_ = false;
};

template <class A>
quartiles time_builds(const scheme_entry<A>& scheme, std::span<const route<A>> sorted, unsigned rounds,
                      unsigned& builds, errc& fault) {
    std::vector<double> ms;
    double total = 0;
    while (ms.size() < rounds && (ms.size() < 2 || total < build_seconds)) {
        const routes<A> fresh({sorted.begin(), sorted.end()});
        const auto start = clock::now();
        const auto built = scheme.build(fresh, {});
        const double seconds = since(start);
        if (!built) {
            fault = built.error();
            return {};
        }
        ms.push_back(seconds * 1e3);
        total += seconds;
    }
    builds = static_cast<unsigned>(ms.size());
    return quartiles_of(std::move(ms));
}

} // namespace

std::vector<std::size_t> growing_batches(std::size_t most) {
    std::vector<std::size_t> batches;
    for (std::size_t batch = 1; batch < most; batch *= 4)
        batches.push_back(batch);
    batches.push_back(most);
    return batches;
}

template <class A>
void measure_batches(std::span<const route<A>> sorted, const std::vector<live_competitor>& competitors,
                     const amortised_settings& settings, const std::string& table_name,
                     amortised_results& into, const progress_teller& progress) {
    const auto list = make_updates<A>("churn", sorted, settings.changes, settings.seed);
    if (!list)
        return into.notes.push_back("batches were left out: no route to change");
    countdown left;
    left.plan(bench_step::whole, competitors.size(),
              static_cast<double>(settings.batches.size() * settings.rounds) * settings.round_ms * 1e-3);
    for (const live_competitor& entry : competitors) {
        const std::string who = fmt::format("{} {}", entry.scheme, name_of(entry.how));
        left.begin(bench_step::whole);
        if (progress)
            progress("batches: " + who, left.seconds_left());
        auto live = filled_table<A>(entry, sorted);
        if (!live) {
            into.notes.push_back(who + " was not built");
            continue;
        }
        batch_case<A> timed(*live, sorted, *list, settings);
        if (!timed.has_batches())
            return into.notes.push_back(
                fmt::format("batches were left out: only {} prefixes change", list->prefixes));
        if (const auto fault = timed.run())
            into.wrong.push_back(fmt::format("{} is wrong and gets no numbers: {}", who, *fault));
        batch_row shared;
        shared.scheme = entry.scheme;
        shared.policy = name_of(entry.how);
        shared.table = table_name;
        shared.routes = sorted.size();
        timed.report(shared, into.batches);
    }
}

template <class A>
void measure_rebuilds(std::span<const route<A>> sorted, const std::vector<live_competitor>& competitors,
                      unsigned rounds, const std::string& table_name, amortised_results& into,
                      const progress_teller& progress) {
    std::set<std::string> schemes;
    for (const live_competitor& entry : competitors)
        schemes.insert(entry.scheme);
    countdown left;
    left.plan(bench_step::build, schemes.size(), build_seconds);
    for (const live_competitor& entry : competitors) {
        if (schemes.erase(entry.scheme) == 0)
            continue;
        left.begin(bench_step::build);
        if (progress)
            progress(fmt::format("building {} from {} routes", entry.scheme, sorted.size()),
                     left.seconds_left());
        rebuild_row row{entry.scheme, table_name, sorted.size(), {}, 0};
        errc fault = errc::ok;
        row.ms = time_builds<A>(*find_scheme<A>(entry.scheme), sorted, rounds, row.builds, fault);
        if (fault == errc::ok)
            into.rebuilds.push_back(std::move(row));
        else
            into.notes.push_back(fmt::format("{} was not built from {} routes: {}", entry.scheme,
                                             sorted.size(), message(fault)));
    }
}

template void measure_batches(std::span<const route<ipv4_address>>, const std::vector<live_competitor>&,
                              const amortised_settings&, const std::string&, amortised_results&,
                              const progress_teller&);
template void measure_batches(std::span<const route<ipv6_address>>, const std::vector<live_competitor>&,
                              const amortised_settings&, const std::string&, amortised_results&,
                              const progress_teller&);
template void measure_rebuilds(std::span<const route<ipv4_address>>, const std::vector<live_competitor>&,
                               unsigned, const std::string&, amortised_results&, const progress_teller&);
template void measure_rebuilds(std::span<const route<ipv6_address>>, const std::vector<live_competitor>&,
                               unsigned, const std::string&, amortised_results&, const progress_teller&);

} // namespace fingerpost::bench
