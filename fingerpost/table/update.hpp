// How changes of a RIB reach readers: the common part of the three policies, and the policy `rebuild`.
// table_options.hpp describes the policies. left_right.hpp and in_place.hpp implement the other two.
//
// Each policy has
//
//      errc prepare(edits, undoable)
//          before the RIB changes: reserves memory. `undoable`: drop_ready() may follow
//      expected<publish_state> get_ready(touched)
//          after the RIB changed: creates the FIB with these changes and the deferred ones. On an error,
//          readers and deferred changes are as before
//      expected<publish_state> get_ready()
//          creates the FIB with only the deferred changes
//      expected<publish_state> get_ready_anew()
//          creates the FIB for a RIB that was replaced as a whole
//      void take_over(built, second)
//          replaces these for a change of the scheme, with a complete FIB; left_right may get a second,
//          equal one
//      bool stage()
//          after `published` was returned: readers get the FIB with the table's next version. False if they
//          have it already, patched in place
//      void shown()
//          after stage(), when readers see that version
//      drop_ready(count)
//          replaces stage(), or follows defer(): undoes the last `count` changes
//      defer(touched), defer_all()
//          records the changes, or that the whole RIB was replaced, without publishing them
//      void reclaim()
//          frees and finishes what had to wait for readers
//      pending(), memory_bytes()
//
// Only left_right waits for readers: for the end of a batch, at most 20 us at a time. Changes that cannot be
// published yet stay in the RIB and count as pending.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/scheme_entry.hpp"
#include "fingerpost/rib/rib.hpp"
#include "fingerpost/table/edit.hpp"
#include "fingerpost/table/publication.hpp"
#include "fingerpost/table/table_options.hpp"

namespace fingerpost {

namespace detail {

// Sorts changes by prefix and keeps the first one of each prefix. Throws std::bad_alloc.
template <class A>
void first_of_each(std::vector<touched<A>>& list) {
    if (list.size() < 2)
        return;
    // Most lists are the changes of two transactions, each in order.
    const auto before = [](const auto& a, const auto& b) { return a.where < b.where; };
    const auto second = std::is_sorted_until(list.begin(), list.end(), before);
    if (std::is_sorted(second, list.end(), before))
        std::inplace_merge(list.begin(), second, list.end(), before);
    else
        std::stable_sort(list.begin(), list.end(), before);
    list.erase(std::unique(list.begin(), list.end(),
                           [](const auto& a, const auto& b) { return a.where == b.where; }),
               list.end());
}

// Members of the table that policies use.
template <class A>
struct update_context {
    const rib<A>* truth;
    publication<A>* out;
    const scheme_entry<A>* scheme;
    build_options options;
    std::optional<nanoseconds> patience; // see table_options

    // With more patches than this, building is cheaper.
    std::size_t most_patches() const noexcept { return std::max<std::size_t>(1024, truth->size() / 4); }
    // `in_place`: leaves the slack that patching under readers needs.
    expected<fib_version_pointer<A>> build(bool in_place = false) const noexcept try {
        const routes<A> input = truth->to_routes();
        return as_version(in_place ? scheme->build_in_place(input, options) : scheme->build(input, options));
    } catch (...) {
        return unexpected{reason_of_exception()};
    }
    // Returns a copy of the active FIB, which was just built.
    expected<fib_version_pointer<A>> build_standby(any_fib<A>& active) const noexcept try {
        if (scheme->syncable) {
            auto standby = scheme->build(routes<A>{}, options);
            if (standby && (*standby)->sync_from(active) == errc::ok)
                return as_version(std::move(standby));
        }
        return build();
    } catch (...) {
        return unexpected{reason_of_exception()};
    }

  private:
    static expected<fib_version_pointer<A>> as_version(expected<fib_pointer<A>> built) {
        if (!built)
            return unexpected{built.error()};
        return std::make_unique<fib_version<A>>(std::move(*built));
    }
};

template <class A>
class rebuild_updates {
  public:
    explicit rebuild_updates(const update_context<A>& on, bool in_place = false)
        : on_(on), in_place_(in_place) {}

    errc prepare(std::span<const edit<A>>, bool) noexcept { return errc::ok; }
    expected<publish_state> get_ready(std::span<const touched<A>> news) noexcept {
        pending_ += news.size();
        const auto done = get_ready();
        if (!done)
            pending_ -= news.size();
        return done;
    }
    expected<publish_state> get_ready() noexcept {
        return pending_ == 0 ? publish_state::unchanged : get_ready_anew();
    }
    expected<publish_state> get_ready_anew() noexcept {
        if (!on_.out->can_keep_old()) {
            defer_all();
            return publish_state::deferred;
        }
        auto built = on_.build(in_place_);
        if (!built)
            return unexpected{built.error()};
        ready_ = std::move(*built);
        return publish_state::published;
    }
    void take_over(fib_version_pointer<A> built, fib_version_pointer<A>) noexcept {
        ready_ = std::move(built);
    }
    bool stage() noexcept {
        on_.out->stage(std::move(ready_));
        pending_ = 0;
        return true;
    }
    void shown() noexcept {}
    void drop_ready(std::size_t count) noexcept {
        ready_.reset();
        pending_ -= count;
    }
    void defer(std::span<const touched<A>> news) noexcept { pending_ += news.size(); }
    void defer_all() noexcept { pending_ += pending_ == 0 ? 1 : 0; }
    void reclaim() noexcept { on_.out->reclaim(); }
    std::size_t pending() const noexcept { return pending_; }
    std::size_t memory_bytes() const noexcept { return 0; }

  protected:
    update_context<A> on_;

  private:
    bool in_place_;
    std::size_t pending_ = 0;
    fib_version_pointer<A> ready_;
};

} // namespace detail
} // namespace fingerpost
