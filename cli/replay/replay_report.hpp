// The results of a replay as text or JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/replay/latency_histogram.hpp"
#include "cli/replay/replayed_table.hpp"

namespace fingerpost::cli {

struct replay_counts {
    std::uint64_t announced = 0;
    std::uint64_t withdrawn = 0;
    std::uint64_t changes = 0; // updates that changed the table
    std::uint64_t commits = 0;

    std::uint64_t updates() const noexcept { return announced + withdrawn; }
};

struct replay_statistics {
    replay_counts counts;
    double seconds = 0; // from the first update to the last commit
    latency_histogram visible;
    std::size_t ipv4_routes = 0;
    std::size_t ipv6_routes = 0;
    std::vector<changed_prefix> most_changed;
    std::uint64_t damaged_records = 0;
    std::uint64_t bad_lines = 0;
};

enum class report_format : std::uint8_t { text, json };

// Summarizes the whole replay: several lines of text, or one line of JSON.
std::string total(const replay_statistics& statistics, report_format format);
// Summarizes the last seconds, since `before`, in one line.
std::string interval(const replay_statistics& now, const replay_counts& before, double seconds,
                     report_format format);

} // namespace fingerpost::cli
