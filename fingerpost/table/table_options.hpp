// Options of a table, and the results of its operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/fib/scheme.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost {

// Policies for how changes reach readers:
//
//      rebuild      builds a new FIB and publishes it: any scheme, O(routes) for each publication
//      left_right   patches the previously published FIB and publishes it: two FIBs, O(changes)
//      in_place     patches the FIB that readers use: one FIB, O(changes), each route separately
//      automatic    left_right if the scheme can be patched, else rebuild
enum class policy : std::uint8_t { automatic, rebuild, left_right, in_place };

// A duration that converts from any std::chrono::duration of whole seconds or fractions of a second.
struct nanoseconds {
    std::int64_t count = 0;

    template <class Duration>
        requires requires(const Duration& d) {
            d.count();
            Duration::period::num;
        }
    constexpr nanoseconds(const Duration& d) noexcept
        : count(static_cast<std::int64_t>(d.count()) *
                (1'000'000'000 / Duration::period::den * Duration::period::num)) {
        static_assert(1'000'000'000 % Duration::period::den == 0);
    }
};

struct table_options {
    std::string_view scheme{}; // empty: the default scheme
    policy update = policy::automatic;
    build_options build{};
    // Maximum number of replaced FIBs that are kept for stalled readers. At this number, publication is
    // deferred. Must not be 0. The limit has no cost until a reader stalls.
    std::size_t most_old_versions = 4;
    // If false, commits change only the RIB, and publish() shows all of them to readers together.
    bool publish_on_commit = true;
    // How long left_right waits for readers of its standby before it builds a third FIB. Default: the time of
    // the last build.
    std::optional<nanoseconds> patience{};
};

// Sizes in bytes.
struct table_memory {
    std::size_t rib = 0;
    std::size_t fib = 0;     // the published FIB
    std::size_t old = 0;     // left_right's standby, and old FIBs that readers hold
    std::size_t updates = 0; // changes not yet applied, and the readers' cache lines
    std::size_t total() const noexcept { return rib + fib + old + updates; }
};

// `unchanged`: readers already see the RIB's contents. `deferred`: the change is in the RIB, but readers do
// not see it yet. Either commits wait for publish() (publish_on_commit), or stalled readers hold the standby
// of left_right or as many old versions as the table keeps. In the second case commit or publish() again
// later.
enum class publish_state : std::uint8_t { published, unchanged, deferred };

// Result of a commit. `changes` is the number of prefixes with a changed next hop, and `version` is the
// newest version that readers see.
struct commit_result {
    publish_state state = publish_state::unchanged;
    std::size_t changes = 0;
    std::uint64_t version = 0;
};

// Result of replace_all().
struct replace_counts {
    std::size_t added = 0;
    std::size_t removed = 0;
    std::size_t replaced = 0; // prefixes with another next hop
    commit_result commit{};
};

// Readers that keep old versions from being freed.
struct stall {
    std::size_t versions = 0;       // replaced FIBs that are still held
    std::size_t readers = 0;        // readers pinned to an old version
    std::uint64_t publications = 0; // number of publications since the oldest pinned version
    std::size_t bytes = 0;          // memory of these FIBs
};

} // namespace fingerpost
