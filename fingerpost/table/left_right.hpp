// The policy left_right: two FIBs take turns. One is published, the other is patched while no reader uses it.
//
//      active      version 8, lacks `newer`
//      standby     version 7, lacks `older` and `newer`
//
// Changes are recorded once, in two lists: `older` has the changes that only the standby lacks, `newer` those
// that both FIBs lack. So dropping an entry from `newer` drops it for both. Publication only reads the lists.
// They change after it has succeeded, so a failed commit simply removes what it added.
//
// The lists hold prefixes, not changes. The RIB computes the change when a FIB is patched, so a flapping
// prefix is patched once. A syncable standby first copies the active FIB and then lacks only `newer`. The two
// may share unchanged memory.
//
// The standby can be patched only while no reader holds it; until then publication is deferred. When the wait
// exceeds the time of a build, the standby is left to its reader and a third FIB is built. So a stalled
// reader costs one FIB, and the other readers keep getting updates. A FIB is also rebuilt if it lacks so much
// that building is cheaper, or if patching it failed.
//
// Source: P. Ramalhete, A. Correia, Left-Right: a concurrency control technique with wait-free population
// oblivious reads, 2013. Its readers are replaced by those of readers.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "fingerpost/table/update.hpp"

namespace fingerpost::detail {

// Changed prefixes, each with its previous next hop. After give_up() the list only records that there were
// too many.
template <class A>
class change_log {
  public:
    bool empty() const noexcept { return list_.empty() && !given_up_; }
    bool given_up() const noexcept { return given_up_; }
    std::size_t size() const noexcept { return list_.size(); }
    std::span<const touched<A>> list() const noexcept { return list_; }
    std::size_t memory_bytes() const noexcept { return list_.capacity() * sizeof(touched<A>); }

    void clear() noexcept {
        list_.clear();
        given_up_ = false;
    }
    void give_up() noexcept {
        list_ = {};
        given_up_ = true;
    }
    // Reserves memory for `more` entries. A list that has doubled first drops repeated prefixes. Returns
    // false, and reserves nothing, if there would be more than `most`. Throws std::bad_alloc.
    bool reserve(std::size_t more, std::size_t most) {
        if (given_up_)
            return true;
        if (list_.size() + more > std::min(next_look_, most)) {
            first_of_each(list_);
            next_look_ = std::max<std::size_t>(2 * (list_.size() + more), 1024);
        }
        if (list_.size() + more > most)
            return false;
        if (list_.capacity() < list_.size() + more)
            list_.reserve(std::max(list_.size() + more, 2 * list_.capacity()));
        return true;
    }
    // Adds at most as many entries as were reserved.
    void add(std::span<const touched<A>> news) noexcept {
        if (!given_up_)
            list_.insert(list_.end(), news.begin(), news.end());
    }
    // Removes the last `count` entries.
    void take_back(std::size_t count) noexcept {
        if (!given_up_)
            list_.resize(list_.size() - count);
    }

  private:
    std::vector<touched<A>> list_;
    bool given_up_ = false;
    std::size_t next_look_ = 1024;
};

template <class A>
class left_right_updates {
    using clock = std::chrono::steady_clock;

  public:
    explicit left_right_updates(const update_context<A>& on) : on_(on) {}

    errc prepare(std::span<const edit<A>> edits, bool) noexcept try {
        too_many_ = !newer_.reserve(edits.size(), on_.most_patches());
        return errc::ok;
    } catch (...) {
        return reason_of_exception();
    }
    expected<publish_state> get_ready(std::span<const touched<A>> news) noexcept {
        if (too_many_)
            return get_ready_anew();
        newer_.add(news);
        const auto done = get_ready();
        if (!done)
            newer_.take_back(news.size());
        return done;
    }
    void defer(std::span<const touched<A>> news) noexcept {
        if (too_many_)
            newer_.give_up();
        else
            newer_.add(news);
    }

