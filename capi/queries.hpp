// Exact queries of the C interface, for tables and images.
#pragma once

#include <optional>

#include "capi/handles.hpp"

namespace fingerpost::capi {

template <class A>
int answer(const std::optional<route<A>>& found, fingerpost_route* told) noexcept {
    if (!found)
        return FINGERPOST_NOT_FOUND;
    *told = c_route(*found);
    return FINGERPOST_OK;
}

// Calls ask(table or image, prefix) if the prefix is valid for this family.
template <class Handle, class F>
int with_prefix(const Handle* of, const fingerpost_prefix* where, F ask) noexcept {
    return guarded([&]() -> int {
        if (of == nullptr || where == nullptr)
            return FINGERPOST_INVALID;
        return std::visit(
            [&]<template <class> class T, class A>(const T<A>& one) -> int {
                if (where->length > A::bits)
                    return FINGERPOST_INVALID;
                return ask(one, canonical_of<A>(*where));
            },
            of->self);
    });
}

template <class Handle>
std::size_t count_of(const Handle* of) noexcept {
    return of == nullptr ? 0 : std::visit([](const auto& one) { return one.size(); }, of->self);
}

template <class Handle>
int get(const Handle* of, const fingerpost_prefix* where, std::uint32_t* told) noexcept {
    if (told == nullptr)
        return FINGERPOST_INVALID;
    return with_prefix(of, where, [&](const auto& one, const auto& p) -> int {
        const auto hop = one.get(p);
        if (hop == next_hop::none)
            return FINGERPOST_NOT_FOUND;
        *told = hop.id;
        return FINGERPOST_OK;
    });
}

template <class Handle>
int match(const Handle* of, const void* address, fingerpost_route* told) noexcept {
    if (of == nullptr || address == nullptr || told == nullptr)
        return FINGERPOST_INVALID;
    const auto ask = [&]<template <class> class T, class A>(const T<A>& one) {
        return answer(one.match(address_of<A>(address)), told);
    };
    return guarded([&]() -> int { return std::visit(ask, of->self); });
}

template <class Handle>
int cover(const Handle* of, const fingerpost_prefix* where, fingerpost_route* told) noexcept {
    if (told == nullptr)
        return FINGERPOST_INVALID;
    return with_prefix(of, where, [&](const auto& one, const auto& p) { return answer(one.cover(p), told); });
}

template <class Routes>
int walk(const Routes& found, fingerpost_visit visit, void* context) {
    for (const auto& one : found) {
        const fingerpost_route told = c_route(one);
        if (visit(&told, context) != 0)
            break;
    }
    return FINGERPOST_OK;
}

} // namespace fingerpost::capi
