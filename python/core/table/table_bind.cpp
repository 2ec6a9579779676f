// The names and docstrings of Table's methods.
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

// A KeyError that shows the wanted key.
[[noreturn]] void raise_missing(nb::handle key) {
    const nb::object error = nb::module_::import_("fingerpost._errors").attr("MissingPrefix");
    PyErr_SetObject(error.ptr(), key.ptr());
    raise_current();
}

// Stands for a default that was not given. Lives as long as the process.
nb::object nothing_given() {
    static PyObject* const marker = PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
    if (marker == nullptr)
        raise_current();
    return nb::borrow(marker);
}

void init(table_object* self, nb::handle routes, nb::handle values,
          const std::optional<std::string>& scheme) {
    table_object made{new_table(values, scheme.value_or(std::string()))};
    if (!routes.is_none())
        update(made, routes, true, {});
    new (self) table_object(std::move(made));
}

nb::object get_item(const table_object& of, nb::handle where) {
    nb::object found = get_exact(of, prefix_of(where.ptr()));
    if (!found.is_valid())
        raise_missing(where);
    return found;
}

nb::object pop(const table_object& of, nb::handle where, nb::object fallback) {
    nb::object found = remove_one(of, prefix_of(where.ptr()));
    if (found.is_valid())
        return found;
    if (fallback.is(nothing_given()))
        raise_missing(where);
    return fallback;
}

nb::object pop_item(const table_object& of) {
    nb::object found = remove_first(of);
    if (!found.is_valid())
        raise(PyExc_KeyError, "the table is empty");
    return found;
}

// The classes of views are written in Python, over this one.
nb::object view(const char* name, nb::handle table) {
    return nb::module_::import_("fingerpost._views").attr(name)(table);
}

nb::object deep_copy(const table_object& of, nb::handle memo) {
    nb::object made = nb::cast(table_object{copy_of(of)});
    if (of.shared->kind() == value_kind::object) {
        const nb::object copy = nb::module_::import_("copy").attr("deepcopy");
        nb::list routes;
        for (const nb::handle pair : iterate(made, walk_over::items))
            routes.append(nb::make_tuple(pair[0], copy(pair[1], memo)));
        update(nb::cast<const table_object&>(made), routes, true, {});
    }
    return made;
}

void bind_mapping(nb::class_<table_object>& to) {
    to.def("__getitem__", &get_item, nb::arg("prefix").none(),
           "Returns the value of exactly this prefix; KeyError without one.", locked());
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
    to.def("_iterate_values", [](nb::handle self) { return iterate(self, walk_over::values); });
    to.def("_iterate_items", [](nb::handle self) { return iterate(self, walk_over::items); });
    to.def(
        "keys", [](nb::handle self) { return view("KeysView", self); },
        "A view of the prefixes as str: IPv4 first, in prefix order. An iteration shows one moment.");
    to.def(
        "values", [](nb::handle self) { return view("ValuesView", self); },
        "A view of the values, in the order of keys().");
    to.def(
        "items", [](nb::handle self) { return view("ItemsView", self); },
        "A view of the pairs (prefix, value), in the order of keys().");
    to.def(
        "get",
        [](const table_object& of, nb::handle where, nb::object fallback) {
            nb::object found = get_exact(of, prefix_of(where.ptr()));
            return found.is_valid() ? found : fallback;
        },
        nb::arg("prefix").none(), nb::arg("default") = nb::none(),
        "Returns the value of exactly this prefix, or the default. For the longest match of an address "
        "see lookup().",
        locked());
    to.def("pop", &pop, nb::arg("prefix").none(), nb::arg("default").none() = nothing_given(),
           "Removes exactly this prefix and returns its value, or the default; KeyError without both.",
           locked());
    to.def("popitem", &pop_item, "Removes the first prefix and returns it with its value.", locked());
    to.def(
        "setdefault",
        [](const table_object& of, nb::handle where, nb::handle value) {
            return set_default(of, prefix_of(where.ptr()), value);
        },
        nb::arg("prefix").none(), nb::arg("default") = nb::none(),
        "Returns the value of exactly this prefix, after setting it to the default if it was not there.",
        locked());
    to.def("clear", &clear, "Removes all routes.", locked());
    to.def(
        "update",
        [](const table_object& of, nb::handle routes, const nb::kwargs& more) {
            update(of, routes, false, more);
        },
        nb::arg("routes").none() = nb::make_tuple(), nb::arg("more"),
        "Sets the routes of a mapping, a Table, or an iterable of pairs (prefix, value), and those given as "
        "keywords: all of them in one transaction, or on an error none. Of equal prefixes the last one "
        "counts.");
    to.def(
        "replace_all", [](const table_object& of, nb::handle routes) { update(of, routes, true, {}); },
        nb::arg("routes").none(),
        "Makes these routes, given as for update(), all that the table has, in one transaction; only what "
        "differs is changed.");
}