    expected<publish_state> get_ready() noexcept {
        if (newer_.empty()) {
            finish_publish();
            return publish_state::unchanged;
        }
        on_.out->reclaim();
        if (newer_.given_up())
            return get_ready_anew();
        if (standby_ != nullptr && !freed_soon(*standby_)) {
            if (!out_of_patience())
                return publish_state::deferred;
            drop_standby();
        }
        if (standby_ != nullptr) {
            auto next = on_.out->take_standby();
            drop_standby();
            if (catch_up(*next->fib)) {
                ready_ = std::move(next);
                return publish_state::published;
            }
        }
        return build_third();
    }
    expected<publish_state> get_ready_anew() noexcept {
        drop_standby();
        const auto done = build_third();
        if (done && *done == publish_state::deferred)
            newer_.give_up();
        if (done && *done == publish_state::published)
            standby_after_ = standby_after::built;
        return done;
    }
    // `second` equals `built`, or is null: then the FIB is copied or, if that fails, built with the next
    // change.
    void take_over(fib_version_pointer<A> built, fib_version_pointer<A> second) noexcept {
        ready_ = std::move(built);
        second_ = std::move(second);
        standby_after_ = on_.scheme->syncable ? standby_after::built : standby_after::given;
    }
    bool stage() noexcept {
        standby_ = &on_.out->newest();
        ready_->fib->begin_publish();
        on_.out->stage(std::move(ready_));
        on_.out->set_standby(standby_);
        std::swap(older_, newer_);
        newer_.clear();
        waiting_since_.reset();
        return true;
    }
    // After a complete rebuild, create the second FIB immediately, so that the next change need not build it.
    void shown() noexcept {
        finish_publish();
        const standby_after how = std::exchange(standby_after_, standby_after::as_it_was);
        if (how == standby_after::as_it_was)
            return;
        drop_standby();
        on_.out->reclaim();
        if (second_ == nullptr && how == standby_after::built)
            if (auto built = on_.build_standby(*on_.out->newest().fib))
                second_ = std::move(*built);
        if (second_ == nullptr)
            return;
        older_.clear();
        standby_ = second_.get();
        on_.out->set_standby(std::move(second_));
    }
    void drop_ready(std::size_t count) noexcept {
        ready_.reset();
        standby_after_ = standby_after::as_it_was;
        if (!too_many_)
            newer_.take_back(count);
    }
    void defer_all() noexcept { newer_.give_up(); }

    void reclaim() noexcept {
        on_.out->reclaim();
        finish_publish();
    }
    std::size_t pending() const noexcept { return newer_.given_up() ? on_.truth->size() + 1 : newer_.size(); }
    std::size_t memory_bytes() const noexcept {
        return newer_.memory_bytes() + older_.memory_bytes() + lacking_.capacity() * sizeof(touched<A>) +
               change_.affected_ranges.capacity() * sizeof change_.affected_ranges[0];
    }

  private:
    // Source of the standby after a publication: the previous FIB, a newly built FIB, or the FIB passed to
    // take_over(), if any.
    enum class standby_after : std::uint8_t { as_it_was, built, given };

