// // Adds routes to the table of their family, and passes the best ones to a builder.
#include "io/format/parts/best_routes.hpp"

#include <utility>

namespace fingerpost::io {

expected<best_table, std::string> best_table::make(const table_options& options,
                                                   std::span<const std::string> columns) {
    value_columns kept;
    const auto names = kept.choose_of(columns, options);
    if (!names)
        return unexpected{names.error()};
    return best_table(options, std::move(kept), views(*names));
}

best_table::best_table(const table_options& options, value_columns kept,
                       std::span<const std::string_view> names)
    : policy_(options.policy), made_(options, names), kept_(std::move(kept)), ipv4_(names), ipv6_(names) {}

std::optional<route_fault> best_table::add(std::string_view where, const route_rank& rank,
                                           std::span<const std::string_view> cells) {
    return take_prefix(made_, policy_, where, [&]<class A>(const prefix<A>& p, bool masks) {
        if constexpr (A::bits == ipv4_address::bits)
            ipv4_.add(p, rank, kept_.of(cells), masks);
        else
            ipv6_.add(p, rank, kept_.of(cells), masks);
    });
}

void best_table::hand_over(std::uint64_t bad, std::uint64_t left_out) {
    ipv4_.give(made_);
    ipv6_.give(made_);
    made_.count(bad, not_used_ + ipv4_.beaten() + ipv6_.beaten(), left_out);
}

both_tables best_table::finish_both(std::uint64_t lines, std::uint64_t bad, std::uint64_t left_out) && {
    hand_over(bad, left_out);
    return std::move(made_).finish_both(lines);
}

one_table best_table::finish(std::uint64_t lines, std::uint64_t bad, std::uint64_t left_out) && {
    hand_over(bad, left_out);
    return std::move(made_).finish(lines);
}

} // namespace fingerpost::io
