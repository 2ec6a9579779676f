// Two FIBs that take turns: one is published, the other is brought up to date where no reader looks.
//
//      published   version 8, lacks what was put off
//      spare       version 7, lacks that and what version 8 has more
//
// A FIB's backlog is a list of prefixes, not of changes: what a prefix decides is asked of the RIB when the
// FIB is patched, so a prefix that flaps is patched once. Where the scheme can, the spare first follows what
// is published, and then it lacks only what was put off; of what changes most it may share all that stays.
// Left-right needs the spare free of readers. While one still holds it, publication is put off; when that has
// lasted as long as building a FIB takes, the spare is left to its reader and a third FIB is built. So a
// reader that stalls costs one FIB, and the others keep getting updates. A FIB whose backlog is as dear as
// building, or that could not be patched, is built anew.
//
// Source: P. Ramalhete, A. Correia, Left-Right: a concurrency control technique with wait-free population
// oblivious reads, 2013; its readers are replaced by those of readers.hpp.
#pragma once

#include <array>

#include "fingerpost/table/update.hpp"

namespace fingerpost::detail {

// What one FIB lacks.
template <class A>
class backlog {
  public:
    bool empty() const noexcept { return list_.empty() && !hopeless_; }
    bool hopeless() const noexcept { return hopeless_; }
    std::size_t size() const noexcept { return list_.size(); }
    std::size_t memory_bytes() const noexcept { return list_.capacity() * sizeof(touched<A>); }

    void clear() noexcept {
        list_.clear();
        hopeless_ = false;
    }
    // Only a new FIB helps.
    void give_up() noexcept {
        list_ = {};
        hopeless_ = true;
    }
    // Coalesces when the list has doubled. Throws std::bad_alloc.
    void reserve(std::size_t more, std::size_t most) {
        if (hopeless_)
            return;
        if (list_.size() + more > next_look_) {
            coalesce();
            next_look_ = std::max<std::size_t>(2 * (list_.size() + more), 1024);
        }
        if (list_.size() + more > most)
            return give_up();
        if (list_.capacity() < list_.size() + more)
            list_.reserve(std::max(list_.size() + more, 2 * list_.capacity()));
    }
    void add(std::span<const touched<A>> news) noexcept {
        if (!hopeless_)
            list_.insert(list_.end(), news.begin(), news.end());
    }
    void take_back(std::size_t count) noexcept {
        if (!hopeless_)
            list_.resize(list_.size() - count);
    }
    // Each prefix once, with what the FIB had for it at first. Throws std::bad_alloc.
    std::span<const touched<A>> coalesce() {
        if (list_.size() < 2)
            return list_;
        // Most often the changes of two transactions, each in order.
        const auto before = [](const auto& a, const auto& b) { return a.where < b.where; };
        const auto second = std::is_sorted_until(list_.begin(), list_.end(), before);
        if (std::is_sorted(second, list_.end(), before))
            std::inplace_merge(list_.begin(), second, list_.end(), before);
        else
            std::stable_sort(list_.begin(), list_.end(), before);
        list_.erase(std::unique(list_.begin(), list_.end(),
                                [](const auto& a, const auto& b) { return a.where == b.where; }),
                    list_.end());
        return list_;
    }

  private:
    std::vector<touched<A>> list_;
    bool hopeless_ = false;
    std::size_t next_look_ = 1024;
};

template <class A>
class left_right_updates {
    using clock = std::chrono::steady_clock;

  public:
    explicit left_right_updates(const update_context<A>& on) : on_(on) {}

    errc prepare(std::span<const edit<A>> edits) noexcept try {
        const std::size_t most = on_.most_patches();
        behind_published_.reserve(edits.size(), most);
        behind_spare_.reserve(edits.size(), most);
        return errc::ok;
    } catch (const std::bad_alloc&) {
        return errc::out_of_memory;
    }
    expected<publish_state> carry(std::span<const touched<A>> news) noexcept {
        (void)hold(news);
        const auto done = publish();
        // Where nothing could be published, the spare is gone as well.
        if (!done)
            behind_published_.take_back(news.size());
        return done;
    }
    errc hold(std::span<const touched<A>> news) noexcept {
        behind_published_.add(news);
        behind_spare_.add(news);
        return errc::ok;
    }

    expected<publish_state> publish() noexcept {
        if (behind_published_.empty()) {
            settle();
            return publish_state::unchanged;
        }
        on_.out->reclaim();
        if (behind_spare_.hopeless())
            return reload();
        if (spare_ != nullptr && !freed_soon(*spare_)) {
            if (!out_of_patience())
                return publish_state::put_off;
            drop_spare();
        }
        if (spare_ != nullptr) {
            auto next = on_.out->take_kept();
            spare_ = nullptr;
            if (catch_up(*next)) {
                swap_in(std::move(next));
                return publish_state::published;
            }
        }
        return build_third();
    }

