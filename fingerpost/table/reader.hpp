// How a thread looks up in a table: it keeps a reader and takes a snapshot for each batch.
//
// Nothing here waits, locks or allocates, and lookups write no memory that other threads read.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <utility>

#include "fingerpost/table/published.hpp"

namespace fingerpost {

template <class... A>
class reader;

// Lookups of one family in a snapshot.
template <class A>
class family_snapshot {
  public:
    next_hop lookup(A a) const noexcept { return in_->fib->lookup(a); }
    // Visits the steps of a lookup, see inspectable.hpp. Must not be called while another thread may change a
    // table that is patched in place. Throws exceptions from the visitor, and std::bad_alloc.
    next_hop trace(A a, step_visitor each) const { return in_->fib->trace(a, each); }
    // Any number of addresses, as in any_fib. `out` is at least as long as `in` and must not overlap it.
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        assert(out.size() >= in.size());
        in_->fib->lookup(in, out);
    }
    // Looks up addresses as halves in host order: top64() and bottom64(). `low` is as long as `first`.
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) const noexcept
        requires(A::bits > first_half)
    {
        in_->fib->lookup_halves(first, low, out);
    }
    // Looks up addresses by their first halves, the fastest form. Returns errc::unsupported, and writes
    // nothing, if this version has a route longer than /64. Then use lookup_halves().
    [[nodiscard]] errc lookup_first64(std::span<const std::uint64_t> first,
                                      std::span<next_hop> out) const noexcept
        requires(A::bits > first_half)
    {
        return in_->fib->lookup_first64(first, out);
    }
    // True if lookup_first64() succeeds while this snapshot shows the same version. A FIB that is patched in
    // place counts a longer route, even after its removal, until it is rebuilt.
    bool answers_first64() const noexcept
        requires(A::bits > first_half)
    {
        return in_->fib->answers_first64();
    }

  protected:
    explicit family_snapshot(const fib_slot<A>& in) noexcept : in_(&in) {}

  private:
    const fib_slot<A>* in_; // member of the reader
};

// One consistent version of the table, pinned as long as this object lives. The table keeps the version in
// memory, so destroy the snapshot after a batch, or call refresh() between batches.
template <class... A>
class [[nodiscard]] snapshot : public family_snapshot<A>... {
  public:
    explicit snapshot(reader<A...>& by) noexcept : family_snapshot<A>(by)..., by_(&by) { by_->enter(); }
    snapshot(snapshot&& other) noexcept
        : family_snapshot<A>(other)..., by_(std::exchange(other.by_, nullptr)) {}
    snapshot& operator=(snapshot&&) = delete;
    ~snapshot() {
        if (by_ != nullptr)
            by_->exit();
    }

    using family_snapshot<A>::lookup...;
    using family_snapshot<A>::trace...;
    using family_snapshot<A>::lookup_halves...;
    using family_snapshot<A>::lookup_first64...;
    using family_snapshot<A>::answers_first64...;

    // Number of the publication, from 1 for the empty table. A FIB that is patched in place may already show
    // later routes.
    std::uint64_t version() const noexcept { return by_->version_; }

    // Retains all later versions too, until the snapshot ends or moves to a newer version. Call it before an
    // exact query with results that may be newer than this version. If the snapshot lasts, publication is
    // soon deferred.
    void retain_later() const noexcept { by_->retain_later(); }

    // Moves to the newest version and releases the old one. Returns true if there was a newer one. Does
    // nothing while this reader has another snapshot.
    bool refresh() noexcept { return by_->refresh(); }

  private:
    reader<A...>* by_;
};

// Must be used by one thread at a time, but may move to another thread. The table must outlive its readers.
// If its thread has ended, a reader with a snapshot counts as stalled, and one without is ignored.
template <class... A>
class [[nodiscard]] reader : fib_slot<A>... {
  public:
    reader(const published_fibs<A...>& from, reader_line& line) noexcept : from_(&from), line_(&line) {}
    // Must not have a snapshot.
    reader(reader&& other) noexcept
        : from_(other.from_), line_(std::exchange(other.line_, nullptr)), version_(other.version_) {
        assert(other.depth_ == 0);
    }
    reader& operator=(reader&& other) noexcept {
        assert(depth_ == 0 && other.depth_ == 0);
        std::swap(from_, other.from_);
        std::swap(line_, other.line_);
        return *this;
    }
    ~reader() {
        assert(depth_ == 0);
        if (line_ != nullptr)
            line_->leave();
    }

    // Wait-free. While the reader has a snapshot, another snapshot pins the same version.
    snapshot<A...> pin() noexcept { return snapshot<A...>(*this); }

  private:
    friend class snapshot<A...>;

    void enter() noexcept {
        if (depth_++ == 0)
            pin_newest();
    }
    void exit() noexcept {
        if (--depth_ == 0)
            line_->state.store_release(0);
    }
    bool refresh() noexcept {
        if (depth_ > 1 || from_->is_newest(version_))
            return false;
        pin_newest();
        return true;
    }
    // Acts like a reader that stalls while it pins; see readers.hpp.
    void retain_later() const noexcept { line_->state.store(reader_line::pinning(version_)); }
    void pin_newest() noexcept { version_ = from_->pin(*line_, static_cast<fib_slot<A>&>(*this)...); }

    const published_fibs<A...>* from_;
    reader_line* line_;
    std::uint64_t version_ = 0;
    unsigned depth_ = 0;
};

} // namespace fingerpost
