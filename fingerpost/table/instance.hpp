// One FIB of a table behind one type, and how to make one of each scheme: the scheme is concrete inside,
// erased a batch or a change at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "fingerpost/fib/registry.hpp"

namespace fingerpost {

// What a scheme cannot do it refuses with errc::unsupported; live_scheme tells before.
template <class A>
class instance {
  public:
    virtual ~instance() = default;
    virtual next_hop lookup(A a) const noexcept = 0;
    virtual void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept = 0;
    virtual std::size_t memory_bytes() const noexcept = 0;

    // As the concepts of fib/scheme.hpp say.
    virtual errc apply(const change<A>& c) noexcept = 0;
    virtual errc follow(instance& leader) noexcept = 0;
    virtual void reveal() noexcept = 0;
    virtual bool is_settled() const noexcept = 0;
    virtual void settle() noexcept = 0;
    virtual errc apply_in_place(const change<A>& c, std::uint64_t version) noexcept = 0;
    virtual std::size_t room() const noexcept = 0;
    virtual std::size_t needs(const change<A>& c) const noexcept = 0;
    virtual void reclaim(std::uint64_t version) noexcept = 0;

    // The version it is published as. One that is patched in place has several, `first` to `version`; only
    // the writer reads `first`.
    std::atomic<std::uint64_t> version{0};
    std::uint64_t first = 0;
};

template <class A>
using new_instance = expected<std::unique_ptr<instance<A>>>;

// A scheme as a table uses it.
template <class A>
struct live_scheme {
    std::string_view name;
    bool patchable;
    bool followable;
    bool patchable_in_place;
    unsigned decided_from; // as fib/scheme.hpp says
    new_instance<A> (*build)(const routes<A>&, const build_options&) noexcept;
    // nullptr for schemes that are not patchable in place.
    new_instance<A> (*build_in_place)(const routes<A>&, const build_options&) noexcept;
};

// Every scheme that serves addresses of this width, in the order of the registry. Instantiated for 32 and
// 128 bits in live_schemes.cpp; tests of other widths include live_schemes_list.hpp.
template <class A>
std::span<const live_scheme<A>> live_schemes() noexcept;

template <class A>
const live_scheme<A>* find_live_scheme(std::string_view name) noexcept {
    for (const auto& one : live_schemes<A>())
        if (one.name == name)
            return &one;
    return nullptr;
}

} // namespace fingerpost
