// Pickling. A pickle has the prefixes as bytes, each distinct value once, and a value number for each prefix.
//
//      (format, values, IPv4 prefixes, IPv4 value numbers, IPv6 prefixes, IPv6 value numbers[, aliases])
//
// A prefix is its address in network order and one byte of length. Value numbers are 32 bits, little endian.
// Aliases, which few tables have, are IPv6 prefixes.
#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "python/core/module_lock.hpp"
#include "python/core/raise.hpp"
#include "python/core/table/table_object.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

constexpr long format_number = 1;

template <class A>
constexpr std::size_t prefix_bytes = A::bits / 8 + 1;
constexpr std::size_t number_bytes = 4;

// Values in the order of their numbers, which are assigned in the order of the routes.
struct pickled_values {
    nb::list values{};
    std::unordered_map<std::uint32_t, std::uint32_t> numbers{};

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
void add_bytes(const prefix<A>& where, std::string& to) {
    for (unsigned shift = A::bits; shift != 0; shift -= 8)
        to += static_cast<char>(static_cast<unsigned char>(where.base.value >> (shift - 8)));
    to += static_cast<char>(where.length);
}

template <class A>
void add_part(const shared_table& table, pickled_values& values, nb::list& state) {
    // Rows of the images of two families are numbered separately.
    if (table.is_mapped())
        values.numbers.clear();
    const std::vector<route<A>> routes = table.copy_routes<A>();
    std::string prefixes;
    std::string numbers;
    prefixes.reserve(routes.size() * prefix_bytes<A>);
    numbers.reserve(routes.size() * number_bytes);
    for (const route<A>& entry : routes) {
        add_bytes(entry.where, prefixes);
        const std::uint32_t number =
            table.kind() == value_kind::integer ? entry.hop.id : values.number_of<A>(table, entry.hop);
        for (unsigned shift = 0; shift < 32; shift += 8)
            numbers += static_cast<char>(static_cast<unsigned char>(number >> shift));
    }
    state.append(new_bytes(prefixes));
    state.append(new_bytes(numbers));
}

// Tables of text are pickled without types, so that older versions can read them.
bool has_only_text(const shared_table& table) {
    const auto types = table.types();
    return std::all_of(types.begin(), types.end(),
                       [](column_type type) { return type == column_type::text; });
}

// Returns what pickle needs: a function that creates an empty table, and one that fills it. The table exists
// before its values are read, so values may refer to it.
nb::tuple reduce(nb::handle self) {
    const auto& of = nb::cast<const table_object&>(self);
    const shared_table& table = *of.shared;
    const kept_values values_guard(of.shared);
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
        kind = self.attr(has_only_text(table) ? "columns" : "types");
    parts.insert(0, nb::int_(format_number));
    parts.insert(1, values.values);
    std::string aliases;
    for (const ipv6_prefix& block : table.aliases())
        add_bytes(block, aliases);
    if (!aliases.empty())
        parts.append(new_bytes(aliases));
    return nb::make_tuple(
        functions.attr("new_table"), nb::make_tuple(self.type(), kind, scheme), nb::tuple(parts), nb::none(),
        nb::none(),
        functions.attr(table.is_frozen() && !table.is_mapped() ? "fill_frozen_table" : "fill_table"));
}

[[noreturn]] void refuse_state() {
    raise_input_error("not a pickled table, or pickled by a later version");
}

nb::bytes bytes_in(const nb::tuple& state, std::size_t at) {
    if (!PyBytes_Check(state[at].ptr()))
        refuse_state();
    return nb::cast<nb::bytes>(state[at]);
}

// The length is not checked.
template <class A>
std::pair<A, unsigned> read_prefix(const unsigned char* from) {
    typename A::value_type address = 0;
    for (std::size_t byte = 0; byte + 1 < prefix_bytes<A>; ++byte)
        address = static_cast<typename A::value_type>(address << 8 | from[byte]);
    return {A{address}, from[prefix_bytes<A> - 1]};
}

std::vector<ipv6_prefix> aliases_in(const nb::tuple& state) {
    std::vector<ipv6_prefix> aliases;
    const nb::bytes bytes = state.size() == 7 ? bytes_in(state, 6) : nb::bytes("", 0);
    if (bytes.size() % prefix_bytes<ipv6_address> != 0)
        refuse_state();
    const auto* at = reinterpret_cast<const unsigned char*>(bytes.c_str());
    for (const auto* const end = at + bytes.size(); at != end; at += prefix_bytes<ipv6_address>) {
        const auto [address, length] = read_prefix<ipv6_address>(at);
        if (length > mapped_block.length)
            refuse_state();
        aliases.push_back(ipv6_prefix::make(address, length));
    }
    return aliases;
}

// A route and the number of its value.
template <class A>
using numbered_route = std::pair<prefix<A>, std::uint32_t>;

// Returns the routes of a family in prefix order, the last of equal prefixes. Raises for an invalid state.
template <class A>
std::vector<numbered_route<A>> routes_in(const nb::tuple& state, std::size_t at, std::size_t values) {
    const nb::bytes prefixes = bytes_in(state, at);
    const nb::bytes numbers = bytes_in(state, at + 1);
    const std::size_t count = prefixes.size() / prefix_bytes<A>;
    if (prefixes.size() != count * prefix_bytes<A> || numbers.size() != count * number_bytes)
        refuse_state();
    const auto* where = reinterpret_cast<const unsigned char*>(prefixes.c_str());
    const auto* which = reinterpret_cast<const unsigned char*>(numbers.c_str());
    std::vector<numbered_route<A>> routes;
    routes.reserve(count);
    for (std::size_t i = 0; i < count; ++i, where += prefix_bytes<A>, which += number_bytes) {
        const auto [address, length] = read_prefix<A>(where);
        std::uint32_t number = 0;
        for (std::size_t byte = number_bytes; byte-- > 0;)
            number = number << 8 | which[byte];
        if (length > A::bits || number >= values)
            refuse_state();
        routes.emplace_back(prefix<A>::make(address, length), number);
    }
    const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::is_sorted(routes.begin(), routes.end(), before))
        std::stable_sort(routes.begin(), routes.end(), before);
    // std::unique keeps the first of equal neighbors, so run it in reverse.
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    routes.erase(routes.begin(), std::unique(routes.rbegin(), routes.rend(), same).base());
    return routes;
}

