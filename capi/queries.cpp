// Questions of the C interface about the routes themselves. Walks copy first and call back without a lock.
#include <optional>

#include "capi/handles.hpp"

using namespace fingerpost;
using namespace fingerpost::capi;

namespace {

template <class A>
int answer(const std::optional<route<A>>& found, fingerpost_route* told) noexcept {
    if (!found)
        return FINGERPOST_NOT_FOUND;
    *told = c_route(*found);
    return FINGERPOST_OK;
}

// ask(table, prefix) when the prefix is one of this family.
template <class F>
int with_prefix(const fingerpost_table* of, const fingerpost_prefix* where, F ask) noexcept {
    return guarded([&]() -> int {
        if (of == nullptr || where == nullptr)
            return FINGERPOST_INVALID;
        return std::visit(
            [&]<class A>(const table<A>& one) -> int {
                if (where->length > A::bits)
                    return FINGERPOST_INVALID;
                return ask(one, canonical_of<A>(*where));
            },
            of->self);
    });
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

} // namespace

extern "C" {

size_t fingerpost_count(const fingerpost_table* of) {
    return of == nullptr ? 0 : std::visit([](const auto& one) { return one.size(); }, of->self);
}

int fingerpost_get(const fingerpost_table* of, const fingerpost_prefix* where, uint32_t* next_hop) {
    if (next_hop == nullptr)
        return FINGERPOST_INVALID;
    return with_prefix(of, where, [&](const auto& one, const auto& p) -> int {
        const auto hop = one.get(p);
        if (hop == next_hop::none)
            return FINGERPOST_NOT_FOUND;
        *next_hop = hop.id;
        return FINGERPOST_OK;
    });
}

int fingerpost_match(const fingerpost_table* of, const void* address, fingerpost_route* told) {
    if (of == nullptr || address == nullptr || told == nullptr)
        return FINGERPOST_INVALID;
    return guarded([&]() -> int {
        return std::visit(
            [&]<class A>(const table<A>& one) { return answer(one.match(address_of<A>(address)), told); },
            of->self);
    });
}

int fingerpost_cover(const fingerpost_table* of, const fingerpost_prefix* where, fingerpost_route* told) {
    if (told == nullptr)
        return FINGERPOST_INVALID;
    return with_prefix(of, where, [&](const auto& one, const auto& p) { return answer(one.cover(p), told); });
}

int fingerpost_for_each(const fingerpost_table* of, fingerpost_visit visit, void* context) {
    if (of == nullptr || visit == nullptr)
        return FINGERPOST_INVALID;
    return guarded([&]() -> int {
        return std::visit(
            [&](const auto& one) {
                const auto copy = one.with_rib([](const auto& r) { return r.to_routes(); });
                return walk(copy.sorted(), visit, context);
            },
            of->self);
    });
}

int fingerpost_for_each_covering(const fingerpost_table* of, const fingerpost_prefix* where,
                                 fingerpost_visit visit, void* context) {
    if (visit == nullptr)
        return FINGERPOST_INVALID;
    return with_prefix(of, where,
                       [&](const auto& one, const auto& p) { return walk(one.covering(p), visit, context); });
}

int fingerpost_for_each_covered(const fingerpost_table* of, const fingerpost_prefix* where,
                                fingerpost_visit visit, void* context) {
    if (visit == nullptr)
        return FINGERPOST_INVALID;
    return with_prefix(of, where,
                       [&](const auto& one, const auto& p) { return walk(one.covered(p), visit, context); });
}

} // extern "C"
