// A thread's way into a table: a reader for as long as the thread likes, a snapshot for each batch.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <utility>

#include "fingerpost/table/snapshot.hpp"

namespace fingerpost {

template <class A>
class reader;

// One version of the table, whole, for as long as this object lives. Lookup takes no lock and writes
// nothing. The table keeps the version that long: let go of it after a batch, or refresh() it between
// batches.
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
    // As any_fib: any length, `out` at least as long as `in`, the two apart.
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
    // By first halves alone, which is the fastest form. errc::unsupported, and nothing is written, when this
    // version has a route longer than /64: then lookup_halves() answers.
    [[nodiscard]] errc lookup_first64(std::span<const std::uint64_t> first,
                                      std::span<next_hop> out) const noexcept
        requires(A::bits > first_half)
    {
        return by_->fib_->lookup_first64(first, out);
    }
    // Whether it does, for as long as this snapshot shows the same version. A table that is updated in place
    // and has had a longer route since its FIB was built counts as one that has it.
    bool answers_first64() const noexcept
        requires(A::bits > first_half)
    {
        return by_->fib_->answers_first64();
    }
    // Numbers publications from 1, the empty table. A FIB patched in place may show later routes already.
    std::uint64_t version() const noexcept { return by_->version_; }

    // A quiescent point: goes on with the newest version and lets the writer have the older. True when there
    // was a newer one. With another snapshot of this reader alive it stays where it is.
    bool refresh() noexcept { return by_->refresh(); }

  private:
    reader<A>* by_;
};

// For one thread at a time; may be handed on to another. The table outlives its readers. A reader that is
// never destroyed, as its thread died, counts as stalled if it had a snapshot, and as nothing if not.
template <class A>
class [[nodiscard]] reader {
  public:
    reader(const publication<A>& from, reader_line& line) noexcept : from_(&from), line_(&line) {}
    // Not while a snapshot of it is alive.
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
            reader_registry::leave(*line_);
    }

    // Wait-free. A second snapshot while one is alive shows the same version.
    snapshot<A> pin() noexcept { return snapshot<A>(*this); }

  private:
    friend class snapshot<A>;

    void enter() noexcept {
        if (depth_++ == 0)
            pin_newest();
    }
    void exit() noexcept {
        if (--depth_ == 0)
            line_->state.store(0, std::memory_order_release);
    }
    bool refresh() noexcept {
        if (depth_ > 1 || from_->is_newest(pinned_, version_))
            return false;
        pin_newest();
        return true;
    }
    void pin_newest() noexcept {
        pinned_ = from_->pin(*line_);
        fib_ = pinned_->fib.get();
        version_ = reader_line::version_of(line_->state.load(std::memory_order_relaxed));
    }

    const publication<A>* from_;
    reader_line* line_;
    const fib_version<A>* pinned_ = nullptr;
    const any_fib<A>* fib_ = nullptr; // its FIB
    std::uint64_t version_ = 0;
    unsigned depth_ = 0;
};

} // namespace fingerpost
