// The live table of one family in a replay. It tracks the changes that the next commit makes visible.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/replay/latency_histogram.hpp"
#include "fingerpost/base/hash_index.hpp"
#include "fingerpost/net/text.hpp"
#include "fingerpost/table/table.hpp"
#include "fingerpost/values/rows.hpp"
#include "io/format/parts/table_data.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {

using replay_clock = std::chrono::steady_clock;

struct changed_prefix {
    std::string prefix;
    std::uint64_t changes = 0;
};

template <class A>
class changed_table {
  public:
    // Throws failure if the scheme cannot hold the table.
    changed_table(io::loaded_table<A> start, const scheme_entry<A>& scheme)
        : live_(make(scheme)), values_(std::move(start.values)) {
        if (const auto done = live_.assign(std::move(start.routes)); !done)
            fail(done.error());
    }

    bool is_empty() const noexcept { return values_.size() == 0; }
    // Renames the columns of a table that has never had a route.
    void name_columns(std::span<const std::string_view> columns) { values_ = value_rows(columns); }

    // For each column of the table, the column of the updates that supplies it, if any.
    void set_columns(std::vector<std::optional<std::size_t>> from) { from_ = std::move(from); }

    // Returns false if the table does not change. Readers see the change after the next commit().
    bool announce(const prefix<A>& where, std::span<const std::string_view> cells,
                  replay_clock::time_point now) {
        row_.resize(from_.size());
        for (std::size_t i = 0; i < from_.size(); ++i)
            row_[i] = from_[i] ? cells[*from_[i]] : missing_cell;
        return change(where, values_.intern(row_), now);
    }
    bool withdraw(const prefix<A>& where, replay_clock::time_point now) {
        return change(where, next_hop::none, now);
    }

    // Makes the collected changes visible and records how long each one waited. Returns whether there were
    // any. Throws failure.
    bool commit(latency_histogram& visible) {
        if (edits_.empty())
            return false;
        auto together = live_.begin();
        const changes_taken changes = together.change(edits_);
        if (changes.failure != errc::ok)
            fail(changes.failure);
        if (const auto done = together.commit(); !done)
            fail(done.error());
        const auto now = replay_clock::now();
        for (const auto since : taken_)
            visible.add(static_cast<std::uint64_t>(
                std::chrono::duration_cast<std::chrono::nanoseconds>(now - since).count()));
        edits_.clear();
        taken_.clear();
        return true;
    }

    const table<A>& live() const noexcept { return live_; }
    const value_rows& values() const noexcept { return values_; }

    // Adds the most frequently changed prefixes to `into`; ties are in prefix order.
    void add_most_changed(std::size_t count, std::vector<changed_prefix>& into) const {
        std::vector<state> most(std::min(count, known_.size()));
        std::partial_sort_copy(known_.begin(), known_.end(), most.begin(), most.end(),
                               [](const state& a, const state& b) {
                                   return a.changes != b.changes ? a.changes > b.changes : a.where < b.where;
                               });
        for (const state& s : most)
            into.push_back({to_string(s.where), s.changes});
    }

  private:
    // The state of a changed prefix after the next commit.
    struct state {
        prefix<A> where;
        next_hop now;
        std::uint64_t changes;
    };

    [[noreturn]] static void fail(errc reason) {
        throw failure("the table: " + std::string(message(reason)));
    }
    static table<A> make(const scheme_entry<A>& scheme) {
        auto live = table<A>::create(scheme);
        if (!live)
            fail(live.error());
        return std::move(*live);
    }
    static std::uint32_t hash_of(const hash_key& key, const prefix<A>& where) noexcept {
        return key.hash(static_cast<u128>(where.base.value), where.length);
    }

    bool change(const prefix<A>& where, next_hop hop, replay_clock::time_point now) {
        const auto same = [&](std::uint32_t position) { return known_[position].where == where; };
        const std::uint32_t slot = index_.find(hash_of(index_.key(), where), same);
        if (slot == hash_index::none)
            return change_first(where, hop, now);
        state& known = known_[slot];
        if (known.now == hop)
            return false;
        known.now = hop;
        ++known.changes;
        gather(where, hop, now);
        return true;
    }
    // Updates that change nothing are not recorded, so a stream of them takes no memory.
    bool change_first(const prefix<A>& where, next_hop hop, replay_clock::time_point now) {
        if (live_.get(where) == hop)
            return false;
        index_.grow(known_.size(), [this](const hash_key& key, std::uint32_t position) {
            return hash_of(key, known_[position].where);
        });
        std::uint32_t& position =
            index_.slot(hash_of(index_.key(), where), [](std::uint32_t) { return false; });
        known_.push_back({where, hop, 1});
        position = to_u32(known_.size() - 1, "prefixes");
        gather(where, hop, now);
        return true;
    }
    void gather(const prefix<A>& where, next_hop hop, replay_clock::time_point now) {
        edits_.push_back({where, hop});
        taken_.push_back(now);
    }

    table<A> live_;
    value_rows values_;
    std::vector<std::optional<std::size_t>> from_;
    std::vector<std::string_view> row_;
    std::vector<state> known_;
    hash_index index_;
    std::vector<edit<A>> edits_;                  // not committed yet
    std::vector<replay_clock::time_point> taken_; // arrival time of each edit
};

} // namespace fingerpost::cli
