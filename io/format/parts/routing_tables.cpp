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
std::size_t place_of_family(std::optional<family> seen) {
    return seen == family::ipv6 ? 1 : 0;
}

} // namespace

table_selection::table_selection(const table_options& options, std::span<const std::string_view> main_names)
    : only_(options.only), advice_(options.advice.routing_table), main_names_(main_names) {
    if (!options.routing_table.empty())
        wanted_ = options.routing_table;
}

bool table_selection::is_main(std::string_view name) const noexcept {
    return std::find(main_names_.begin(), main_names_.end(), name) != main_names_.end();
}

table_selection::step table_selection::next(std::string_view name, std::optional<family> seen,
                                            left_out& others) {
    if (wanted_ ? name == *wanted_ : is_main(name)) {
        const bool is_first = !std::exchange(is_found_, true);
        if (!is_first || wanted_)
            return step::take;
        step made = step::take;
        for (candidate& one : candidates_)
            if (one.routes != 0) {
                others.add_route(of_table(one.name), one.routes);
                made = step::restart;
            }
        return made;
    }
    if (!wanted_ && !is_found_) {
        const std::size_t kind = place_of_family(seen);
        candidate& one = candidates_[kind];
        if (one.routes == 0)
            one.name = name;
        if (one.name == name) {
            ++one.routes;
            return step::take;
        }
        has_several_[kind] = true;
    }
    others.add_route(of_table(name));
    return step::leave;
}

std::optional<std::string> table_selection::fault(const left_out& others) const {
    if (is_found_)
        return std::nullopt;
    if (wanted_ && !others.empty())
        return "no route of the routing table " + quoted(std::string_view(*wanted_)) + ", but " +
               others.words();
    for (const family kind : {family::ipv4, family::ipv6})
        if (has_several_[place_of_family(kind)] && only_.value_or(kind) == kind) {
            left_out all;
            for (const candidate& one : candidates_)
                if (one.routes != 0)
                    all.add_route(of_table(one.name), one.routes);
            return advised("several routing tables, of which none is the main one: " + all.words() + ", " +
                               others.words(),
                           advice_);
        }
    return std::nullopt;
}

} // namespace fingerpost::io
