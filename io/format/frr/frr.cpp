// Common parts of the readers of routes and of BGP tables.
#include "io/format/frr/frr.hpp"

#include <array>
#include <utility>

namespace fingerpost::io {
namespace {

constexpr std::array<std::string_view, 1> frr_main_tables{"default"};

} // namespace

frr_reader::frr_reader(std::string file, const table_options& options, document_cutter::selector selects,
                       std::span<const std::string> columns, const char* description)
    : document_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), selects,
                      document_cutter::documents::several) {
    auto table = best_table::make(options, columns);
    if (!table)
        fail({}, table.error());
    else
        tables_.emplace(std::move(*table), options, frr_main_tables);
    if (options.on_understood && tables_)
        options.on_understood(description);
}

best_table* frr_reader::table_for(std::string_view table, std::string_view where) {
    return tables_->table_for(table, detect_family(where));
}

bool frr_reader::add(best_table& table, std::string_view where, std::span<const std::string_view> cells) {
    const auto fault = table.add(where, route_rank{}, cells);
    return !fault || refuse(fault->text, fault->reason);
}

std::optional<input_error> frr_reader::complete() {
    if (auto error = finish_values({}))
        return error;
    if (auto fault = tables_->settle())
        return refuse_document({}, std::move(*fault));
    return std::nullopt;
}

} // namespace fingerpost::io
