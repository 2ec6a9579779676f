// Table.lookup_many: distinguishes kinds of input, and returns answers in the caller's kind.
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

// The library that a type comes from: "pandas" for pandas.core.series.Series.
std::string library_of(nb::handle object) {
    const nb::object module = nb::getattr(object.type(), "__module__", nb::none());
    if (!nb::isinstance<nb::str>(module))
        return {};
    const std::string name = nb::cast<std::string>(nb::str(module));
    return name.substr(0, name.find('.'));
}

[[noreturn]] void refuse_rows(nb::handle rows) {
    std::string words =
        "lookup_many takes a list or tuple, an array of numpy, a column with the Arrow PyCapsule "
        "interface, or a Series of pandas or Polars, not " +
        type_name(rows.ptr());
    if (PyUnicode_Check(rows.ptr()) || PyBytes_Check(rows.ptr()))
        words += "; lookup() takes one address";
    words += ". Arrays: ";
    words += accepted_arrays;
    words += ". Arrow: ";
    raise(PyExc_TypeError, words.append(arrow::accepted_formats));
}

// Arrow columns are released before the query is, and after the sources that read them.
nb::object look_up_arrow(const call_options& how, nb::handle rows) {
    const std::unique_ptr<arrow_chunks> chunks = read_chunks(arrow::import_arrow(rows));
    const module_lock lock;
    call by(how, chunks->rows);
    const bool chunked = chunks->data.chunked;
    return nb::cast(answer_as_arrow(by, chunks->sources, chunked));
}

nb::object look_up_list(const call_options& how, nb::handle rows, std::optional<family> numbers) {
    auto from = source_of_objects(rows, numbers);
    const module_lock lock;
    call by(how, from->rows());
    return answer_as_list(by, std::move(from));
}

nb::object look_up_array(const call_options& how, nb::handle rows, std::optional<family> numbers) {
    nb::object keep;
    auto from = source_of_array(rows, numbers, keep);
    const module_lock lock;
    call by(how, from->rows());
    return answer_as_numpy(by, std::move(from));
}

bool is_array(nb::handle rows) {
    return library_of(rows) == "numpy" && nb::hasattr(rows, "__array_interface__") &&
           nb::hasattr(rows, "dtype");
}

// Other objects with the buffer protocol, such as array.array and memoryview. A single value is not accepted.
bool is_buffer(nb::handle rows) {
    return PyObject_CheckBuffer(rows.ptr()) != 0 && !PyBytes_Check(rows.ptr()) &&
           !PyByteArray_Check(rows.ptr());
}

bool raises_bad(nb::handle on_error) {
    const std::string word =
        nb::isinstance<nb::str>(on_error) ? nb::cast<std::string>(nb::str(on_error)) : "";
    if (word != "null" && word != "raise")
        raise(PyExc_ValueError, "on_error=" + shown(on_error.ptr()) + ": it is 'null' or 'raise'");
    return word == "raise";
}

unsigned thread_count(nb::handle threads) {
    const long count = PyBool_Check(threads.ptr()) ? -1 : PyLong_AsLong(threads.ptr());
    if (count < 0 || count > 1024) {
        PyErr_Clear();
        raise(PyExc_ValueError,
              "threads=" + shown(threads.ptr()) + ": a number from 0 (one for each core) to 1024");
    }
    return static_cast<unsigned>(count);
}

report* report_argument(nb::handle counts) {
    if (counts.is_none())
        return nullptr;
    if (!nb::isinstance<report>(counts))
        raise(PyExc_TypeError, "report= takes a fingerpost.Report, not " + type_name(counts.ptr()));
    return nb::cast<report*>(counts);
}

nb::object lookup_many(nb::handle self, nb::handle rows, nb::handle want, nb::handle missed,
                       nb::handle on_error, nb::handle threads, nb::handle family_number, nb::handle counts) {
    const std::string library = library_of(rows);
    if (library == "pandas")
        return nb::module_::import_("fingerpost._kinds")
            .attr("lookup_pandas")(self, rows, want, missed, on_error, threads, family_number, counts);
    const auto numbers = family_argument(family_number.ptr());
    call_options how;
    how.table = nb::borrow(self);
    how.shared = nb::cast<const table_object&>(self).shared;
    how.what = parse_wants(want, missed, *how.shared);
    how.raise_bad = raises_bad(on_error);
    how.threads = thread_count(threads);
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
        return kinds.attr("like")(library, rows, look_up_arrow(how, exported));
    }
    if (is_buffer(rows))
        return look_up_array(how, nb::module_::import_("numpy").attr("asarray")(rows), numbers);
    refuse_rows(rows);
}

nb::object lookup_first64(nb::handle self, nb::handle first, nb::handle low, nb::handle want,
                          nb::handle missed, nb::handle threads, nb::handle counts) {
    call_options how;
    how.table = nb::borrow(self);
    how.shared = nb::cast<const table_object&>(self).shared;
    how.what = parse_wants(want, missed, *how.shared);
    how.threads = thread_count(threads);
    how.counts = report_argument(counts);
    auto from = source_of_halves(first, low);
    const module_lock lock;
    // As if for enough rows to number the routes: the exact table needs whole addresses.
    call by(how, low.is_none() ? std::max(from->rows(), how.shared->size()) : from->rows());
    try {
        return answer_as_numpy(by, std::move(from));
    } catch (const long_routes& refused) {
        raise(PyExc_ValueError,
              std::string(refused.what()) + ": first halves do not decide between them; give low= as well");
    }
}

