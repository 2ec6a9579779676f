// The check before timing: a competitor whose answers differ from the oracle's is not timed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/harness/timing/clock.hpp"
#include "bench/harness/timing/passes.hpp"

namespace fingerpost::bench {

// Form of addresses: whole, their first 64 bits only, or both halves in two arrays.
enum class lookup_input : std::uint8_t { whole, first64, halves };

// The timed loop of a case, for any competitor.
struct lookup_form {
    bool latency = false;
    std::size_t batch = 1;
    lookup_input input = lookup_input::whole;
    trace_place place = trace_place::prefetched;
};

// The addresses of a trace, and their halves if a form needs them.
template <class A>
struct trace_slice {
    std::span<const A> whole;
    std::span<const std::uint64_t> first{};
    std::span<const std::uint64_t> low{};

    std::size_t size() const noexcept { return whole.size(); }
    trace_slice subspan(std::size_t at, std::size_t count) const noexcept {
        return {whole.subspan(at, count), part_of(first, at, count), part_of(low, at, count)};
    }
};

// 0, but neither the compiler nor the processor can know this.
std::uint32_t runtime_zero() noexcept;

template <class A>
void one_pass(const any_fib<A>& fib, lookup_form form, const trace_slice<A>& in,
              std::span<next_hop> out) noexcept {
    if (form.input == lookup_input::first64)
        halves_pass(fib, in.first, {}, out, form.batch);
    else if (form.input == lookup_input::halves)
        halves_pass(fib, in.first, in.low, out, form.batch);
    else if (form.latency)
        latency_pass(fib, in.whole, out, runtime_zero());
    else
        throughput_pass(fib, in.whole, out, form.batch, form.place == trace_place::prefetched);
}

template <class A>
struct wrong_answer {
    A address;
    next_hop expected;
    next_hop got;
};

template <class A>
struct gate_result {
    std::size_t checked = 0;
    std::size_t wrong = 0;
    std::optional<wrong_answer<A>> first;
    std::vector<double> per_second; // approximate speed of each form, for choosing the size of a round
};

// Compares the answers of every form with the correct answers.
template <class A>
gate_result<A> check_forms(const any_fib<A>& fib, const std::vector<lookup_form>& forms,
                           const trace_slice<A>& sample, std::span<const next_hop> right) {
    // No scheme returns this, so a missing answer is detected.
    constexpr next_hop untouched{0xdeadbeef};
    gate_result<A> result;
    std::vector<next_hop> out(sample.size());
    for (const lookup_form form : forms) {
        std::fill(out.begin(), out.end(), untouched);
        const instant start = instant::now();
        one_pass<A>(fib, form, sample, out);
        const double seconds = seconds_between(start, instant::now());
        result.per_second.push_back(static_cast<double>(sample.size()) / std::max(seconds, 1e-9));
        for (std::size_t i = 0; i < sample.size(); ++i) {
            if (out[i] == right[i])
                continue;
            if (result.wrong++ == 0)
                result.first = {sample.whole[i], right[i], out[i]};
        }
        result.checked += sample.size();
    }
    return result;
}

} // namespace fingerpost::bench
