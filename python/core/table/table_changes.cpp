// Changes of a Table. Values are staged while Python code may run, then committed in one write_turn.
#include <algorithm>
#include <utility>

#include "python/core/module_lock.hpp"
#include "python/core/raise.hpp"
#include "python/core/table/table_object.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

template <class A>
struct staged_route {
    prefix<A> where{};
    staged_value value{};
};

struct staged_routes {
    std::vector<staged_route<ipv4_address>> ipv4;
    std::vector<staged_route<ipv6_address>> ipv6;

    void add(const any_prefix& where, staged_value value) {
        if (const auto* const four = std::get_if<ipv4_prefix>(&where))
            ipv4.push_back({*four, std::move(value)});
        else
            ipv6.push_back({std::get<ipv6_prefix>(where), std::move(value)});
    }
};

// Sorts routes in prefix order, and keeps the last one of equal prefixes.
template <class A>
void put_in_order(std::vector<staged_route<A>>& routes) {
    const auto before = [](const auto& a, const auto& b) { return a.where < b.where; };
    if (!std::is_sorted(routes.begin(), routes.end(), before))
        std::stable_sort(routes.begin(), routes.end(), before);
    // std::unique keeps the first of equal neighbors, so run it in reverse.
    const auto same = [](const auto& a, const auto& b) { return a.where == b.where; };
    routes.erase(routes.begin(), std::unique(routes.rbegin(), routes.rend(), same).base());
}

template <class A>
errc try_plan(value_store& values, const std::vector<staged_route<A>>& routes, plan<A>& into) {
    return or_reason([&] {
        into.routes.reserve(routes.size());
        for (const staged_route<A>& route : routes)
            into.routes.push_back({route.where, values.use(route.value)});
        return errc::ok;
    });
}

// Changes both families or neither.
void commit(shared_table& table, staged_routes routes, bool whole) {
    put_in_order(routes.ipv4);
    put_in_order(routes.ipv6);
    const module_lock lock;
    errc failure = errc::ok;
    {
        const write_turn turn(table);
        value_store& values = table.values();
        plan<ipv4_address> ipv4{{}, whole};
        plan<ipv6_address> ipv6{{}, whole};
        failure = try_plan(values, routes.ipv4, ipv4);
        if (failure == errc::ok)
            failure = try_plan(values, routes.ipv6, ipv6);
        if (failure == errc::ok) {
            failure = table.apply(std::move(ipv4), std::move(ipv6));
        } else {
            values.give_up(ipv4.routes);
            values.give_up(ipv6.routes);
        }
    }
    if (failure != errc::ok)
        raise_errc(failure);
}

// Needs a write_turn. Releases the use of the next hop if the change fails.
template <class A>
errc apply_one(shared_table& table, const prefix<A>& where, next_hop hop) {
    plan<A> change;
    const errc failure = or_reason([&] { return change.routes.push_back({where, hop}), errc::ok; });
    if (failure != errc::ok) {
        if (hop != next_hop::none)
            table.values().let_go(hop);
        return failure;
    }
    if constexpr (A::bits == ipv4_address::bits)
        return table.apply(std::move(change), {});
    else
        return table.apply({}, std::move(change));
}

void add_pair(const value_store& values, PyObject* pair, std::size_t number, staged_routes& into) {
    const nb::object both = nb::steal(PySequence_Fast(pair, ""));
    if (!both.is_valid() && !PyErr_ExceptionMatches(PyExc_TypeError))
        raise_current();
    PyErr_Clear();
    if (!both.is_valid() || PyUnicode_Check(pair) || PySequence_Size(both.ptr()) != 2)
        raise(PyExc_TypeError, "route " + std::to_string(number) + ": " + shown(pair) +
                                   " is not a pair of a prefix and a value");
    const nb::object key = nb::steal(PySequence_GetItem(both.ptr(), 0));
    const nb::object value = nb::steal(PySequence_GetItem(both.ptr(), 1));
    // Without a GIL, another thread may have shortened the list.
    if (!key.is_valid() || !value.is_valid())
        raise_current();
    into.add(prefix_of(key.ptr()), values.stage(value.ptr()));
}

