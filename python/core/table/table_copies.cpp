// Creates tables from the routes of other tables or of files, in one commit.
#include <utility>

#include "fingerpost/base/reason.hpp"
#include "python/core/module_lock.hpp"
#include "python/core/raise.hpp"
#include "python/core/table/table_object.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

template <class A>
void use_objects(std::vector<route<A>>& routes, const object_slots& from, object_slots& to) {
    for (route<A>& entry : routes)
        entry.hop = to.use(from[entry.hop]);
}

} // namespace

std::shared_ptr<shared_table> filled_table(std::unique_ptr<value_store> values, const std::string& scheme,
                                           plan<ipv4_address> ipv4, plan<ipv6_address> ipv6) {
    auto table = shared_table::make(std::move(values), scheme);
    errc failure = errc::ok;
    {
        const write_turn turn(*table);
        failure = table->apply(std::move(ipv4), std::move(ipv6));
    }
    if (failure != errc::ok)
        raise_errc(failure);
    return table;
}

template <class A>
value_view rows_of(const shared_table& table) {
    if (!table.is_mapped())
        return table.values().rows()->view();
    const auto& saved = table.part<A>().saved;
    return saved ? saved->values() : value_view();
}

template value_view rows_of<ipv4_address>(const shared_table&);
template value_view rows_of<ipv6_address>(const shared_table&);

template <class A>
void renumber(std::vector<route<A>>& routes, const value_view& from, value_rows& to) {
    std::vector<next_hop> numbers(from.rows());
    std::vector<std::string_view> cells(from.columns());
    for (route<A>& entry : routes) {
        if (entry.hop.id >= numbers.size())
            raise_input_error("the image is damaged: a route refers to a row that does not exist");
        next_hop& number = numbers[entry.hop.id];
        if (number == next_hop::none) {
            for (std::size_t i = 0; i < cells.size(); ++i)
                cells[i] = from.cell(entry.hop, i);
            number = to.intern(cells);
        }
        entry.hop = number;
    }
}
template void renumber(std::vector<route<ipv4_address>>&, const value_view&, value_rows&);
template void renumber(std::vector<route<ipv6_address>>&, const value_view&, value_rows&);

std::shared_ptr<shared_table> copy_of(const table_object& of, std::optional<family> only,
                                      const std::string& scheme) {
    const module_lock lock;
    const shared_table& from = *of.shared;
    const kept_values values_guard(of.shared);
    plan<ipv4_address> ipv4{{}, true};
    plan<ipv6_address> ipv6{{}, true};
    if (only.value_or(family::ipv4) == family::ipv4)
        ipv4.routes = from.copy_routes<ipv4_address>();
    if (only.value_or(family::ipv6) == family::ipv6)
        ipv6.routes = from.copy_routes<ipv6_address>();
    std::unique_ptr<value_store> values;
    if (from.kind() == value_kind::rows) {
        value_rows rows(views(from.columns()));
        rows.set_types(from.types());
        renumber(ipv4.routes, rows_of<ipv4_address>(from), rows);
        renumber(ipv6.routes, rows_of<ipv6_address>(from), rows);
        values = std::make_unique<value_store>(std::move(rows));
    } else {
        values = std::make_unique<value_store>(from.kind(), std::vector<std::string>());
    }
    if (from.kind() == value_kind::object) {
        use_objects(ipv4.routes, from.values().objects(), values->objects());
        use_objects(ipv6.routes, from.values().objects(), values->objects());
    }
    const std::string& same = from.is_mapped() ? std::string() : from.scheme();
    auto copy =
        filled_table(std::move(values), scheme.empty() ? same : scheme, std::move(ipv4), std::move(ipv6));
    copy->set_aliases({from.aliases().begin(), from.aliases().end()});
    return copy;
}

std::shared_ptr<shared_table> table_of(io::both_tables tables, const std::string& scheme) {
    // Both families use the same row numbers.
    renumber(tables.ipv6.routes, tables.ipv6.values.view(), tables.ipv4.values);
    auto table = filled_table(std::make_unique<value_store>(std::move(tables.ipv4.values)), scheme,
                              {std::move(tables.ipv4.routes), true}, {std::move(tables.ipv6.routes), true});
    table->set_aliases(std::move(tables.aliases));
    return table;
}

} // namespace fingerpost::python
