// Converts objects to text, and reads arrays in place.
#include "python/core/vectors/sources/python_source.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <nanobind/stl/string.h>

#include "python/core/keys.hpp"
#include "python/core/raise.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

// Strings are scattered in memory. Prefetch them this many rows ahead.
constexpr Py_ssize_t rows_ahead = 16;

void fetch_ahead(PyObject* sequence, Py_ssize_t row) noexcept {
    if (PyList_Check(sequence) && row < PyList_Size(sequence))
        __builtin_prefetch(PyList_GetItem(sequence, row));
}

// Text and reason of a bad row that is not a str.
struct refused {
    std::string text;
    std::string reason;
};

// The texts of a list, stored without gaps.
class text_list final : public source {
  public:
    text_list(std::size_t rows, row_kind kind) : kind_(kind) {
        starts_.reserve(rows + 1);
        starts_.push_back(0);
        bytes_.reserve(rows * usual_text);
    }
    void add(std::string_view text) {
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        starts_.push_back(static_cast<std::int64_t>(bytes_.size()));
    }
    void add_null() {
        nulls_.push_back(rows());
        starts_.push_back(static_cast<std::int64_t>(bytes_.size()));
    }
    // Adds an invalid address in its place.
    void add_bad(refused why) {
        refused_.emplace(rows(), std::move(why));
        add("?");
    }
    // Call this after the last row.
    void finish() {
        if (!nulls_.empty()) {
            valid_.assign((rows() + 7) / 8, 0xff);
            for (const std::size_t row : nulls_)
                valid_[row / 8] = static_cast<std::uint8_t>(valid_[row / 8] & ~(1u << row % 8));
        }
        read_ = column_source({columns::offset_layout<std::int64_t>{starts_, bytes_, columns::content::text},
                               {nulls_.empty() ? nullptr : valid_.data(), 0}},
                              kind_);
    }

    std::size_t rows() const noexcept override { return starts_.size() - 1; }
    void answer(std::size_t first, std::size_t count, scratch& with, answers& out) const override {
        read_->answer(first, count, with, out);
    }
    columns::bad_row explain(std::size_t row) const override {
        if (const auto refusal = refused_.find(row); refusal != refused_.end())
            return {row, refusal->second.text, refusal->second.reason};
        return read_->explain(row);
    }

  private:
    static constexpr std::size_t usual_text = 16;

    row_kind kind_;
    std::vector<char> bytes_;
    std::vector<std::int64_t> starts_;
    std::vector<std::size_t> nulls_;
    std::vector<std::uint8_t> valid_;
    std::unordered_map<std::size_t, refused> refused_;
    std::unique_ptr<source> read_;
};

bool is_missing(PyObject* object) {
    if (object == Py_None)
        return true;
    if (PyFloat_Check(object))
        return std::isnan(PyFloat_AsDouble(object));
    // Recognises pandas.NA and pandas.NaT without importing pandas.
    const std::string type = type_name(object);
    return type == "NAType" || type == "NaTType";
}

// The message of address_of() begins with the object. Remove it, because the row has its own text.
refused refusal_of(PyObject* object, const nb::python_error& error) {
    std::string text = shown(object);
    std::string reason = nb::cast<std::string>(nb::str(error.value()));
    if (reason.starts_with(text + ": "))
        reason.erase(0, text.size() + 2);
    return {std::move(text), std::move(reason)};
}

// Adds the text of an address or a prefix that is not a str.
void add_object(PyObject* object, std::size_t row, row_form form, text_list& to) {
    const auto add_text = [&to](const auto& item) {
        char text[max_prefix_text<ipv6_address>];
        to.add({text, static_cast<std::size_t>(format(item, text) - text)});
    };
    try {
        if (form.kind == row_kind::prefix)
            std::visit(add_text, prefix_of(object));
        else
            std::visit(add_text, address_of(object, PyIndex_Check(object) ? form.numbers : std::nullopt));
    } catch (nb::python_error& error) {
        if (error.matches(PyExc_ValueError) || error.matches(PyExc_OverflowError))
            return to.add_bad(refusal_of(object, error));
        if (!error.matches(PyExc_TypeError))
            throw;
        const std::string reason = nb::cast<std::string>(nb::str(error.value()));
        raise(PyExc_TypeError, "row " + std::to_string(row) + ": " + reason);
    }
}

