// FIBs whose answers are the numbers of routes.
#include "cli/answers/answer_table.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "terminal/failure.hpp"
#include "terminal/table/choices.hpp"

namespace fingerpost::cli {

template <class A>
family_table<A>::family_table(io::loaded_table<A> table, const scheme_entry<A>& scheme)
    : hops_(file_hops(table.routes)), values_(std::move(table.values)), routes_(std::move(table.routes)),
      fib_(build(routes_, scheme)) {}

// Moves the next hops out of the routes and puts the routes' numbers in their place.
template <class A>
std::vector<next_hop> family_table<A>::file_hops(std::vector<route<A>>& routes) {
    std::vector<next_hop> hops(routes.size());
    for (std::size_t i = 0; i < routes.size(); ++i)
        hops[i] = std::exchange(routes[i].hop, next_hop{static_cast<std::uint32_t>(i)});
    return hops;
}

template <class A>
fib_pointer<A> family_table<A>::build(const fingerpost::routes<A>& routes, const scheme_entry<A>& scheme) {
    auto fib = scheme.build(routes, {});
    if (!fib)
        throw failure(fmt::format("{}: {}", scheme.facts.name, message(fib.error())));
    return std::move(*fib);
}

template class family_table<ipv4_address>;
template class family_table<ipv6_address>;

namespace {

// Builds the tables that addresses can be looked up in: a table with routes, the only one that may have
// routes, or both if both are empty and the scheme serves them.
template <class A>
void make(std::optional<family_table<A>>& to, io::loaded_table<A>& table, bool other_is_empty,
          std::optional<family> only, const std::string& scheme) {
    const bool wanted = only ? *only == family_of<A> : !table.routes.empty() || other_is_empty;
    const bool may_lack = !only && table.routes.empty() && !scheme.empty() && !find_scheme<A>(scheme);
    if (wanted && !other_is_empty)
        refuse_wrong_strides<A>("--scheme", scheme);
    if (wanted && !other_is_empty && !scheme.empty() && !find_scheme<A>(scheme))
        throw usage_error(fmt::format("--scheme: {} does not serve {}, of which the table has routes; choose "
                                      "--family {}",
                                      scheme, name_of(family_of<A>), A::bits == 32 ? 6 : 4));
    if (wanted && !may_lack)
        to.emplace(std::move(table), scheme_named<A>(scheme));
}

} // namespace

answer_table::answer_table(io::both_tables tables, std::optional<family> only, const std::string& scheme) {
    const bool no_ipv4 = tables.ipv4.routes.empty();
    make(ipv4_, tables.ipv4, tables.ipv6.routes.empty(), only, scheme);
    make(ipv6_, tables.ipv6, no_ipv4, only, scheme);
}

std::vector<std::string> answer_table::columns() const {
    std::vector<std::string> names;
    const auto take = [&](const value_rows& values) {
        for (std::size_t i = 0; i < values.columns(); ++i)
            names.emplace_back(values.name(i));
    };
    if (ipv4_)
        take(ipv4_->values());
    else if (ipv6_)
        take(ipv6_->values());
    return names;
}

} // namespace fingerpost::cli
