// The class fingerpost.Table: what each of its methods does, implemented in the files table_*.cpp.
#pragma once

#include <memory>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "io/format/parts/table_data.hpp"
#include "io/format/parts/table_types.hpp"
#include "python/core/keys.hpp"
#include "python/core/shared_table.hpp"

namespace fingerpost::python {

// The object in Python. Everything below needs the GIL.
struct table_object {
    std::shared_ptr<shared_table> shared;
    // What was found in the file of the table; None for another one.
    nanobind::object report = nanobind::none();
};

// Raises TypeError for a mapped image, which cannot be changed.
shared_table& changeable(const table_object& of);

// table_values.cpp: empty tables, by the argument `values=`.
std::shared_ptr<shared_table> new_table(nanobind::handle values, const std::string& scheme);
// A dict of names to str, int, float or bool; TypeError, which names the argument, for anything else.
std::vector<io::typed_column> typed_columns(nanobind::handle types, const char* argument);

// table_queries.cpp
PyObject* lookup(const table_object& of, PyObject* address, PyObject* fallback, PyObject* family);
// For a str that is an address; null without an exception for everything else.
PyObject* lookup_text(const table_object& of, PyObject* text, PyObject* fallback);
PyObject* match_text(const table_object& of, PyObject* text);
// (prefix, value) or None.
nanobind::object match(const table_object& of, nanobind::handle address, nanobind::handle family);
nanobind::list all_matches(const table_object& of, nanobind::handle address, nanobind::handle family);
nanobind::list covering(const table_object& of, nanobind::handle prefix);
nanobind::list covered(const table_object& of, nanobind::handle prefix);
// Exact; not valid if it is not there.
nanobind::object get_exact(const table_object& of, const any_prefix& where);
bool has_exact(const table_object& of, const any_prefix& where);
// The same prefixes and equal values.
bool equal(const table_object& a, const table_object& b);
// Whether another mapping has the same prefixes, written as the table writes them, and equal values.
bool equal_to_mapping(nanobind::handle table, nanobind::handle other);
nanobind::dict stats(const table_object& of);
std::size_t memory_bytes(const table_object& of);
std::string repr(const table_object& of);

// table_changes.cpp
void set_one(const table_object& of, const any_prefix& where, nanobind::handle value);
// The value that it had; not valid if it is not there.
nanobind::object remove_one(const table_object& of, const any_prefix& where);
// A mapping or pairs, and then the mapping `more` unless it is null; all or nothing.
void update(const table_object& of, nanobind::handle routes, bool whole, nanobind::handle more);
void clear(const table_object& of);
// The present value, or `value` after it has been set.
nanobind::object set_default(const table_object& of, const any_prefix& where, nanobind::handle value);
// The first route, as (prefix, value); not valid if there is none.
nanobind::object remove_first(const table_object& of);

// table_copies.cpp
// A live one with the same routes, or with those of one family. Rows that no route has are left behind.
// Without a scheme it has that of the table.
std::shared_ptr<shared_table> copy_of(const table_object& of, std::optional<family> only = {},
                                      const std::string& scheme = {});
// A new table with these values and routes, which no other thread knows yet.
std::shared_ptr<shared_table> filled_table(std::unique_ptr<value_store> values, const std::string& scheme,
                                           plan<ipv4_address> ipv4, plan<ipv6_address> ipv6);
// A live table with these routes, whose next hops are numbers of the rows.
std::shared_ptr<shared_table> table_of(io::both_tables tables, const std::string& scheme);
// The rows that next hops of this family refer to; only while no rows are added.
template <class A>
value_view rows_of(const shared_table& table);
// Puts the routes' rows into `to`, and their new numbers into the routes.
template <class A>
void renumber(std::vector<route<A>>& routes, const value_view& from, value_rows& to);

// table_files.cpp
void save(const table_object& of, nanobind::handle path);
std::shared_ptr<shared_table> open_image(nanobind::handle path);
void bind_files(nanobind::class_<table_object>& to);

// table_pickle.cpp
void bind_pickling(nanobind::class_<table_object>& to);

// table_iterator.cpp
enum class walk_over : std::uint8_t { prefixes, values, items };
nanobind::object iterate(nanobind::handle table, walk_over what);
void bind_iterator(nanobind::module_& to);

// table_bind.cpp
void bind_table(nanobind::module_& to);
// Call it when all methods are defined.
void finish_table(nanobind::handle type);

} // namespace fingerpost::python
