// Internals of a table for one family: the RIB, the published FIB, and the policy that applies changes of the
// RIB to the FIB.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "fingerpost/rib/rib.inl.hpp"
#include "fingerpost/table/in_place.hpp"
#include "fingerpost/table/left_right.hpp"
#include "fingerpost/table/scheme_change.hpp"
#include "fingerpost/table/walks.hpp"

namespace fingerpost::detail {

// Changes of one commit in one family: edits, or a complete new list of routes.
template <class A>
struct family_news {
    std::span<const edit<A>> edits{};
    std::optional<std::vector<route<A>>> routes{};
};

template <class A>
struct core_setup {
    fib_version_pointer<A> empty;
    update_context<A> on;
    policy how;
    std::size_t most_old;
};

template <class A>
class table_core {
    static constexpr std::size_t together = rib<A>::together;
    // Prefetch before a change if the RIB is larger. With 512 KB of L2, changes became 1/8 faster with
    // 901,899 IPv4 routes and 1/8 slower with 160,147 IPv6 routes (7 MB).
    static constexpr std::size_t far_bytes = std::size_t{16} << 20;
    // A walk restarts after this many changes, or after as many as there are routes if that is more.
    static constexpr std::size_t least_noted = 4096;
    // An empty RIB is rebuilt for more changes than this.
    static constexpr std::size_t few = 64;
    using updates = std::variant<rebuild_updates<A>, left_right_updates<A>, in_place_updates<A>>;

  public:
    // Throws std::bad_alloc.
    table_core(core_setup<A> setup, const reader_registry& readers, const atomic_word<std::uint64_t>& version)
        : out_(std::move(setup.empty), setup.most_old, readers, version), on_(complete(setup.on)),
          updates_(make(on_, setup.how)) {}
    table_core(const table_core&) = delete;
    table_core& operator=(const table_core&) = delete;

    const publication<A>& out() const noexcept { return out_; }
    const rib<A>& truth() const noexcept { return rib_; }
    const scheme_entry<A>& scheme() const noexcept { return *on_.scheme; }
    policy update_policy() const noexcept {
        return std::array{policy::rebuild, policy::left_right, policy::in_place}[updates_.index()];
    }
    // Queries hold it shared. The writer holds it exclusively while it changes the RIB.
    fair_lock& lock() const noexcept { return lock_; }
    // Returns all routes that `p` covers, in prefix order, as a consistent snapshot. Holds the lock for some
    // hundred routes at a time. Throws std::bad_alloc.
    std::vector<route<A>> copy_covered(const prefix<A>& p) const {
        return walk<A>(rib_, lock_, walks_, p).copy();
    }
    std::size_t pending() const noexcept {
        return std::visit([](const auto& u) { return u.pending(); }, updates_);
    }
    std::size_t update_memory_bytes() const noexcept {
        return std::visit([](const auto& u) { return u.memory_bytes(); }, updates_);
    }

    // A commit takes these steps in each family: make() changes the RIB, or fails and changes nothing.
    // get_ready() creates the FIB, or fails. Then there are three cases. stage() gives the FIB to readers
    // with the table's next version, and shown() follows when they have it; or hold_back() keeps the changes
    // for a later commit; or take_back() undoes everything, which readers notice only if the FIB is patched
    // in place.
    //
    // Prefixes of edits are canonical and unique. Edits without effect are not counted. `undoable`:
    // get_ready() may be followed by another step than stage() although it succeeded.
    errc make(family_news<A>& news, bool undoable) noexcept {
        // Many changes to an empty RIB, or a withdrawal of everything, take longer than building all of it.
        if (!news.routes && news.edits.size() > few && (rib_.empty() || withdraws_all(news.edits)))
            if (const errc failure = or_reason([&] { return news.routes = all_of(news.edits), errc::ok; });
                failure != errc::ok)
                return failure;
        return news.routes ? make(std::move(*news.routes)) : make(news.edits, undoable);
    }
    errc get_ready(bool publishes) noexcept {
        const auto state = std::visit([&](auto& u) { return this->get_ready(u, publishes); }, updates_);
        if (!state)
            return state.error();
        ready_ = *state;
        return errc::ok;
    }
    // Valid after get_ready().
    publish_state state() const noexcept { return *ready_; }
    // Returns false if readers already have the FIB.
    bool stage() noexcept {
        return *ready_ == publish_state::published && std::visit([](auto& u) { return u.stage(); }, updates_);
    }
    // Returns the number of prefixes with a changed next hop.
    std::size_t shown() noexcept {
        if (*std::exchange(ready_, std::nullopt) == publish_state::published)
            std::visit([](auto& u) { u.shown(); }, updates_);
        const std::size_t count = replaced_ ? rib_.size() : touched_.size();
        replaced_.reset();
        // Only after many changes, because copying the RIB takes as long as many changes.
        if (touched_.size() > 1000)
            compact_rib();
        if (!touched_.empty())
            note_since();
        touched_.clear();
        // Free the list of a large transaction.
        if (touched_.capacity() > 4096)
            touched_ = {};
        return count;
    }
    void hold_back() noexcept {
        if (std::exchange(ready_, publish_state::deferred) != publish_state::published)
            return;
        std::visit(
            [this](auto& u) {
                u.drop_ready(touched_.size());
                replaced_ ? u.defer_all() : u.defer(touched_);
            },
            updates_);
    }
    // Cannot fail, because each undo step reuses the nodes that its change freed.
    void take_back() noexcept {
        if (std::exchange(ready_, std::nullopt))
            std::visit([this](auto& u) { u.drop_ready(touched_.size()); }, updates_);
        if (replaced_) {
            swap_rib(*replaced_);
            replaced_.reset();
        } else if (!touched_.empty()) {
            const std::unique_lock guard(lock_);
            undo_locked();
            walks_.lose_all();
        }
    }
    // In this case, readers see the changes already during get_ready().
    bool is_in_place() const noexcept { return std::holds_alternative<in_place_updates<A>>(updates_); }

