// Sinks write numbers into numpy arrays; objects are made with the GIL.
#include "python/core/vectors/results/python_results.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "python/core/raise.hpp"
#include "python/core/vectors/results/sinks.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

// Makes the objects of answers. Making texts and rows costs more than finding them again, so the last one is
// kept for each place of a table: repeated answers share them. Numbers and the table's own objects need not
// be kept.
class object_maker {
  public:
    object_maker(const call& by, const want& one, std::size_t rows)
        : by_(by), one_(one),
          is_at_hand_(one.what == wanted::index || one.what == wanted::length ||
                      (one.what == wanted::value && by.asked().kind() != value_kind::rows)) {
        if (!is_at_hand_)
            kept_.resize(std::bit_ceil(std::clamp<std::size_t>(rows, 1, most_kept)));
    }

    // A new reference for a row.
    PyObject* of_row(const keeper& from, std::size_t row) {
        const next_hop id = from.ids()[row];
        const row_state state = from.state_of(row);
        if (id == next_hop::none)
            return (state < row_state::null ? one_.missed : none_).inc_ref().ptr();
        const bool ipv4 = state == row_state::ipv4;
        if (is_at_hand_)
            return by_.object_of(one_, id, ipv4).release().ptr();
        const std::uint64_t key = (std::uint64_t{id.id} << 1 | unsigned{ipv4}) + 1;
        kept_object& place = kept_[key * spread >> 32 & (kept_.size() - 1)];
        if (place.key != key) {
            place.object = by_.object_of(one_, id, ipv4);
            place.key = key;
        }
        return place.object.inc_ref().ptr();
    }

  private:
    struct kept_object {
        std::uint64_t key = 0;
        nb::object object{};
    };
    static constexpr std::size_t most_kept = std::size_t{1} << 18;
    // 2^64 divided by the golden ratio: consecutive numbers are mapped far apart.
    static constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;

    const call& by_;
    const want& one_;
    bool is_at_hand_;
    nb::object none_ = nb::none();
    std::vector<kept_object> kept_;
};

nb::list list_of(const call& by, const want& one, const keeper& kept) {
    nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(kept.rows())));
    if (!list.is_valid())
        throw nb::python_error();
    object_maker make(by, one, kept.rows());
    for (std::size_t row = 0; row < kept.rows(); ++row) {
        check_signals(row);
        PyList_SetItem(list.ptr(), static_cast<Py_ssize_t>(row), make.of_row(kept, row));
    }
    return nb::borrow<nb::list>(list);
}

template <class Answer>
nb::object by_name(const wants& what, Answer&& answer) {
    if (!what.listed)
        return answer(what.all.front());
    nb::dict result;
    for (const want& one : what.all)
        result[one.name.c_str()] = answer(one);
    return result;
}

// A numpy array, and the place of its values.
struct array {
    nb::object object;
    void* values = nullptr;
};

array new_array(std::size_t rows, const char* type) {
    array result;
    result.object = nb::module_::import_("numpy").attr("empty")(rows, type);
    const nb::object where = result.object.attr("__array_interface__")["data"][0];
    result.values = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(where));
    return result;
}

bool is_number(const call& by, const want& one) {
    return one.what == wanted::length || one.what == wanted::index ||
           (one.what == wanted::value && by.asked().kind() == value_kind::integer);
}

// -1 if the caller has given no other.
template <class T>
gaps<T> gaps_of(const want& one) {
    if (one.missed.is_none())
        return {-1, -1};
    const nb::object number = nb::steal(PyNumber_Index(one.missed.ptr()));
    if (!number.is_valid()) {
        PyErr_Clear();
        raise(PyExc_TypeError,
              "default=" + shown(one.missed.ptr()) + " for '" + one.name + "', which is an integer");
    }
    const long long value = PyLong_AsLongLong(number.ptr());
    if ((value == -1 && PyErr_Occurred() != nullptr) || value < std::numeric_limits<T>::min() ||
        value > std::numeric_limits<T>::max()) {
        PyErr_Clear();
        raise(PyExc_OverflowError, "default=" + shown(one.missed.ptr()) + " for '" + one.name +
                                       "', which is int" + std::to_string(8 * sizeof(T)));
    }
    return {static_cast<T>(value), -1};
}

