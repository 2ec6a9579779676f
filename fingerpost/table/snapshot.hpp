// Publication and reclamation: one pointer to what readers see, and what has been replaced until its last
// reader has gone.
//
//      published --> instance 7       the newest
//      old           instance 6, 4    replaced; freed in a later call once no reader holds them
//
// The writer calls everything here but pin(); nothing waits. Memory-order argument: readers.hpp and
// docs/live_table.md.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/table/instance.hpp"
#include "fingerpost/table/readers.hpp"

namespace fingerpost {

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
    publication(std::unique_ptr<instance<A>> empty, std::size_t most_old) : most_old_(most_old) {
        old_.reserve(std::min(most_old, usual_old) + added_old);
        replace(std::move(empty));
    }
    publication(const publication&) = delete;
    publication& operator=(const publication&) = delete;

    reader_registry& readers() noexcept { return readers_; }
    const reader_registry& readers() const noexcept { return readers_; }
    const instance<A>& newest() const noexcept { return *newest_; }
    instance<A>& newest() noexcept { return *newest_; }
    std::uint64_t version() const noexcept { return version_.load(std::memory_order_relaxed); }

    // By the reader that owns the line: wait-free, as readers.hpp says.
    const instance<A>* pin(reader_line& line) const noexcept {
        line.state.store(reader_line::pinning(version_.load(std::memory_order_acquire)));
        const instance<A>* const now = published_.load();
        line.state.store(reader_line::pinned(now->version.load()), std::memory_order_release);
        return now;
    }
    // Whether pin() would find something else.
    bool is_newest(const instance<A>* pinned, std::uint64_t version) const noexcept {
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
    void publish(std::unique_ptr<instance<A>> next) noexcept {
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

    // The old FIB that left-right will bring up to date: it is not freed when the readers have left it.
    void keep(const instance<A>* spare) noexcept { kept_ = spare; }
    // Adds one that was never published.
    void keep(std::unique_ptr<instance<A>> spare) noexcept {
        assert(old_.size() < old_.capacity());
        kept_ = spare.get();
        old_.push_back(std::move(spare));
    }
    bool is_held(const instance<A>& one) const noexcept {
        return readers_.hold(one.first, one.version.load(std::memory_order_relaxed));
    }
    // Takes the kept one out; no reader may hold it.
    std::unique_ptr<instance<A>> take_kept() noexcept {
        const auto at =
            std::find_if(old_.begin(), old_.end(), [this](const auto& one) { return one.get() == kept_; });
        assert(at != old_.end() && !is_held(**at));
        std::unique_ptr<instance<A>> taken = std::move(*at);
        old_.erase(at);
        kept_ = nullptr;
        return taken;
    }

    // Frees what no reader holds any more, inside the newest as well.
    void reclaim() noexcept {
        std::erase_if(old_, [this](const auto& one) { return one.get() != kept_ && !is_held(*one); });
        newest_->reclaim(readers_.oldest(newest_->first, version()));
    }
    stall stalled() const noexcept {
        stall told;
        for (const auto& one : old_)
            if (is_held(*one)) {
                ++told.versions;
                told.bytes += one->memory_bytes();
            }
        told.readers = readers_.behind(version());
        told.publications = version() - readers_.oldest(0, version());
        return told;
    }
    std::size_t old_memory_bytes() const noexcept {
        std::size_t bytes = 0;
        for (const auto& one : old_)
            bytes += one->memory_bytes();
        return bytes;
    }

  private:
    // Old FIBs that there is room to note from the beginning, and those that one publication may add: the one
    // that is replaced, and with left-right the second one.
    static constexpr std::size_t usual_old = 64;
    static constexpr std::size_t added_old = 3;

    std::size_t held_count() const noexcept {
        return static_cast<std::size_t>(
            std::count_if(old_.begin(), old_.end(), [this](const auto& one) { return is_held(*one); }));
    }
    // The pointer first: who knows a version finds it or a later one.
    void replace(std::unique_ptr<instance<A>> next) noexcept {
        const std::uint64_t number = version() + 1;
        next->first = number;
        next->version.store(number, std::memory_order_relaxed);
        newest_ = std::move(next);
        published_.store(newest_.get());
        version_.store(number, std::memory_order_release);
    }

    // What readers load, on a line that is written once a publication.
    alignas(cache_line_bytes) std::atomic<const instance<A>*> published_{nullptr};
    std::atomic<std::uint64_t> version_{0};

    alignas(cache_line_bytes) reader_registry readers_;
    std::unique_ptr<instance<A>> newest_;
    std::vector<std::unique_ptr<instance<A>>> old_;
    const instance<A>* kept_ = nullptr;
    std::size_t most_old_;
};

} // namespace fingerpost