    void reclaim() noexcept {
        std::visit([](auto& u) { u.reclaim(); }, updates_);
        compact_rib();
    }

    // From now on, changed prefixes are recorded in a list of bounded length.
    expected<scheme_change<A>> begin_scheme(const scheme_entry<A>& scheme, policy how) noexcept try {
        owner<routes<A>> from(new routes<A>(rib_.to_routes()));
        since_.clear();
        is_noting_ = true;
        return scheme_change<A>(scheme, how, on_.options, std::move(from), ++scheme_changes_);
    } catch (...) {
        return unexpected{reason_of_exception()};
    }
    errc catch_up(scheme_change<A>& with) noexcept try {
        if (!is_last_begun(with))
            return errc::invalid;
        if (!make_noted(with, *with.first_->fib) ||
            (with.second_ != nullptr && !make_noted(with, *with.second_->fib))) {
            with.second_.reset();
            update_context<A> on = on_;
            on.scheme = with.scheme_;
            auto built = on.build(with.how_ == policy::in_place);
            if (!built) {
                with.is_built_ = false;
                return built.error();
            }
            with.first_ = owner(built->release());
        }
        since_.clear();
        return errc::ok;
    } catch (...) {
        return reason_of_exception();
    }
    bool can_take_over() noexcept { return out_.can_keep_old(); }
    // Replaces make() and get_ready(), after catch_up().
    void take_over(scheme_change<A>& with) noexcept {
        with.is_built_ = is_noting_ = false;
        since_.give_up();
        on_.scheme = with.scheme_;
        out_.set_standby(nullptr);
        updates_ = make(on_, with.how_);
        std::visit(
            [&](auto& u) {
                u.take_over(fib_version_pointer<A>(with.first_.release()),
                            fib_version_pointer<A>(with.second_.release()));
            },
            updates_);
        ready_ = publish_state::published;
    }
    // Replaces get_ready() to keep the other families waiting.
    void wait() noexcept { ready_ = publish_state::deferred; }

