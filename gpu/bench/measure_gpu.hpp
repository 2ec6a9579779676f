// The benchmark of lookups on a GPU: checks all answers, then times calls of several sizes.
//
// Every scheme is uploaded as an image. For each workload, the oracle looks up the whole trace on all CPUs.
// Each case (scheme, place of the data, addresses per call) looks up the whole trace, too, in its calls, and
// all answers are compared; a case with a wrong answer is not timed. Then, in each round, all cases run in a
// random order. A round of a case makes calls on consecutive parts of the trace without waiting between
// them. The answers of the last round are compared as well.
//
// Times are those of the host, from the first call until the last one is done. If the data is on the device,
// all calls are in one stream, and a copy of four bytes in this stream shows that it is done.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/measure_lookups.hpp"
#include "fingerpost/base/memory.hpp"
#include "gpu/fingerpost_cuda.h"

namespace fingerpost::bench {

struct gpu_settings {
    int device = 0;
    std::vector<std::string> workloads = {"match", "zipf", "uniform"};
    // Where addresses and results are: on the device, or in memory of the host that is page-locked or not.
    std::vector<std::string> places = {"device", "pinned", "pageable"};
    std::vector<std::size_t> batches = {1'000,     10'000,     100'000,
                                        1'000'000, 10'000'000, 100'000'000}; // addresses per call
    // Compares the answers for the edges of all routes in one call, instead of workloads, and times nothing.
    bool probes_only = false;
    unsigned rounds = 7;
    double round_ms = 20;
    std::size_t addresses = std::size_t{1} << 24; // of a trace; at least the largest batch
    std::uint64_t seed = 1;
    std::vector<unsigned> cpus; // for the oracle
};

// Returns the image of a scheme for a table.
template <class A>
using image_maker =
    std::function<expected<aligned_array<std::byte>>(const routes<A>& table, std::string_view scheme)>;

// Throws cli::failure if the machine has no such device.
gpu_facts describe_gpu(int device);

// Returns rows with the place as their mode, and an upload as their build. Schemes that cannot be saved, or
// do not fit on the device, become notes. Throws cli::failure if the device fails, and std::bad_alloc.
template <class A>
lookup_results measure_gpu(const routes<A>& table, const std::vector<std::string>& schemes,
                           const gpu_settings& settings, const table_labels& labels,
                           const progress_teller& progress, const image_maker<A>& make_image);

} // namespace fingerpost::bench
