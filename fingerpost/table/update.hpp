// From a changed RIB to what readers see: three policies behind one interface.
//
//      rebuild      builds a new FIB from the RIB and publishes it: any scheme, O(routes) a publication
//      left_right   patches the FIB that was published before, publishes it, and brings the other one up to
//                   date when its turn comes: two FIBs, O(changes)
//      in_place     patches the FIB that readers read: one FIB, O(changes), each route by itself
//
// Each of them offers
//
//      errc prepare(edits)               before the RIB changes: all memory that could be missing later
//      expected<publish_state> apply_and_publish(touched)   after; anything but a state leaves readers, and
//      what is
//                                        still to be published, as they were before
//      defer(touched)                     the same without publishing
//      expected<publish_state> publish() what was deferred
//      expected<publish_state> reload()  the RIB is another one
//      void reclaim()                    frees and finishes what had to wait for readers
//      pending(), memory_bytes()
//
// None of them waits for a reader but left_right, which waits for the end of a batch, 20 us at a time. What
// cannot be published yet stays in the RIB and counts as pending.
#pragma once

#include <algorithm>
#include <chrono>
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
#include "fingerpost/table/snapshot.hpp"

namespace fingerpost {

// `unchanged`: readers see the RIB as it is already. `deferred`: readers that stall hold as many old versions
// as the table keeps, or the one that left-right would patch; commit or publish() again.
enum class publish_state : std::uint8_t { published, unchanged, deferred };

// What a prefix is to have; none withdraws it.
template <class A>
struct edit {
    prefix<A> where{};
    next_hop hop = next_hop::none;
};
// A prefix whose next hop is no longer `before`.
template <class A>
struct touched {
    prefix<A> where{};
    next_hop before = next_hop::none;
};

namespace detail {

// Sorts changes by prefix and leaves the first of each. Throws std::bad_alloc.
template <class A>
void first_of_each(std::vector<touched<A>>& list) {
    if (list.size() < 2)
        return;
    // Most often the changes of two transactions, each in order.
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

// What the policies work on.
template <class A>
struct update_context {
    const rib<A>* truth;
    publication<A>* out;
    const scheme_entry<A>* scheme;
    build_options options;
    // How long left-right waits for readers of the standby before it builds a third one; nothing: as long
    // as building takes.
    std::optional<std::chrono::nanoseconds> patience;

    // No patch is cheaper than a build from here on.
    std::size_t most_patches() const noexcept { return std::max<std::size_t>(1024, truth->size() / 4); }
    // `in_place`: with the room that patching under readers takes.
    expected<fib_version_pointer<A>> build(bool in_place = false) const noexcept try {
        const routes<A> all = truth->to_routes();
        return as_version(in_place ? scheme->build_in_place(all, options) : scheme->build(all, options));
    } catch (...) {
        return unexpected{reason_of_exception()};
    }
    // A second FIB that is as the active one, which was just built.
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

    errc prepare(std::span<const edit<A>>) noexcept { return errc::ok; }
    expected<publish_state> apply_and_publish(std::span<const touched<A>> news) noexcept {
        pending_ += news.size();
        const auto done = publish();
        if (!done)
            pending_ -= news.size();
        return done;
    }
    void defer(std::span<const touched<A>> news) noexcept { pending_ += news.size(); }
    expected<publish_state> publish() noexcept { return pending_ == 0 ? publish_state::unchanged : reload(); }
    expected<publish_state> reload() noexcept {
        if (!on_.out->has_room()) {
            pending_ += pending_ == 0 ? 1 : 0;
            return publish_state::deferred;
        }
        auto built = on_.build(in_place_);
        if (!built)
            return unexpected{built.error()};
        on_.out->publish(std::move(*built));
        pending_ = 0;
        return publish_state::published;
    }
    void reclaim() noexcept { on_.out->reclaim(); }
    std::size_t pending() const noexcept { return pending_; }
    std::size_t memory_bytes() const noexcept { return 0; }

  protected:
    update_context<A> on_;

  private:
    bool in_place_;
    std::size_t pending_ = 0;
};

} // namespace detail
} // namespace fingerpost
