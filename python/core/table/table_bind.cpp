// Names and docstrings of the methods of Table.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "python/core/module_lock.hpp"
#include "python/core/raise.hpp"
#include "python/core/table/table_object.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

int traverse_table(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    return nb::inst_ready(self) ? nb::inst_ptr<table_object>(self)->shared->traverse(visit, arg) : 0;
}

int clear_table(PyObject* self) {
    const module_lock lock;
    if (nb::inst_ready(self))
        nb::inst_ptr<table_object>(self)->shared->clear();
    return 0;
}

PyType_Slot table_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_table)},
                             {Py_tp_clear, reinterpret_cast<void*>(clear_table)},
                             {0, nullptr}};

// Raises a KeyError that shows the key.
[[noreturn]] void raise_missing(nb::handle key) {
    const nb::object error = nb::module_::import_("fingerpost._errors").attr("MissingPrefix");
    PyErr_SetObject(error.ptr(), key.ptr());
    raise_current();
}

// A marker for an omitted default. Lives as long as the process.
nb::object no_default() {
    static PyObject* const marker = PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
    if (marker == nullptr)
        raise_current();
    return nb::borrow(marker);
}

void init(table_object* self, nb::handle routes, nb::handle values, nb::handle network,
          const std::optional<std::string>& scheme) {
    if (is_frame(routes)) {
        new (self) table_object{table_of_frame(routes, network, values, scheme.value_or(std::string()))};
        return;
    }
    if (!network.is_none())
        raise(PyExc_ValueError,
              "network= names a column of a frame, but routes is " + type_name(routes.ptr()));
    table_object table{new_table(values, scheme.value_or(std::string()))};
    if (!routes.is_none())
        update(table, routes, true, {});
    new (self) table_object(std::move(table));
}

nb::object get_item(const table_object& of, nb::handle where) {
    nb::object value = get_exact(of, prefix_of(where.ptr()));
    if (!value.is_valid())
        raise_missing(where);
    return value;
}

nb::object pop(const table_object& of, nb::handle where, nb::object fallback) {
    nb::object value = remove_one(of, prefix_of(where.ptr()));
    if (value.is_valid())
        return value;
    if (fallback.is(no_default()))
        raise_missing(where);
    return fallback;
}

nb::object pop_item(const table_object& of) {
    nb::object item = remove_first(of);
    if (!item.is_valid())
        raise(PyExc_KeyError, "the table is empty");
    return item;
}

nb::object updated(const nb::object& table, nb::handle routes, bool whole = false) {
    update(nb::cast<const table_object&>(table), routes, whole, {});
    return table;
}

nb::object new_copy(nb::handle table) {
    return nb::cast(table_object{copy_of(nb::cast<const table_object&>(table))});
}

// Whether `|` accepts an object. Like dict, it accepts no pairs.
bool is_mapping(nb::handle object) {
    if (nb::isinstance<table_object>(object))
        return true;
    const nb::object mapping = nb::module_::import_("collections.abc").attr("Mapping");
    const int is = PyObject_IsInstance(object.ptr(), mapping.ptr());
    if (is < 0)
        raise_current();
    return is == 1;
}

void bind_unions(nb::class_<table_object>& to) {
    to.def(
        "__or__",
        [](nb::handle self, nb::handle other) {
            return is_mapping(other) ? updated(new_copy(self), other) : nb::borrow(Py_NotImplemented);
        },
        nb::arg("other").none(), "Returns a copy of this table, updated with the routes of the other.");
    to.def(
        "__ror__",
        [](nb::handle self, nb::handle other) {
            return is_mapping(other) ? updated(updated(new_copy(self), other, true), self)
                                     : nb::borrow(Py_NotImplemented);
        },
        nb::arg("other").none(),
        "Returns a table of this kind with the routes of the other, updated with this one's.");
    to.def(
        "__ior__", [](nb::handle self, nb::handle other) { return updated(nb::borrow(self), other); },
        nb::arg("other").none(), "Updates the table. Accepts the same objects as update().");
}

// The view classes are Python code that uses this class.
nb::object view(const char* name, nb::handle table) {
    return nb::module_::import_("fingerpost._views").attr(name)(table);
}

nb::object deep_copy(const table_object& of, nb::handle memo) {
    const nb::object result = nb::cast(table_object{copy_of(of)});
    if (of.shared->kind() == value_kind::object) {
        const nb::object copy = nb::module_::import_("copy").attr("deepcopy");
        nb::list routes;
        for (const nb::handle pair : iterate(result, walk_over::items))
            routes.append(nb::make_tuple(pair[0], copy(pair[1], memo)));
        return updated(result, routes, true);
    }
    return result;
}

