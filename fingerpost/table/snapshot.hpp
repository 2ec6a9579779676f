// Publication and reclamation: the FIB that readers see, and the replaced FIBs that readers still hold.
//
//      published --> version 7        the newest
//      old           versions 6, 4    replaced; freed in a later call once no reader holds them
//
// For the writer's thread. Nothing waits. Memory-order argument: readers.hpp and docs/inside/live_table.md.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/table/published.hpp"
#include "fingerpost/table/readers.hpp"
#include "fingerpost/table/table_options.hpp"

namespace fingerpost {

template <class A>
using fib_version_pointer = std::unique_ptr<fib_version<A>>;

template <class A>
class publication {
  public:
    // `most_old` may be any number: the list of old FIBs grows only while readers hold them. Throws
    // std::bad_alloc.
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
    std::uint64_t version() const noexcept { return published_.version(); }
    const published_fib<A>& published() const noexcept { return published_; }

    // True if one more old FIB can be kept: false at most_old, or when the list cannot grow. Frees what can
    // be freed.
    bool can_keep_old() noexcept {
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
    // Gives the newest FIB, which was patched in place, the next version.
    void advance() noexcept {
        const std::uint64_t next = version() + 1;
        newest_->version.store(next);
        published_.set_version(next);
    }

    // The standby of left_right: it is not freed when no reader holds it.
    void set_standby(const fib_version<A>* one) noexcept { standby_ = one; }
    // Adds a standby that was never published.
    void set_standby(fib_version_pointer<A> one) noexcept {
        assert(old_.size() < old_.capacity());
        standby_ = one.get();
        old_.push_back(std::move(one));
    }
    bool is_held(const fib_version<A>& one) const noexcept {
        return readers_.hold(one.first, one.version.load_relaxed());
    }
    // Takes the standby out of the list; no reader may hold it.
    fib_version_pointer<A> take_standby() noexcept {
        const auto at =
            std::find_if(old_.begin(), old_.end(), [this](const auto& one) { return one.get() == standby_; });
        assert(at != old_.end() && !is_held(**at));
        fib_version_pointer<A> taken = std::move(*at);
        old_.erase(at);
        standby_ = nullptr;
        return taken;
    }

    // Frees what no reader holds any more, also inside the newest FIB.
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
    // The list's first capacity, and what one publication may add: the FIB that is replaced, and with
    // left_right the standby.
    static constexpr std::size_t usual_old = 64;
    static constexpr std::size_t added_old = 3;

    std::size_t held_count() const noexcept {
        return static_cast<std::size_t>(
            std::count_if(old_.begin(), old_.end(), [this](const auto& one) { return is_held(*one); }));
    }
    void replace(fib_version_pointer<A> next) noexcept {
        const std::uint64_t number = version() + 1;
        next->first = number;
        next->version.store_relaxed(number);
        newest_ = std::move(next);
        published_.set(*newest_, number);
    }

    published_fib<A> published_;
    alignas(cache_line_bytes) reader_registry readers_;
    fib_version_pointer<A> newest_;
    std::vector<fib_version_pointer<A>> old_;
    const fib_version<A>* standby_ = nullptr;
    std::size_t most_old_;
};

} // namespace fingerpost
