// The methods of the class fingerpost.Table. The files table_*.cpp implement them.
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

// The Python object. All functions below need the GIL.
struct table_object {
    std::shared_ptr<shared_table> shared;
    // The TableReport of a table that was read from a file, otherwise None.
    nanobind::object report = nanobind::none();
};

// Raises TypeError for a mapped image or a frozen table, which cannot be changed.
shared_table& changeable(const table_object& of);

// table_values.cpp: creates an empty table according to the argument `values=`.
std::shared_ptr<shared_table> new_table(nanobind::handle values, const std::string& scheme);
// Converts a name or a sequence of names; None means no names. Raises TypeError, with the argument's name,
// otherwise.
std::vector<std::string> names_argument(nanobind::handle names, const char* argument);
// Converts a dict of names to str, int, float or bool. Raises TypeError, with the argument's name, otherwise.
std::vector<io::typed_column> typed_columns(nanobind::handle types, const char* argument);

// table_queries.cpp
PyObject* lookup(const table_object& of, PyObject* address, PyObject* fallback, PyObject* family);
// Fast paths for a str that is an address. Return null, without an exception, for everything else.
PyObject* lookup_text(const table_object& of, PyObject* text, PyObject* fallback);
PyObject* match_text(const table_object& of, PyObject* text);
// Returns (prefix, value) or None.
nanobind::object match(const table_object& of, nanobind::handle address, nanobind::handle family);
nanobind::list all_matches(const table_object& of, nanobind::handle address, nanobind::handle family);
nanobind::list covering(const table_object& of, nanobind::handle prefix);
nanobind::list covered(const table_object& of, nanobind::handle prefix);
nanobind::list children(const table_object& of, nanobind::handle prefix);
nanobind::object match_prefix(const table_object& of, nanobind::handle prefix);
nanobind::object parent(const table_object& of, nanobind::handle prefix);
// Exact match; an invalid object if there is no route.
nanobind::object get_exact(const table_object& of, const any_prefix& where);
bool has_exact(const table_object& of, const any_prefix& where);
// Whether both have the same prefixes and equal values.
bool equal(const table_object& a, const table_object& b);
// Whether a mapping has the same prefixes, in the table's notation, and equal values.
bool equal_to_mapping(nanobind::handle table, nanobind::handle other);
void freeze(const table_object& of);
// Equal tables have equal hashes. Raises TypeError for a table that is not frozen.
std::uint64_t hash(const table_object& of);
nanobind::dict stats(const table_object& of);
std::size_t memory_bytes(const table_object& of);
std::string repr(const table_object& of);

// table_changes.cpp
void set_one(const table_object& of, const any_prefix& where, nanobind::handle value);
// Returns the removed value, or an invalid object if there is no route.
nanobind::object remove_one(const table_object& of, const any_prefix& where);
// Sets all routes or none: those of a mapping or of pairs, then those of the mapping `more` if it is not
// null.
void update(const table_object& of, nanobind::handle routes, bool whole, nanobind::handle more);
void clear(const table_object& of);
// Returns the current value, or sets and returns `value`.
nanobind::object set_default(const table_object& of, const any_prefix& where, nanobind::handle value);
// Returns the removed first route as (prefix, value), or an invalid object if the table is empty.
nanobind::object remove_first(const table_object& of);

// table_copies.cpp
// A live table with the same routes, or with those of one family. Unused rows are not copied. Without a
// scheme it uses the table's.
std::shared_ptr<shared_table> copy_of(const table_object& of, std::optional<family> only = {},
                                      const std::string& scheme = {});
// A new table with these values and routes.
std::shared_ptr<shared_table> filled_table(std::unique_ptr<value_store> values, const std::string& scheme,
                                           plan<ipv4_address> ipv4, plan<ipv6_address> ipv6);
// A live table with these routes. Their next hops are row numbers.
std::shared_ptr<shared_table> table_of(io::both_tables tables, const std::string& scheme);
// The rows that next hops of this family refer to. Valid until rows are added.
template <class A>
value_view rows_of(const shared_table& table);
// Adds the rows of the routes to `to`, and sets the next hops to the new row numbers.
template <class A>
void renumber(std::vector<route<A>>& routes, const value_view& from, value_rows& to);

// table_frames.cpp
// Whether the object is a DataFrame, a table or a record batch, and not a mapping or pairs of routes.
bool is_frame(nanobind::handle object);
// A live table from the rows of a frame. Its columns are chosen like those of a file. `network`: None, or the
// names of one or two columns. `values`: the argument of Table(); object keeps all columns. Raises TypeError
// for columns that cannot be stored, ValueError for null or bad networks, unknown columns, and cells without
// the requested type.
std::shared_ptr<shared_table> table_of_frame(nanobind::handle frame, nanobind::handle network,
                                             nanobind::handle values, const std::string& scheme);

// table_files.cpp
void save(const table_object& of, nanobind::handle path);
std::shared_ptr<shared_table> open_image(nanobind::handle path);
void bind_files(nanobind::class_<table_object>& to);

// table_pickle.cpp
void bind_pickling(nanobind::class_<table_object>& to);

// table_iterator.cpp
enum class walk_over : std::uint8_t { prefixes, values, items };
nanobind::object iterate(nanobind::handle table, walk_over what, bool backwards = false);
void bind_iterator(nanobind::module_& to);

// table_bind.cpp
void bind_table(nanobind::module_& to);
// Call this after all methods are defined.
void finish_table(nanobind::handle type);

} // namespace fingerpost::python