    // Leaves the standby to its readers. It is freed when they leave.
    void drop_standby() noexcept {
        on_.out->set_standby(nullptr);
        standby_ = nullptr;
    }
    // For FIBs that share memory. If a reader still holds the standby, the next sync_from() does this.
    void finish_publish() noexcept {
        any_fib<A>& newest = *on_.out->newest().fib;
        if (!newest.is_publish_finished() && standby_ != nullptr && freed_soon(*standby_))
            newest.finish_publish();
    }
    expected<publish_state> build_third() noexcept {
        if (!on_.out->can_keep_old())
            return publish_state::deferred;
        const auto start = clock::now();
        auto built = on_.build();
        if (!built)
            return unexpected{built.error()};
        last_build_ = clock::now() - start;
        ready_ = std::move(*built);
        return publish_state::published;
    }
    // Number of changes that are applied together, so that their cache misses overlap.
    static constexpr std::size_t together = rib<A>::together;
    // Looks up the first address of each prefix, which loads the path to each change into the cache.
    static void prefetch(const any_fib<A>& fib, std::span<const prefix<A>> prefixes) noexcept {
        if (prefixes.size() < 4)
            return;
        std::array<A, together> firsts;
        std::array<next_hop, together> answers;
        for (std::size_t i = 0; i < prefixes.size(); ++i)
            firsts[i] = prefixes[i].first();
        fib.lookup(std::span(firsts).first(prefixes.size()), std::span(answers).first(prefixes.size()));
    }
    // Applies at most `together` changes. Returns false if one failed.
    bool apply(any_fib<A>& fib, std::span<const touched<A>> changes) {
        std::array<prefix<A>, together> prefixes;
        std::array<typename rib<A>::neighbours, together> around;
        for (std::size_t i = 0; i < changes.size(); ++i)
            prefixes[i] = changes[i].where;
        const auto sought = std::span<const prefix<A>>(prefixes).first(changes.size());
        prefetch(fib, sought);
        on_.truth->find_neighbours(sought, around);
        for (std::size_t i = 0; i < changes.size(); ++i) {
            on_.truth->describe(prefixes[i], changes[i].before, around[i], change_,
                                on_.scheme->min_length_with_ranges);
            if (change_.before != change_.after && fib.apply(change_) != errc::ok)
                return false;
        }
        return true;
    }
    // Returns the changes that the standby lacks, each prefix once. Throws std::bad_alloc.
    std::span<const touched<A>> lacking(bool took_over) {
        lacking_.clear();
        if (!took_over)
            lacking_.assign(older_.list().begin(), older_.list().end());
        lacking_.insert(lacking_.end(), newer_.list().begin(), newer_.list().end());
        first_of_each(lacking_);
        return lacking_;
    }
    // After it returns false, the FIB may only be destroyed.
    bool catch_up(any_fib<A>& fib) noexcept try {
        const errc synced = fib.sync_from(*on_.out->newest().fib);
        const bool took_over = synced == errc::ok;
        if (!took_over && (synced != errc::unsupported || older_.given_up()))
            return false;
        const std::span<const touched<A>> changes = lacking(took_over);
        if (changes.size() > on_.most_patches())
            return false;
        for (std::size_t i = 0; i < changes.size(); i += together)
            if (!apply(fib, changes.subspan(i, std::min(together, changes.size() - i))))
                return false;
        return true;
    } catch (...) {
        (void)reason_of_exception();
        return false;
    }
    // Waits for at most the time of a few batches, because a running reader releases its FIB at the end of
    // its batch.
    bool freed_soon(const fib_version<A>& fib) const noexcept {
        constexpr auto some_batches = std::chrono::microseconds(20);
        if (!on_.out->is_held(fib))
            return true;
        const auto until = clock::now() + some_batches;
        while (clock::now() < until)
            if (!on_.out->is_held(fib))
                return true;
        return false;
    }
    bool out_of_patience() noexcept {
        const auto now = clock::now();
        if (!waiting_since_)
            waiting_since_ = now;
        const auto patience = on_.patience ? std::chrono::nanoseconds(on_.patience->count) : last_build_;
        return now - *waiting_since_ >= patience;
    }

    update_context<A> on_;
    change_log<A> newer_;             // lacking in both FIBs
    change_log<A> older_;             // lacking only in the standby
    bool too_many_ = false;           // the edits given to prepare() do not fit `newer_`
    std::vector<touched<A>> lacking_; // a member, like change_, to reuse its memory
    change<A> change_;
    const fib_version<A>* standby_ = nullptr;
    fib_version_pointer<A> ready_; // to be published
    fib_version_pointer<A> second_;
    standby_after standby_after_ = standby_after::as_it_was;
    std::optional<clock::time_point> waiting_since_;
    std::chrono::nanoseconds last_build_ = std::chrono::milliseconds(1);
};

} // namespace fingerpost::detail