void bind_mapping(nb::class_<table_object>& to) {
    to.def("__getitem__", &get_item, nb::arg("prefix").none(),
           "Returns the value of exactly this prefix. Raises KeyError without a route.", locked());
    to.def(
        "__setitem__",
        [](const table_object& of, nb::handle where, nb::handle value) {
            set_one(of, prefix_of(where.ptr()), value);
        },
        nb::arg("prefix").none(), nb::arg("value").none(), locked());
    to.def(
        "__delitem__",
        [](const table_object& of, nb::handle where) {
            if (!remove_one(of, prefix_of(where.ptr())).is_valid())
                raise_missing(where);
        },
        nb::arg("prefix").none(), locked());
    to.def(
        "__contains__",
        [](const table_object& of, nb::handle where) { return has_exact(of, prefix_of(where.ptr())); },
        nb::arg("prefix").none(), locked());
    to.def(
        "__len__", [](const table_object& of) { return of.shared->size(); }, locked());
    to.def(
        "__bool__", [](const table_object& of) { return of.shared->size() != 0; }, locked());
    to.def("__iter__", [](nb::handle self) { return iterate(self, walk_over::prefixes); });
    to.def("__reversed__", [](nb::handle self) { return iterate(self, walk_over::prefixes, true); });
    to.def(
        "_iterate_values",
        [](nb::handle self, bool reverse) { return iterate(self, walk_over::values, reverse); },
        nb::arg("reverse") = false);
    to.def(
        "_iterate_items",
        [](nb::handle self, bool reverse) { return iterate(self, walk_over::items, reverse); },
        nb::arg("reverse") = false);
    to.def(
        "keys", [](nb::handle self) { return view("KeysView", self); },
        "Returns a view of the prefixes as str, IPv4 first, in prefix order. An iteration uses a snapshot.");
    to.def(
        "values", [](nb::handle self) { return view("ValuesView", self); },
        "Returns a view of the values, in the order of keys().");
    to.def(
        "items", [](nb::handle self) { return view("ItemsView", self); },
        "Returns a view of the pairs (prefix, value), in the order of keys().");
    to.def(
        "get",
        [](const table_object& of, nb::handle where, nb::object fallback) {
            nb::object value = get_exact(of, prefix_of(where.ptr()));
            return value.is_valid() ? value : fallback;
        },
        nb::arg("prefix").none(), nb::arg("default") = nb::none(),
        "Returns the value of exactly this prefix, or the default. Use lookup() for the longest match of an "
        "address.",
        locked());
    to.def("pop", &pop, nb::arg("prefix").none(), nb::arg("default").none() = no_default(),
           "Removes exactly this prefix and returns its value, or the default. Raises KeyError without both.",
           locked());
    to.def("popitem", &pop_item, "Removes the first prefix and returns the pair (prefix, value).", locked());
    to.def(
        "setdefault",
        [](const table_object& of, nb::handle where, nb::handle value) {
            return set_default(of, prefix_of(where.ptr()), value);
        },
        nb::arg("prefix").none(), nb::arg("default") = nb::none(),
        "Returns the value of exactly this prefix. Adds the prefix with the default value if it is missing.",
        locked());
    to.def("clear", &clear, "Removes all routes.", locked());
    to.def(
        "update",
        [](const table_object& of, nb::handle routes, const nb::kwargs& more) {
            update(of, routes, false, more);
        },
        nb::arg("routes").none() = nb::make_tuple(), nb::arg("more"),
        "Sets the routes of a mapping, a Table, or an iterable of pairs (prefix, value), and those passed as "
        "keywords, in one transaction. Changes nothing if there is an error. If a prefix is repeated, its "
        "last value is used.");
    to.def(
        "replace_all", [](const table_object& of, nb::handle routes) { update(of, routes, true, {}); },
        nb::arg("routes").none(),
        "Replaces all routes of the table by these, in one transaction. Accepts the same objects as "
        "update(). Equal routes are not touched.");
}

