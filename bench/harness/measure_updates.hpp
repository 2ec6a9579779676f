// The update benchmark: the cost of a change for the writer and the readers of a live table.
//
// Measurements work as follows (docs/inside/measuring.md). For each scheme, policy and workload, a table is
// filled. The list of changes is run once, and the answers around every affected prefix are compared with the
// oracle. Tables that differ are not timed. Then changes are made one at a time. Each is timed from the call
// until a reader on another core sees it. Then, in each round, readers look up while nothing changes and
// while bursts of each size are applied, in a random order. At the end the answers are compared again, and
// the numbers of tables with wrong answers are discarded. Finally the single changes are repeated on other
// tables with the same content, and the fastest time of each change is kept, which excludes disturbances of
// the machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/timing/countdown.hpp"
#include "bench/measured/update_result.hpp"
#include "fingerpost/table/table.hpp"

namespace fingerpost::bench {

struct update_settings {
    std::vector<std::string> workloads = {"churn", "slash8", "default_route", "flap48"};
    std::vector<std::size_t> bursts = {1, 32, 1024};
    std::size_t changes = 100'000; // length of the workload churn
    std::size_t batch = 64;        // addresses that readers look up per pin
    std::vector<unsigned>
        cpus; // one for the writer, then one for each reader; the caller is pinned to the first
    // Many short rounds, so that a disturbance of a shared machine affects few of them, and all cases alike.
    unsigned rounds = 51;
    double round_ms = 15;
    unsigned turns = 3;                           // repetitions of the single changes, each on its own table
    std::size_t addresses = std::size_t{1} << 20; // in the readers' trace
    std::uint64_t seed = 1;

    std::size_t readers() const noexcept { return cpus.size() - 1; }
};

// A scheme and a policy for a table.
struct live_competitor {
    std::string scheme;
    policy how = policy::automatic;
};

struct live_choice {
    std::vector<std::string> schemes = {"default"}; // names, "default" (the standard ones) or "all"
    std::vector<std::string> policies = {"rebuild", "left_right", "in_place"}; // or "auto"
};

struct live_competitors {
    std::vector<live_competitor> chosen; // each pair once, with `auto` resolved
    std::vector<std::string> notes;      // unsupported pairs
};

std::string_view name_of(policy how) noexcept;

// Creates a table of this competitor with these routes. Throws std::bad_alloc.
template <class A>
expected<table<A>> filled_table(const live_competitor& entry, std::span<const route<A>> with) {
    table_options options;
    options.scheme = entry.scheme;
    options.update = entry.how;
    auto live = table<A>::create(options);
    if (!live)
        return live;
    if (const auto done = live->assign({with.begin(), with.end()}); !done)
        return unexpected{done.error()};
    return live;
}

// Returns each chosen scheme with each policy that it supports. The error is a message with the known names.
template <class A>
expected<live_competitors, std::string> choose_live(const live_choice& choice);

struct update_results {
    std::vector<update_row> rows;
    std::vector<std::string> notes; // cases that this table does not support
    std::vector<std::string> wrong; // the first wrong answer of each rejected competitor
};

// `sorted`: canonical routes in prefix order, each prefix once. `recorded`: the updates for the workload of
// this name. Reports to `progress` if it is set. Throws std::bad_alloc.
template <class A>
update_results measure_updates(std::span<const route<A>> sorted, std::span<const route<A>> recorded,
                               const std::vector<live_competitor>& competitors,
                               const update_settings& settings, const std::string& table_name,
                               const progress_teller& progress = {});

} // namespace fingerpost::bench
