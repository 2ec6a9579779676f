// Queries of a Table for one address or one prefix.
#include <algorithm>
#include <bit>
#include <nanobind/stl/string.h>
#include <utility>

#include "fingerpost/registry/registry.hpp"
#include "python/core/query.hpp"
#include "python/core/raise.hpp"
#include "python/core/table/table_object.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

template <class A>
nb::object pair_of(const shared_table& table, const route<A>& match) {
    // Get the value first: creating other objects may run code that changes the table.
    nb::object value = nb::steal(table.value_of<A>(match.hop));
    nb::object where = nb::steal(new_text(match.where));
    nb::object pair = nb::steal(PyTuple_New(2));
    if (!pair.is_valid())
        raise_current();
    PyTuple_SetItem(pair.ptr(), 0, where.release().ptr());
    PyTuple_SetItem(pair.ptr(), 1, value.release().ptr());
    return pair;
}

// Returns the pair of the route that ask() finds among the exact routes, or None.
template <class Ask>
nb::object pair_found(const std::shared_ptr<shared_table>& table, Ask ask) {
    if (!table->is_committing()) {
        const auto match = ask();
        return match ? pair_of(*table, *match) : nb::none();
    }
    const kept_values values_guard(table);
    const auto match = table->exact(ask);
    return match ? pair_of(*table, *match) : nb::none();
}

template <class A>
nb::object match_in(const std::shared_ptr<shared_table>& table, A address) {
    const auto* const numbered = routes_by_number<A>(table);
    if (numbered == nullptr)
        return pair_found(table, [&] { return table->part<A>().match(address); });
    const next_hop number = numbered->fib->lookup(address);
    if (number == next_hop::none)
        return nb::none();
    // A copy, because the creation of objects may run code that changes the table.
    const route<A> match = numbered->sorted[number.id];
    return pair_of(*table, match);
}

template <class A>
nb::object match_of(const std::shared_ptr<shared_table>& table, A address) {
    return table->answering_form(address, [&](auto form) { return match_in(table, form); });
}

template <class A>
nb::list pairs_of(const shared_table& table, const std::vector<route<A>>& routes) {
    nb::list pairs;
    for (const route<A>& entry : routes)
        pairs.append(pair_of(table, entry));
    return pairs;
}

// Returns the pairs of the routes that ask(part, prefix) finds within the prefix.
template <class Ask>
nb::list pairs_within(const table_object& of, nb::handle where, Ask ask) {
    const any_prefix parsed = prefix_of(where.ptr());
    const kept_values values_guard(of.shared);
    return std::visit(
        [&]<class A>(const prefix<A>& p) {
            return pairs_of(*of.shared, of.shared->exact([&] { return ask(of.shared->part<A>(), p); }, true));
        },
        parsed);
}

template <class A>
nb::list pairs_covering(const table_object& of, const prefix<A>& where) {
    const kept_values values_guard(of.shared);
    return pairs_of(*of.shared, of.shared->exact([&] { return of.shared->part<A>().covering(where); }));
}

// Returns a new reference to the value, or to the fallback if there is no match.
template <class A>
PyObject* answer(shared_table& table, A address, PyObject* fallback) {
    return table.answering_form(address, [&]<class B>(B form) {
        const next_hop hop = table.part<B>().lookup(form);
        return hop == next_hop::none ? Py_NewRef(fallback) : table.value_of<B>(hop);
    });
}

// Calls f(address) for the text of an address. Returns null for everything else; the caller then
// distinguishes the errors.
template <class F>
PyObject* answer_text(PyObject* text, F f) {
    const auto bytes = text_of(text);
    if (!bytes)
        return nullptr;
    const auto address = parse_address(*bytes);
    return address ? std::visit(f, *address) : nullptr;
}

template <class A>
nb::dict part_stats(shared_table& table) {
    const auto& part = table.part<A>();
    nb::dict facts;
    facts["routes"] = part.size();
    if (part.live) {
        const table_memory memory = part.live->memory();
        facts["scheme"] = std::string(part.live->scheme().facts.name);
        facts["version"] = table.live()->version();
        facts["rib_bytes"] = memory.rib;
        facts["fib_bytes"] = memory.fib;
        facts["old_bytes"] = memory.old;
        facts["update_bytes"] = memory.updates;
    } else if (part.saved) {
        facts["scheme"] = std::string(default_scheme<A>().facts.name);
        facts["mapped_bytes"] = part.saved->memory_bytes();
    }
    return facts;
}

