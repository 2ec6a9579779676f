// Results of a benchmark: a row for each measured case, and the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/measured/statistics.hpp"

namespace fingerpost::bench {

// Result of a competitor in a case. A row with wrong answers, or without rounds, has no speed.
struct lookup_row {
    std::string scheme;
    std::string isa;
    unsigned family = 6;
    std::string table;
    std::string next_hops;
    std::size_t routes = 0;
    std::size_t intervals = 0;
    std::string workload;
    bool fits_l1 = false;
    std::string mode;
    std::size_t batch = 1;
    unsigned threads = 1;
    unsigned rounds = 0;
    std::size_t addresses_per_round = 0; // per thread
    std::size_t bytes = 0;
    double build_ms_median = 0;
    std::size_t builds = 0;
    std::size_t checked = 0; // answers compared with the oracle, for all batches together
    std::size_t wrong = 0;
    quartiles mlps;              // million lookups per second of all threads together
    double by_statistic = 0;     // million lookups per second, by the statistic of the run
    double cycles_median = 0;    // time-stamp counter ticks per lookup of a thread
    std::optional<double> ratio; // to the baseline's best batch and ISA in the same workload, mode, threads
    std::vector<double> mlps_rounds; // by round; all competitors use the same slices

    bool has_speed() const noexcept { return wrong == 0 && !mlps_rounds.empty(); }
};

struct gpu_facts {
    std::string name;
    std::string driver;
    std::string cuda; // newest version that the driver supports
    std::string compute_capability;
    unsigned multiprocessors = 0;
    double clock_mhz = 0; // the highest
    std::size_t memory_bytes = 0;
    std::size_t l2_bytes = 0;
};

struct environment {
    std::string date; // UTC, ISO 8601
    std::string version;
    std::string commit;
    std::string command_line;
    std::string cpu;
    std::string cpu_id; // vendor, family and model, which determine the choice of kernels
    std::string tuning; // the choice of kernels, in the form of FINGERPOST_TUNE
    unsigned cores = 0;
    std::vector<unsigned> pinned; // the CPUs that were used
    std::vector<std::string> caches;
    std::string governor;
    std::string huge_pages;
    std::string kernel;
    std::string load; // load averages over 1, 5 and 15 minutes at the start
    std::string compiler;
    std::string flags;
    std::vector<std::string> isas;
    double tsc_hz = 0;
    std::size_t addresses = 0; // length of a trace
    unsigned rounds = 0;
    double round_ms = 0;
    std::string statistic = "median"; // used for ratios
    std::uint64_t seed = 0;
    std::string baseline;
    std::optional<gpu_facts> gpu;   // if rows are of a GPU
    std::vector<std::string> notes; // omitted cases, with reasons
};

// The fastest other scheme for one kind of call, with its fastest instruction set.
struct best_other {
    std::string workload;
    std::string mode;
    unsigned threads = 1;
    std::size_t batch = 1;
    std::string scheme;
    std::string isa;
    double ratio = 0; // its speed divided by that of the default scheme; above 1 if it is faster
};

struct lookup_report {
    environment circumstances;
    std::vector<lookup_row> rows;
    std::string default_scheme{};
    std::vector<best_other> others{};

    bool all_right() const noexcept {
        for (const lookup_row& row : rows)
            if (row.wrong != 0)
                return false;
        return true;
    }
};

// Returns an entry for every call for which the default scheme and another one have a speed, in the order of
// the default's rows. Variants of the default scheme do not count as others.
std::vector<best_other> best_others(const std::vector<lookup_row>& rows, const std::string& default_scheme);

// Fills in `ratio` for every row with a speed, if its baseline has one.
void set_ratios(std::vector<lookup_row>& rows, const std::string& baseline);

std::string to_json(const lookup_report& report);

// A text table with a line for each scheme, ISA and batch, and a column for each workload. Ends with a
// newline.
std::string to_text(const lookup_report& report);

} // namespace fingerpost::bench
