// Counts the records that were read, and the parts that were skipped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io::mrt {

// Parts of an input that contain no routes, or routes that are not read.
enum class skipped : std::uint8_t {
    other_record, // of an unknown type or subtype
    rib_generic,  // tables of families other than unicast and multicast
    other_family, // lists of prefixes of such families in messages
    geo_peers,    // locations of peers
    state_change, // state changes of sessions
    open,         // messages other than updates, by kind
    notification,
    keepalive,
    route_refresh,
    other_message,
};
inline constexpr std::size_t skipped_kinds = static_cast<std::size_t>(skipped::other_message) + 1;

// Returns the name in the plural.
constexpr std::string_view name_of(skipped kind) noexcept {
    constexpr std::array<std::string_view, skipped_kinds> names{
        "records of other types", "RIB_GENERIC records", "lists of other address families",
        "GEO_PEER_TABLE records", "state changes",       "OPEN messages",
        "NOTIFICATION messages",  "KEEPALIVE messages",  "ROUTE-REFRESH messages",
        "messages of other types"};
    return names[static_cast<std::size_t>(kind)];
}

struct counts {
    std::uint64_t records = 0; // all records, including damaged ones
    std::uint64_t entries = 0;
    std::uint64_t damaged = 0; // damaged records, and gaps between records
    std::uint64_t damaged_bytes = 0;
    // lists that were read with path identifiers although their record type has none
    std::uint64_t guessed_path_ids = 0;
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
