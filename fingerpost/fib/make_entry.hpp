// Creates the registry entry for a scheme's type. Used in <name>.cpp of each scheme, where it is compiled
// once, and in tests that build it for other widths.
#pragma once

#include <utility>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/scheme_entry.hpp"
#include "fingerpost/fib/syncable.hpp"

namespace fingerpost {

// Like traceable and visitable, but also true for an opened FIB.
template <class F, class A>
concept has_steps = requires(const F fib, A a, step_visitor each) { fib.trace(a, each); };
template <class F, class A>
concept has_nodes = requires(const F fib, node_visitor<A> each) {
    fib.memory_parts();
    fib.visit(each);
};

// `F` is a scheme, or an opened FIB that supports only lookups and possibly inspection. Parts of an opened
// FIB are those of the file, which memory_bytes() does not count.
template <class A, class F>
class fib_of final : public any_fib<A> {
  public:
    explicit fib_of(F built) : fib_(std::move(built)) {}

    next_hop lookup(A a) const noexcept override { return fib_.lookup(a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept override {
        fib_.lookup(in, out);
    }
    std::size_t memory_bytes() const noexcept override { return fib_.memory_bytes(); }
    const void* type() const noexcept override { return &type_mark; }
    // For copies of the FIB in other memory.
    const F& fib() const noexcept { return fib_; }

    errc apply(const change<A>& c) noexcept override {
        if constexpr (patchable<F, A>) {
            this->count_long(c);
            return or_reason([&] { return fib_.apply(c); });
        } else {
            return any_fib<A>::apply(c);
        }
    }
    errc apply_in_place(const change<A>& c, std::uint64_t version) noexcept override {
        if constexpr (patchable_in_place<F, A>) {
            this->count_long_in_place(c);
            return or_reason([&] { return fib_.apply_in_place(c, version); });
        } else {
            return any_fib<A>::apply_in_place(c, version);
        }
    }
    std::size_t room() const noexcept override {
        if constexpr (patchable_in_place<F, A>)
            return fib_.room();
        else
            return any_fib<A>::room();
    }
    std::size_t needs(const change<A>& c) const noexcept override {
        if constexpr (patchable_in_place<F, A>)
            return F::needs(c);
        else
            return any_fib<A>::needs(c);
    }
    void reclaim(std::uint64_t version) noexcept override {
        if constexpr (patchable_in_place<F, A>)
            fib_.reclaim(version);
    }

    errc sync_from(any_fib<A>& active) noexcept override {
        if constexpr (syncable<F, A>) {
            if (active.type() != type())
                return errc::unsupported;
            auto& from = static_cast<fib_of&>(active);
            this->set_long_routes(from.long_routes());
            return or_reason([&] { return fib_.sync_from(from.fib_); });
        } else {
            return any_fib<A>::sync_from(active);
        }
    }
    void begin_publish() noexcept override {
        if constexpr (syncable<F, A>)
            fib_.begin_publish();
    }
    bool is_publish_finished() const noexcept override {
        if constexpr (syncable<F, A>)
            return fib_.is_publish_finished();
        else
            return any_fib<A>::is_publish_finished();
    }
    void finish_publish() noexcept override {
        if constexpr (syncable<F, A>)
            fib_.finish_publish();
    }

    saved_arrays save() const override {
        if constexpr (saveable<F, A>)
            return fib_.save();
        else
            return any_fib<A>::save();
    }

    next_hop trace(A a, step_visitor each) const override {
        if constexpr (has_steps<F, A>)
            return fib_.trace(a, each);
        else
            return any_fib<A>::trace(a, each);
    }
    std::vector<memory_part> memory_parts() const override {
        if constexpr (has_nodes<F, A>)
            return fib_.memory_parts();
        else
            return any_fib<A>::memory_parts();
    }
    void visit(node_visitor<A> each) const override {
        if constexpr (has_nodes<F, A>)
            fib_.visit(each);
    }

  protected:
    void find_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                     std::span<next_hop> out) const noexcept override {
        if constexpr (takes_halves<F, A>)
            fib_.lookup_halves(first, low, out);
        else
            lookup_joined<A>(fib_, first, low, out);
    }

  private:
    static constexpr char type_mark = 0; // its address identifies the type

    F fib_;
};

// Until set_long_routes() is called, the FIB is assumed to have routes longer than /64.
template <class A, class F>
fib_pointer<A> erase_type(F built) {
    return fib_pointer<A>(new fib_of<A, F>(std::move(built)));
}

namespace detail {

// Returns the FIB that make() builds from these routes as any_fib, or the error.
template <class A, class Make>
expected<fib_pointer<A>> made_or_reason(const routes<A>& from, Make make) noexcept try {
    auto built = make();
    if (!built)
        return unexpected{built.error()};
    fib_pointer<A> erased = erase_type<A>(std::move(*built));
    erased->set_long_routes(from.longer_than(first_half));
    return erased;
} catch (...) {
    return unexpected{reason_of_exception()};
}

template <class A, scheme<A> S>
expected<fib_pointer<A>> build_any(const routes<A>& from, const build_options& options) noexcept {
    return made_or_reason<A>(from, [&] { return S::build(from, options); });
}
template <class A, patchable_in_place<A> S>
expected<fib_pointer<A>> build_any_in_place(const routes<A>& from, const build_options& options) noexcept {
    return made_or_reason<A>(from, [&] { return S::build_in_place(from, options); });
}
template <class A, saveable<A> S>
expected<fib_pointer<A>, saved_fault> open_any(const saved_arrays& from,
                                               const build_options& options) noexcept try {
    auto opened = S::open(from, options);
    if (!opened)
        return unexpected{opened.error()};
    return erase_type<A>(std::move(*opened));
} catch (...) {
    return unexpected{saved_fault{.shortage = reason_of_exception()}};
}

} // namespace detail

template <class A, scheme<A> S>
constexpr scheme_entry<A> make_entry(const scheme_facts& facts) {
    scheme_entry<A> entry{.facts = facts,
                          .patchable = patchable<S, A>,
                          .patchable_in_place = patchable_in_place<S, A>,
                          .syncable = syncable<S, A>,
                          .saveable = saveable<S, A>,
                          .traceable = traceable<S, A>,
                          .visitable = visitable<S, A>,
                          .min_length_with_ranges = min_length_with_ranges<S>(),
                          .build = detail::build_any<A, S>};
    if constexpr (patchable_in_place<S, A>)
        entry.build_in_place = detail::build_any_in_place<A, S>;
    if constexpr (saveable<S, A>)
        entry.open = detail::open_any<A, S>;
    return entry;
}

} // namespace fingerpost
