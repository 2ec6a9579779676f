// Exact queries of the C interface, for tables and images.
#pragma once

#include <optional>

#include "capi/handles.hpp"
#include "fingerpost/net/mapped.hpp"

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

// The longest match in the routes of both families, either of which may be null.
template <class Handle>
int match_both(const Handle* ipv4, const Handle* ipv6, int of_address, const void* address,
               fingerpost_route* told, int* told_family) noexcept {
    const auto* const four = ipv4 != nullptr ? std::get_if<0>(&ipv4->self) : nullptr;
    const auto* const six = ipv6 != nullptr ? std::get_if<1>(&ipv6->self) : nullptr;
    const bool are_right = (ipv4 == nullptr || four != nullptr) && (ipv6 == nullptr || six != nullptr);
    if (!are_right || address == nullptr || told == nullptr ||
        (of_address != FINGERPOST_IPV4 && of_address != FINGERPOST_IPV6))
        return FINGERPOST_INVALID;
    const auto find = [&]<class A>(A a) -> std::optional<route<A>> {
        if constexpr (A::bits == ipv4_address::bits)
            return four != nullptr ? four->match(a) : std::nullopt;
        else
            return six != nullptr ? six->match(a) : std::nullopt;
    };
    const auto tell = [&]<class A>(A a) {
        const int code = answer(find(a), told);
        if (code == FINGERPOST_OK && told_family != nullptr)
            *told_family = A::bits == ipv4_address::bits ? FINGERPOST_IPV4 : FINGERPOST_IPV6;
        return code;
    };
    const auto ask = [&](auto a) {
        const auto has_ipv4 = [&](ipv4_address b) { return find(b).has_value(); };
        const auto ipv6_length = [&](ipv6_address b) {
            const auto found = find(b);
            return found ? unsigned{found->where.length} : 0U;
        };
        return in_answering_form(a, has_ipv4, ipv6_length, tell);
    };
    return guarded([&] {
        return of_address == FINGERPOST_IPV4 ? ask(address_of<ipv4_address>(address))
                                             : ask(address_of<ipv6_address>(address));
    });
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
