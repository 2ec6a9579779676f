// Table.lookup_many, lookup_first64 and from_arrow. Results have the same kind as the input.
#include "python/core/vectors/bind.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <nanobind/stl/string.h>

#include "python/core/keys.hpp"
#include "python/core/module_lock.hpp"
#include "python/core/raise.hpp"
#include "python/core/table/table_object.hpp"
#include "python/core/vectors/from_arrow.hpp"
#include "python/core/vectors/results/arrow_results.hpp"
#include "python/core/vectors/results/python_results.hpp"
#include "python/core/vectors/sources/arrow_source.hpp"
#include "python/core/vectors/sources/python_source.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

// The package that defines the type of an object: "pandas" for pandas.core.series.Series.
std::string library_of(nb::handle object) {
    const nb::object module = nb::getattr(object.type(), "__module__", nb::none());
    if (!nb::isinstance<nb::str>(module))
        return {};
    const std::string name = nb::cast<std::string>(nb::str(module));
    return name.substr(0, name.find('.'));
}

[[noreturn]] void refuse_rows(nb::handle rows) {
    std::string message =
        "lookup_many takes a list or tuple, a numpy array, a column with the Arrow PyCapsule "
        "interface, or a pandas or Polars Series, not " +
        type_name(rows.ptr());
    if (PyUnicode_Check(rows.ptr()) || PyBytes_Check(rows.ptr()))
        message += "; lookup() takes one address";
    message += ". Arrays: ";
    message += accepted_arrays;
    message += ". Arrow: ";
    raise(PyExc_TypeError, message.append(arrow::accepted_formats));
}

// Arrow columns must be released before the query, and after the sources that read them.
nb::object look_up_arrow(const call_options& how, nb::handle rows) {
    const std::unique_ptr<arrow_chunks> chunks = read_chunks(arrow::import_arrow(rows), how.rows);
    const module_lock lock;
    call by(how, chunks->rows);
    const bool chunked = chunks->data.chunked;
    return nb::cast(answer_as_arrow(by, chunks->sources, chunked));
}

nb::object look_up_list(const call_options& how, nb::handle rows, std::optional<family> numbers) {
    auto from = source_of_objects(rows, {how.rows, numbers});
    const module_lock lock;
    call by(how, from->rows());
    return answer_as_list(by, std::move(from));
}

nb::object look_up_array(const call_options& how, nb::handle rows, std::optional<family> numbers) {
    nb::object keep;
    auto from = source_of_array(rows, {how.rows, numbers}, keep);
    const module_lock lock;
    call by(how, from->rows());
    return answer_as_numpy(by, std::move(from));
}

bool is_array(nb::handle rows) {
    return library_of(rows) == "numpy" && nb::hasattr(rows, "__array_interface__") &&
           nb::hasattr(rows, "dtype");
}

// Other objects with the buffer protocol, such as array.array and memoryview, except bytes and bytearray.
bool is_buffer(nb::handle rows) {
    return PyObject_CheckBuffer(rows.ptr()) != 0 && !PyBytes_Check(rows.ptr()) &&
           !PyByteArray_Check(rows.ptr());
}

report* report_argument(nb::handle counts) {
    if (counts.is_none())
        return nullptr;
    if (!nb::isinstance<report>(counts))
        raise(PyExc_TypeError, "report= takes a fingerpost.Report, not " + type_name(counts.ptr()));
    return nb::cast<report*>(counts);
}

