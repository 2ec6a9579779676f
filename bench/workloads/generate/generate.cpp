// Generates a table: lengths by the named shares, prefixes by the address model, next hops by inheritance.
#include "bench/workloads/generate/generate.hpp"

#include <algorithm>

#include "bench/workloads/generate/address_models.hpp"
#include "bench/workloads/generate/next_hops.hpp"

namespace fingerpost::bench {

namespace {

template <class A>
prefixes_or_reason<A> place_prefixes(const share_table& shares, std::size_t routes,
                                     const generate_options& options) {
    switch (options.model) {
    case address_model::contiguous:
        return contiguous_prefixes<A>(routes);
    case address_model::hosts:
        return host_prefixes<A>(routes, options.seed);
    case address_model::sparse: {
        length_counts counts{};
        counts[A::bits == 32 ? 24 : 48] = routes;
        return uniform_prefixes<A>(counts, options.seed);
    }
    case address_model::uniform:
        return uniform_prefixes<A>(count_lengths(shares, routes), options.seed);
    case address_model::clustered:
        break;
    }
    return clustered_prefixes<A>(count_lengths(shares, routes), options.seed);
}

} // namespace

template <class A>
expected<std::vector<route<A>>, std::string> generate(const generate_options& options) {
    const std::string_view name = options.shares.empty() ? default_shares(A::bits) : options.shares;
    const share_table* table = find_share_table(name);
    if (table == nullptr)
        return unexpected{"no table is named '" + std::string(name) + "'"};
    if (table->address_bits != A::bits)
        return unexpected{"'" + std::string(name) + "' is a table of IPv" + (A::bits == 32 ? "6" : "4")};
    if (options.next_hops == 0)
        return unexpected{std::string("a table needs at least one next hop")};
    // Route indices are 32 bits, and no length of IPv4 or of a block has room for more.
    const std::size_t route_count = options.routes != 0 ? options.routes : table->routes;
    if (route_count > most_routes)
        return unexpected{std::string("more than 100,000,000 routes cannot be generated")};

    const auto prefixes = place_prefixes<A>(*table, route_count, options);
    if (!prefixes)
        return unexpected{prefixes.error()};
    std::vector<route<A>> routes;
    routes.reserve(prefixes->size());
    for (const prefix<A>& where : *prefixes)
        routes.push_back({where, next_hop{0}});
    std::ranges::sort(routes, [](const route<A>& a, const route<A>& b) { return a.where < b.where; });
    deal_next_hops<A>(routes, {dealing::clustered, options.next_hops}, options.seed);
    return routes;
}

template expected<std::vector<route<address<32>>>, std::string> generate(const generate_options&);
template expected<std::vector<route<address<128>>>, std::string> generate(const generate_options&);

} // namespace fingerpost::bench
