// Collects rows, addresses and faults.
#include "cli/enrich/scan/scanned.hpp"

#include <algorithm>
#include <utility>

namespace fingerpost::cli::enrich {

void scanned_block::begin(const row_block& of) {
    block = &of;
    rows.clear();
    cells.clear();
    ipv4.clear();
    ipv6.clear();
    second_forms_.clear();
    faults = {};
    readable = hits = 0;
    field = 0;
    is_over = false;
}

void scanned_block::ask(const any_address& address, std::string_view text) {
    if (address.kind == family::ipv4) {
        using what = asked_cell::what;
        const what kind = address.is_mapped() ? what::mapped : has_mapped ? what::either : what::ipv4;
        cells.push_back({kind, field, static_cast<std::uint32_t>(ipv4.size()), text});
        ipv4.push_back(address.four);
        if (kind == what::ipv4)
            return;
        second_forms_.resize(ipv4.size());
        second_forms_.back() = static_cast<std::uint32_t>(ipv6.size());
        ipv6.push_back(mapped(address.four));
    } else {
        cells.push_back({asked_cell::what::ipv6, field, static_cast<std::uint32_t>(ipv6.size()), text});
        ipv6.push_back(address.six);
    }
}

io::input_error scanned_block::error_at(std::size_t row_begin, std::string_view text,
                                        std::string reason) const {
    const auto begin = block->bytes.begin();
    const auto before = std::count(begin, begin + static_cast<std::ptrdiff_t>(row_begin), '\n');
    return {block->file, block->first_line + static_cast<std::uint64_t>(before), std::string(text),
            std::move(reason)};
}

void scanned_block::refuse(std::string_view text, std::string reason, std::size_t row_begin) {
    cells.push_back({asked_cell::what::bad, field, 0, text});
    faults.add(fault::no_address, [&] { return error_at(row_begin, text, std::move(reason)); });
}

void scanned_block::refuse_row(fault kind, std::string_view row, std::string reason, std::size_t row_begin) {
    faults.add(kind, [&] { return error_at(row_begin, row, std::move(reason)); });
}

void scanned_block::end_with(std::string_view row, std::string reason, std::size_t row_begin) {
    is_over = true;
    faults = {};
    refuse_row(fault::malformed, row, std::move(reason), row_begin);
}

} // namespace fingerpost::cli::enrich
