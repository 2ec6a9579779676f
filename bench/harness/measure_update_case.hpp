// Measures one scheme with one policy and one workload, on its own table.
#pragma once

#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "bench/harness/measure_updates.hpp"
#include "bench/harness/reading_team.hpp"
#include "bench/harness/run_changes.hpp"
#include "bench/workloads/random.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::bench {

// Throws std::bad_alloc.
template <class A>
class update_case {
    using clock = std::chrono::steady_clock;

    // Number of changes that are timed, however long they take.
    static constexpr std::size_t least_visible = 20;
    // The gate runs a list in this many bursts, then this many single changes.
    static constexpr std::size_t gate_parts = 8;

  public:
    // `live` contains `sorted`, the routes that the list was made for; both must outlive the case.
    update_case(table<A>& live, std::span<const route<A>> sorted, const update_list<A>& list,
                const update_settings& settings, update_row& row)
        : live_(live), sorted_(sorted), list_(list), settings_(settings), row_(row), play_(live, list) {}

    // Returns the first error, or nothing if the row is complete except for further turns.
    std::optional<std::string> run(std::span<const A> trace) {
        row_.seen_by_reader = settings_.readers() != 0;
        return checked(trace, [this]() -> std::optional<std::string> {
            singles first;
            const auto end = clock::now() + settings_.rounds * round_length();
            if (auto fault = time_singles(first, [&] {
                    return first.count < settings_.changes &&
                           (first.visible_us.size() < least_visible || clock::now() < end);
                }))
                return fault;
            row_.singles = first.count;
            row_.visible_put_off = first.counts.deferred;
            row_.fastest_us = first.visible_us;
            row_.visible_us = std::move(first.visible_us);
            std::sort(row_.visible_us.begin(), row_.visible_us.end());
            return time_rounds();
        });
    }
    // Repeats the single changes of run() on an equal table, and keeps the faster time of each.
    std::optional<std::string> run_again(std::span<const A> trace) {
        return checked(trace, [this] {
            singles again;
            auto fault = time_singles(again, [&] { return again.count < row_.singles; });
            for (std::size_t i = 0; i < again.visible_us.size(); ++i)
                row_.fastest_us[i] = std::min(row_.fastest_us[i], again.visible_us[i]);
            return fault;
        });
    }

  private:
    // Checks the answers before and after `timing`. Readers run meanwhile.
    template <class Timing>
    std::optional<std::string> checked(std::span<const A> trace, Timing timing) {
        if (auto fault = gate())
            return fault;
        std::optional<std::string> fault;
        {
            reading_team<A> team(live_, std::span(settings_.cpus).subspan(1), trace, settings_.batch);
            team_ = &team;
            fault = timing();
        }
        if (!fault)
            fault = compare();
        return fault;
    }
    std::optional<std::string> failed(std::string_view what) {
        row_.failed = true;
        return "the changes failed: " + std::string(what);
    }
    std::optional<std::string> compare() {
        if (const std::string_view fault = play_.finish_publish(); !fault.empty())
            return failed(fault);
        const auto mismatch = play_.check(sorted_, row_.checked);
        if (!mismatch)
            return std::nullopt;
        row_.wrong = 1;
        const auto id = [](next_hop hop) { return hop == next_hop::none ? "none" : std::to_string(hop.id); };
        return to_string(mismatch->address) + ": " + id(mismatch->got) + " instead of " +
               id(mismatch->expected);
    }
    std::optional<std::string> gate() {
        play_counts counts;
        const std::size_t part = std::min(list_.prefixes, list_.steps.size() / gate_parts + 1);
        for (std::size_t i = 0; i < 2 * gate_parts; ++i) {
            if (const errc e = play_.commit(i < gate_parts ? part : 1, counts); e != errc::ok)
                return failed(message(e));
            if (i + 1 == gate_parts || i + 1 == 2 * gate_parts)
                if (auto fault = compare())
                    return fault;
        }
        return std::nullopt;
    }

    void take_peak() { row_.peak_bytes = std::max(row_.peak_bytes, live_.memory_bytes()); }
    clock::duration round_length() const {
        return std::chrono::duration_cast<clock::duration>(
            std::chrono::duration<double, std::milli>(settings_.round_ms));
    }