nb::object lookup_many(nb::handle self, nb::handle rows, nb::handle want, nb::handle missed,
                       nb::handle on_error, nb::handle threads, nb::handle family_number, nb::handle counts,
                       bool prefixes) {
    const std::string library = library_of(rows);
    if (library == "pandas")
        return nb::module_::import_("fingerpost._kinds")
            .attr("lookup_pandas")(self, rows, want, missed, on_error, threads, family_number, counts,
                                   prefixes);
    const auto numbers = family_argument(family_number.ptr());
    call_options how =
        options_of(nb::cast<const table_object&>(self).shared, want, missed, on_error, threads);
    how.rows = prefixes ? row_kind::prefix : row_kind::address;
    how.counts = report_argument(counts);
    if (nb::isinstance<nb::list>(rows) || nb::isinstance<nb::tuple>(rows))
        return look_up_list(how, rows, numbers);
    if (is_array(rows))
        return look_up_array(how, rows, numbers);
    if (arrow::is_arrow(rows)) {
        if (library != "pyarrow" && library != "polars")
            return look_up_arrow(how, rows);
        const nb::module_ kinds = nb::module_::import_("fingerpost._kinds");
        const nb::object exported = kinds.attr("exportable")(library, rows);
        const nb::object answer = look_up_arrow(how, exported);
        // Few functions of pyarrow take utf8_view.
        if (library == "pyarrow")
            nb::cast<arrow::column&>(answer).export_offsets();
        return kinds.attr("like")(library, rows, answer);
    }
    if (is_buffer(rows))
        return look_up_array(how, nb::module_::import_("numpy").attr("asarray")(rows), numbers);
    refuse_rows(rows);
}

nb::object lookup_first64(nb::handle self, nb::handle first, nb::handle low, nb::handle want,
                          nb::handle missed, nb::handle threads, nb::handle counts) {
    call_options how =
        options_of(nb::cast<const table_object&>(self).shared, want, missed, nb::str("null"), threads);
    how.counts = report_argument(counts);
    auto from = source_of_halves(first, low);
    const module_lock lock;
    // Pass enough rows that routes are numbered: the exact table needs whole addresses.
    call by(how, low.is_none() ? std::max(from->rows(), how.shared->size()) : from->rows());
    try {
        return answer_as_numpy(by, std::move(from));
    } catch (const long_routes& refused) {
        raise(PyExc_ValueError,
              std::string(refused.what()) + ": first halves are not enough; pass low= as well");
    }
}

constexpr const char* lookup_first64_text =
    R"(Returns the longest matches of many IPv6 addresses, given by their first 64 bits.

first: a numpy array, uint64 (n,), of the first 64 bits of each address: 0x20010db800000001 for 2001:db8:0:1::5. The
    byte order is that of the dtype. Any stride is allowed.
low: None, or an array of the same type and length with the last 64 bits of each address. It is required if the table
    has routes longer than /64.
want, default, threads, report: see lookup_many(). The GIL is released during the lookup.

Returns an array (n,), like lookup_many() for arrays, or a dict of arrays. First halves alone are the fastest form of
IPv6 addresses, because they take half the memory. Each block of about a thousand rows is looked up in one version of
the table.

Raises TypeError for other objects than one-dimensional arrays of uint64; ValueError for arrays of different lengths,
for an unknown want, and without low= if a route is longer than /64.)";

constexpr const char* lookup_many_text =
    R"(Returns the longest matches of many addresses.

rows: the addresses, in the forms of lookup(). The result has the same kind.
    list, tuple        of str, ipaddress objects, 4 or 16 bytes, int (with family=), None for null.
                       -> a list, with None for null rows, bad rows and addresses without a route.
    numpy arrays       uint32 (n,): IPv4 addresses as numbers, in the byte order of the dtype.
                       uint8 (n, 4) and (n, 16): bytes in network order.
                       uint64 (n, 2), or a structure of two uint64: high half, then low half, of IPv6.
                       S, U and object (n,): text.
                       -> an array (n,): int64 for integer values and indices, int16 for lengths, with -1
                       for rows without a result; otherwise object, with None.
    Arrow columns      objects with __arrow_c_array__ or __arrow_c_stream__: utf8, large_utf8, utf8_view, binary,
                       large_binary, binary_view (4 or 16 bytes per row, network order), fixed_size_binary[4] and
                       [16], uint32, null (all rows are null), and dictionaries of these, whose entries are looked
                       up once, even if several chunks share them.
                       -> an ArrowColumn with as many chunks; for pyarrow and Polars, their own arrays and Series:
                       uint32 for integer values and indices, uint8 for lengths, otherwise text; null for rows
                       without a result. Values that are objects become text, int64 or float64. Text is utf8_view,
                       which shares the memory of the table, and for pyarrow utf8, or large_utf8 above 2 GiB.
    pandas.Series      -> a Series with the same index.
