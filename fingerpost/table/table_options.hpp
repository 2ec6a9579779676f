// What a table is made with, and what its calls report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/fib/scheme.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost {

// How changes reach readers:
//
//      rebuild      builds a new FIB and publishes it: any scheme, O(routes) a publication
//      left_right   patches the FIB that was published before and publishes it: two FIBs, O(changes)
//      in_place     patches the FIB that readers read: one FIB, O(changes), each route by itself
//      automatic    left_right if the scheme can be patched, else rebuild
enum class policy : std::uint8_t { automatic, rebuild, left_right, in_place };

// A length of time, made from any std::chrono::duration of whole seconds or parts of one.
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
    std::string_view scheme{}; // empty: the default one
    policy update = policy::automatic;
    build_options build{};
    // Replaced FIBs that are kept while stalled readers hold them; at this many, publication is deferred.
    // Must not be 0. Costs nothing until a reader stalls.
    std::size_t most_old_versions = 4;
    // False: commits change the RIB only, and publish() shows all of them to the readers at once.
    bool publish_on_commit = true;
    // How long left_right waits for readers of its standby before it builds a third FIB. Without a value: as
    // long as the last build took.
    std::optional<nanoseconds> patience{};
};

// In bytes.
struct table_memory {
    std::size_t rib = 0;
    std::size_t fib = 0;     // the published one
    std::size_t old = 0;     // left_right's standby, and FIBs that readers still hold
    std::size_t updates = 0; // changes that are not yet applied, and the readers' cache lines
    std::size_t total() const noexcept { return rib + fib + old + updates; }
};

// `unchanged`: readers already see the RIB as it is. `deferred`: the change is in the RIB, and readers do not
// see it yet. Either commits wait for publish() (publish_on_commit), or stalled readers hold as many old
// versions as the table keeps, or the FIB that left_right would patch; then commit or publish() again.
enum class publish_state : std::uint8_t { published, unchanged, deferred };

// What a commit did. `changes` counts prefixes whose next hop is now another one; `version` is the newest
// that readers see.
struct commit_result {
    publish_state state = publish_state::unchanged;
    std::size_t changes = 0;
    std::uint64_t version = 0;
};

// What replace_all() found.
struct replace_counts {
    std::size_t added = 0;
    std::size_t removed = 0;
    std::size_t replaced = 0; // same prefix, another next hop
    commit_result commit{};
};

// Readers that keep old versions from being freed.
struct stall {
    std::size_t versions = 0;       // replaced FIBs still held
    std::size_t readers = 0;        // readers pinned to a version older than the newest
    std::uint64_t publications = 0; // how many publications the furthest of them is behind
    std::size_t bytes = 0;          // memory of those FIBs
};

} // namespace fingerpost
