// Common parts of the readers of routes and of BGP tables.
#include "io/format/frr/frr.hpp"

#include <array>
#include <utility>

namespace fingerpost::io {
namespace {

constexpr std::array<std::string_view, 1> frr_main_tables{"default"};

} // namespace

frr_reader::frr_reader(std::string file, const table_options& options, document_cutter::wanted wants,
                       std::span<const std::string> columns, const char* understood)
    : document_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), wants,
                      document_cutter::documents::several) {
    auto made = best_table::make(options, columns);
    if (!made)
        fail({}, made.error());
    else
        made_.emplace(std::move(*made), options, frr_main_tables);
    if (options.on_understood && made_)
        options.on_understood(understood);
}

best_table* frr_reader::made_for(std::string_view table, std::string_view where) {
    return made_->table_for(table, detect_family(where));
}

bool frr_reader::add(best_table& to, std::string_view where, std::span<const std::string_view> cells) {
    const auto fault = to.add(where, route_rank{}, cells);
    return !fault || refuse(fault->text, fault->reason);
}

std::optional<input_error> frr_reader::complete() {
    if (auto error = finish_values({}))
        return error;
    if (auto wrong = made_->settle())
        return refuse_document({}, std::move(*wrong));
    return std::nullopt;
}

} // namespace fingerpost::io
