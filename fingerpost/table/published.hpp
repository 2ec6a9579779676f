// The data that readers load: the FIBs of the newest version, one for each family, and the version number.
#pragma once

#include <cstdint>
#include <utility>

#include "fingerpost/base/atomic_word.hpp"
#include "fingerpost/fib/any_fib.hpp"
#include "fingerpost/table/reader_line.hpp"

namespace fingerpost {

// A FIB and the versions that show it: `first` to `last`, or to the newest version until it is replaced.
template <class A>
struct fib_version {
    explicit fib_version(fib_pointer<A> built) noexcept : fib(std::move(built)) {}

    fib_pointer<A> fib;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};

template <class A>
struct fib_slot {
    const any_fib<A>* fib = nullptr;
};

// FIBs of one version, or of versions `first` to `version` if the changes were patched in place. Only the
// writer reads `first`.
template <class... A>
struct fib_set : fib_slot<A>... {
    atomic_word<std::uint64_t> version{0};
    std::uint64_t first = 0;
};

// This object has its own cache line, which is written once for each publication.
template <class... A>
class alignas(cache_line_bytes) published_fibs {
  public:
    std::uint64_t version() const noexcept { return version_.load_relaxed(); }
    // For parts of a table that need only the version.
    const atomic_word<std::uint64_t>& version_word() const noexcept { return version_; }

    // Called by the reader that owns the line. Returns the version and copies its FIBs to `to`. Wait-free.
    // readers.hpp has the memory-order argument.
    std::uint64_t pin(reader_line& line, fib_slot<A>&... to) const noexcept {
        line.state.store(reader_line::pinning(version_.load_acquire()));
        const fib_set<A...>* const newest = newest_.load();
        const std::uint64_t version = newest->version.load();
        ((to.fib = static_cast<const fib_slot<A>*>(newest)->fib), ...);
        line.state.store_release(reader_line::pinned(version));
        return version;
    }
    // Returns false if a newer version than `pinned` exists.
    bool is_newest(std::uint64_t pinned) const noexcept { return version_.load_relaxed() <= pinned; }

    // Called by the writer. Sets the pointer before the version, so a thread that reads version v then loads
    // the FIBs of v or of a later version.
    void set(const fib_set<A...>& next, std::uint64_t version) noexcept {
        newest_.store(&next);
        set_version(version);
    }
    // Publishes the same FIBs, some of which were patched in place.
    void set_version(std::uint64_t version) noexcept { version_.store_release(version); }

  private:
    atomic_word<const fib_set<A...>*> newest_{nullptr};
    atomic_word<std::uint64_t> version_{0};
};

} // namespace fingerpost
