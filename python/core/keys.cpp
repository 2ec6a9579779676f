// Converts objects to addresses and prefixes according to their types.
#include "python/core/keys.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#include "fingerpost/net/socket_text.hpp"
#include "python/core/raise.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

std::string accepted(std::string_view what, std::string_view forms, PyObject* object) {
    return std::string(what).append(" is ").append(forms).append("; not ").append(type_name(object));
}

[[noreturn]] void refuse_text(PyObject* object, const std::string& reason) {
    raise(PyExc_ValueError, shown(object) + ": " + reason);
}

std::string_view text_or_raise(PyObject* str) {
    const auto text = text_of(str);
    if (!text)
        raise(PyExc_ValueError, shown(str) + ": invalid characters for an address");
    return *text;
}

any_address address_of_text(PyObject* object, std::string_view text) {
    const auto address = parse_address(text);
    if (!address)
        refuse_text(object, message(address.error()));
    return *address;
}

any_prefix prefix_of_text(PyObject* object, std::string_view text) {
    const auto where = parse_any_prefix(text);
    if (!where)
        refuse_text(object, where.error());
    return *where;
}

// The part after the slash of an IPv4 prefix, if it has the form of an address.
std::optional<ipv4_address> mask_in(std::string_view text) noexcept {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos || detect_family(text) != family::ipv4)
        return std::nullopt;
    const auto mask = parse_address<ipv4_address>(text.substr(slash + 1));
    return mask ? std::optional(*mask) : std::nullopt;
}

// Like ipaddress: ones before zeros are a netmask, zeros before ones a host mask.
std::optional<unsigned> length_of_mask(ipv4_address mask) noexcept {
    const auto is_host_mask = [](std::uint32_t bits) { return (bits & (bits + 1)) == 0; };
    if (is_host_mask(~mask.value))
        return static_cast<unsigned>(std::countl_one(mask.value));
    if (is_host_mask(mask.value))
        return static_cast<unsigned>(std::countl_zero(mask.value));
    return std::nullopt;
}

template <class A>
A from_network_order(const unsigned char* bytes) {
    typename A::value_type value = 0;
    for (unsigned i = 0; i < A::bits / 8; ++i)
        value = static_cast<typename A::value_type>(value << 8 | bytes[i]);
    return A{value};
}

any_address address_of_bytes(PyObject* object) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(PyBytes_AsString(object));
    const Py_ssize_t size = PyBytes_Size(object);
    if (size == 4)
        return from_network_order<ipv4_address>(bytes);
    if (size == 16)
        return from_network_order<ipv6_address>(bytes);
    raise(PyExc_ValueError, shown(object) + ": " + std::to_string(size) +
                                " bytes; an address has 4 (IPv4) or 16 (IPv6), in network order");
}

// The lowest 64 bits of a number that must not be negative.
std::uint64_t low_bits(PyObject* number) {
    const unsigned long long bits = PyLong_AsUnsignedLongLongMask(number);
    if (PyErr_Occurred())
        raise_current();
    return bits;
}

// The value of a non-negative number of at most `bits` bits; otherwise nullopt.
std::optional<u128> unsigned_of(PyObject* number, unsigned bits) {
    const nb::object index = nb::steal(PyNumber_Index(number));
    if (!index.is_valid())
        raise_current();
    const nb::object half = nb::steal(PyLong_FromLong(64));
    const nb::object high = nb::steal(PyNumber_Rshift(index.ptr(), half.ptr()));
    if (!high.is_valid())
        raise_current();
    const unsigned long long top = PyLong_AsUnsignedLongLong(high.ptr());
    if (PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError))
            raise_current();
        PyErr_Clear();
        return std::nullopt;
    }
    const u128 value = u128{top} << 64 | low_bits(index.ptr());
    if (bits < 128 && value >> bits != 0)
        return std::nullopt;
    return value;
}

any_address address_of_number(PyObject* number, family of) {
    const unsigned bits = of == family::ipv4 ? 32 : 128;
    const auto value = unsigned_of(number, bits);
    if (!value)
        raise(PyExc_ValueError, shown(number) + ": an " + std::string(name_of(of)) + " address is a number " +
                                    "from 0 to 2**" + std::to_string(bits) + " - 1");
    if (of == family::ipv4)
        return ipv4_address{static_cast<std::uint32_t>(*value)};
    return ipv6_address{*value};
}

// Classes of ipaddress. The module is imported for the first key that is not a str, bytes, int or tuple.
struct ipaddress_classes {
    nb::object addresses, interfaces, networks;
};

const ipaddress_classes& classes() {
    // Never destroyed: static objects would be destroyed after the interpreter.
    static ipaddress_classes* known = nullptr;
    if (known == nullptr) {
        const nb::module_ module = nb::module_::import_("ipaddress");
        const auto both = [&](const char* four, const char* six) {
            return nb::object(nb::make_tuple(module.attr(four), module.attr(six)));
        };
        known =
            new ipaddress_classes{both("IPv4Address", "IPv6Address"), both("IPv4Interface", "IPv6Interface"),
                                  both("IPv4Network", "IPv6Network")};
    }
    return *known;
}

bool is_one_of(PyObject* object, const nb::object& types) {
    const int is = PyObject_IsInstance(object, types.ptr());
    if (is < 0)
        raise_current();
    return is == 1;
}

any_address address_of_packed(nb::handle address) {
    const nb::object zone = nb::getattr(address, "scope_id", nb::none());
    if (!zone.is_none())
        raise(PyExc_ValueError, shown(address.ptr()) + ": an address with a zone is not part of any prefix");
    const nb::object packed = address.attr("packed");
    if (!PyBytes_Check(packed.ptr()))
        raise(PyExc_TypeError, accepted("an address", accepted_addresses, address.ptr()));
    return address_of_bytes(packed.ptr());
}

