// Publication and reclamation: the FIBs that readers see, and replaced FIBs that readers still hold.
//
//      published --> version 7        the newest: a FIB for each family
//      old           versions 6, 4    replaced; freed in a later call, when no reader holds them
//
// All families of a table have the same versions, so a change of several families is one publication. Called
// by the writer's thread. Nothing waits. Memory-order argument: readers.hpp and docs/inside/live_table.md.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/table/published.hpp"
#include "fingerpost/table/readers.hpp"
#include "fingerpost/table/table_options.hpp"

namespace fingerpost {

template <class A>
using fib_version_pointer = std::unique_ptr<fib_version<A>>;

// Versions of a table, and which of them readers have pinned.
template <class... A>
class versions {
    using set_pointer = std::unique_ptr<fib_set<A...>>;

  public:
    versions() = default;
    versions(const versions&) = delete;
    versions& operator=(const versions&) = delete;

    reader_registry& readers() noexcept { return readers_; }
    const reader_registry& readers() const noexcept { return readers_; }
    const published_fibs<A...>& published() const noexcept { return published_; }
    std::uint64_t newest() const noexcept { return published_.version(); }

    // Reserves memory for show(). Returns false if out of memory.
    bool make_room() noexcept {
        if (spare_ != nullptr)
            return true;
        for (set_pointer& set : sets_)
            if (set != sets_.back() && !readers_.hold(set->first, set->version.load_relaxed())) {
                spare_ = std::move(set);
                std::erase(sets_, nullptr);
                return true;
            }
        return or_reason([this] {
                   sets_.reserve(2 * sets_.size() + 2);
                   spare_ = std::make_unique<fib_set<A...>>();
                   return errc::ok;
               }) == errc::ok;
    }
    // Publishes these FIBs as the next version. Call make_room() first.
    void show(const any_fib<A>&... fibs) noexcept {
        assert(spare_ != nullptr && sets_.size() < sets_.capacity());
        ((static_cast<fib_slot<A>&>(*spare_).fib = &fibs), ...);
        const std::uint64_t number = newest() + 1;
        spare_->first = number;
        spare_->version.store_relaxed(number);
        sets_.push_back(std::move(spare_));
        published_.set(*sets_.back(), number);
    }
    // Publishes the same FIBs as the next version, after one was patched in place.
    void show_same() noexcept {
        const std::uint64_t number = newest() + 1;
        sets_.back()->version.store(number);
        published_.set_version(number);
    }

  private:
    published_fibs<A...> published_;
    alignas(cache_line_bytes) reader_registry readers_;
    std::vector<set_pointer> sets_; // the last one is published; the others may still be read by pinning
                                    // readers
    set_pointer spare_;
};

// FIBs of one family: the newest one and those it replaced. A FIB that is staged here becomes visible with
// the table's next version.
template <class A>
class publication {
  public:
    // `most_old` may be any number, because the list of old FIBs grows only while readers hold them.
    // `version` is the table's newest version. Throws std::bad_alloc.
    publication(fib_version_pointer<A> empty, std::size_t most_old, const reader_registry& readers,
                const atomic_word<std::uint64_t>& version)
        : readers_(&readers), version_(&version), most_old_(most_old) {
        old_.reserve(std::min(most_old, usual_old) + added_old);
        replace(std::move(empty));
    }
    publication(const publication&) = delete;
    publication& operator=(const publication&) = delete;

    const fib_version<A>& newest() const noexcept { return *newest_; }
    fib_version<A>& newest() noexcept { return *newest_; }
    std::uint64_t version() const noexcept { return version_->load_relaxed(); }

    // Frees unused FIBs. Returns true if one more old FIB can be kept: false at most_old, or if the list
    // cannot grow.
    bool can_keep_old() noexcept {
        reclaim();
        if (held_count() >= most_old_)
            return false;
        return old_.size() + added_old <= old_.capacity() || or_reason([this] {
                                                                 old_.reserve(2 * old_.size() + added_old);
                                                                 return errc::ok;
                                                             }) == errc::ok;
    }
    // Makes a FIB the newest, to be shown with the next version.
    void stage(fib_version_pointer<A> next) noexcept {
        assert(old_.size() < old_.capacity());
        newest_->last = version();
        old_.push_back(std::move(newest_));
        replace(std::move(next));
    }

    // Sets the standby of left_right, which is not freed even if no reader holds it.
    void set_standby(const fib_version<A>* version) noexcept { standby_ = version; }
    // Adds a standby that was never published.
    void set_standby(fib_version_pointer<A> version) noexcept {
        assert(old_.size() < old_.capacity());
        standby_ = version.get();
        old_.push_back(std::move(version));
    }
    // For a FIB that was replaced.
    bool is_held(const fib_version<A>& version) const noexcept {
        return readers_->hold(version.first, version.last);
    }
    // Removes the standby from the list. No reader may hold it.
    fib_version_pointer<A> take_standby() noexcept {
        const auto at = std::find_if(old_.begin(), old_.end(),
                                     [this](const auto& version) { return version.get() == standby_; });
        assert(at != old_.end() && !is_held(**at));
        fib_version_pointer<A> standby = std::move(*at);
        old_.erase(at);
        standby_ = nullptr;
        return standby;
    }

    // Frees everything that readers no longer hold, also inside the newest FIB.
    void reclaim() noexcept {
        std::erase_if(
            old_, [this](const auto& version) { return version.get() != standby_ && !is_held(*version); });
        newest_->fib->reclaim(readers_->oldest(newest_->first, version()));
    }
    // Adds the FIBs that readers still hold.
    void count_held(stall& to) const noexcept {
        for (const auto& version : old_)
            if (is_held(*version)) {
                ++to.versions;
                to.bytes += version->fib->memory_bytes();
            }
    }
    std::size_t old_memory_bytes() const noexcept {
        std::size_t bytes = 0;
        for (const auto& version : old_)
            bytes += version->fib->memory_bytes();
        return bytes;
    }

  private:
    // Initial capacity of the list, and the maximum that one publication adds: the replaced FIB, and with
    // left_right the standby.
    static constexpr std::size_t usual_old = 64;
    static constexpr std::size_t added_old = 3;

    std::size_t held_count() const noexcept {
        return static_cast<std::size_t>(std::count_if(
            old_.begin(), old_.end(), [this](const auto& version) { return is_held(*version); }));
    }
    void replace(fib_version_pointer<A> next) noexcept {
        next->first = version() + 1;
        newest_ = std::move(next);
    }

    const reader_registry* readers_;
    const atomic_word<std::uint64_t>* version_;
    fib_version_pointer<A> newest_;
    std::vector<fib_version_pointer<A>> old_;
    const fib_version<A>* standby_ = nullptr;
    std::size_t most_old_;
};

} // namespace fingerpost