void bind_queries(nb::class_<table_object>& to) {
    to.def(
        "lookup",
        [](const table_object& of, nb::handle address, nb::handle fallback, nb::handle wanted) {
            return nb::steal(lookup(of, address.ptr(), fallback.ptr(), wanted.ptr()));
        },
        nb::arg("address").none(), nb::arg("default") = nb::none(), nb::kw_only(),
        nb::arg("family") = nb::none(),
        "Returns the value of the longest prefix that contains the address, or the default.\n\n"
        "The address is a str, bytes of 4 or 16 in network order, an address of ipaddress, or an int with "
        "family=4 or family=6. A str may be an address as sockets have it: '10.0.0.1:80', "
        "'[2001:db8::1]:53', 'fe80::1%eth0'. ::ffff:a.b.c.d is looked up as a.b.c.d, and without a match as "
        "it is; a.b.c.d without a match as ::ffff:a.b.c.d in the routes within ::ffff:0:0/96. TypeError: "
        "another kind of object. ValueError: no address, with the reason.",
        locked());
    to.def("match", &match, nb::arg("address").none(), nb::kw_only(), nb::arg("family") = nb::none(),
           "Returns the longest prefix that contains the address, as str, and its value; None without one.",
           locked());
    to.def("all_matches", &all_matches, nb::arg("address").none(), nb::kw_only(),
           nb::arg("family") = nb::none(),
           "Returns (prefix, value) for all prefixes that contain the address, shortest first.", locked());
    to.def("covering", &covering, nb::arg("prefix").none(),
           "Returns (prefix, value) for all prefixes that contain this one, itself among them, shortest "
           "first.",
           locked());
    to.def("covered", &covered, nb::arg("prefix").none(),
           "Returns (prefix, value) for all prefixes within this one, itself among them, in prefix order.",
           locked());
    to.def(
        "stats", &stats,
        "Returns a dict: routes and bytes by family, scheme, version and the like; for people, not stable.",
        locked());
    to.def_prop_ro(
        "memory", &memory_bytes,
        "Bytes of the table and of what it knows of the values; objects themselves not counted. Of "
        "a mapped image the file, which all processes share.",
        locked());
    to.def_prop_ro(
        "scheme", [](const table_object& of) { return of.shared->scheme(); },
        "The name of the lookup scheme.", locked());
    to.def_prop_ro(
        "value_kind", [](const table_object& of) { return std::string(name_of(of.shared->kind())); },
        "'object', 'int' or 'rows'.", locked());
    to.def_prop_ro(
        "report", [](const table_object& of) { return of.report; },
        "The fingerpost.TableReport of a table that was read from a file, else None.");
    to.def_prop_ro(
        "columns",
        [](const table_object& of) {
            nb::list names;
            for (const std::string& name : of.shared->columns())
                names.append(nb::steal(new_cell(name)));
            return nb::tuple(names);
        },
        "The names of the columns of values; () unless values are rows.", locked());
    to.def_prop_ro(
        "types",
        [](const table_object& of) {
            nb::dict types;
            for (std::size_t i = 0; i < of.shared->columns().size(); ++i)
                types[nb::steal(new_cell(of.shared->columns()[i]))] =
                    nb::borrow(class_of(of.shared->types()[i]));
            return types;
        },
        "What the cells of each column are, besides None: str, int, float or bool; {} unless values are "
        "rows.",
        locked());
}

