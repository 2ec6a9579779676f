// Collects the entries of all scheme folders for one address width, for registry.cpp and tests of tiny
// widths.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>

#include "fingerpost/registry/list.hpp"
#include "fingerpost/registry/one_scheme.hpp"
#include "fingerpost/registry/registry.inl.hpp"

namespace fingerpost {

namespace detail {

// This list does not allocate, because its first caller may be out of memory.
template <class A>
struct scheme_list {
    static constexpr std::size_t most = 128;

    std::array<scheme_entry<A>, most> entries{};
    std::size_t count = 0;

    scheme_list() noexcept {
#define FINGERPOST_ADD(name) add(name::entries<A>());
        FINGERPOST_FOR_EACH_SCHEME(FINGERPOST_ADD)
#undef FINGERPOST_ADD
    }
    void add(std::span<const scheme_entry<A>> some) noexcept {
        for (const scheme_entry<A>& entry : some) {
            if (count == most)
                std::abort(); // The array is too small. The program fails at every start, so this cannot be
                              // missed.
            entries[count++] = entry;
        }
    }
};

} // namespace detail

template <class A>
std::span<const scheme_entry<A>> schemes() noexcept {
    static const detail::scheme_list<A> list;
    return {list.entries.data(), list.count};
}

} // namespace fingerpost