want: "value"; "index", the number of the value in the table; "length" of the matched prefix; "prefix", as text;
    the name of a column; or a list of these. A list returns a dict by name or, for Arrow, a struct.
default: the result for addresses without a route. With a list of wants, a dict from wants to results. Null and bad
    rows stay null.
on_error: "null" makes bad rows null. "raise" raises ValueError with the first bad row, its text and the reason.
threads: number of threads that share the rows; 0 means one per core. The GIL is released during the lookup.
family: 4 or 6, the family of integers in lists.
report: a Report, which receives the counts of matched, missed, null and bad rows, and the first bad rows.
prefixes: True if the rows are prefixes, as text or, in lists, in the forms of match_prefix(). The result is that of
    the longest prefix in the table that contains the whole prefix. This takes longer than lookups of addresses.

Each block of about a thousand rows is looked up in one version of the table, the newest at that time. In the main
thread, Ctrl-C soon ends the call, and so does any other signal whose handler raises an exception.

Raises TypeError for other kinds of rows, and ValueError for an unknown want.)";

constexpr const char* from_arrow_text =
    R"(Creates a table from a frame, or from Arrow columns, which may be chunked.

from_arrow(frame, network=None) is Table(frame, network=network).

networks: prefixes or addresses as text. If a prefix is repeated, its last value is used.
values: integers from 0 to 2**32 - 2, for a table with values=int; any other column of text, numbers or bool, for rows
    with one column, named like the Arrow column or "value"; or a struct, record batch or table of such columns, for
    rows with these columns. A null is a missing cell.
scheme: see Table.

Raises TypeError for columns of other types; ValueError for a null or invalid network, for null integers, and for
columns of different lengths.)";

// Defines a classmethod, which nanobind does not support.
void bind_from_arrow(nb::handle table) {
    const nb::object function = nb::cpp_function(
        &from_arrow, nb::name("from_arrow"), nb::arg("cls"), nb::arg("networks").none(),
        nb::arg("values").none() = nb::none(), nb::kw_only(), nb::arg("network").none() = nb::none(),
        nb::arg("scheme").none() = nb::none(), from_arrow_text);
    nb::setattr(table, "from_arrow", nb::module_::import_("builtins").attr("classmethod")(function));
}

} // namespace

void bind_vectors(nb::module_& to) {
    bind_report(to);
    arrow::bind_column(to);
    nb::cpp_function_def(&lookup_many, nb::scope(nb::type<table_object>()), nb::name("lookup_many"),
                         nb::is_method(), nb::arg("rows").none(), nb::arg("want").none() = "value",
                         nb::kw_only(), nb::arg("default").none() = nb::none(),
                         nb::arg("on_error").none() = "null", nb::arg("threads").none() = 1,
                         nb::arg("family").none() = nb::none(), nb::arg("report").none() = nb::none(),
                         nb::arg("prefixes") = false, lookup_many_text);
    nb::cpp_function_def(&lookup_first64, nb::scope(nb::type<table_object>()), nb::name("lookup_first64"),
                         nb::is_method(), nb::arg("first").none(), nb::arg("low").none() = nb::none(),
                         nb::kw_only(), nb::arg("want").none() = "value",
                         nb::arg("default").none() = nb::none(), nb::arg("threads").none() = 1,
                         nb::arg("report").none() = nb::none(), lookup_first64_text);
    bind_from_arrow(nb::type<table_object>());
}

} // namespace fingerpost::python
