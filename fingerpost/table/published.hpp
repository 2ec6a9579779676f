// What readers load: the pointer to the published FIB and the number of its version.
#pragma once

#include <cstdint>
#include <utility>

#include "fingerpost/base/atomic_word.hpp"
#include "fingerpost/fib/any_fib.hpp"
#include "fingerpost/table/reader_line.hpp"

namespace fingerpost {

// A FIB and the versions it is published as: one, or `first` to `version` if it is patched in place. Only the
// writer reads `first`.
template <class A>
struct fib_version {
    explicit fib_version(fib_pointer<A> built) noexcept : fib(std::move(built)) {}

    fib_pointer<A> fib;
    atomic_word<std::uint64_t> version{0};
    std::uint64_t first = 0;
};

// On a cache line of its own, which is written once a publication.
template <class A>
class alignas(cache_line_bytes) published_fib {
  public:
    std::uint64_t version() const noexcept { return version_.load_relaxed(); }

    // For the reader that owns the line. Wait-free; readers.hpp has the memory-order argument.
    const fib_version<A>* pin(reader_line& line) const noexcept {
        line.state.store(reader_line::pinning(version_.load_acquire()));
        const fib_version<A>* const now = newest_.load();
        line.state.store_release(reader_line::pinned(now->version.load()));
        return now;
    }
    // False if pin() would find another FIB or version.
    bool is_newest(const fib_version<A>* pinned, std::uint64_t version) const noexcept {
        return newest_.load_relaxed() == pinned && pinned->version.load_relaxed() == version;
    }

    // For the writer. Pointer before version: a thread that reads version v then loads the FIB of v or a
    // later one.
    void set(const fib_version<A>& next, std::uint64_t version) noexcept {
        newest_.store(&next);
        set_version(version);
    }
    // The same FIB, patched in place.
    void set_version(std::uint64_t version) noexcept { version_.store_release(version); }

  private:
    atomic_word<const fib_version<A>*> newest_{nullptr};
    atomic_word<std::uint64_t> version_{0};
};

} // namespace fingerpost