    // Changes made one at a time.
    struct singles {
        std::vector<double> visible_us; // of visible changes, in the order of the list
        std::size_t count = 0;
        play_counts counts;
    };
    // Runs as long as `more` returns true.
    template <class More>
    std::optional<std::string> time_singles(singles& into, More more) {
        team_->keep_watching();
        for (; more(); ++into.count)
            if (auto fault = time_one(into))
                return fault;
        team_->count();
        return std::nullopt;
    }
    std::optional<std::string> time_one(singles& into) {
        const auto t = play_.next();
        if (t.visible && row_.seen_by_reader)
            team_->watch(t.probe, t.answer);
        const auto start = clock::now();
        if (const errc e = play_.change(t, into.counts); e != errc::ok)
            return failed(message(e));
        if (const std::string_view fault = play_.finish_publish(); !fault.empty())
            return failed(fault);
        auto end = std::optional(clock::now());
        if (t.visible && row_.seen_by_reader)
            end = team_->wait_for_answer(std::chrono::seconds(5));
        if (!end)
            return failed("a reader does not see " + to_string(t.where));
        if (t.visible)
            into.visible_us.push_back(std::chrono::duration<double, std::micro>(*end - start).count());
        take_peak();
        return std::nullopt;
    }

    // A burst with more changes than prefixes would undo its own changes.
    void plan() {
        for (const std::size_t burst_size : settings_.bursts) {
            const std::size_t burst = std::min(burst_size, list_.prefixes);
            if (std::none_of(row_.bursts.begin(), row_.bursts.end(),
                             [burst](const burst_row& b) { return b.burst == burst; }))
                row_.bursts.push_back({burst, {}, {}, {}, 0, 0});
        }
    }
    std::optional<std::string> time_rounds() {
        plan();
        // The last two are a sleeping writer and one that spins without changing anything.
        const std::size_t sleeping = row_.bursts.size();
        const std::size_t spinning = sleeping + 1;
        std::vector<std::size_t> order(spinning + 1);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::vector<double> still;
        std::vector<double> beside;
        std::vector<std::vector<double>> reading(row_.bursts.size());
        random_source random(settings_.seed, 8);
        for (unsigned round = 0; round < settings_.rounds; ++round) {
            for (std::size_t i = order.size(); i > 1; --i)
                std::swap(order[i - 1], order[random.below(i)]);
            for (const std::size_t i : order) {
                if (i == sleeping)
                    still.push_back(answered_while([this] { std::this_thread::sleep_for(round_length()); }));
                else if (i == spinning)
                    beside.push_back(answered_while([this] { spin(); }));
                else if (auto fault = time_bursts(row_.bursts[i], reading[i]))
                    return fault;
            }
        }
        for (std::size_t i = 0; i < row_.bursts.size(); ++i)
            sum_up(row_.bursts[i], reading[i], still);
        if (row_.seen_by_reader) {
            row_.reader_mlps = quartiles_of(still).median * 1e-6;
            row_.spinning_loss_percent = loss_of(beside, still);
        }
        return std::nullopt;
    }
    void spin() const {
        const auto end = clock::now() + round_length();
        while (clock::now() < end) {
        }
    }
    // Lookups per second of the readers meanwhile.
    template <class Pass>
    double answered_while(Pass pass) {
        if (!row_.seen_by_reader)
            return 0;
        const std::uint64_t before = team_->answered();
        const auto start = clock::now();
        pass();
        const std::uint64_t after = team_->answered();
        return static_cast<double>(after - before) /
               std::chrono::duration<double>(clock::now() - start).count();
    }
    std::optional<std::string> time_bursts(burst_row& into, std::vector<double>& reading) {
        play_counts counts;
        const std::uint64_t before = team_->answered();
        const auto start = clock::now();
        std::string_view fault;
        do {
            if (const errc e = play_.commit(into.burst, counts); e != errc::ok)
                return failed(message(e));
            // If publication is deferred, readers may not see any change of a single flapping prefix.
            if (list_.prefixes == 1)
                fault = play_.finish_publish();
        } while (fault.empty() && clock::now() - start < round_length());
        if (fault.empty())
            fault = play_.finish_publish();
        if (!fault.empty())
            return failed(fault);
        const std::uint64_t after = team_->answered();
        const double seconds = std::chrono::duration<double>(clock::now() - start).count();
        into.rates.push_back(static_cast<double>(counts.changes) / seconds);
        reading.push_back(static_cast<double>(after - before) / seconds);
        into.commits += counts.commits;
        into.deferred += counts.deferred;
        take_peak();
        return std::nullopt;
    }
    void sum_up(burst_row& into, const std::vector<double>& reading, const std::vector<double>& still) const {
        into.changes_per_second = quartiles_of(into.rates);
        if (row_.seen_by_reader)
            into.loss_percent = loss_of(reading, still);
    }
    // Results of each round.
    static quartiles loss_of(const std::vector<double>& reading, const std::vector<double>& still) {
        std::vector<double> losses;
        for (std::size_t i = 0; i < still.size(); ++i)
            losses.push_back(still[i] > 0 ? 100 * (1 - reading[i] / still[i]) : 0);
        return quartiles_of(losses);
    }

    table<A>& live_;
    std::span<const route<A>> sorted_;
    const update_list<A>& list_;
    const update_settings& settings_;
    update_row& row_;
    live_play<A> play_;
    reading_team<A>* team_ = nullptr;
};

} // namespace fingerpost::bench
