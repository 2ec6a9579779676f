// Uploads, checks and times the schemes, and summarizes the results.
#include "gpu/bench/measure_gpu.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>

#include "bench/harness/timing/gate.hpp"
#include "bench/harness/timing/team.hpp"
#include "bench/workloads/random.hpp"
#include "bench/workloads/trace/traces.hpp"
#include "fingerpost/net/text.hpp"
#include "gpu/bench/device_memory.hpp"
#include "tests/oracle/by_parent.hpp"
#include "tests/oracle/probes.hpp"

namespace fingerpost::bench {
namespace {

constexpr const char* probes_name = "edges of all routes";
// No scheme returns this, so a missing answer is detected.
constexpr next_hop untouched{0xdeadbeef};

// Writes addresses as the C interface takes them.
template <class A>
void pack(std::span<const A> addresses, std::byte* out) {
    if constexpr (A::bits == 32) {
        std::memcpy(out, addresses.data(), addresses.size_bytes());
    } else {
        for (std::size_t i = 0; i < addresses.size(); ++i) {
            const std::uint64_t halves[] = {__builtin_bswap64(top64(addresses[i])),
                                            __builtin_bswap64(bottom64(addresses[i]))};
            std::memcpy(out + i * sizeof halves, halves, sizeof halves);
        }
    }
}

struct uploaded_scheme {
    std::string name;
    device_table table;
    double upload_ms;
};

// A case: a scheme, a place of the data, and a number of addresses per call.
struct gpu_case {
    std::size_t scheme; // index of the uploaded scheme
    std::string place;
    std::size_t batch;
    std::size_t calls = 1; // in a round
    std::vector<double> mlps{};
    std::size_t checked = 0;
    std::size_t wrong = 0;
};

// The trace and the results in all places, for one workload at a time.
template <class A>
class trace_arrays {
  public:
    trace_arrays(const gpu_settings& settings, std::size_t count)
        : device_number_(settings.device), out_(count) {
        const auto has = [&](const char* place) {
            return std::find(settings.places.begin(), settings.places.end(), place) != settings.places.end();
        };
        auto packed = aligned_array<std::byte>::make(count * sizeof(A));
        if (!packed)
            throw std::bad_alloc();
        in_ = std::move(*packed);
        if (has("device")) {
            device_in_ = device_array(settings.device, in_.size());
            device_out_ = device_array(settings.device, count * sizeof(next_hop));
        }
        if (has("pinned")) {
            pinned_in_ = pinned_array(in_.size());
            pinned_out_ = pinned_array(count * sizeof(next_hop));
        }
    }

    void set(std::span<const A> trace) {
        pack(trace, in_.data());
        if (device_in_.get() != nullptr)
            copy(device_in_.get(), in_.data(), in_.size());
        if (pinned_in_.get() != nullptr)
            std::memcpy(pinned_in_.get(), in_.data(), in_.size());
    }
    // Starts a lookup of a part of the trace, and in memory of the host also ends it.
    void look_up(fingerpost_cuda_table* table, const std::string& place, std::size_t first,
                 std::size_t count) {
        const std::byte* const in = in_of(place) + first * sizeof(A);
        auto* const out = reinterpret_cast<std::uint32_t*>(out_of(place) + first * sizeof(next_hop));
        require_ok(place == "device" ? fingerpost_cuda_lookup(table, A::bits, in, out, count, nullptr)
                                     : fingerpost_cuda_lookup_host(table, A::bits, in, out, count),
                   "look up on the device");
    }
    void wait(const std::string& place) const {
        std::uint32_t word = 0;
        if (place == "device")
            copy(&word, device_out_.get(), sizeof word);
    }
    void erase_answers(const std::string& place, std::size_t first, std::size_t count) {
        next_hop* const out = answers_of(place) + first;
        std::fill_n(out, count, untouched);
        if (place == "device")
            copy(device_out_.get() + first * sizeof *out, out, count * sizeof *out);
    }
    std::span<const next_hop> answers(const std::string& place, std::size_t first, std::size_t count) {
        next_hop* const out = answers_of(place) + first;
        if (place == "device")
            copy(out, device_out_.get() + first * sizeof *out, count * sizeof *out);
        return {out, count};
    }