std::string text_of_object(nb::handle object) {
    return nb::cast<std::string>(nb::str(object));
}

[[noreturn]] void refuse_array(nb::handle array) {
    const nb::object dtype = array.attr("dtype");
    const nb::object shape = array.attr("shape");
    std::string message = "addresses cannot be an array of " + text_of_object(dtype) + " and shape " +
                          text_of_object(shape) + "; accepted arrays: ";
    raise(PyExc_TypeError, message.append(accepted_arrays));
}

void refuse_mask(nb::handle array) {
    if (nb::hasattr(array, "mask"))
        raise(PyExc_TypeError,
              "addresses cannot be a masked array: its mask would be lost; pass a list or an Arrow "
              "column with nulls");
}

// Properties of a numpy array.
struct array_view {
    strided rows;
    bool is_matrix = false; // two dimensions
    std::size_t columns = 0;
    std::ptrdiff_t step = 0; // between columns
    char kind = 0;           // in the form of numpy's dtype.kind
    std::size_t item = 0;    // bytes of an item
    bool swapped = false;
};

bool is_swapped(nb::handle dtype) {
    const char other = std::endian::native == std::endian::little ? '>' : '<';
    return nb::cast<std::string>(dtype.attr("byteorder"))[0] == other;
}

array_view view_of(nb::handle array) {
    array_view result;
    const nb::object dtype = array.attr("dtype");
    const nb::tuple shape = nb::borrow<nb::tuple>(array.attr("shape"));
    const nb::tuple strides = nb::borrow<nb::tuple>(array.attr("strides"));
    const auto address = nb::cast<std::uintptr_t>(array.attr("__array_interface__")["data"][0]);
    if (shape.size() == 0 || shape.size() > 2)
        refuse_array(array);
    result.rows = {reinterpret_cast<const char*>(address), nb::cast<std::size_t>(shape[0]),
                   nb::cast<std::ptrdiff_t>(strides[0])};
    if (shape.size() == 2) {
        result.is_matrix = true;
        result.columns = nb::cast<std::size_t>(shape[1]);
        result.step = nb::cast<std::ptrdiff_t>(strides[1]);
    }
    result.kind = nb::cast<std::string>(dtype.attr("kind"))[0];
    result.item = nb::cast<std::size_t>(dtype.attr("itemsize"));
    result.swapped = is_swapped(dtype);
    return result;
}

// Returns the rows moved by this many bytes.
strided shifted(strided rows, std::ptrdiff_t bytes) noexcept {
    rows.bytes += bytes;
    return rows;
}

// A structure with two uint64 fields, the first one the high half.
std::unique_ptr<source> source_of_structure(nb::handle array, const array_view& view) {
    const nb::object dtype = array.attr("dtype");
    if (dtype.attr("names").is_none() || nb::len(nb::object(dtype.attr("names"))) != 2)
        refuse_array(array);
    std::ptrdiff_t offsets[2] = {};
    bool swapped[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
        const nb::object field = dtype.attr("fields")[dtype.attr("names")[i]];
        const nb::object type = field[0];
        if (nb::cast<std::string>(type.attr("kind")) != "u" ||
            nb::cast<std::size_t>(type.attr("itemsize")) != 8)
            refuse_array(array);
        swapped[i] = is_swapped(type);
        offsets[i] = nb::cast<std::ptrdiff_t>(field[1]);
    }
    if (swapped[0] != swapped[1])
        refuse_array(array);
    return halves_source({shifted(view.rows, offsets[0]), swapped[0]},
                         half_column{shifted(view.rows, offsets[1]), swapped[1]});
}