// Writes the numbers of a wanted thing into a numpy array.
std::unique_ptr<sink> fill(const call& by, const want& one, void* values) {
    const query* const asked = &by.asked();
    const bool by_route = by.by_route();
    if (one.what == wanted::length)
        return make_number_sink(static_cast<std::int16_t*>(values), gaps_of<std::int16_t>(one),
                                [asked](const answers& block, std::size_t row) -> std::int16_t {
                                    return block.is_ipv4(row)
                                               ? asked->route_of<ipv4_address>(block.ids[row]).where.length
                                               : asked->route_of<ipv6_address>(block.ids[row]).where.length;
                                });
    auto* const out = static_cast<std::int64_t*>(values);
    if (by.is_early(one))
        return make_number_sink(out, gaps_of<std::int64_t>(one), [](const answers& block, std::size_t row) {
            return std::int64_t{block.ids[row].id};
        });
    const bool indexed = one.what == wanted::index && asked->kind() == value_kind::rows;
    const std::int64_t first[2] = {indexed ? asked->first_index<ipv6_address>() : 0,
                                   indexed ? asked->first_index<ipv4_address>() : 0};
    return make_number_sink(
        out, gaps_of<std::int64_t>(one),
        [by_route, first6 = first[0], first4 = first[1]](const answers& block, std::size_t row) {
            const next_hop hop = by_route ? block.route_hops[row] : block.ids[row];
            return hop.id + (block.is_ipv4(row) ? first4 : first6);
        });
}

nb::object objects_of(const call& by, const want& one, const keeper& kept) {
    const array result = new_array(kept.rows(), "O");
    auto** const values = static_cast<PyObject**>(result.values);
    object_maker make(by, one, kept.rows());
    for (std::size_t row = 0; row < kept.rows(); ++row) {
        check_signals(row);
        PyObject* const before = std::exchange(values[row], make.of_row(kept, row));
        Py_XDECREF(before);
    }
    return result.object;
}

} // namespace

nb::object answer_as_list(call& by, std::unique_ptr<source> rows) {
    std::vector<std::unique_ptr<source>> chunks;
    chunks.push_back(std::move(rows));
    const auto kept = by.look_up_and_keep(chunks);
    return by_name(by.how().what,
                   [&](const want& one) -> nb::object { return list_of(by, one, *kept.front()); });
}

nb::object answer_as_numpy(call& by, std::unique_ptr<source> rows) {
    const wants& what = by.how().what;
    const std::size_t count = rows->rows();
    std::vector<std::unique_ptr<source>> chunks;
    chunks.push_back(std::move(rows));
    const bool early =
        std::all_of(what.all.begin(), what.all.end(), [&by](const want& one) { return by.is_early(one); });
    std::vector<std::unique_ptr<keeper>> kept;
    if (!early)
        kept = by.look_up_and_keep(chunks);
    std::vector<nb::object> numbers;
    std::vector<std::unique_ptr<sink>> sinks;
    std::vector<std::vector<sink*>> all(1);
    for (const want& one : what.all) {
        numbers.emplace_back();
        if (!is_number(by, one))
            continue;
        const array to = new_array(count, one.what == wanted::length ? "int16" : "int64");
        numbers.back() = to.object;
        sinks.push_back(fill(by, one, to.values));
        all.front().push_back(sinks.back().get());
    }
    if (early) {
        by.look_up(chunks, all);
    } else if (!sinks.empty()) {
        const nb::gil_scoped_release free;
        by.give(kept, all);
    }
    return by_name(what, [&](const want& one) -> nb::object {
        nb::object& made = numbers[static_cast<std::size_t>(&one - what.all.data())];
        return made.is_valid() ? std::move(made) : objects_of(by, one, *kept.front());
    });
}

} // namespace fingerpost::python