// Calls a function that only the writer may call.
template <class F>
auto as_writer(shared_table& table, F ask) {
    const write_turn turn(table);
    return ask();
}

// The two images of both families map the same file.
std::size_t mapped_bytes(const shared_table& table) {
    const auto& four = table.part<ipv4_address>().saved;
    const auto& six = table.part<ipv6_address>().saved;
    return std::max(four ? four->memory_bytes() : 0, six ? six->memory_bytes() : 0);
}

template <class A>
bool same_values(const shared_table& a, const std::vector<route<A>>& of_a, const shared_table& b,
                 const std::vector<route<A>>& of_b) {
    for (std::size_t i = 0; i < of_a.size(); ++i) {
        const nb::object left = nb::steal(a.value_of<A>(of_a[i].hop));
        const nb::object right = nb::steal(b.value_of<A>(of_b[i].hop));
        const int same = PyObject_RichCompareBool(left.ptr(), right.ptr(), Py_EQ);
        if (same < 0)
            raise_current();
        if (same == 0)
            return false;
    }
    return true;
}

// The hash of these prefixes, given the hash of those before them.
template <class A>
std::uint64_t hash_of(const std::vector<route<A>>& routes, std::uint64_t hash) {
    constexpr std::uint64_t spread = 0x9e3779b97f4a7c15; // 2^64 divided by the golden ratio
    for (const route<A>& entry : routes)
        for (const u128 word :
             {u128{entry.where.base.value} >> 64, u128{entry.where.base.value}, u128{entry.where.length}})
            hash = (std::rotl(hash, 27) ^ static_cast<std::uint64_t>(word)) * spread;
    return hash;
}

template <class A>
bool same_prefixes(const std::vector<route<A>>& a, const std::vector<route<A>>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const route<A>& x, const route<A>& y) { return x.where == y.where; });
}

} // namespace

shared_table& changeable(const table_object& of) {
    if (of.shared->is_mapped())
        raise(PyExc_TypeError,
              of.shared->path() + " is a mapped image; copy() returns a table that can be changed");
    if (of.shared->is_frozen())
        raise(PyExc_TypeError, "the table is frozen; copy() returns a table that can be changed");
    return *of.shared;
}

PyObject* lookup(const table_object& of, PyObject* address, PyObject* fallback, PyObject* family) {
    shared_table& table = *of.shared;
    const any_address parsed = address_to_look_up(address, family_argument(family));
    return std::visit([&](const auto& a) { return answer(table, a, fallback); }, parsed);
}

PyObject* lookup_text(const table_object& of, PyObject* text, PyObject* fallback) {
    return answer_text(text, [&](const auto& a) { return answer(*of.shared, a, fallback); });
}

nb::object match(const table_object& of, nb::handle address, nb::handle family) {
    const any_address parsed = address_to_look_up(address.ptr(), family_argument(family.ptr()));
    return std::visit([&](const auto& a) { return match_of(of.shared, a); }, parsed);
}

PyObject* match_text(const table_object& of, PyObject* text) {
    return answer_text(text, [&](const auto& a) { return match_of(of.shared, a).release().ptr(); });
}

nb::list all_matches(const table_object& of, nb::handle address, nb::handle family) {
    const any_address parsed = address_to_look_up(address.ptr(), family_argument(family.ptr()));
    return std::visit(
        [&](const auto& a) {
            return of.shared->answering_form(a, [&]<class A>(A form) {
                return pairs_covering(of, prefix<A>{form, A::bits});
            });
        },
        parsed);
}

nb::list covering(const table_object& of, nb::handle where) {
    return std::visit([&](const auto& p) { return pairs_covering(of, p); }, prefix_of(where.ptr()));
}

nb::list covered(const table_object& of, nb::handle where) {
    return pairs_within(of, where, [](const auto& part, const auto& p) { return part.covered(p); });
}