template <class A>
std::unique_ptr<source> source_of_bytes(nb::handle array, array_view view, nb::object& keep) {
    if (view.rows.rows > 0 && (view.rows.stride != sizeof(A) || view.step != 1)) {
        keep = nb::module_::import_("numpy").attr("ascontiguousarray")(array);
        view = view_of(keep);
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(view.rows.bytes);
    return column_source({columns::packed_layout<A>{bytes, view.rows.rows}, {}});
}

// `name` is the name of the argument.
half_column half_column_of(nb::handle array, const char* name) {
    if (!nb::hasattr(array, "__array_interface__") || !nb::hasattr(array, "dtype"))
        raise(PyExc_TypeError,
              std::string(name) + " takes a numpy array, uint64 (n,), not " + type_name(array.ptr()));
    refuse_mask(array);
    const nb::object dtype = array.attr("dtype");
    const nb::object shape = array.attr("shape");
    if (nb::len(shape) != 1 || nb::cast<std::string>(dtype.attr("kind")) != "u" ||
        nb::cast<std::size_t>(dtype.attr("itemsize")) != sizeof(std::uint64_t))
        raise(PyExc_TypeError, std::string(name) + " takes an array of uint64 and shape (n,), not of " +
                                   text_of_object(dtype) + " and shape " + text_of_object(shape));
    const array_view view = view_of(array);
    return {view.rows, view.swapped};
}

std::unique_ptr<source> source_of_rows(nb::handle array, const array_view& view, nb::object& keep) {
    if (view.kind == 'u' && view.item == 1 && view.columns == sizeof(ipv4_address))
        return source_of_bytes<ipv4_address>(array, view, keep);
    if (view.kind == 'u' && view.item == 1 && view.columns == sizeof(ipv6_address))
        return source_of_bytes<ipv6_address>(array, view, keep);
    if (view.kind == 'u' && view.item == 8 && view.columns == 2)
        return halves_source({view.rows, view.swapped},
                             half_column{shifted(view.rows, view.step), view.swapped});
    refuse_array(array);
}

} // namespace

std::unique_ptr<source> source_of_objects(nb::handle sequence, row_form form) {
    const auto size = static_cast<Py_ssize_t>(nb::len(sequence));
    auto result = std::make_unique<text_list>(static_cast<std::size_t>(size), form.kind);
    // Objects other than str may run code that changes the list. PySequence_GetItem checks its size.
    for (Py_ssize_t i = 0; i < size; ++i) {
        check_signals(static_cast<std::size_t>(i));
        fetch_ahead(sequence.ptr(), i + rows_ahead);
        const nb::object reference = nb::steal(PySequence_GetItem(sequence.ptr(), i));
        if (!reference.is_valid())
            throw nb::python_error();
        PyObject* const item = reference.ptr();
        if (PyUnicode_Check(item)) {
            const auto text = text_of(item);
            text ? result->add(*text) : result->add_bad({shown(item), "invalid characters for an address"});
        } else if (is_missing(item)) {
            result->add_null();
        } else {
            add_object(item, static_cast<std::size_t>(i), form, *result);
        }
    }
    result->finish();
    return result;
}

std::unique_ptr<source> source_of_halves(nb::handle first, nb::handle low) {
    const half_column firsts = half_column_of(first, "first");
    if (low.is_none())
        return halves_source(firsts, std::nullopt);
    const half_column lows = half_column_of(low, "low");
    if (firsts.from.rows != lows.from.rows)
        raise(PyExc_ValueError, "first and low must have the same length, not " +
                                    std::to_string(firsts.from.rows) + " and " +
                                    std::to_string(lows.from.rows) + " rows");
    return halves_source(firsts, lows);
}

std::unique_ptr<source> source_of_array(nb::handle array, row_form form, nb::object& keep) {
    refuse_mask(array);
    const array_view view = view_of(array);
    const bool is_text = !view.is_matrix && (view.kind == 'S' || view.kind == 'U' || view.kind == 'O');
    if (form.kind == row_kind::prefix && !is_text)
        raise(PyExc_TypeError, "prefixes cannot be an array of " + text_of_object(array.attr("dtype")) +
                                   " and shape " + text_of_object(array.attr("shape")) +
                                   "; accepted arrays: bytes (S), str (U) and object (n,)");
    if (view.is_matrix)
        return source_of_rows(array, view, keep);
    switch (view.kind) {
    case 'u':
        if (view.item != 4)
            refuse_array(array);
        if (!view.swapped && view.rows.stride == 4)
            return column_source(
                {columns::number_layout{
                     {reinterpret_cast<const std::uint32_t*>(view.rows.bytes), view.rows.rows}},
                 {}});
        return number_source(view.rows, view.swapped);
    case 'V':
        return source_of_structure(array, view);
    case 'S':
        return padded_text_source(view.rows, view.item, false, false, form.kind);
    case 'U':
        return padded_text_source(view.rows, view.item / 4, true, view.swapped, form.kind);
    case 'O':
        return source_of_objects(array.attr("tolist")(), form);
    default:
        refuse_array(array);
    }
}

} // namespace fingerpost::python