any_prefix with_length(const any_address& address, PyObject* length, PyObject* whole) {
    if (!PyIndex_Check(length))
        raise(PyExc_TypeError, accepted("a prefix", accepted_prefixes, whole));
    const Py_ssize_t bits = PyNumber_AsSsize_t(length, nullptr);
    if (bits == -1 && PyErr_Occurred())
        raise_current();
    return std::visit(
        [&]<class A>(const A& a) -> any_prefix {
            if (bits < 0 || bits > Py_ssize_t{A::bits})
                raise(PyExc_ValueError, shown(whole) + ": the length of an " +
                                            std::string(name_of(family_of<A>)) + " prefix is from 0 to " +
                                            std::to_string(A::bits));
            return prefix<A>::make(a, static_cast<unsigned>(bits));
        },
        address);
}

any_prefix one_address(const any_address& address) {
    return std::visit([]<class A>(const A& a) -> any_prefix { return prefix<A>{a, A::bits}; }, address);
}

any_prefix prefix_of_tuple(PyObject* tuple) {
    const Py_ssize_t size = PyTuple_Size(tuple);
    if (size != 2 && size != 3)
        raise(PyExc_TypeError,
              accepted("a prefix", accepted_prefixes, tuple) + " of " + std::to_string(size));
    std::optional<family> of;
    if (size == 3)
        of = family_argument(PyTuple_GetItem(tuple, 2));
    return with_length(address_of(PyTuple_GetItem(tuple, 0), of), PyTuple_GetItem(tuple, 1), tuple);
}

any_address check_family(const any_address& address, std::optional<family> required, PyObject* object) {
    const family is = address.index() == 0 ? family::ipv4 : family::ipv6;
    if (required && is != *required)
        raise(PyExc_ValueError, shown(object) + ": an " + std::string(name_of(is)) +
                                    " address, but family=" + (*required == family::ipv4 ? "4" : "6"));
    return address;
}

} // namespace

expected<any_prefix, std::string> parse_any_prefix(std::string_view text) {
    const auto plain = parse_prefix(text);
    if (plain)
        return *plain;
    const auto mask = mask_in(text);
    const auto length = mask ? length_of_mask(*mask) : std::nullopt;
    if (mask && !length)
        return unexpected{std::string("not a netmask")};
    const auto address = parse_address<ipv4_address>(text.substr(0, text.find('/')));
    if (!address || !length)
        return unexpected{message(plain.error())};
    return any_prefix(ipv4_prefix::make(*address, *length));
}

std::optional<std::string_view> text_of(PyObject* str) noexcept {
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(str, &size);
    if (bytes == nullptr) {
        PyErr_Clear();
        return std::nullopt;
    }
    return std::string_view(bytes, static_cast<std::size_t>(size));
}

PyObject* new_text(std::string_view utf8) {
    PyObject* const text = PyUnicode_FromStringAndSize(utf8.data(), static_cast<Py_ssize_t>(utf8.size()));
    if (text == nullptr)
        raise_current();
    return text;
}

std::optional<family> family_argument(PyObject* object) {
    if (object == Py_None)
        return std::nullopt;
    if (PyIndex_Check(object)) {
        const Py_ssize_t number = PyNumber_AsSsize_t(object, nullptr);
        if (number == -1 && PyErr_Occurred())
            raise_current();
        if (number == 4 || number == 6)
            return number == 4 ? family::ipv4 : family::ipv6;
    }
    raise(PyExc_ValueError, "family must be 4 or 6, not " + shown(object));
}

any_address address_of(PyObject* object, std::optional<family> required) {
    if (PyUnicode_Check(object))
        return check_family(address_of_text(object, text_or_raise(object)), required, object);
    if (PyBytes_Check(object))
        return check_family(address_of_bytes(object), required, object);
    if (PyIndex_Check(object)) {
        if (!required)
            raise(PyExc_TypeError, "an int can be an address of either family: pass family=4 or family=6");
        return address_of_number(object, *required);
    }
    if (is_one_of(object, classes().addresses))
        return check_family(address_of_packed(object), required, object);
    raise(PyExc_TypeError, accepted("an address", accepted_addresses, object));
}

any_address address_to_look_up(PyObject* object, std::optional<family> required) {
    const auto text = PyUnicode_Check(object) ? text_of(object) : std::nullopt;
    if (const auto host = text ? socket_host(*text) : std::nullopt)
        return check_family(address_of_text(object, *host), required, object);
    return address_of(object, required);
}

any_prefix prefix_of(PyObject* object) {
    if (PyUnicode_Check(object))
        return prefix_of_text(object, text_or_raise(object));
    if (PyBytes_Check(object))
        return one_address(address_of_bytes(object));
    if (PyTuple_Check(object))
        return prefix_of_tuple(object);
    const nb::handle handle(object);
    const auto of_network = [&](nb::handle network) {
        const nb::object length = network.attr("prefixlen");
        return with_length(address_of_packed(network.attr("network_address")), length.ptr(), object);
    };
    if (is_one_of(object, classes().networks))
        return of_network(handle);
    // Checked before addresses, because interfaces are addresses too.
    if (is_one_of(object, classes().interfaces))
        return of_network(handle.attr("network"));
    if (is_one_of(object, classes().addresses))
        return one_address(address_of_packed(handle));
    raise(PyExc_TypeError, accepted("a prefix", accepted_prefixes, object));
}

} // namespace fingerpost::python
