// Runs a list of changes on a live table and compares its answers with the oracle.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/workloads/change/update_workload.hpp"
#include "fingerpost/table/table.hpp"
#include "tests/oracle/by_parent.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/oracle/verify.hpp"

namespace fingerpost::bench {

struct play_counts {
    std::uint64_t commits = 0;
    std::uint64_t deferred = 0; // commits
    std::uint64_t changes = 0;  // prefixes whose next hop has changed
};

template <class A>
class live_play {
  public:
    using turn = typename update_player<A>::turn;

    // The table must have the routes that the list was made for, including `beforehand`.
    live_play(table<A>& live, const update_list<A>& list) : live_(&live), player_(list) {}

    turn next() noexcept { return player_.next(); }

    // Makes the next change in its own transaction. After an error, here and below, the player is ahead of
    // the table.
    errc change(const turn& t, play_counts& counts) noexcept {
        const errc done = t.to == next_hop::none ? live_->withdraw(t.where) : live_->announce(t.where, t.to);
        ++counts.commits;
        ++counts.changes;
        counts.deferred += live_->pending() != 0 ? 1 : 0;
        return done;
    }
    // Makes the next `burst` changes as one transaction.
    errc commit(std::size_t burst, play_counts& counts) {
        if (burst == 1)
            return change(next(), counts);
        edits_.clear();
        for (std::size_t i = 0; i < burst; ++i) {
            const turn t = next();
            edits_.push_back({t.where, t.to});
        }
        auto changes = live_->begin();
        if (const changes_taken result = changes.change(edits_); result.failure != errc::ok)
            return result.failure;
        const auto done = changes.commit();
        if (!done)
            return done.error();
        ++counts.commits;
        counts.changes += done->changes;
        counts.deferred += done->state == publish_state::deferred ? 1 : 0;
        return errc::ok;
    }
    // Waits until readers see all changes. Readers release their snapshots after each batch, so this ends;
    // the limit of ten seconds is for a table that never publishes. Returns an error message, or an empty
    // text.
    std::string_view finish_publish() noexcept {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (live_->pending() != 0) {
            if (const auto done = live_->publish(); !done)
                return message(done.error());
            if (std::chrono::steady_clock::now() > end)
                return "publication has stopped";
        }
        return {};
    }

    // Returns the first wrong answer of readers at the addresses where routes of the list begin or end.
    // `sorted` are the routes that the list was made for. Throws std::bad_alloc.
    std::optional<oracle::difference<A>> check(std::span<const route<A>> sorted, std::size_t& checked) {
        const auto state = player_.state();
        std::vector<route<A>> touched;
        std::vector<route<A>> now;
        for (const auto& [where, hop] : state) {
            touched.push_back({where, hop});
            if (hop != next_hop::none)
                now.push_back({where, hop});
        }
        for (const route<A>& r : sorted)
            if (!state.contains(r.where))
                now.push_back(r);
        const oracle::by_parent<A> right(now);
        const std::vector<A> addresses = oracle::probes<A>(touched);
        auto reader = live_->reader();
        if (!reader)
            throw std::bad_alloc();
        return oracle::verify<A>(reader->pin(), right, std::span<const A>(addresses), &checked);
    }

  private:
    table<A>* live_;
    update_player<A> player_;
    std::vector<edit<A>> edits_; // of a burst
};

} // namespace fingerpost::bench