  private:
    bool withdraws_all(std::span<const edit<A>> edits) const noexcept {
        const auto withdraws = [](const edit<A>& e) { return e.hop == next_hop::none; };
        return edits.size() == rib_.size() && std::all_of(edits.begin(), edits.end(), withdraws);
    }
    static std::vector<route<A>> all_of(std::span<const edit<A>> edits) {
        std::vector<route<A>> result;
        result.reserve(edits.size());
        for (const edit<A>& e : edits)
            if (e.hop != next_hop::none)
                result.push_back({e.where, e.hop});
        return result;
    }
    errc make(std::span<const edit<A>> edits, bool undoable) noexcept try {
        touched_.reserve(edits.size());
        const errc failure = std::visit([&](auto& u) { return u.prepare(edits, undoable); }, updates_);
        return failure != errc::ok || edits.empty() ? failure : change_rib(edits);
    } catch (...) {
        return reason_of_exception();
    }
    errc make(std::vector<route<A>> loaded) noexcept {
        rib<A> next;
        if (const auto counts = next.assign(std::move(loaded)); !counts)
            return counts.error();
        swap_rib(next);
        replaced_.emplace(std::move(next));
        return errc::ok;
    }
    update_context<A> complete(update_context<A> on) noexcept {
        on.truth = &rib_;
        on.out = &out_;
        return on;
    }
    static updates make(const update_context<A>& on, policy how) {
        if (how == policy::left_right)
            return left_right_updates<A>(on);
        if (how == policy::in_place)
            return in_place_updates<A>(on);
        return rebuild_updates<A>(on);
    }
    // Records changes that are missing in a FIB that is being built on another thread.
    void note_since() noexcept {
        if (!is_noting_)
            return;
        if (or_reason([this] {
                return since_.reserve(touched_.size(), on_.most_patches()) ? errc::ok : errc::capacity;
            }) != errc::ok)
            since_.give_up();
        since_.add(touched_);
    }
    bool is_last_begun(const scheme_change<A>& change) const noexcept {
        return is_noting_ && change.number_ == scheme_changes_ && change.is_built();
    }
    // Applies the recorded changes to a FIB that no thread reads. Returns false if the FIB must be rebuilt.
    bool make_noted(const scheme_change<A>& with, any_fib<A>& fib) const {
        if (since_.empty())
            return true;
        if (since_.given_up() || !with.scheme_->patchable)
            return false;
        std::vector<touched<A>> changes(since_.list().begin(), since_.list().end());
        first_of_each(changes);
        for (const touched<A>& t : changes) {
            const change<A> c = rib_.describe(t.where, t.before);
            if (c.before != c.after && fib.apply(c) != errc::ok)
                return false;
        }
        return true;
    }
    template <class U>
    expected<publish_state> get_ready(U& u, bool publishes) noexcept {
        if (publishes && replaced_)
            return u.get_ready_anew();
        if (publishes)
            return touched_.empty() ? u.get_ready() : u.get_ready(touched_);
        replaced_ ? u.defer_all() : u.defer(touched_);
        return u.pending() == 0 ? publish_state::unchanged : publish_state::deferred;
    }

    errc change_rib(std::span<const edit<A>> edits) noexcept {
        const std::unique_lock guard(lock_);
        const bool is_far = rib_.memory_bytes() > far_bytes;
        for (std::size_t i = 0; i < edits.size(); ++i) {
            const edit<A>& e = edits[i];
            if (is_far && i % together == 0)
                prefetch(edits.subspan(i, std::min(together, edits.size() - i)));
            const auto before = e.hop == next_hop::none ? rib_.erase(e.where) : rib_.insert(e.where, e.hop);
            if (before && *before != e.hop)
                touched_.push_back({e.where, *before});
            else if (!before && before.error() != errc::not_found) {
                undo_locked();
                return before.error();
            }
        }
        walks_.note(touched_, std::max(least_noted, rib_.size()));
        return errc::ok;
    }
    // Searches for all prefixes together, which loads the memory that their changes read into the cache.
    void prefetch(std::span<const edit<A>> edits) const noexcept {
        if (edits.size() < 4)
            return;
        std::array<prefix<A>, together> prefixes;
        std::array<typename rib<A>::neighbours, together> ignored;
        for (std::size_t i = 0; i < edits.size(); ++i)
            prefixes[i] = edits[i].where;
        rib_.find_neighbours(std::span<const prefix<A>>(prefixes).first(edits.size()), ignored);
    }
    // Undoes changes in reverse order, so each step reuses nodes that its change freed and cannot fail.
    void undo_locked() noexcept {
        for (; !touched_.empty(); touched_.pop_back()) {
            const touched<A>& t = touched_.back();
            const auto done =
                t.before == next_hop::none ? rib_.erase(t.where) : rib_.insert(t.where, t.before);
            assert(done.has_value());
            (void)done;
        }
    }
    void compact_rib() noexcept {
        const std::unique_lock guard(lock_);
        rib_.compact();
    }
    void swap_rib(rib<A>& other) noexcept {
        const std::unique_lock guard(lock_);
        std::swap(rib_, other);
        walks_.lose_all();
        since_.give_up();
    }
    mutable fair_lock lock_;
    mutable walk_list<A> walks_;
    rib<A> rib_;
    publication<A> out_;
    update_context<A> on_;
    updates updates_;
    // State between the steps of a commit: the changes, or the previous RIB instead, and the result of
    // get_ready().
    std::vector<touched<A>> touched_;
    std::optional<rib<A>> replaced_;
    std::optional<publish_state> ready_;
    // Changes since the last begin_scheme().
    bool is_noting_ = false;
    std::uint64_t scheme_changes_ = 0;
    change_log<A> since_;
};

} // namespace fingerpost::detail
