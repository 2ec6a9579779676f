// Queries for the routes of one family, for live and mapped tables.
#pragma once

#include <vector>

#include "capi/handles.hpp"

namespace fingerpost::capi {

// Returns ask(routes). The argument is a rib, locked, or an image_routes.
template <class A, class F>
decltype(auto) with_routes(const fingerpost_table& of, F ask) {
    const ip_table* const live = of.live();
    if (live != nullptr)
        return live->of<A>().with_rib(ask);
    const image<A>* const file = of.mapped()->file<A>();
    return ask(file != nullptr ? file->routes() : image_routes<A>());
}

// Routes in prefix order.
template <class A>
std::vector<route<A>> covered(const fingerpost_table& of, const prefix<A>& p) {
    if (const ip_table* const live = of.live(); live != nullptr)
        return live->covered(p);
    const image<A>* const file = of.mapped()->file<A>();
    return file != nullptr ? file->routes().covered(p).copy() : std::vector<route<A>>();
}

} // namespace fingerpost::capi