    // Both FIBs at once, so that the next change need not build one.
    expected<publish_state> reload() noexcept {
        drop_spare();
        const auto done = build_third();
        if (!done)
            return done;
        if (*done == publish_state::put_off) {
            behind_published_.give_up();
            return done;
        }
        drop_spare();
        on_.out->reclaim();
        auto second = on_.build_twin(on_.out->newest());
        if (second) {
            spare_ = second->get();
            on_.out->keep(std::move(*second));
        }
        return done;
    }

    void reclaim() noexcept {
        on_.out->reclaim();
        settle();
    }
    std::size_t pending() const noexcept {
        return behind_published_.hopeless() ? on_.truth->size() + 1 : behind_published_.size();
    }
    std::size_t memory_bytes() const noexcept {
        return behind_published_.memory_bytes() + behind_spare_.memory_bytes() +
               told_.decided.capacity() * sizeof told_.decided[0];
    }

  private:
    // Left to its readers, freed after them.
    void drop_spare() noexcept {
        on_.out->keep(nullptr);
        spare_ = nullptr;
        behind_spare_.clear();
    }
    void swap_in(std::unique_ptr<instance<A>> next) noexcept {
        spare_ = &on_.out->newest();
        next->reveal();
        on_.out->publish(std::move(next));
        on_.out->keep(spare_);
        std::swap(behind_spare_, behind_published_);
        behind_published_.clear();
        waiting_since_.reset();
        settle();
    }
    // Where the two FIBs share what changes. What cannot be settled now is settled when the spare follows.
    void settle() noexcept {
        instance<A>& newest = on_.out->newest();
        if (!newest.is_settled() && spare_ != nullptr && freed_soon(*spare_))
            newest.settle();
    }
    expected<publish_state> build_third() noexcept {
        if (!on_.out->has_room())
            return publish_state::put_off;
        const auto start = clock::now();
        auto built = on_.build();
        if (!built)
            return unexpected{built.error()};
        last_build_ = clock::now() - start;
        swap_in(std::move(*built));
        return publish_state::published;
    }
    // Changes that go to a FIB together, so that what they read from memory is waited for together.
    static constexpr std::size_t together = rib<A>::together;
    // Looks up where they begin.
    static void bring(const instance<A>& fib, std::span<const prefix<A>> prefixes) noexcept {
        if (prefixes.size() < 4)
            return;
        std::array<A, together> firsts;
        std::array<next_hop, together> answers;
        for (std::size_t i = 0; i < prefixes.size(); ++i)
            firsts[i] = prefixes[i].first();
        fib.lookup(std::span(firsts).first(prefixes.size()), std::span(answers).first(prefixes.size()));
    }
    // At most `together` of them.
    bool apply(instance<A>& behind, std::span<const touched<A>> changes) {
        std::array<prefix<A>, together> prefixes;
        std::array<typename rib<A>::surroundings, together> around;
        for (std::size_t i = 0; i < changes.size(); ++i)
            prefixes[i] = changes[i].where;
        const auto all = std::span<const prefix<A>>(prefixes).first(changes.size());
        bring(behind, all);
        on_.truth->around(all, around);
        for (std::size_t i = 0; i < changes.size(); ++i) {
            on_.truth->describe(prefixes[i], changes[i].before, around[i], told_, on_.scheme->decided_from);
            if (told_.before != told_.after && behind.apply(told_) != errc::ok)
                return false;
        }
        return true;
    }
    // False leaves a FIB that may be used no more.
    bool catch_up(instance<A>& behind) noexcept try {
        const errc followed = behind.follow(on_.out->newest());
        if (followed != errc::ok && followed != errc::unsupported)
            return false;
        backlog<A>& list = followed == errc::ok ? behind_published_ : behind_spare_;
        const std::span<const touched<A>> lacking = list.coalesce();
        for (std::size_t i = 0; i < lacking.size(); i += together)
            if (!apply(behind, lacking.subspan(i, std::min(together, lacking.size() - i))))
                return false;
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
    // A reader that is at work lets go of a FIB at the end of its batch, which is sooner than trying again
    // would be: waits for that, but never longer than some batches take.
    bool freed_soon(const instance<A>& fib) const noexcept {
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
        return now - *waiting_since_ >= on_.patience.value_or(last_build_);
    }

    update_context<A> on_;
    backlog<A> behind_published_;
    backlog<A> behind_spare_;
    change<A> told_; // keeps its memory
    const instance<A>* spare_ = nullptr;
    std::optional<clock::time_point> waiting_since_;
    std::chrono::nanoseconds last_build_ = std::chrono::milliseconds(1);
};

} // namespace fingerpost::detail