  private:
    void copy(void* to, const void* from, std::size_t bytes) const {
        require_ok(fingerpost_cuda_copy(device_number_, to, from, bytes, nullptr), "copy on the device");
    }
    const std::byte* in_of(const std::string& place) const noexcept {
        if (place == "device")
            return device_in_.get();
        return place == "pinned" ? pinned_in_.get() : in_.data();
    }
    std::byte* out_of(const std::string& place) noexcept {
        return place == "device" ? device_out_.get() : reinterpret_cast<std::byte*>(answers_of(place));
    }
    // Results in memory of the host; those of the device are copied there.
    next_hop* answers_of(const std::string& place) noexcept {
        return place == "pinned" ? reinterpret_cast<next_hop*>(pinned_out_.get()) : out_.data();
    }

    int device_number_;
    aligned_array<std::byte> in_;
    std::vector<next_hop> out_;
    device_array device_in_, device_out_;
    pinned_array pinned_in_, pinned_out_;
};

template <class A>
class gpu_bench {
  public:
    gpu_bench(const routes<A>& table, const gpu_settings& settings, const table_labels& labels,
              const progress_teller& progress)
        : table_(table), settings_(settings), labels_(labels), progress_(progress), oracle_(table.sorted()) {}

    lookup_results run(const std::vector<std::string>& schemes, const image_maker<A>& make_image) {
        plan(schemes.size());
        for (const std::string& scheme : schemes)
            upload(scheme, make_image);
        if (settings_.probes_only)
            measure(probes_name, oracle::probes<A>(table_.sorted()));
        else
            for (const std::string& workload : settings_.workloads)
                draw_and_measure(workload);
        return std::move(results_);
    }

  private:
    void say(const std::string& step) const {
        if (progress_)
            progress_(step, left_.seconds_left());
    }
    void plan(std::size_t schemes) {
        const std::size_t cases = schemes * settings_.places.size() * settings_.batches.size();
        const std::size_t workloads = settings_.workloads.size();
        left_.plan(bench_step::build, schemes, 1);
        left_.plan(bench_step::prepare, workloads, 1 + 0.1 * static_cast<double>(cases));
        left_.plan(bench_step::round, workloads * settings_.rounds,
                   static_cast<double>(cases) * settings_.round_ms * 1e-3);
    }

    void upload(const std::string& scheme, const image_maker<A>& make_image) {
        left_.begin(bench_step::build);
        say("uploading " + scheme);
        const auto image = make_image(table_, scheme);
        if (!image)
            return leave_out(scheme, std::string(message(image.error())));
        fingerpost_cuda_table* table = nullptr;
        const instant start = instant::now();
        const int code = fingerpost_cuda_upload(image->data(), image->size(), settings_.device, &table);
        const double seconds = seconds_between(start, instant::now());
        if (code == FINGERPOST_CUDA_UNSUPPORTED || code == FINGERPOST_CUDA_OUT_OF_MEMORY)
            return leave_out(scheme, fingerpost_cuda_error());
        require_ok(code, "upload a table");
        uploaded_.push_back({scheme, device_table(table), seconds * 1e3});
    }
    void leave_out(const std::string& scheme, const std::string& reason) {
        results_.notes.push_back(fmt::format("{} is not on the device: {}", scheme, reason));
    }

    void draw_and_measure(const std::string& workload) {
        left_.begin(bench_step::prepare);
        say(fmt::format("{}: drawing addresses", workload));
        const auto trace = make_trace<A>(workload, table_, settings_.addresses, settings_.seed);
        if (trace)
            return measure(workload, trace->span());
        left_.drop(bench_step::round, settings_.rounds);
        const bool none = trace.error() == errc::not_found;
        results_.notes.push_back(
            fmt::format("workload {} was left out on the device: {}", workload,
                        none ? "the table has no such address" : message(trace.error())));
    }

