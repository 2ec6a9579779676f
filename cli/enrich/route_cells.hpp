// The added columns of routes as bytes, made once for each matching route and then copied.
//
// Real traffic matches few routes again and again. So each thread keeps these bytes up to a limit, then drops
// them all. That costs less than tracking which were used last.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/answers/answer_table.hpp"
#include "cli/enrich/enrich_plan.hpp"
#include "cli/enrich/select/route_value.hpp"

namespace fingerpost::cli::enrich {

template <class A>
class route_cells {
  public:
    // `table` may be nullptr if nothing matches. `most_bytes` limits the cached bytes.
    route_cells(const family_table<A>* table, const column_group& group, cell_style style,
                std::size_t most_bytes)
        : table_(table), group_(&group), style_(style), most_bytes_(most_bytes),
          places_(table != nullptr ? table->size() : 0) {}

    // Appends the columns of a matching route.
    void append(next_hop match, std::string& out) {
        place& at = places_[match.id];
        if (at.size == 0 || at.round != round_)
            at = make(match);
        out.append(bytes_, at.offset, at.size);
    }

  private:
    struct place {
        std::uint32_t offset = 0;
        std::uint32_t size : 24 = 0; // 0: no bytes yet; every column has at least a separator
        std::uint32_t round : 8 = 0;
    };

    place make(next_hop match) {
        if (bytes_.size() > most_bytes_)
            forget();
        const std::size_t before = bytes_.size();
        for (const added_column& column : group_->columns)
            put_value(column, route_value(*table_, column.value, match, shown_));
        place cells;
        cells.offset = static_cast<std::uint32_t>(before);
        cells.size = static_cast<std::uint32_t>(bytes_.size() - before) & 0xff'ffff;
        cells.round = round_;
        return cells;
    }

    void put_value(const added_column& column, std::string_view value) {
        if (style_ == cell_style::json)
            put_json_cell(column.name, value, column.type, bytes_);
        else
            put_cell(style_, column.name, value, bytes_);
    }

    void forget() {
        bytes_.clear();
        if (++round_ == 0)
            places_.assign(places_.size(), {});
    }

    const family_table<A>* table_;
    const column_group* group_;
    cell_style style_;
    std::size_t most_bytes_;
    std::vector<place> places_; // by route number
    std::string bytes_;
    std::uint8_t round_ = 0; // number of times that all bytes were dropped
    value_buffer<A> shown_;
};

} // namespace fingerpost::cli::enrich
