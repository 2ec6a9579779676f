// Route queries of the C interface. Walks copy the routes first, then call the visitor without a lock.
#include "capi/queries.hpp"

#include <optional>

#include "fingerpost/net/mapped.hpp"

using namespace fingerpost;
using namespace fingerpost::capi;

namespace {

template <class A>
status answer(const std::optional<route<A>>& match, fingerpost_route* to) noexcept {
    if (!match)
        return fail(FINGERPOST_NOT_FOUND, {"no route matches"});
    *to = c_route(*match);
    return {};
}

// Returns ask(prefix), with a prefix of either family.
template <class F>
int ask_about(const fingerpost_table* of, const fingerpost_prefix* where, bool has_all, F ask) noexcept {
    return guarded(
        [&]() -> status { return of == nullptr || !has_all ? null_pointer() : with_prefix(where, ask); });
}

// Returns false if the visitor ended the walk.
template <class A>
bool walk(const std::vector<route<A>>& routes, fingerpost_visit visit, void* context) {
    for (const route<A>& r : routes) {
        const fingerpost_route to = c_route(r);
        if (visit(&to, context) != 0)
            return false;
    }
    return true;
}

} // namespace

extern "C" {

size_t fingerpost_count(const fingerpost_table* of, int family) {
    if (of == nullptr)
        return 0;
    if (family == FINGERPOST_BOTH)
        return fingerpost_count(of, FINGERPOST_IPV4) + fingerpost_count(of, FINGERPOST_IPV6);
    return with_family<size_t>(
        family, 0, [&]<class A>(A) { return with_routes<A>(*of, [](const auto& in) { return in.size(); }); });
}

int fingerpost_get(const fingerpost_table* of, const fingerpost_prefix* where, uint32_t* next_hop) {
    return ask_about(of, where, next_hop != nullptr, [&]<class A>(const prefix<A>& p) -> status {
        const auto hop = with_routes<A>(*of, [&](const auto& in) { return in.get(p); });
        if (hop == fingerpost::next_hop::none)
            return fail(FINGERPOST_NOT_FOUND, {"no route has this prefix"});
        *next_hop = hop.id;
        return {};
    });
}

int fingerpost_match(const fingerpost_table* of, int family, const void* address, fingerpost_route* to) {
    const auto find = [&]<class A>(A a) {
        return with_routes<A>(*of, [a](const auto& in) { return in.match(a); });
    };
    return guarded([&]() -> status {
        if (of == nullptr || address == nullptr || to == nullptr)
            return null_pointer();
        return with_family<status>(family, no_family(), [&]<class A>(A) {
            const auto has_ipv4 = [&](ipv4_address b) { return find(b).has_value(); };
            const auto ipv6_length = [&](ipv6_address b) {
                const auto match = find(b);
                return match ? unsigned{match->where.length} : 0U;
            };
            return in_answering_form(address_of<A>(address), has_ipv4, ipv6_length,
                                     [&](auto b) { return answer(find(b), to); });
        });
    });
}

int fingerpost_cover(const fingerpost_table* of, const fingerpost_prefix* where, fingerpost_route* to) {
    return ask_about(of, where, to != nullptr, [&]<class A>(const prefix<A>& p) {
        return answer(with_routes<A>(*of, [&](const auto& in) { return in.cover(p); }), to);
    });
}

int fingerpost_for_each(const fingerpost_table* of, int family, fingerpost_visit visit, void* context) {
    return guarded([&]() -> status {
        if (of == nullptr || visit == nullptr)
            return null_pointer();
        if (family != FINGERPOST_BOTH && family != FINGERPOST_IPV4 && family != FINGERPOST_IPV6)
            return no_family();
        std::vector<route<ipv4_address>> four;
        std::vector<route<ipv6_address>> six;
        if (family != FINGERPOST_IPV6)
            four = covered(*of, ipv4_prefix{});
        if (family != FINGERPOST_IPV4)
            six = covered(*of, ipv6_prefix{});
        (void)(walk(four, visit, context) && walk(six, visit, context));
        return {};
    });
}

int fingerpost_for_each_covering(const fingerpost_table* of, const fingerpost_prefix* where,
                                 fingerpost_visit visit, void* context) {
    return ask_about(of, where, visit != nullptr, [&]<class A>(const prefix<A>& p) -> status {
        std::vector<route<A>> routes;
        with_routes<A>(
            *of, [&](const auto& in) { in.covering(p, [&](const route<A>& r) { routes.push_back(r); }); });
        (void)walk(routes, visit, context);
        return {};
    });
}

int fingerpost_for_each_covered(const fingerpost_table* of, const fingerpost_prefix* where,
                                fingerpost_visit visit, void* context) {
    return ask_about(of, where, visit != nullptr, [&](const auto& p) -> status {
        (void)walk(covered(*of, p), visit, context);
        return {};
    });
}

} // extern "C"
