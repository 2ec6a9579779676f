// What readers load: the FIBs of the newest version, one for each family, and the version's number.
#pragma once

#include <cstdint>
#include <utility>

#include "fingerpost/base/atomic_word.hpp"
#include "fingerpost/fib/any_fib.hpp"
#include "fingerpost/table/reader_line.hpp"

namespace fingerpost {

// A FIB and the versions that show it: `first` to `last`, or to the newest one while it is not replaced.
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

// The FIBs of one version, or of versions `first` to `version` if what changed was patched in place. Only the
// writer reads `first`.
template <class... A>
struct fib_set : fib_slot<A>... {
    atomic_word<std::uint64_t> version{0};
    std::uint64_t first = 0;
};

// On a cache line of its own, which is written once a publication.
template <class... A>
class alignas(cache_line_bytes) published_fibs {
  public:
    std::uint64_t version() const noexcept { return version_.load_relaxed(); }
    // For the parts of a table that ask for nothing else.
    const atomic_word<std::uint64_t>& version_word() const noexcept { return version_; }

    // For the reader that owns the line. Returns the version, and copies its FIBs to `to`. Wait-free;
    // readers.hpp has the memory-order argument.
    std::uint64_t pin(reader_line& line, fib_slot<A>&... to) const noexcept {
        line.state.store(reader_line::pinning(version_.load_acquire()));
        const fib_set<A...>* const newest = newest_.load();
        const std::uint64_t version = newest->version.load();
        ((to.fib = static_cast<const fib_slot<A>*>(newest)->fib), ...);
        line.state.store_release(reader_line::pinned(version));
        return version;
    }
    // False if there is a newer version than the one that is pinned.
    bool is_newest(std::uint64_t pinned) const noexcept { return version_.load_relaxed() <= pinned; }

    // For the writer. Pointer before version: a thread that reads version v then loads the FIBs of v or of a
    // later one.
    void set(const fib_set<A...>& next, std::uint64_t version) noexcept {
        newest_.store(&next);
        set_version(version);
    }
    // The same FIBs, of which some were patched in place.
    void set_version(std::uint64_t version) noexcept { version_.store_release(version); }

  private:
    atomic_word<const fib_set<A...>*> newest_{nullptr};
    atomic_word<std::uint64_t> version_{0};
};

} // namespace fingerpost
