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

template <class A>
class reader;

// One consistent version of the table, for as long as this object lives. The table keeps the version that
// long, so destroy it after a batch, or refresh() it between batches.
template <class A>
class [[nodiscard]] snapshot {
  public:
    explicit snapshot(reader<A>& by) noexcept : by_(&by) { by_->enter(); }
    snapshot(snapshot&& other) noexcept : by_(std::exchange(other.by_, nullptr)) {}
    snapshot& operator=(snapshot&&) = delete;
    ~snapshot() {
        if (by_ != nullptr)
            by_->exit();
    }

    next_hop lookup(A a) const noexcept { return by_->fib_->lookup(a); }
    // As in inspectable.hpp: the steps of a lookup. Not while another thread may change a table that is
    // patched in place. Throws what the visitor throws, and std::bad_alloc.
    next_hop trace(A a, step_visitor each) const { return by_->fib_->trace(a, each); }
    // As any_fib: any length, `out` at least as long as `in`; they must not overlap.
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        assert(out.size() >= in.size());
        by_->fib_->lookup(in, out);
    }
    // By halves, each a number in host order: top64() and bottom64() of the addresses. `low` is as long as
    // `first`.
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) const noexcept
        requires(A::bits > first_half)
    {
        by_->fib_->lookup_halves(first, low, out);
    }
    // By first halves alone, which is the fastest form. errc::unsupported, and nothing is written, if this
    // version has a route longer than /64: then use lookup_halves().
    [[nodiscard]] errc lookup_first64(std::span<const std::uint64_t> first,
                                      std::span<next_hop> out) const noexcept
        requires(A::bits > first_half)
    {
        return by_->fib_->lookup_first64(first, out);
    }
    // True if lookup_first64() answers, for as long as this snapshot shows the same version. A FIB that is
    // patched in place counts a longer route until it is built anew.
    bool answers_first64() const noexcept
        requires(A::bits > first_half)
    {
        return by_->fib_->answers_first64();
    }
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
    reader<A>* by_;
};

// For one thread at a time, and may move to another. The table must outlive its readers. The reader of a dead
// thread counts as stalled while it holds a snapshot, else it is ignored.
template <class A>
class [[nodiscard]] reader {
  public:
    reader(const published_fib<A>& from, reader_line& line) noexcept : from_(&from), line_(&line) {}
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
    snapshot<A> pin() noexcept { return snapshot<A>(*this); }

  private:
    friend class snapshot<A>;

    void enter() noexcept {
        if (depth_++ == 0)
            pin_newest();
    }
    void exit() noexcept {
        if (--depth_ == 0)
            line_->state.store_release(0);
    }
    bool refresh() noexcept {
        if (depth_ > 1 || from_->is_newest(pinned_, version_))
            return false;
        pin_newest();
        return true;
    }
    // As a reader that stalls while it pins; see readers.hpp.
    void retain_later() const noexcept { line_->state.store(reader_line::pinning(version_)); }
    void pin_newest() noexcept {
        pinned_ = from_->pin(*line_);
        fib_ = pinned_->fib.get();
        version_ = reader_line::version_of(line_->state.load_relaxed());
    }

    const published_fib<A>* from_;
    reader_line* line_;
    const fib_version<A>* pinned_ = nullptr;
    const any_fib<A>* fib_ = nullptr; // its FIB
    std::uint64_t version_ = 0;
    unsigned depth_ = 0;
};

} // namespace fingerpost