nb::list children(const table_object& of, nb::handle where) {
    return pairs_within(of, where, [](const auto& part, const auto& p) { return part.children(p); });
}

nb::object match_prefix(const table_object& of, nb::handle where) {
    return std::visit(
        [&]<class A>(const prefix<A>& p) {
            return pair_found(of.shared, [&] { return of.shared->part<A>().match_prefix(p); });
        },
        prefix_of(where.ptr()));
}

nb::object parent(const table_object& of, nb::handle where) {
    return std::visit(
        [&]<class A>(const prefix<A>& p) {
            return pair_found(of.shared, [&] { return of.shared->part<A>().cover(p); });
        },
        prefix_of(where.ptr()));
}

nb::object get_exact(const table_object& of, const any_prefix& where) {
    const kept_values values_guard(of.shared);
    return std::visit(
        [&]<class A>(const prefix<A>& p) {
            const next_hop hop = of.shared->exact([&] { return of.shared->part<A>().get(p); });
            return hop == next_hop::none ? nb::object() : nb::steal(of.shared->value_of<A>(hop));
        },
        where);
}

bool has_exact(const table_object& of, const any_prefix& where) {
    return std::visit(
        [&]<class A>(const prefix<A>& p) {
            return of.shared->exact([&] { return of.shared->part<A>().get(p); }) != next_hop::none;
        },
        where);
}

bool equal(const table_object& a, const table_object& b) {
    const kept_values keep_a(a.shared);
    const kept_values keep_b(b.shared);
    const auto a4 = a.shared->copy_routes<ipv4_address>();
    const auto b4 = b.shared->copy_routes<ipv4_address>();
    if (!same_prefixes(a4, b4))
        return false;
    const auto a6 = a.shared->copy_routes<ipv6_address>();
    const auto b6 = b.shared->copy_routes<ipv6_address>();
    return same_prefixes(a6, b6) && same_values(*a.shared, a4, *b.shared, b4) &&
           same_values(*a.shared, a6, *b.shared, b6);
}

bool equal_to_mapping(nb::handle table, nb::handle other) {
    if (nb::len(table) != nb::len(other))
        return false;
    const nb::object dict = nb::borrow(reinterpret_cast<PyObject*>(&PyDict_Type));
    return dict(iterate(table, walk_over::items)).equal(dict(other));
}

void freeze(const table_object& of) {
    if (!of.shared->is_mapped())
        as_writer(*of.shared, [&] { of.shared->freeze(); });
}

std::uint64_t hash(const table_object& of) {
    shared_table& table = *of.shared;
    if (!table.is_frozen())
        raise(PyExc_TypeError, "unhashable type: 'Table'; after freeze(), a table can be hashed");
    if (!table.known_hash())
        table.known_hash() =
            hash_of(table.copy_routes<ipv6_address>(), hash_of(table.copy_routes<ipv4_address>(), 1));
    return *table.known_hash();
}

std::size_t memory_bytes(const table_object& of) {
    shared_table& table = *of.shared;
    if (table.is_mapped())
        return mapped_bytes(table);
    return as_writer(table, [&] { return table.live()->memory_bytes() + table.values().memory_bytes(); });
}

nb::dict stats(const table_object& of) {
    shared_table& table = *of.shared;
    nb::dict facts;
    facts["scheme"] = table.scheme();
    facts["values"] = std::string(name_of(table.kind()));
    facts["mapped"] = table.is_mapped();
    facts["memory"] = memory_bytes(of);
    if (!table.is_mapped())
        facts["different_values"] = table.values().size();
    facts["ipv4"] = part_stats<ipv4_address>(table);
    facts["ipv6"] = part_stats<ipv6_address>(table);
    return facts;
}

std::string repr(const table_object& of) {
    const shared_table& table = *of.shared;
    const auto size = [&]<class A>(A) {
        return std::to_string(table.exact([&] { return table.part<A>().size(); }));
    };
    return "<fingerpost.Table: " + size(ipv4_address{}) + " IPv4 and " + size(ipv6_address{}) +
           " IPv6 routes, values " + std::string(name_of(table.kind())) +
           (table.is_mapped() ? ", mapped from " + table.path() : std::string()) + ">";
}

} // namespace fingerpost::python