// Next hops of values by their numbers, each looked up once. Needs a write_turn.
class hops_of_values {
  public:
    hops_of_values(value_store& store, const std::vector<staged_value>& staged)
        : store_(&store), staged_(&staged), hops_(staged.size(), next_hop::none) {}

    // In a table of integers, the number is the next hop.
    next_hop use(std::uint32_t number) {
        if (store_->kind() == value_kind::integer)
            return {number};
        next_hop& known = hops_[number];
        if (known == next_hop::none)
            known = store_->use((*staged_)[number]);
        else
            store_->use_again(known);
        return known;
    }

  private:
    value_store* store_;
    const std::vector<staged_value>* staged_;
    std::vector<next_hop> hops_;
};

template <class A>
void add_to(plan<A>& to, const std::vector<numbered_route<A>>& routes, hops_of_values& hops) {
    to.routes.reserve(routes.size());
    for (const auto& [where, number] : routes)
        to.routes.push_back({where, hops.use(number)});
}

void commit_pickled(shared_table& table, const std::vector<numbered_route<ipv4_address>>& ipv4,
                    const std::vector<numbered_route<ipv6_address>>& ipv6,
                    const std::vector<staged_value>& staged) {
    const module_lock lock;
    errc failure = errc::ok;
    {
        const write_turn turn(table);
        plan<ipv4_address> four{{}, true};
        plan<ipv6_address> six{{}, true};
        failure = or_reason([&] {
            hops_of_values hops(table.values(), staged);
            add_to(four, ipv4, hops);
            add_to(six, ipv6, hops);
            return errc::ok;
        });
        if (failure == errc::ok) {
            failure = table.apply(std::move(four), std::move(six));
        } else {
            table.values().give_up(four.routes);
            table.values().give_up(six.routes);
        }
    }
    if (failure != errc::ok)
        raise_errc(failure);
}

void fill(nb::handle self, const nb::tuple& state) {
    if ((state.size() != 6 && state.size() != 7) || !PyLong_Check(state[0].ptr()) ||
        nb::cast<long>(state[0]) != format_number || !PyList_Check(state[1].ptr()))
        refuse_state();
    shared_table& table = changeable(nb::cast<const table_object&>(self));
    const bool are_numbers = table.kind() == value_kind::integer;
    const nb::tuple values(nb::borrow<nb::list>(state[1]));
    const std::size_t count = are_numbers ? next_hop::none.id : values.size();
    const auto ipv4 = routes_in<ipv4_address>(state, 2, count);
    const auto ipv6 = routes_in<ipv6_address>(state, 4, count);
    auto aliases = aliases_in(state);
    std::vector<staged_value> staged;
    for (const nb::handle value : values)
        staged.push_back(table.values().stage(value.ptr()));
    commit_pickled(table, ipv4, ipv6, staged);
    table.set_aliases(std::move(aliases));
}

} // namespace

void bind_pickling(nb::class_<table_object>& to) {
    to.def("__reduce__", &reduce, locked());
    to.def("_set_pickled", &fill);
}

} // namespace fingerpost::python
