// What live and mapped tables are asked alike: the exact routes of one family.
#pragma once

#include <algorithm>
#include <vector>

#include "capi/handles.hpp"

namespace fingerpost::capi {

// Returns ask(routes), a family_table or an image_routes.
template <class A, class F>
decltype(auto) with_routes(const fingerpost_table& of, F ask) {
    const ip_table* const live = of.live();
    if (live != nullptr)
        return ask(live->of<A>());
    const image<A>* const file = of.mapped()->file<A>();
    return ask(file != nullptr ? file->routes() : image_routes<A>());
}

template <class A>
std::vector<route<A>> covering(const family_table<A>& in, const prefix<A>& p) {
    return in.covering(p);
}
template <class A>
std::vector<route<A>> covering(const image_routes<A>& in, prefix<A> p) {
    std::vector<route<A>> found;
    for (auto next = in.cover(p); next; next = in.cover(p)) {
        found.push_back(*next);
        p = next->where;
    }
    std::reverse(found.begin(), found.end());
    return found;
}
template <class A>
std::vector<route<A>> covered(const family_table<A>& in, const prefix<A>& p) {
    return in.covered(p);
}
template <class A>
std::vector<route<A>> covered(const image_routes<A>& in, const prefix<A>& p) {
    std::size_t first = 0;
    for (std::size_t left = in.size(); left > 0;) {
        const std::size_t half = left / 2;
        const bool is_before = in[first + half].where < p;
        first += is_before ? half + 1 : 0;
        left = is_before ? left - half - 1 : half;
    }
    std::vector<route<A>> found;
    for (; first < in.size() && in[first].where.length >= p.length && p.contains(in[first].where.base);
         ++first)
        found.push_back(in[first]);
    return found;
}
// In prefix order.
template <class A>
std::vector<route<A>> routes_of(const fingerpost_table& of) {
    return with_routes<A>(of, [](const auto& in) { return covered(in, prefix<A>{}); });
}

} // namespace fingerpost::capi