    void measure(const std::string& workload, std::span<const A> trace) {
        trace_ = trace;
        say(fmt::format("{}: answers of the oracle", workload));
        look_up_by_oracle();
        if (!arrays_)
            arrays_.emplace(settings_, trace_.size());
        arrays_->set(trace_);
        std::vector<gpu_case> cases;
        for (std::size_t i = 0; i < uploaded_.size(); ++i)
            for (const std::string& place : settings_.places)
                for (const std::size_t batch : batches())
                    cases.push_back({i, place, batch});
        for (gpu_case& entry : cases)
            check(workload, entry);
        time_all(workload, cases);
        for (gpu_case& entry : cases)
            add_row(workload, entry);
    }
    std::vector<std::size_t> batches() const {
        return settings_.probes_only ? std::vector{trace_.size()} : settings_.batches;
    }

    void look_up_by_oracle() {
        right_.resize(trace_.size());
        const std::size_t teams = settings_.cpus.size();
        run_together(
            settings_.cpus, [](std::size_t) {},
            [&](std::size_t member) {
                const std::size_t end = trace_.size() * (member + 1) / teams;
                for (std::size_t i = trace_.size() * member / teams; i < end; ++i)
                    right_[i] = oracle_.lookup(trace_[i]);
            });
    }

    // Looks up the whole trace, and chooses the number of calls in a round.
    void check(const std::string& workload, gpu_case& entry) {
        say(fmt::format("{}: checking {} ({}, {} per call)", workload, uploaded_[entry.scheme].name,
                        entry.place, entry.batch));
        const std::size_t size = trace_.size();
        warm_up(entry, 0);
        arrays_->erase_answers(entry.place, 0, size);
        const double seconds = seconds_of_calls(entry, 0, size);
        compare(workload, entry, 0, size);
        const double calls = settings_.round_ms * 1e-3 / seconds * static_cast<double>(size) /
                             static_cast<double>(entry.batch);
        const std::size_t most = std::max<std::size_t>(size / entry.batch, 1);
        entry.calls = static_cast<std::size_t>(std::clamp(calls, 1.0, static_cast<double>(most)));
    }
    double seconds_of_calls(const gpu_case& entry, std::size_t first, std::size_t count) {
        const instant start = instant::now();
        for (const std::size_t end = first + count; first < end; first += entry.batch)
            look_up(entry, first, std::min(entry.batch, end - first));
        arrays_->wait(entry.place);
        return std::max(seconds_between(start, instant::now()), 1e-9);
    }
    void look_up(const gpu_case& entry, std::size_t first, std::size_t count) {
        arrays_->look_up(uploaded_[entry.scheme].table.get(), entry.place, first, count);
    }
    void compare(const std::string& workload, gpu_case& entry, std::size_t first, std::size_t count) {
        const std::span<const next_hop> answers = arrays_->answers(entry.place, first, count);
        const next_hop* const right = right_.data() + first;
        entry.checked += count;
        if (std::equal(answers.begin(), answers.end(), right))
            return;
        std::optional<std::size_t> first_wrong;
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < count; ++i)
            if (answers[i] != right[i]) {
                first_wrong = first_wrong.value_or(i);
                ++wrong;
            }
        entry.wrong += wrong;
        const auto id = [](next_hop hop) { return hop == next_hop::none ? "none" : std::to_string(hop.id); };
        results_.wrong.push_back(fmt::format(
            "{} is wrong on the device and has no speed: {}, {} addresses per call, {}: {} of {} answers, "
            "first {}: {} instead of {}",
            uploaded_[entry.scheme].name, entry.place, entry.batch, workload, wrong, count,
            to_string(trace_[first + *first_wrong]), id(answers[*first_wrong]), id(right[*first_wrong])));
    }

