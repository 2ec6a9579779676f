// A description of a traced packet for the telemetry socket: its headers, the events, and the steps of the
// lookup.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"

namespace fingerpost::router {

// Members of an object, in order. Names consist of letters and `_`.
using packet_facts = std::vector<std::pair<const char*, std::variant<std::uint64_t, std::string>>>;

struct packet_event {
    std::string_view what;
    std::string thread;
    std::uint64_t after = 0; // nanoseconds since the checks
    packet_facts facts{};
};

// A step of the scheme as in inspectable.hpp, as a copy.
struct lookup_step {
    std::string part;
    std::uint64_t at = 0; // relative to the lowest cache line that the lookup reads
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    unsigned first_bit = 0;
    unsigned bits = 0;
    compared with = compared::nothing;
    std::uint64_t key = 0;
    std::vector<std::uint64_t> values{};
    outcome result = outcome::goes_on;
    bit_count counted{};
    std::optional<matched_bit> matched{};
    std::string matched_part{}; // replaces the part in `matched`
    bool has_best = false;
    std::string best{};
};

struct packet_report {
    packet_facts facts{};
    std::vector<packet_event> events{};
    std::vector<lookup_step>
        steps{}; // of the lookup; empty without one, or if the scheme does not support tracing
};

} // namespace fingerpost::router