// A method of CPython's own kind in front of nanobind's, whose way to a function takes longer than the
// lookup. `Answer` is asked for a str and, if it takes one, a default; all that it returns null for goes on
// to nanobind's. `arguments`: as `__text_signature__` has them.
template <auto Answer>
void put_in_front(nb::handle type, const char* name, const char* arguments) {
    static PyObject* behind = nullptr; // these live as long as the process
    static std::string words;
    static PyMethodDef definition{};
    nb::object method = type.attr(name);
    const nb::object docstring = method.attr("__nb_signature__")[0][1];
    words = std::string(name) + arguments + "\n--\n\n" + nb::cast<std::string>(docstring);
    behind = method.release().ptr();
    PyObject* (*const call)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*) =
        [](PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* names) -> PyObject* {
        try {
            constexpr bool has_default = requires(const table_object& of) { Answer(of, self, self); };
            if (names == nullptr && count >= 1 && count <= 1 + has_default &&
                PyUnicode_CheckExact(given[0]) && nb::inst_ready(self)) {
                const module_lock lock;
                const table_object& of = *nb::inst_ptr<table_object>(self);
                PyObject* found = nullptr;
                if constexpr (has_default)
                    found = Answer(of, given[0], count == 2 ? given[1] : Py_None);
                else
                    found = Answer(of, given[0]);
                if (found != nullptr)
                    return found;
            }
        } catch (...) { // nanobind's fails in the same way, and makes a Python exception of it
        }
        try {
            std::vector<PyObject*> all{self};
            all.insert(all.end(), given, given + count + (names == nullptr ? 0 : PyTuple_Size(names)));
            return PyObject_Vectorcall(behind, all.data(), static_cast<std::size_t>(count) + 1, names);
        } catch (const std::bad_alloc&) {
            return PyErr_NoMemory();
        }
    };
    definition = {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
                  METH_FASTCALL | METH_KEYWORDS, words.c_str()};
    nb::object made = nb::steal(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &definition));
    if (!made.is_valid())
        raise_current();
    nb::setattr(type, name, made);
}

} // namespace

void finish_table(nb::handle type) {
    put_in_front<&lookup_text>(type, "lookup", "($self, address, default=None, *, family=None)");
    put_in_front<&match_text>(type, "match", "($self, address, *, family=None)");
}

void bind_table(nb::module_& to) {
    nb::class_<table_object> type(
        to, "Table", nb::type_slots(table_slots), nb::is_weak_referenceable(),
        "A table of IPv4 and IPv6 prefixes with values: a mapping, with lookup by longest match.\n\n"
        "Table(routes=None, *, values=object, scheme=None)\n\n"
        "routes: a mapping or an iterable of pairs (prefix, value). values: object for any Python objects; "
        "int "
        "for integers from 0 to 2**32 - 2, stored as such; or names of columns for rows of text, or a "
        "mapping of "
        "names to str, int, float or bool. A row is its cell when there is one column, else a dict; a "
        "missing "
        "cell is None. scheme: the name of a lookup scheme; ValueError lists "
        "them.\n\n"
        "A prefix is a str ('10.0.0.0/8'; an address alone is /32 or /128), a network, address or interface "
        "of "
        "ipaddress, bytes of 4 or 16 in network order, (address, length), or (int, length, family). Bits "
        "behind the length are cleared. ::ffff:0:0/96 is an IPv6 prefix.");
    type.def("__init__", &init, nb::arg("routes") = nb::none(), nb::kw_only(),
             nb::arg("values") = nb::borrow(reinterpret_cast<PyObject*>(&PyBaseObject_Type)),
             nb::arg("scheme") = nb::none());
    bind_mapping(type);
    bind_queries(type);
    type.def(
        "__eq__",
        [](nb::handle self, nb::handle other) -> nb::object {
            if (nb::isinstance<table_object>(other))
                return nb::bool_(
                    equal(nb::cast<const table_object&>(self), nb::cast<const table_object&>(other)));
            const nb::object mapping = nb::module_::import_("collections.abc").attr("Mapping");
            const int is_mapping = PyObject_IsInstance(other.ptr(), mapping.ptr());
            if (is_mapping < 0)
                raise_current();
            if (is_mapping == 0)
                return nb::borrow(Py_NotImplemented);
            return nb::bool_(equal_to_mapping(self, other));
        },
        nb::arg("other").none(), locked());
    type.attr("__hash__") = nb::none();
    type.def("__repr__", &repr, locked());
    type.def(
        "copy", [](const table_object& of) { return table_object{copy_of(of)}; },
        "Returns a table with the same routes that can be changed, also of a mapped image.");
    type.def("__copy__", [](const table_object& of) { return table_object{copy_of(of)}; });
    type.def("__deepcopy__", &deep_copy, nb::arg("memo"));
    // Table[str], for annotations.
    type.attr("__class_getitem__") =
        nb::module_::import_("builtins")
            .attr("classmethod")(nb::module_::import_("types").attr("GenericAlias"));
    bind_files(type);
    bind_pickling(type);
}

} // namespace fingerpost::python