    void time_all(const std::string& workload, std::vector<gpu_case>& cases) {
        std::vector<std::size_t> order(cases.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        random_source random(settings_.seed, 1);
        const unsigned rounds = settings_.probes_only ? 0 : settings_.rounds;
        for (unsigned round = 0; round < rounds; ++round) {
            left_.begin(bench_step::round);
            say(fmt::format("{}: round {} of {}", workload, round + 1, rounds));
            for (std::size_t i = order.size(); i > 1; --i)
                std::swap(order[i - 1], order[random.below(i)]);
            for (const std::size_t i : order)
                if (cases[i].wrong == 0)
                    time_one(workload, cases[i], random, round + 1 == rounds);
        }
    }
    // The first call of a scheme also loads its kernels.
    void warm_up(const gpu_case& entry, std::size_t first) {
        look_up(entry, first, std::min(entry.batch, trace_.size() - first));
        arrays_->wait(entry.place);
    }
    void time_one(const std::string& workload, gpu_case& entry, random_source& random, bool is_last) {
        const std::size_t count = entry.calls * entry.batch;
        const std::size_t starts = (trace_.size() - count) / entry.batch + 1;
        const std::size_t first = random.below(starts) * entry.batch;
        warm_up(entry, first);
        if (is_last)
            arrays_->erase_answers(entry.place, first, count);
        entry.mlps.push_back(static_cast<double>(count) / seconds_of_calls(entry, first, count) * 1e-6);
        if (is_last)
            compare(workload, entry, first, count);
    }

    void add_row(const std::string& workload, gpu_case& entry) {
        const uploaded_scheme& scheme = uploaded_[entry.scheme];
        lookup_row row = row_about(table_, labels_);
        row.scheme = scheme.name;
        row.isa = "cuda";
        row.workload = workload;
        row.mode = entry.place;
        row.batch = entry.batch;
        row.rounds = static_cast<unsigned>(entry.mlps.size());
        row.addresses_per_round = entry.calls * entry.batch;
        row.bytes = fingerpost_cuda_memory_bytes(scheme.table.get());
        row.build_ms_median = scheme.upload_ms;
        row.builds = 1;
        row.checked = entry.checked;
        row.wrong = entry.wrong;
        row.mlps = quartiles_of(entry.mlps);
        row.by_statistic = row.mlps.median;
        row.cycles_median = std::numeric_limits<double>::quiet_NaN();
        row.mlps_rounds = std::move(entry.mlps);
        results_.rows.push_back(std::move(row));
    }

    const routes<A>& table_;
    const gpu_settings& settings_;
    const table_labels& labels_;
    const progress_teller& progress_;
    oracle::by_parent<A> oracle_;
    std::vector<uploaded_scheme> uploaded_;
    std::span<const A> trace_;
    std::vector<next_hop> right_;
    std::optional<trace_arrays<A>> arrays_; // all traces of a run have the same length
    countdown left_;
    lookup_results results_;
};

std::string driver_version() {
    std::ifstream file("/sys/module/nvidia/version");
    std::string line;
    return std::getline(file, line) && !line.empty() ? line : "unknown";
}

} // namespace

gpu_facts describe_gpu(int device) {
    int count = 0;
    require_ok(fingerpost_cuda_devices(&count), "count the devices");
    if (count == 0)
        throw cli::failure("there is no GPU: CUDA finds no device, or no driver");
    if (device >= count)
        throw cli::failure(
            fmt::format("there is no device {}; this machine has {}, numbered from 0", device, count));
    fingerpost_cuda_properties device_properties{};
    require_ok(fingerpost_cuda_describe(device, &device_properties), "describe the device");
    const auto& d = device_properties;
    return {.name = d.name,
            .driver = driver_version(),
            .cuda = fmt::format("{}.{}", d.cuda_version / 1000, d.cuda_version % 1000 / 10),
            .compute_capability = fmt::format("{}.{}", d.compute_major, d.compute_minor),
            .multiprocessors = static_cast<unsigned>(d.multiprocessors),
            .clock_mhz = d.clock_khz * 1e-3,
            .memory_bytes = d.memory_bytes,
            .l2_bytes = d.l2_bytes};
}

template <class A>
lookup_results measure_gpu(const routes<A>& table, const std::vector<std::string>& schemes,
                           const gpu_settings& settings, const table_labels& labels,
                           const progress_teller& progress, const image_maker<A>& make_image) {
    return gpu_bench<A>(table, settings, labels, progress).run(schemes, make_image);
}

template lookup_results measure_gpu(const routes<ipv4_address>&, const std::vector<std::string>&,
                                    const gpu_settings&, const table_labels&, const progress_teller&,
                                    const image_maker<ipv4_address>&);
template lookup_results measure_gpu(const routes<ipv6_address>&, const std::vector<std::string>&,
                                    const gpu_settings&, const table_labels&, const progress_teller&,
                                    const image_maker<ipv6_address>&);

} // namespace fingerpost::bench