void bind_queries(nb::class_<table_object>& to) {
    to.def(
        "lookup",
        [](const table_object& of, nb::handle address, nb::handle fallback, nb::handle family) {
            return nb::steal(lookup(of, address.ptr(), fallback.ptr(), family.ptr()));
        },
        nb::arg("address").none(), nb::arg("default") = nb::none(), nb::kw_only(),
        nb::arg("family") = nb::none(),
        "Returns the value of the longest prefix that contains the address, or the default.\n\n"
        "The address is a str, 4 or 16 bytes in network order, an address of ipaddress, or an int with "
        "family=4 or family=6. A str may include a port or a zone: '10.0.0.1:80', '[2001:db8::1]:53', "
        "'fe80::1%eth0'. ::ffff:a.b.c.d is first looked up as a.b.c.d, then as an IPv6 address. a.b.c.d is "
        "first looked up as an IPv4 address, then as ::ffff:a.b.c.d in the routes within ::ffff:0:0/96. "
        "Raises TypeError for other objects and ValueError, with the reason, for an invalid address.",
        locked());
    to.def("match", &match, nb::arg("address").none(), nb::kw_only(), nb::arg("family") = nb::none(),
           "Returns (prefix, value) of the longest prefix that contains the address, or None.", locked());
    to.def("all_matches", &all_matches, nb::arg("address").none(), nb::kw_only(),
           nb::arg("family") = nb::none(),
           "Returns (prefix, value) for all prefixes that contain the address, shortest first.", locked());
    to.def("covering", &covering, nb::arg("prefix").none(),
           "Returns (prefix, value) for all prefixes that contain this one, including itself, shortest "
           "first.",
           locked());
    to.def("covered", &covered, nb::arg("prefix").none(),
           "Returns (prefix, value) for all prefixes within this one, including itself, in prefix order.",
           locked());
    to.def(
        "match_prefix", &match_prefix, nb::arg("prefix").none(),
        "Returns (prefix, value) of the longest prefix that contains this one, which may be itself, or None.",
        locked());
    to.def(
        "parent", &parent, nb::arg("prefix").none(),
        "Returns (prefix, value) of the longest prefix that contains this one and is shorter, or None. This "
        "prefix need not be in the table.",
        locked());
    to.def("children", &children, nb::arg("prefix").none(),
           "Returns (prefix, value) for the prefixes directly within this one: those that no other prefix "
           "within this one contains. This prefix need not be in the table, and is not part of the result.",
           locked());
    to.def("stats", &stats,
           "Returns a dict with routes and bytes by family, scheme, version and so on. Its keys may change.",
           locked());
    to.def_prop_ro("memory", &memory_bytes,
                   "Memory of the table in bytes, without the Python objects that are its values. For a "
                   "mapped image, the "
                   "size of the file, which all processes share.",
                   locked());
    to.def_prop_ro(
        "scheme", [](const table_object& of) { return of.shared->scheme(); }, "Name of the lookup scheme.",
        locked());
    to.def_prop_ro(
        "value_kind", [](const table_object& of) { return std::string(name_of(of.shared->kind())); },
        "Kind of the values: 'object', 'int' or 'rows'.", locked());
    to.def_prop_ro(
        "report", [](const table_object& of) { return of.report; },
        "The fingerpost.TableReport of a table that was read from a file, otherwise None.");
    to.def_prop_ro(
        "columns",
        [](const table_object& of) {
            nb::list names;
            for (const std::string& name : of.shared->columns())
                names.append(nb::steal(new_cell(name)));
            return nb::tuple(names);
        },
        "Names of the columns; () unless the values are rows.", locked());
    to.def_prop_ro(
        "types",
        [](const table_object& of) {
            nb::dict types;
            for (std::size_t i = 0; i < of.shared->columns().size(); ++i)
                types[nb::steal(new_cell(of.shared->columns()[i]))] =
                    nb::borrow(class_of(of.shared->types()[i]));
            return types;
        },
        "Types of the columns: str, int, float or bool; {} unless the values are rows. Any cell can be None.",
        locked());
}

void bind_freezing(nb::class_<table_object>& to) {
    to.def(
        "freeze", &freeze,
        "Makes the table read-only for ever: a change raises TypeError. copy() returns a table that can be "
        "changed. A frozen table is hashable, so it can be a key of a dict or an argument of a cached "
        "function; its hash depends only on its prefixes. A pickle of it is frozen, too.",
        locked());
    to.def_prop_ro(
        "frozen", [](const table_object& of) { return of.shared->is_frozen(); },
        "Whether the table is read-only: after freeze(), or because it is a mapped image.", locked());
}

// Puts a fast CPython method in front of a nanobind method, whose call takes longer than the lookup. The fast
// method calls Answer for a str and, if Answer takes one, a default. If Answer returns null, and for all
// other arguments, it calls the nanobind method. `arguments` has the form of `__text_signature__`.
template <auto Answer>
void put_in_front(nb::handle type, const char* name, const char* arguments) {
    static PyObject* slow = nullptr; // these variables live as long as the process
    static std::string text_signature;
    static PyMethodDef definition{};
    nb::object method = type.attr(name);
    const nb::object docstring = method.attr("__nb_signature__")[0][1];
    text_signature = std::string(name) + arguments + "\n--\n\n" + nb::cast<std::string>(docstring);
    slow = method.release().ptr();
    PyObject* (*const call)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*) =
        [](PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) -> PyObject* {
        try {
            constexpr bool has_default = requires(const table_object& of) { Answer(of, self, self); };
            if (names == nullptr && count >= 1 && count <= 1 + has_default &&
                PyUnicode_CheckExact(values[0]) && nb::inst_ready(self)) {
                const module_lock lock;
                const table_object& of = *nb::inst_ptr<table_object>(self);
                PyObject* answer = nullptr;
                if constexpr (has_default)
                    answer = Answer(of, values[0], count == 2 ? values[1] : Py_None);
                else
                    answer = Answer(of, values[0]);
                if (answer != nullptr)
                    return answer;
            }
        } catch (...) { // the nanobind method fails likewise and raises the exception
        }
        try {
            std::vector<PyObject*> call_arguments{self};
            call_arguments.insert(call_arguments.end(), values,
                                  values + count + (names == nullptr ? 0 : PyTuple_Size(names)));
            return PyObject_Vectorcall(slow, call_arguments.data(), static_cast<std::size_t>(count) + 1,
                                       names);
        } catch (const std::bad_alloc&) {
            return PyErr_NoMemory();
        }
    };
    definition = {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
                  METH_FASTCALL | METH_KEYWORDS, text_signature.c_str()};
    nb::object descriptor =
        nb::steal(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &definition));
    if (!descriptor.is_valid())
        raise_current();
    nb::setattr(type, name, descriptor);
}

} // namespace

