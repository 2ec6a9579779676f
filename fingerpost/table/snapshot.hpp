// Publication and reclamation: one pointer to what readers see, and what has been replaced until its last
// reader has gone.
//
//      published --> version 7        the newest
//      old           versions 6, 4    replaced; freed in a later call once no reader holds them
//
// The writer calls everything here but pin(); nothing waits. Memory-order argument: readers.hpp and
// docs/inside/live_table.md.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/any_fib.hpp"
#include "fingerpost/table/readers.hpp"

namespace fingerpost {

// A FIB and the versions it is published as: one, or `first` to `version` when it is patched in place. Only
// the writer reads `first`.
template <class A>
struct fib_version {
    explicit fib_version(fib_pointer<A> built) noexcept : fib(std::move(built)) {}

    fib_pointer<A> fib;
    std::atomic<std::uint64_t> version{0};
    std::uint64_t first = 0;
};
template <class A>
using fib_version_pointer = std::unique_ptr<fib_version<A>>;

// Readers that keep old versions from being freed.
struct stall {
    std::size_t versions = 0;       // replaced FIBs still held
    std::size_t readers = 0;        // readers pinned to something older than the newest version
    std::uint64_t publications = 0; // how many publications the furthest of them is behind
    std::size_t bytes = 0;          // memory of those FIBs
};

template <class A>
class publication {
  public:
    // Any `most_old`: the list of old FIBs is as long as readers make it. Throws std::bad_alloc.
    publication(fib_version_pointer<A> empty, std::size_t most_old) : most_old_(most_old) {
        old_.reserve(std::min(most_old, usual_old) + added_old);
        replace(std::move(empty));
    }
    publication(const publication&) = delete;
    publication& operator=(const publication&) = delete;

    reader_registry& readers() noexcept { return readers_; }
    const reader_registry& readers() const noexcept { return readers_; }
    const fib_version<A>& newest() const noexcept { return *newest_; }
    fib_version<A>& newest() noexcept { return *newest_; }
    std::uint64_t version() const noexcept { return version_.load(std::memory_order_relaxed); }

    // By the reader that owns the line: wait-free, as readers.hpp says.
    const fib_version<A>* pin(reader_line& line) const noexcept {
        line.state.store(reader_line::pinning(version_.load(std::memory_order_acquire)));
        const fib_version<A>* const now = published_.load();
        line.state.store(reader_line::pinned(now->version.load()), std::memory_order_release);
        return now;
    }
    // Whether pin() would find something else.
    bool is_newest(const fib_version<A>* pinned, std::uint64_t version) const noexcept {
        return published_.load(std::memory_order_relaxed) == pinned &&
               pinned->version.load(std::memory_order_relaxed) == version;
    }

    // Whether one more FIB may be kept for the readers it takes away from: not when so many are held, nor
    // when there is no memory to note more of them than usual. Frees what can be freed.
    bool has_room() noexcept {
        reclaim();
        if (held_count() >= most_old_)
            return false;
        return old_.size() + added_old <= old_.capacity() || or_reason([this] {
                                                                 old_.reserve(2 * old_.size() + added_old);
                                                                 return errc::ok;
                                                             }) == errc::ok;
    }
    void publish(fib_version_pointer<A> next) noexcept {
        assert(old_.size() < old_.capacity());
        old_.push_back(std::move(newest_));
        replace(std::move(next));
    }
    // The newest has been patched in place: a version of its own, the same FIB.
    void advance() noexcept {
        const std::uint64_t next = version() + 1;
        newest_->version.store(next);
        version_.store(next, std::memory_order_release);
    }

    // The standby of left-right: it is not freed when the readers have left it.
    void set_standby(const fib_version<A>* one) noexcept { standby_ = one; }
    // Adds one that was never published.
    void set_standby(fib_version_pointer<A> one) noexcept {
        assert(old_.size() < old_.capacity());
        standby_ = one.get();
        old_.push_back(std::move(one));
    }
    bool is_held(const fib_version<A>& one) const noexcept {
        return readers_.hold(one.first, one.version.load(std::memory_order_relaxed));
    }
    // Takes the standby out; no reader may hold it.
    fib_version_pointer<A> take_standby() noexcept {
        const auto at =
            std::find_if(old_.begin(), old_.end(), [this](const auto& one) { return one.get() == standby_; });
        assert(at != old_.end() && !is_held(**at));
        fib_version_pointer<A> taken = std::move(*at);
        old_.erase(at);
        standby_ = nullptr;
        return taken;
    }

    // Frees what no reader holds any more, inside the newest as well.
    void reclaim() noexcept {
        std::erase_if(old_, [this](const auto& one) { return one.get() != standby_ && !is_held(*one); });
        newest_->fib->reclaim(readers_.oldest(newest_->first, version()));
    }
    stall stalled() const noexcept {
        stall told;
        for (const auto& one : old_)
            if (is_held(*one)) {
                ++told.versions;
                told.bytes += one->fib->memory_bytes();
            }
        told.readers = readers_.behind(version());
        told.publications = version() - readers_.oldest(0, version());
        return told;
    }
    std::size_t old_memory_bytes() const noexcept {
        std::size_t bytes = 0;
        for (const auto& one : old_)
            bytes += one->fib->memory_bytes();
        return bytes;
    }

  private:
    // Old FIBs that there is room to note from the beginning, and those that one publication may add: the one
    // that is replaced, and with left-right the standby.
    static constexpr std::size_t usual_old = 64;
    static constexpr std::size_t added_old = 3;

    std::size_t held_count() const noexcept {
        return static_cast<std::size_t>(
            std::count_if(old_.begin(), old_.end(), [this](const auto& one) { return is_held(*one); }));
    }
    // The pointer first: who knows a version finds it or a later one.
    void replace(fib_version_pointer<A> next) noexcept {
        const std::uint64_t number = version() + 1;
        next->first = number;
        next->version.store(number, std::memory_order_relaxed);
        newest_ = std::move(next);
        published_.store(newest_.get());
        version_.store(number, std::memory_order_release);
    }

    // What readers load, on a line that is written once a publication.
    alignas(cache_line_bytes) std::atomic<const fib_version<A>*> published_{nullptr};
    std::atomic<std::uint64_t> version_{0};

    alignas(cache_line_bytes) reader_registry readers_;
    fib_version_pointer<A> newest_;
    std::vector<fib_version_pointer<A>> old_;
    const fib_version<A>* standby_ = nullptr;
    std::size_t most_old_;
};

} // namespace fingerpost