// The pairs of an object with keys(). Other objects are returned unchanged, as pairs.
nb::object pairs_of(nb::handle routes) {
    if (!nb::hasattr(routes, "keys"))
        return nb::borrow(routes);
    if (nb::hasattr(routes, "items"))
        return routes.attr("items")();
    nb::list pairs;
    for (const nb::handle key : routes.attr("keys")())
        pairs.append(nb::make_tuple(key, routes[key]));
    return pairs;
}

} // namespace

void set_one(const table_object& of, const any_prefix& where, nb::handle value) {
    shared_table& table = changeable(of);
    const staged_value staged = table.values().stage(value.ptr());
    errc failure = errc::ok;
    {
        const write_turn turn(table);
        next_hop hop;
        failure = or_reason([&] { return hop = table.values().use(staged), errc::ok; });
        if (failure == errc::ok)
            failure = std::visit([&](const auto& p) { return apply_one(table, p, hop); }, where);
    }
    if (failure != errc::ok)
        raise_errc(failure);
}

nb::object remove_one(const table_object& of, const any_prefix& where) {
    shared_table& table = changeable(of);
    // Keeps the value alive until the caller has a reference.
    const kept_values values_guard(of.shared);
    next_hop old = next_hop::none;
    errc failure = errc::ok;
    {
        const write_turn turn(table);
        failure = std::visit(
            [&]<class A>(const prefix<A>& p) {
                old = table.part<A>().get(p);
                return old == next_hop::none ? errc::ok : apply_one(table, p, next_hop::none);
            },
            where);
    }
    if (failure != errc::ok)
        raise_errc(failure);
    return old == next_hop::none ? nb::object() : nb::steal(table.values().value_of(old));
}

void update(const table_object& of, nb::handle routes, bool whole, nb::handle more) {
    shared_table& table = changeable(of);
    staged_routes staged;
    std::size_t number = 0;
    const auto add_all = [&](const nb::object& pairs) {
        for (const nb::handle pair : pairs)
            add_pair(table.values(), pair.ptr(), number++, staged);
    };
    // A table is read as a snapshot of its routes.
    add_all(nb::isinstance<table_object>(routes) ? iterate(routes, walk_over::items) : pairs_of(routes));
    if (more.is_valid() && nb::len(more) != 0)
        add_all(pairs_of(more));
    commit(table, std::move(staged), whole);
}

void clear(const table_object& of) {
    commit(changeable(of), {}, true);
}

nb::object set_default(const table_object& of, const any_prefix& where, nb::handle value) {
    shared_table& table = changeable(of);
    const staged_value staged = table.values().stage(value.ptr());
    const kept_values values_guard(of.shared);
    next_hop hop = next_hop::none;
    errc failure = errc::ok;
    {
        const write_turn turn(table);
        failure = or_reason([&] {
            return std::visit(
                [&]<class A>(const prefix<A>& p) {
                    hop = table.part<A>().get(p);
                    if (hop != next_hop::none)
                        return errc::ok;
                    hop = table.values().use(staged);
                    return apply_one(table, p, hop);
                },
                where);
        });
    }
    if (failure != errc::ok)
        raise_errc(failure);
    return nb::steal(table.values().value_of(hop));
}

nb::object remove_first(const table_object& of) {
    shared_table& table = changeable(of);
    const kept_values values_guard(of.shared);
    std::optional<any_prefix> first;
    next_hop old = next_hop::none;
    errc failure = errc::ok;
    {
        const write_turn turn(table);
        const auto take = [&]<class A>(A) {
            const auto& live = *table.part<A>().live;
            if (first || live.size() == 0)
                return;
            const route<A> removed = *live.begin_routes();
            first = removed.where;
            old = removed.hop;
            failure = apply_one(table, removed.where, next_hop::none);
        };
        take(ipv4_address{});
        take(ipv6_address{});
    }
    if (failure != errc::ok)
        raise_errc(failure);
    if (!first)
        return {};
    const nb::object where = nb::steal(std::visit([](const auto& p) { return new_text(p); }, *first));
    return nb::make_tuple(where, nb::steal(table.values().value_of(old)));
}

} // namespace fingerpost::python
