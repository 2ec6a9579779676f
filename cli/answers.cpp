// Batches of lookups, and the choice of the table for each address.
#include "cli/answers.hpp"

#include <fmt/format.h>
#include <utility>

#include "cli/choices.hpp"
#include "cli/failure.hpp"

namespace fingerpost::cli {

template <class A>
family_answers<A>::family_answers(io::loaded_table<A> table, const scheme_entry<A>& scheme)
    : hops_(file_hops(table.routes)), values_(std::move(table.values)), routes_(std::move(table.routes)),
      fib_(build(routes_, scheme)) {}

// Moves the next hops out of the routes and puts the routes' numbers in.
template <class A>
std::vector<next_hop> family_answers<A>::file_hops(std::vector<route<A>>& routes) {
    std::vector<next_hop> hops(routes.size());
    for (std::size_t i = 0; i < routes.size(); ++i)
        hops[i] = std::exchange(routes[i].hop, next_hop{static_cast<std::uint32_t>(i)});
    return hops;
}

template <class A>
fib_pointer<A> family_answers<A>::build(const routes<A>& routes, const scheme_entry<A>& scheme) {
    auto fib = scheme.build(routes, {});
    if (!fib)
        throw failure(fmt::format("{}: {}", scheme.facts.name, message(fib.error())));
    return std::move(*fib);
}

template <class A>
void family_answers<A>::look_up() {
    fib_->lookup(addresses_, std::span(matches_).first(addresses_.size()));
}

template <class A>
void family_answers<A>::answer(std::size_t question, row& into) {
    const next_hop match = matches_[question];
    if (match == next_hop::none)
        return;
    char* const text = prefixes_end_;
    prefixes_end_ = format(routes_.sorted()[match.id].where, text);
    into.prefix = {text, prefixes_end_};
    into.next_hop = values_[hops_[match.id]];
}

template class family_answers<ipv4_address>;
template class family_answers<ipv6_address>;

namespace {

// Builds what an address may be asked of: a table that has routes, or is the only one that may have some, or
// one of two empty ones that the scheme can serve.
template <class A>
void make(std::optional<family_answers<A>>& to, io::loaded_table<A>& table, bool other_is_empty,
          std::optional<family> only, const std::string& scheme) {
    const bool wanted = only ? *only == family_of<A> : !table.routes.empty() || other_is_empty;
    const bool may_lack = !only && table.routes.empty() && !scheme.empty() && !find_scheme<A>(scheme);
    if (wanted && !other_is_empty && !scheme.empty() && !find_scheme<A>(scheme))
        throw usage_error(fmt::format("--scheme: {} does not serve {}, of which the table has routes; choose "
                                      "--family {}",
                                      scheme, name_of(family_of<A>), A::bits == 32 ? 6 : 4));
    if (wanted && !may_lack)
        to.emplace(std::move(table), scheme_named<A>(scheme));
}

} // namespace

answers::answers(io::both_tables tables, std::optional<family> only, const std::string& scheme) {
    const bool no_ipv4 = tables.ipv4.routes.empty();
    make(ipv4_, tables.ipv4, tables.ipv6.routes.empty(), only, scheme);
    make(ipv6_, tables.ipv6, no_ipv4, only, scheme);
}

void answers::note(std::string_view text, asked whom, std::size_t number) {
    texts_ += text;
    waiting_.push_back({texts_.size(), number, whom});
}

std::optional<text_error> answers::ask_ipv4(std::string_view text) {
    const auto address = parse_address<ipv4_address>(text);
    if (!address)
        return address.error();
    note(text, asked::ipv4, ipv4_->ask(*address));
    return std::nullopt;
}

std::optional<text_error> answers::ask_ipv6(std::string_view text) {
    const auto address = parse_address<ipv6_address>(text);
    if (!address)
        return address.error();
    if (ipv4_ && is_ipv4_mapped(*address))
        note(text, asked::ipv4, ipv4_->ask(unmapped(*address)));
    else if (ipv6_)
        note(text, asked::ipv6, ipv6_->ask(*address));
    else
        return text_error{text_fault::wrong_family, family::ipv4, 0};
    return std::nullopt;
}

std::optional<text_error> answers::ask(std::string_view text) {
    const auto seen = detect_family(text);
    if (seen == family::ipv6)
        return ask_ipv6(text);
    // What begins like neither is best explained as what people look up most.
    if (ipv4_)
        return ask_ipv4(text);
    return ask_ipv6(text);
}

void answers::keep(std::string_view text, std::string error) {
    errors_.push_back(std::move(error));
    note(text, asked::nobody, errors_.size() - 1);
}

void answers::write(row_writer& writer, std::string& out) {
    rows_.resize(waiting_.size());
    if (ipv4_)
        ipv4_->look_up();
    if (ipv6_)
        ipv6_->look_up();
    std::size_t start = 0;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        const question& q = waiting_[i];
        rows_[i] = {std::string_view(texts_).substr(start, q.text_end - start)};
        start = q.text_end;
        if (q.whom == asked::ipv4)
            ipv4_->answer(q.number, rows_[i]);
        else if (q.whom == asked::ipv6)
            ipv6_->answer(q.number, rows_[i]);
        else
            rows_[i].error = errors_[q.number];
    }
    writer.write(rows_, out);
    if (ipv4_)
        ipv4_->clear();
    if (ipv6_)
        ipv6_->clear();
    texts_.clear();
    waiting_.clear();
    errors_.clear();
}

} // namespace fingerpost::cli
