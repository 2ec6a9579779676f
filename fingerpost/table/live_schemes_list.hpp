// The schemes of the registry, as tables use them. Nothing here names one.
#pragma once

#include "fingerpost/fib/registry_list.hpp"
#include "fingerpost/table/instance.hpp"

namespace fingerpost {
namespace detail {

template <class A, scheme<A> S>
class instance_of final : public instance<A> {
  public:
    explicit instance_of(S built) : fib_(std::move(built)) {}

    next_hop lookup(A a) const noexcept override { return fib_.lookup(a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept override {
        fib_.lookup(in, out);
    }
    std::size_t memory_bytes() const noexcept override { return fib_.memory_bytes(); }

    errc apply(const change<A>& c) noexcept override {
        if constexpr (patchable<S, A>)
            return or_reason([&] { return fib_.apply(c); });
        else
            return errc::unsupported;
    }
    errc follow(instance<A>& leader) noexcept override {
        if constexpr (followable<S, A>) {
            auto* const same = dynamic_cast<instance_of*>(&leader);
            return same == nullptr ? errc::unsupported : or_reason([&] { return fib_.follow(same->fib_); });
        } else {
            return errc::unsupported;
        }
    }
    void reveal() noexcept override {
        if constexpr (followable<S, A>)
            fib_.reveal();
    }
    bool is_settled() const noexcept override {
        if constexpr (followable<S, A>)
            return fib_.is_settled();
        else
            return true;
    }
    void settle() noexcept override {
        if constexpr (followable<S, A>)
            fib_.settle();
    }
    errc apply_in_place(const change<A>& c, std::uint64_t at) noexcept override {
        if constexpr (patchable_in_place<S, A>)
            return or_reason([&] { return fib_.apply_in_place(c, at); });
        else
            return errc::unsupported;
    }
    std::size_t room() const noexcept override {
        if constexpr (patchable_in_place<S, A>)
            return fib_.room();
        else
            return 0;
    }
    std::size_t needs(const change<A>& c) const noexcept override {
        if constexpr (patchable_in_place<S, A>)
            return S::needs(c);
        else
            return 1;
    }
    void reclaim(std::uint64_t before) noexcept override {
        if constexpr (patchable_in_place<S, A>)
            fib_.reclaim(before);
    }

  private:
    S fib_;
};

template <class A, scheme<A> S>
struct instance_maker {
    // What built_or_reason() makes of a built scheme.
    struct held {
        explicit held(S built) : self(std::make_unique<instance_of<A, S>>(std::move(built))) {}
        std::unique_ptr<instance<A>> self;
    };
    static new_instance<A> unwrap(expected<held> made) noexcept {
        if (!made)
            return unexpected{made.error()};
        return std::move(made->self);
    }
    static new_instance<A> build(const routes<A>& table, const build_options& options) noexcept {
        return unwrap(built_or_reason<held>([&] { return S::build(table, options); }));
    }
    static new_instance<A> build_in_place(const routes<A>& table, const build_options& options) noexcept {
        return unwrap(built_or_reason<held>([&] { return S::build_in_place(table, options); }));
    }
};

template <class A>
inline constexpr auto live_scheme_list = map_schemes<A>([]<class S>(const listed<A, S>& one) {
    live_scheme<A> made{one.facts.name,
                        patchable<S, A>,
                        followable<S, A>,
                        patchable_in_place<S, A>,
                        decided_from<S>(),
                        instance_maker<A, S>::build,
                        nullptr};
    if constexpr (patchable_in_place<S, A>)
        made.build_in_place = instance_maker<A, S>::build_in_place;
    return made;
});

} // namespace detail

template <class A>
std::span<const live_scheme<A>> live_schemes() noexcept {
    return detail::live_scheme_list<A>;
}

} // namespace fingerpost
