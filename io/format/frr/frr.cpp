// What tables of routes and of BGP share.
#include "io/format/frr/frr.hpp"

#include <utility>

namespace fingerpost::io {

frr_reader::frr_reader(std::string file, const table_options& options, document_cutter::wanted wants,
                       std::span<const std::string> columns, const char* understood)
    : document_reader(fault_log(std::move(file), options.skip_bad, options.on_skip), wants) {
    auto made = best_table::make(options, columns);
    if (!made)
        fail({}, made.error());
    else
        made_ = std::move(*made);
    if (options.on_understood && made_)
        options.on_understood(understood);
}

bool frr_reader::add(std::string_view where, std::span<const std::string_view> cells) {
    const auto fault = made_->add(where, route_rank{}, cells);
    return !fault || refuse(fault->text, fault->reason);
}

} // namespace fingerpost::io
