// Counts what was read, and what was skipped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io::mrt {

// What contains no routes, or routes that are not read here.
enum class skipped : std::uint8_t {
    other_record, // of a type or subtype that is not decoded
    rib_generic,  // tables of families other than unicast and multicast
    other_family, // lists of prefixes of such families within messages
    geo_peers,    // locations of peers
    state_change, // of a session
    open,         // messages that are no updates, by their kind
    notification,
    keepalive,
    route_refresh,
    other_message,
};
inline constexpr std::size_t skipped_kinds = static_cast<std::size_t>(skipped::other_message) + 1;

// In the plural.
constexpr std::string_view name_of(skipped kind) noexcept {
    constexpr std::array<std::string_view, skipped_kinds> names{
        "records of other types", "RIB_GENERIC records", "lists of other address families",
        "GEO_PEER_TABLE records", "state changes",       "OPEN messages",
        "NOTIFICATION messages",  "KEEPALIVE messages",  "ROUTE-REFRESH messages",
        "messages of other types"};
    return names[static_cast<std::size_t>(kind)];
}

struct counts {
    std::uint64_t records = 0; // of any kind, including damaged ones
    std::uint64_t entries = 0;
    std::uint64_t damaged = 0; // records, and gaps between records
    std::uint64_t damaged_bytes = 0;
    std::uint64_t guessed_path_ids = 0; // lists that were read with path identifiers although their record
                                        // says otherwise
    std::array<std::uint64_t, skipped_kinds> passed_over{};

    void skip(skipped kind) noexcept { ++passed_over[static_cast<std::size_t>(kind)]; }
    std::uint64_t operator[](skipped kind) const noexcept {
        return passed_over[static_cast<std::size_t>(kind)];
    }

    counts& operator+=(const counts& other) noexcept {
        records += other.records;
        entries += other.entries;
        damaged += other.damaged;
        damaged_bytes += other.damaged_bytes;
        guessed_path_ids += other.guessed_path_ids;
        for (std::size_t i = 0; i < skipped_kinds; ++i)
            passed_over[i] += other.passed_over[i];
        return *this;
    }
    friend bool operator==(const counts&, const counts&) = default;
};

} // namespace fingerpost::io::mrt
