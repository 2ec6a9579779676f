// FIBs that answer with route numbers, and images.
#include "cli/answers/answer_table.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <utility>
#include <variant>

#include "terminal/failure.hpp"
#include "terminal/table/choices.hpp"

namespace fingerpost::cli {

template <class A>
family_table<A>::family_table(io::loaded_table<A> table, const scheme_entry<A>& scheme)
    : scheme_(&scheme), hops_(file_hops(table.routes)), rows_(std::move(table.values)),
      routes_(std::move(table.routes)), fib_(build(routes_, scheme)), values_(rows_.view()) {}

template <class A>
family_table<A>::family_table(image<A> saved, const std::vector<std::string>& columns)
    : scheme_(&saved.scheme()), saved_(std::move(saved)), finder_(saved_->routes()),
      values_(saved_->values(), columns) {}

// Returns the next hops, and stores route numbers in the routes instead.
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

template <class A>
template <class Test>
std::size_t family_table<A>::first_route(std::size_t end, Test test) const noexcept {
    std::size_t begin = 0;
    while (begin != end) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (test(prefix_of({static_cast<std::uint32_t>(middle)})))
            end = middle;
        else
            begin = middle + 1;
    }
    return end;
}

// Walks backwards in prefix order. A cover of the address that sorts before a route, where the route does not
// sort after the address, also covers that route. So its length is at most the number of bits that the route
// and the address share.
template <class A>
void family_table<A>::find_covers(A address, std::vector<next_hop>& into) const {
    into.clear();
    auto sought = prefix<A>::make(address, A::bits);
    for (std::size_t end = size();;) {
        end = first_route(end, [&](const prefix<A>& p) { return sought < p; });
        if (end == 0)
            break;
        const next_hop last{static_cast<std::uint32_t>(end - 1)};
        const prefix<A> last_prefix = prefix_of(last);
        if (!last_prefix.covers(sought)) {
            sought = prefix<A>::make(address, common_length(last_prefix.base, address));
            continue;
        }
        into.push_back(last);
        if (last_prefix.length == 0)
            break;
        sought = prefix<A>::make(address, last_prefix.length - 1);
        --end;
    }
    std::reverse(into.begin(), into.end());
}

template <class A>
bool family_table<A>::has_within(const prefix<A>& where) const noexcept {
    const std::size_t first = first_route(size(), [&](const prefix<A>& p) { return !(p < where); });
    return first != size() && where.covers(prefix_of({static_cast<std::uint32_t>(first)}));
}

template <class A>
std::vector<route<A>> family_table<A>::copy_routes() const {
    if (saved_)
        return saved_->copy_routes();
    std::vector<route<A>> copied(routes_.sorted().begin(), routes_.sorted().end());
    for (route<A>& r : copied)
        r.hop = row_of(r.hop);
    return copied;
}

template class family_table<ipv4_address>;
template class family_table<ipv6_address>;

namespace {

// Builds the lookup tables of a family that has routes, of the only family allowed, or of both if both are
// empty and the scheme serves them.
template <class A>
void make(std::optional<family_table<A>>& to, io::loaded_table<A>& table, bool other_is_empty,
          std::optional<family> only, const std::string& scheme) {
    const bool is_needed = only ? *only == family_of<A> : !table.routes.empty() || other_is_empty;
    const bool may_lack = !only && table.routes.empty() && !scheme.empty() && !find_scheme<A>(scheme);
    if (is_needed && !other_is_empty)
        refuse_wrong_strides<A>(scheme);
    if (is_needed && !other_is_empty && !scheme.empty() && !find_scheme<A>(scheme))
        throw usage_error(
            fmt::format("--scheme: {} does not serve {}; use --family {} to ignore these routes", scheme,
                        name_of(family_of<A>), A::bits == 32 ? 6 : 4));
    if (is_needed && !may_lack)
        to.emplace(std::move(table), scheme_named<A>(scheme));
}

} // namespace

bool are_of_scheme(const both_images& images, const std::string& name) {
    const auto is_other = [&](const auto& table) { return table && table->scheme().facts.name != name; };
    return name.empty() || !(is_other(images.ipv4) || is_other(images.ipv6));
}

answer_table::answer_table(io::both_tables tables, std::optional<family> only, const std::string& scheme) {
    build(std::move(tables), only, scheme);
}

fingerpost::any_address answer_table::answering_form(const fingerpost::any_address& address) const noexcept {
    const auto has_ipv4 = [this](ipv4_address a) { return ipv4_ && ipv4_->match_length(a); };
    const auto ipv6_length = [this](ipv6_address a) {
        return has_mapped_ ? ipv6_->match_length(a).value_or(0) : 0;
    };
    const auto whole = [](auto a) { return fingerpost::any_address(a); };
    return std::visit([&](auto a) { return in_answering_form(a, has_ipv4, ipv6_length, whole, aliases_); },
                      address);
}

answer_table::answer_table(io::found_tables tables, const table_choice& choice, const std::string& scheme) {
    auto* const images = std::get_if<both_images>(&tables);
    if (images == nullptr) {
        build(std::get<io::both_tables>(std::move(tables)), choice.only(), scheme);
        return;
    }
    const auto has_routes = [&]<class A>(const std::optional<image<A>>& image) {
        return image && image->size() != 0 && choice.only().value_or(family_of<A>) == family_of<A>;
    };
    if (are_of_scheme(*images, scheme) && (has_routes(images->ipv4) || has_routes(images->ipv6)))
        map(std::move(*images), choice);
    else
        build(copy_tables(*images, choice), choice.only(), scheme);
}

void answer_table::build(io::both_tables tables, std::optional<family> only, const std::string& scheme) {
    aliases_ = std::move(tables.aliases);
    const bool no_ipv4 = tables.ipv4.routes.empty();
    make(ipv4_, tables.ipv4, tables.ipv6.routes.empty(), only, scheme);
    make(ipv6_, tables.ipv6, no_ipv4, only, scheme);
    has_mapped_ = ipv6_ && ipv6_->has_within(mapped_block);
}

void answer_table::map(both_images images, const table_choice& choice) {
    const auto names = io::columns_of(images, choice.values, name_of(choice));
    if (!names)
        throw failure(io::message(names.error()));
    const auto take = [&]<class A>(std::optional<image<A>>& from, std::optional<family_table<A>>& to) {
        if (from && from->size() != 0 && choice.only().value_or(family_of<A>) == family_of<A>)
            to.emplace(std::move(*from), *names);
    };
    take(images.ipv4, ipv4_);
    take(images.ipv6, ipv6_);
    has_mapped_ = ipv6_ && ipv6_->has_within(mapped_block);
}

std::vector<std::string> answer_table::columns() const {
    std::vector<std::string> names;
    const auto take = [&](const answer_values& values) {
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
