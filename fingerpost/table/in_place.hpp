// Changes made in the FIB that readers read, for schemes that prove what a reader then sees.
//
// There is one FIB. Readers see each route of a transaction by itself, in the order of the prefixes. What a
// change unlinks is used again when the readers of its time have gone. A FIB without room for a transaction,
// be it that a reader stalls, is replaced by one built anew, as is one that much has to be changed in. So is
// one whose readers rely on it that no route is longer than /64, when the first such route comes.
//
// A transaction that fails on its way is taken back: the changes that undo it are worked out before the RIB
// changes, and it is begun only if there is room for both, so taking it back cannot fail.
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
        // A single change is made as a whole or not at all.
        if (edits.size() > 1 || undoable)
            for (const edit<A>& e : edits)
                back_.push_back(on_.truth->describe(e.where, e.hop));
        return errc::ok;
    } catch (...) {
        return reason_of_exception();
    }

    // A FIB that is patched shows the changes from then on.
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
        std::size_t all = 0;
        for (const change<A>& c : changes)
            all += on_.out->newest().fib->needs(c);
        return all;
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

    // Only those that were made: a scheme need not bear that a route goes which it does not have. `back_` has
    // them in the same order, between edits that change nothing.
    void take_back(any_fib<A>& fib, std::span<const change<A>> made, std::uint64_t version) noexcept {
        auto undo = back_.cbegin();
        for (const change<A>& c : made) {
            while (undo->where != c.where)
                ++undo;
            (void)fib.apply_in_place(*undo, version);
        }
    }

    using rebuilding::on_;

    std::vector<change<A>> forth_;
    std::vector<change<A>> back_; // what undoes each edit
    bool too_many_ = false;
    bool is_patched_ = false; // and not yet shown
};

} // namespace fingerpost::detail
