// A scheme that combines two: one for small tables and one for large ones. The choice is made whenever a FIB
// is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "fingerpost/fib/parts/cells/cell_fib.hpp"

namespace fingerpost::cells {

// Lookups in one of two FIBs, and their inspection.
template <class A, class Small, class Large>
class one_of {
  public:
    explicit one_of(Small fib) : fib_(std::move(fib)) {}
    explicit one_of(Large fib) : fib_(std::move(fib)) {}

    next_hop lookup(A a) const noexcept {
        return run([a](const auto& fib) { return fib.lookup(a); });
    }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        run([&](const auto& fib) { fib.lookup(in, out); });
    }
    std::size_t memory_bytes() const noexcept {
        return run([](const auto& fib) { return fib.memory_bytes(); });
    }
    next_hop trace(A a, step_visitor each) const {
        return run([&](const auto& fib) { return fib.trace(a, each); });
    }
    std::vector<memory_part> memory_parts() const {
        return run([](const auto& fib) { return fib.memory_parts(); });
    }
    void visit(node_visitor<A> each) const {
        run([&](const auto& fib) { fib.visit(each); });
    }
    const std::variant<Small, Large>& choice() const noexcept { return fib_; }

  protected:
    template <class Run>
    [[gnu::always_inline]] decltype(auto) run(Run of) const {
        const auto* const large = std::get_if<Large>(&fib_);
        return large != nullptr ? of(*large) : of(small_of(fib_));
    }
    template <class Run>
    decltype(auto) run(Run of) {
        auto* const large = std::get_if<Large>(&fib_);
        return large != nullptr ? of(*large) : of(small_of(fib_));
    }

    std::variant<Small, Large> fib_;

  private:
    template <class Made>
    static auto& small_of(Made& fib) noexcept {
        auto* const small = std::get_if<Small>(&fib);
        if (small == nullptr)
            __builtin_unreachable();
        return *small;
    }
};

// The size from which the large scheme is used, and the limits of both. Tests pass smaller ones.
template <class Small, class Large>
struct either_limits {
    std::size_t large_from; // number of intervals
    typename Small::limits small{};
    typename Large::limits large{};
};

template <class A, class Small, class Large>
class either : public one_of<A, Small, Large> {
    using base = one_of<A, Small, Large>;

  public:
    static constexpr unsigned min_length_with_ranges = source<A>::min_length_with_ranges;
    using limits = either_limits<Small, Large>;
    using opened_fib = one_of<A, typename Small::opened_fib, typename Large::opened_fib>;

    // Number of intervals, without those of short routes. Trees of smaller tables take less memory than the 4
    // MB of words, and stay in L2.
    static constexpr limits usual{.large_from = std::size_t{1} << 17};

    // See fib::build().
    static expected<either> build(const routes<A>& table, const build_options& options = {},
                                  const limits& most = usual) {
        const source<A> from(table);
        if (from.intervals().size() >= most.large_from)
            return either(Large::build(from, options, most.large));
        return either(Small::build(from, options, most.small));
    }
    errc apply(const change<A>& c) noexcept {
        return this->run([&](auto& fib) { return fib.apply(c); });
    }
    errc sync_from(either& active) noexcept {
        if (this->fib_.index() != active.fib_.index()) {
            if (std::holds_alternative<Large>(active.fib_))
                this->fib_.template emplace<Large>();
            else
                this->fib_.template emplace<Small>();
        }
        return this->run([&]<class Fib>(Fib& fib) { return fib.sync_from(*std::get_if<Fib>(&active.fib_)); });
    }
    void begin_publish() noexcept {
        this->run([](auto& fib) { fib.begin_publish(); });
    }
    bool is_publish_finished() const noexcept {
        return this->run([](const auto& fib) { return fib.is_publish_finished(); });
    }
    void finish_publish() noexcept {
        this->run([](auto& fib) { fib.finish_publish(); });
    }

    saved_arrays save() const {
        return this->run([](const auto& fib) { return fib.save(); });
    }
    static expected<opened_fib, saved_fault> open(const saved_arrays& from, const build_options& options) {
        return Large::is_form_of(from) ? open_as<Large>(from, options) : open_as<Small>(from, options);
    }

  private:
    using base::base;

    template <class Fib>
    static expected<opened_fib, saved_fault> open_as(const saved_arrays& from, const build_options& options) {
        auto opened = Fib::open(from, options);
        if (!opened)
            return unexpected{opened.error()};
        return opened_fib(std::move(*opened));
    }
};

} // namespace fingerpost::cells
