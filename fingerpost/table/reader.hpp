// How a thread looks up in a table: it keeps a reader, and takes a snapshot for each batch.
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

// The lookups of one family in a snapshot.
template <class A>
class family_snapshot {
  public:
    next_hop lookup(A a) const noexcept { return in_->fib->lookup(a); }
    // As in inspectable.hpp: the steps of a lookup. Not while another thread may change a table that is
    // patched in place. Throws what the visitor throws, and std::bad_alloc.
    next_hop trace(A a, step_visitor each) const { return in_->fib->trace(a, each); }
    // As any_fib: any length, `out` at least as long as `in`; they must not overlap.
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        assert(out.size() >= in.size());
        in_->fib->lookup(in, out);
    }
    // By halves, each a number in host order: top64() and bottom64() of the addresses. `low` is as long as
    // `first`.
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) const noexcept
        requires(A::bits > first_half)
    {
        in_->fib->lookup_halves(first, low, out);
    }
    // By first halves alone, which is the fastest form. errc::unsupported, and nothing is written, if this
    // version has a route longer than /64: then use lookup_halves().
    [[nodiscard]] errc lookup_first64(std::span<const std::uint64_t> first,
                                      std::span<next_hop> out) const noexcept
        requires(A::bits > first_half)
    {
        return in_->fib->lookup_first64(first, out);
    }
    // True if lookup_first64() answers, for as long as this snapshot shows the same version. A FIB that is
    // patched in place counts a longer route until it is built anew.
    bool answers_first64() const noexcept
        requires(A::bits > first_half)
    {
        return in_->fib->answers_first64();
    }

  protected:
    explicit family_snapshot(const fib_slot<A>& in) noexcept : in_(&in) {}

  private:
    const fib_slot<A>* in_; // the reader's
};

// One consistent version of the table, for as long as this object lives. The table keeps the version that
// long, so destroy it after a batch, or refresh() it between batches.
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

    // Numbers publications from 1, the empty table. A FIB that is patched in place may already show later
    // routes.
    std::uint64_t version() const noexcept { return by_->version_; }

    // Retains all later versions too, until the snapshot ends or moves to a newer version: for what exact
    // queries find, which may be newer than this version. Call it before the query. Publication is deferred
    // soon when it lasts.
    void retain_later() const noexcept { by_->retain_later(); }

    // Moves to the newest version and releases the older; true if there was a newer one. While this reader
    // has another snapshot it does nothing.
    bool refresh() noexcept { return by_->refresh(); }

  private:
    reader<A...>* by_;
};

// For one thread at a time, and may move to another. The table must outlive its readers. The reader of a dead
// thread counts as stalled while it holds a snapshot, else it is ignored.
template <class... A>
class [[nodiscard]] reader : fib_slot<A>... {
  public:
    reader(const published_fibs<A...>& from, reader_line& line) noexcept : from_(&from), line_(&line) {}
    // Not while it has a snapshot.
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

    // Wait-free. While the reader has a snapshot, another one shows the same version.
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
    // As a reader that stalls while it pins; see readers.hpp.
    void retain_later() const noexcept { line_->state.store(reader_line::pinning(version_)); }
    void pin_newest() noexcept { version_ = from_->pin(*line_, static_cast<fib_slot<A>&>(*this)...); }

    const published_fibs<A...>* from_;
    reader_line* line_;
    std::uint64_t version_ = 0;
    unsigned depth_ = 0;
};

} // namespace fingerpost