constexpr const char* lookup_first64_text =
    R"(Longest match of many IPv6 addresses that are given by their first 64 bits.

first: an array of numpy, uint64 (n,): the first 64 bits of each address as a number, 0x20010db800000001 of
    2001:db8:0:1::5; of either byte order, which the dtype says, and with any stride.
low: None, or an array of the same kind and length with the last 64 bits of each address. Without it the call
    answers only while no route of the table is longer than /64; with it every table.
want, default, threads, report: as of lookup_many(). The GIL is released while the rows are worked on.

Returns an array (n,), as lookup_many() does for arrays, or a dict of them; an array that is read by halves is
the fastest form of IPv6 addresses, as it is half as long. Each block of about a thousand rows is answered by
one version of the table.

Raises TypeError for what is no array of uint64 with one dimension; ValueError for arrays of different lengths,
for a want that the table does not know, and without low= when a route is longer than /64.)";

constexpr const char* lookup_many_text =
    R"(Longest match of many addresses at once.

rows: the addresses, in the forms of lookup(); the answer is of the same kind.
    list, tuple        of str, ipaddress objects, bytes of 4 or 16, int (with family=), None for null.
                       -> a list, with None for null rows, bad rows and addresses without a route.
    numpy arrays       uint32 (n,): IPv4 addresses as numbers, of either byte order, which the dtype says.
                       uint8 (n, 4) and (n, 16): bytes in network order.
                       uint64 (n, 2), or a structure of two uint64: high half, then low half, of IPv6.
                       S, U and object (n,): texts.
                       -> an array (n,): int64 for integer values and indices, int16 for lengths, with -1
                       where there is no answer; else object, with None.
    Arrow columns      what has __arrow_c_array__ or __arrow_c_stream__: utf8, large_utf8, utf8_view, binary,
                       large_binary, binary_view (4 or 16 bytes a row, network order), fixed_size_binary[4] and
                       [16], uint32, null (all rows are), and dictionaries of these, whose entries are looked up
                       once, also when several chunks share them.
                       -> an ArrowColumn with as many chunks; of pyarrow and Polars their own arrays and Series.
                       uint32 for integer values and indices, uint8 for lengths, else utf8; null where there is
                       no answer. Values that are objects: utf8, int64 or float64, as all of them are.
    pandas.Series      -> a Series with the same index.
want: "value"; "index", the number that stands for the value in the table; "length", of the matched prefix;
    "prefix", as text; the name of a column; or a list of these: then a dict by name or, of Arrow, a struct.
default: for addresses without a route; with a list of wants a dict from names to values. Null and bad rows
    stay null.
on_error: "null" makes bad rows null, "raise" raises ValueError with the first bad row, its text and the reason.
threads: how many share the rows; 0 for one for each core. The GIL is released while they work.
family: 4 or 6, which integers in lists are of.
report: a Report, which gets the counts of matched, missed, null and bad rows, and the first bad ones.

Each block of about a thousand rows is answered by one version of the table, the newest when it is its turn.
In the main thread Ctrl-C ends it soon, and so does any other signal whose handler raises.

Raises TypeError for rows that are none of these, ValueError for a want that the table does not know.)";

constexpr const char* from_arrow_text =
    R"(Makes a table from columns of Arrow, which may be chunked.

networks: prefixes or addresses as text; of equal prefixes the last one counts.
values: integers from 0 to 2**32 - 2 make a table of values=int; text makes one of rows, with the column's name or
    "value"; a struct, record batch or table of text columns makes rows of these columns. Null text is empty text.
scheme: as of Table.

Raises TypeError for columns of other types; ValueError for a network that is null or no prefix, for integers that
are null, and for columns that are not as long as each other.)";

// Like Python's classmethod, which nanobind does not make.
void bind_from_arrow(nb::handle table) {
    const nb::object function = nb::cpp_function(
        &from_arrow, nb::name("from_arrow"), nb::arg("cls"), nb::arg("networks").none(),
        nb::arg("values").none(), nb::kw_only(), nb::arg("scheme").none() = nb::none(), from_arrow_text);
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
                         lookup_many_text);
    nb::cpp_function_def(&lookup_first64, nb::scope(nb::type<table_object>()), nb::name("lookup_first64"),
                         nb::is_method(), nb::arg("first").none(), nb::arg("low").none() = nb::none(),
                         nb::kw_only(), nb::arg("want").none() = "value",
                         nb::arg("default").none() = nb::none(), nb::arg("threads").none() = 1,
                         nb::arg("report").none() = nb::none(), lookup_first64_text);
    bind_from_arrow(nb::type<table_object>());
}

} // namespace fingerpost::python
