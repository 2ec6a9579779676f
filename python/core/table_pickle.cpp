// Pickling: which prefixes there are, in binary, the different values once, and which prefix has which.
//
//      (format, values, prefixes of IPv4, value numbers of IPv4, the same of IPv6)
//
// Prefixes are their address in network order and one byte of length; value numbers are 32 bits, little
// endian.
#include <unordered_map>

#include "python/core/module_lock.hpp"
#include "python/core/raise.hpp"
#include "python/core/table.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

constexpr long format_number = 1;

template <class A>
constexpr std::size_t prefix_bytes = A::bits / 8 + 1;
constexpr std::size_t number_bytes = 4;

// Values in the order of their numbers, which are given as routes come.
struct pickled_values {
    nb::list values{};
    std::unordered_map<std::uint32_t, std::uint32_t> numbers{};

    // `seen` tells hops of one family from those of the other, where they mean different values.
    template <class A>
    std::uint32_t number_of(const shared_table& table, next_hop hop) {
        const auto [at, is_new] = numbers.try_emplace(hop.id, static_cast<std::uint32_t>(values.size()));
        if (is_new)
            values.append(nb::steal(table.value_of<A>(hop)));
        return at->second;
    }
};

nb::bytes new_bytes(const std::string& of) {
    return nb::bytes(of.data(), of.size());
}

template <class A>
void add_part(const shared_table& table, pickled_values& values, nb::list& state) {
    // Rows of the images of two families are numbered apart.
    if (table.is_mapped())
        values.numbers.clear();
    std::string prefixes;
    std::string numbers;
    for (const route<A>& one : table.copy_routes<A>()) {
        for (unsigned shift = A::bits; shift != 0; shift -= 8)
            prefixes += static_cast<char>(static_cast<unsigned char>(one.where.base.value >> (shift - 8)));
        prefixes += static_cast<char>(one.where.length);
        const std::uint32_t number =
            table.kind() == value_kind::integer ? one.hop.id : values.number_of<A>(table, one.hop);
        for (unsigned shift = 0; shift < 32; shift += 8)
            numbers += static_cast<char>(static_cast<unsigned char>(number >> shift));
    }
    state.append(new_bytes(prefixes));
    state.append(new_bytes(numbers));
}

// What pickle takes: how an empty table is made, and what fills it. The table is there before its values are
// read, so that a value may refer to it.
nb::tuple reduce(nb::handle self) {
    const auto& of = nb::cast<const table_object&>(self);
    const shared_table& table = *of.shared;
    const kept_values kept(of.shared);
    pickled_values values;
    nb::list parts;
    add_part<ipv4_address>(table, values, parts);
    add_part<ipv6_address>(table, values, parts);
    const nb::module_ functions = nb::module_::import_("fingerpost._pickling");
    const nb::object scheme = table.is_mapped() ? nb::none() : nb::object(nb::cast(table.scheme().c_str()));
    nb::object kind = nb::borrow(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
    if (table.kind() == value_kind::integer)
        kind = nb::borrow(reinterpret_cast<PyObject*>(&PyLong_Type));
    else if (table.kind() == value_kind::rows)
        kind = self.attr("columns");
    const nb::tuple state =
        nb::make_tuple(format_number, values.values, parts[0], parts[1], parts[2], parts[3]);
    return nb::make_tuple(functions.attr("new_table"), nb::make_tuple(self.type(), kind, scheme), state,
                          nb::none(), nb::none(), functions.attr("fill_table"));
}

[[noreturn]] void refuse_state() {
    raise_input_error("this is no pickled table, or one of a later version");
}

template <class A>
void add_routes(const nb::tuple& state, std::size_t at, bool are_numbers, nb::list& pairs) {
    if (!PyBytes_Check(state[at].ptr()) || !PyBytes_Check(state[at + 1].ptr()))
        refuse_state();
    const auto prefixes = nb::cast<nb::bytes>(state[at]);
    const auto numbers = nb::cast<nb::bytes>(state[at + 1]);
    const std::size_t count = prefixes.size() / prefix_bytes<A>;
    if (prefixes.size() != count * prefix_bytes<A> || numbers.size() != count * number_bytes)
        refuse_state();
    const auto values = nb::cast<nb::list>(state[1]);
    for (std::size_t i = 0; i < count; ++i) {
        const char* const where = prefixes.c_str() + i * prefix_bytes<A>;
        std::uint32_t number = 0;
        for (unsigned byte = number_bytes; byte-- > 0;)
            number = number << 8 | static_cast<unsigned char>(numbers.c_str()[i * number_bytes + byte]);
        if (!are_numbers && number >= values.size())
            refuse_state();
        const nb::object value = are_numbers ? nb::object(nb::int_(number)) : nb::object(values[number]);
        const nb::tuple key = nb::make_tuple(nb::bytes(where, prefix_bytes<A> - 1),
                                             static_cast<unsigned char>(where[prefix_bytes<A> - 1]));
        pairs.append(nb::make_tuple(key, value));
    }
}

void fill(nb::handle self, const nb::tuple& state) {
    if (state.size() != 6 || !PyLong_Check(state[0].ptr()) || nb::cast<long>(state[0]) != format_number ||
        !PyList_Check(state[1].ptr()))
        refuse_state();
    const auto& of = nb::cast<const table_object&>(self);
    const bool are_numbers = of.shared->kind() == value_kind::integer;
    nb::list pairs;
    add_routes<ipv4_address>(state, 2, are_numbers, pairs);
    add_routes<ipv6_address>(state, 4, are_numbers, pairs);
    update(of, pairs, true);
}

} // namespace

void bind_pickling(nb::class_<table_object>& to) {
    to.def("__reduce__", &reduce, locked());
    to.def("_set_pickled", &fill);
}

} // namespace fingerpost::python
