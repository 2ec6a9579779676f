// Adds routes to those of their family, and passes the best ones to a builder.
#include "io/format/parts/best_routes.hpp"

#include <utility>

namespace fingerpost::io {

expected<best_table, std::string> best_table::make(const table_options& options,
                                                   std::span<const std::string> columns) {
    for (const std::string& name : options.network)
        if (!is_network_name(name))
            return unexpected{no_such_column(columns, name)};
    value_columns kept;
    const auto names = kept.choose(columns, std::nullopt, options.values);
    if (!names)
        return unexpected{names.error()};
    return best_table(options, std::move(kept), views(*names));
}

best_table::best_table(const table_options& options, value_columns kept,
                       std::span<const std::string_view> names)
    : policy_(options.policy), made_(options, names), kept_(std::move(kept)), ipv4_(names), ipv6_(names) {}

std::optional<route_fault> best_table::add(std::string_view where, const route_rank& rank,
                                           std::span<const std::string_view> cells) {
    const auto seen = detect_family(where);
    switch (made_.choose(seen)) {
    case table_builder::choice::skip:
        return std::nullopt;
    case table_builder::choice::refuse:
        return route_fault{std::string(where), made_.refusal(*seen)};
    case table_builder::choice::take:
        break;
    }
    return made_.kind() == family::ipv4 ? add_as(ipv4_, where, rank, cells)
                                        : add_as(ipv6_, where, rank, cells);
}

template <class A>
std::optional<route_fault> best_table::add_as(best_routes<A>& to, std::string_view where,
                                              const route_rank& rank,
                                              std::span<const std::string_view> cells) {
    auto p = parse_prefix<A>(where, host_bits::refuse);
    const bool masks = !p && p.error().reason == text_fault::host_bits && policy_ == host_bits::mask;
    if (masks)
        p = parse_prefix<A>(where);
    if (!p)
        return route_fault{std::string(where), describe(p.error(), where)};
    to.add(*p, rank, kept_.of(cells), masks);
    return std::nullopt;
}

void best_table::hand_over(std::uint64_t bad) {
    ipv4_.give(made_);
    ipv6_.give(made_);
    made_.count(bad, ipv4_.beaten() + ipv6_.beaten());
}

both_tables best_table::finish_both(std::uint64_t lines, std::uint64_t bad) && {
    hand_over(bad);
    return std::move(made_).finish_both(lines);
}

one_table best_table::finish(std::uint64_t lines, std::uint64_t bad) && {
    hand_over(bad);
    return std::move(made_).finish(lines);
}

} // namespace fingerpost::io
