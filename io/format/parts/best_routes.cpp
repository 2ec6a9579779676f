// // Adds routes to the table of their family, and passes the best ones to a builder.
#include "io/format/parts/best_routes.hpp"

#include <utility>

namespace fingerpost::io {

expected<best_table, std::string> best_table::make(const table_options& options,
                                                   std::span<const std::string> columns) {
    value_columns selection;
    const auto names = selection.choose_of(columns, options);
    if (!names)
        return unexpected{names.error()};
    return best_table(options, std::move(selection), views(*names));
}

best_table::best_table(const table_options& options, value_columns selection,
                       std::span<const std::string_view> names)
    : policy_(options.policy), builder_(options, names), selection_(std::move(selection)), ipv4_(names),
      ipv6_(names) {}

std::optional<route_fault> best_table::add(std::string_view where, const route_rank& rank,
                                           std::span<const std::string_view> cells) {
    return take_prefix(builder_, policy_, where, [&]<class A>(const prefix<A>& p, bool masks) {
        if constexpr (A::bits == ipv4_address::bits)
            ipv4_.add(p, rank, selection_.of(cells), masks);
        else
            ipv6_.add(p, rank, selection_.of(cells), masks);
    });
}

void best_table::build(std::uint64_t bad, std::uint64_t left_out) {
    ipv4_.add_to(builder_);
    ipv6_.add_to(builder_);
    builder_.count(bad, not_used_ + ipv4_.beaten() + ipv6_.beaten(), left_out);
}

both_tables best_table::finish_both(std::uint64_t lines, std::uint64_t bad, std::uint64_t left_out) && {
    build(bad, left_out);
    return std::move(builder_).finish_both(lines);
}

one_table best_table::finish(std::uint64_t lines, std::uint64_t bad, std::uint64_t left_out) && {
    build(bad, left_out);
    return std::move(builder_).finish(lines);
}

} // namespace fingerpost::io