void finish_table(nb::handle type) {
    put_in_front<&lookup_text>(type, "lookup", "($self, address, default=None, *, family=None)");
    put_in_front<&match_text>(type, "match", "($self, address, *, family=None)");
}

void bind_table(nb::module_& to) {
    nb::class_<table_object> type(
        to, "Table", nb::type_slots(table_slots), nb::is_weak_referenceable(),
        "A mapping from IPv4 and IPv6 prefixes to values, with longest-prefix match.\n\n"
        "Table(routes=None, *, values=object, network=None, scheme=None)\n\n"
        "routes: a mapping or an iterable of pairs (prefix, value). values: object for any Python objects; "
        "int for integers from 0 to 2**32 - 2, stored compactly; names of columns for rows of text; or a "
        "mapping of names to str, int, float or bool. A row is a cell if there is one column, otherwise a "
        "dict. A missing cell is None. scheme: the name of a lookup scheme; an unknown name raises a "
        "ValueError that lists them.\n\n"
        "routes can be a frame of pandas, Polars or pyarrow, or any other Arrow table. network: its column "
        "of "
        "networks, or two columns with the first and last addresses of ranges; by default found by name, as "
        "in files. values: int if its only other column has integers; names of columns to keep, or a mapping "
        "of names to types; by default all columns with their types (text, integers, floats, bool). If a "
        "prefix is repeated, its last row is used. Raises TypeError for other types, and ValueError with the "
        "row of a null or invalid network.\n\n"
        "A prefix is a str ('10.0.0.0/8'; a single address is /32 or /128), a network, address or interface "
        "of ipaddress, 4 or 16 bytes in network order (one address), (address, length), or (int, length, "
        "family). Host bits are cleared. ::ffff:0:0/96 is an IPv6 prefix.");
    type.def("__init__", &init, nb::arg("routes") = nb::none(), nb::kw_only(),
             nb::arg("values") = nb::borrow(reinterpret_cast<PyObject*>(&PyBaseObject_Type)),
             nb::arg("network") = nb::none(), nb::arg("scheme") = nb::none());
    bind_mapping(type);
    bind_unions(type);
    bind_queries(type);
    bind_freezing(type);
    type.def(
        "__eq__",
        [](nb::handle self, nb::handle other) -> nb::object {
            if (nb::isinstance<table_object>(other))
                return nb::bool_(
                    equal(nb::cast<const table_object&>(self), nb::cast<const table_object&>(other)));
            if (!is_mapping(other))
                return nb::borrow(Py_NotImplemented);
            return nb::bool_(equal_to_mapping(self, other));
        },
        nb::arg("other").none(), locked());
    type.def("__hash__", &hash, locked());
    type.def("__repr__", &repr, locked());
    type.def("_repr_html_",
             [](nb::handle self) { return nb::module_::import_("fingerpost._html").attr("html_of")(self); });
    // pandas takes a mapping for the values of exactly these keys, and would answer NaN for all addresses.
    type.def("__call__", [](nb::handle, const nb::args&, const nb::kwargs&) {
        raise(PyExc_TypeError,
              "a Table is not a function: for Series.map(table), import fingerpost.pandas and use "
              "series.lpm.lookup(table); for one address, use table.lookup(address)");
    });
    type.def(
        "copy", [](const table_object& of) { return table_object{copy_of(of)}; },
        "Returns a copy that can be changed, even of a mapped image.");
    type.def("__copy__", [](const table_object& of) { return table_object{copy_of(of)}; });
    type.def("__deepcopy__", &deep_copy, nb::arg("memo"));
    // Allows Table[str] in annotations.
    type.attr("__class_getitem__") =
        nb::module_::import_("builtins")
            .attr("classmethod")(nb::module_::import_("types").attr("GenericAlias"));
    bind_files(type);
    bind_pickling(type);
}

} // namespace fingerpost::python
