// Keeps the routes of the first table of each family until a route of a main table comes.
#include "io/format/parts/routing_tables.hpp"

#include <algorithm>

#include "io/format/parts/input_error.hpp"

namespace fingerpost::io {
namespace {

std::string of_table(std::string_view name) {
    return std::string("of table ").append(name);
}

// Index of a family in arrays. Without a family, that of IPv4.
std::size_t family_index(std::optional<family> route_family) {
    return route_family == family::ipv6 ? 1 : 0;
}

} // namespace

table_selection::table_selection(const table_options& options, std::span<const std::string_view> main_names)
    : only_(options.only), advice_(options.advice.routing_table), main_names_(main_names) {
    if (!options.routing_table.empty())
        requested_ = options.routing_table;
}

bool table_selection::is_main(std::string_view name) const noexcept {
    return std::find(main_names_.begin(), main_names_.end(), name) != main_names_.end();
}

table_selection::step table_selection::next(std::string_view name, std::optional<family> route_family,
                                            left_out& others) {
    if (requested_ ? name == *requested_ : is_main(name)) {
        const bool is_first = !std::exchange(has_selected_, true);
        if (!is_first || requested_)
            return step::take;
        step result = step::take;
        for (candidate& entry : candidates_)
            if (entry.routes != 0) {
                others.add_route(of_table(entry.name), entry.routes);
                result = step::restart;
            }
        return result;
    }
    if (!requested_ && !has_selected_) {
        const std::size_t kind = family_index(route_family);
        candidate& entry = candidates_[kind];
        if (entry.routes == 0)
            entry.name = name;
        if (entry.name == name) {
            ++entry.routes;
            return step::take;
        }
        has_several_[kind] = true;
    }
    others.add_route(of_table(name));
    return step::leave;
}

std::optional<std::string> table_selection::fault(const left_out& others) const {
    if (has_selected_)
        return std::nullopt;
    if (requested_ && !others.empty())
        return "no routes of the routing table " + quoted(std::string_view(*requested_)) + ", but " +
               others.words();
    for (const family kind : {family::ipv4, family::ipv6})
        if (has_several_[family_index(kind)] && only_.value_or(kind) == kind) {
            left_out tables;
            for (const candidate& entry : candidates_)
                if (entry.routes != 0)
                    tables.add_route(of_table(entry.name), entry.routes);
            return advised("several routing tables, and none is the main table: " + tables.words() + ", " +
                               others.words(),
                           advice_);
        }
    return std::nullopt;
}

} // namespace fingerpost::io
