// The policy in_place: patches the FIB that readers use, for schemes that prove what readers see.
//
// There is one FIB. Readers see each route of a transaction separately, in prefix order. Unlinked memory is
// reused when the readers of that time have left. A new FIB is built when a transaction does not fit (for
// example because a reader stalls) and when too much changes. It is also built for the first route longer
// than /64, if readers rely on there being none.
//
// A transaction that fails halfway is undone. The changes that undo it are computed before the RIB changes,
// and it starts only if there is room for both, so undoing cannot fail.
#pragma once

#include "fingerpost/table/update.hpp"

namespace fingerpost::detail {

template <class A>
class in_place_updates : private rebuild_updates<A> {
    using rebuilding = rebuild_updates<A>;

  public:
    explicit in_place_updates(const update_context<A>& on) : rebuilding(on, true) {}

    errc prepare(std::span<const edit<A>> edits, bool undoable) noexcept try {
        is_patched_ = false;
        back_.clear();
        forth_.clear();
        too_many_ = pending() > 0 || edits.size() > on_.most_patches();
        if (too_many_)
            return errc::ok;
        forth_.reserve(edits.size());
        // A single change is always complete or has no effect.
        if (edits.size() > 1 || undoable)
            for (const edit<A>& e : edits)
                back_.push_back(on_.truth->describe(e.where, e.hop));
        return errc::ok;
    } catch (...) {
        return reason_of_exception();
    }

    // Readers of a patched FIB see the changes from now on.
    expected<publish_state> get_ready(std::span<const touched<A>> news) noexcept {
        on_.out->reclaim();
        is_patched_ = !too_many_ && patch(news);
        return is_patched_ ? publish_state::published : rebuilding::get_ready(news);
    }
    using rebuilding::get_ready;
    bool stage() noexcept { return !std::exchange(is_patched_, false) && rebuilding::stage(); }
    using rebuilding::shown;
    void drop_ready(std::size_t count) noexcept {
        if (std::exchange(is_patched_, false))
            take_back(*on_.out->newest().fib, forth_, on_.out->version());
        else
            rebuilding::drop_ready(count);
    }
    using rebuilding::defer;
    using rebuilding::defer_all;
    using rebuilding::get_ready_anew;
    using rebuilding::pending;
    using rebuilding::reclaim;
    using rebuilding::take_over;
    std::size_t memory_bytes() const noexcept {
        return (forth_.capacity() + back_.capacity()) * sizeof(change<A>);
    }

  private:
    std::size_t needs(const std::vector<change<A>>& changes) const noexcept {
        std::size_t total = 0;
        for (const change<A>& c : changes)
            total += on_.out->newest().fib->needs(c);
        return total;
    }
    static bool is_first_long(const change<A>& c) noexcept {
        return c.where.length > first_half && c.after != next_hop::none;
    }
    bool patch(std::span<const touched<A>> news) noexcept try {
        any_fib<A>& fib = *on_.out->newest().fib;
        for (const auto& [where, before] : news)
            forth_.push_back(on_.truth->describe(where, before));
        if (!back_.empty() && needs(forth_) + needs(back_) > fib.room())
            return false;
        if (fib.answers_first64() && std::any_of(forth_.begin(), forth_.end(), is_first_long))
            return false;
        const std::uint64_t version = on_.out->version();
        for (std::size_t i = 0; i < forth_.size(); ++i)
            if (fib.apply_in_place(forth_[i], version) != errc::ok) {
                take_back(fib, std::span(forth_).first(i), version);
                return false;
            }
        return true;
    } catch (...) {
        (void)reason_of_exception();
        return false;
    }

    // Undoes only the changes in `applied`, because a scheme may not support removing a route that it does
    // not have. `back_` has their inverses in the same order, mixed with edits that change nothing.
    void take_back(any_fib<A>& fib, std::span<const change<A>> applied, std::uint64_t version) noexcept {
        auto undo = back_.cbegin();
        for (const change<A>& c : applied) {
            while (undo->where != c.where)
                ++undo;
            (void)fib.apply_in_place(*undo, version);
        }
    }

    using rebuilding::on_;

    std::vector<change<A>> forth_;
    std::vector<change<A>> back_; // undoes each edit
    bool too_many_ = false;
    bool is_patched_ = false; // and the patch is not yet staged
};

} // namespace fingerpost::detail
