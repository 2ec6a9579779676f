// Writes numbers into numpy arrays without the GIL, and creates objects with it.
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

// Creates the objects of results. Creating text and rows is expensive, so a direct-mapped cache keeps recent
// ones, and repeated results share them. Numbers and the table's own objects are not cached.
class object_maker {
  public:
    object_maker(const call& by, const want& entry, std::size_t rows)
        : by_(by), entry_(entry),
          is_cheap_(entry.what == want_kind::index || entry.what == want_kind::length ||
                    (entry.what == want_kind::value && by.lookups().kind() != value_kind::rows)) {
        if (!is_cheap_)
            cache_.resize(std::bit_ceil(std::clamp<std::size_t>(rows, 1, cache_size)));
    }

    // Returns a new reference to the result of a row.
    PyObject* of_row(const keeper& from, std::size_t row) {
        const next_hop id = from.ids()[row];
        const row_state state = from.state_of(row);
        if (id == next_hop::none)
            return (state < row_state::null ? entry_.missed : none_).inc_ref().ptr();
        const bool ipv4 = state == row_state::ipv4;
        if (is_cheap_)
            return by_.object_of(entry_, id, ipv4).release().ptr();
        const std::uint64_t key = (std::uint64_t{id.id} << 1 | unsigned{ipv4}) + 1;
        cached_object& place = cache_[key * spread >> 32 & (cache_.size() - 1)];
        if (place.key != key) {
            place.object = by_.object_of(entry_, id, ipv4);
            place.key = key;
        }
        return place.object.inc_ref().ptr();
    }

  private:
    struct cached_object {
        std::uint64_t key = 0;
        nb::object object{};
    };
    static constexpr std::size_t cache_size = std::size_t{1} << 18;
    // 2^64 divided by the golden ratio, which maps consecutive numbers far apart.
    static constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;

    const call& by_;
    const want& entry_;
    bool is_cheap_;
    nb::object none_ = nb::none();
    std::vector<cached_object> cache_;
};

nb::list list_of(const call& by, const want& entry, const keeper& stored) {
    nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(stored.rows())));
    if (!list.is_valid())
        throw nb::python_error();
    object_maker make(by, entry, stored.rows());
    for (std::size_t row = 0; row < stored.rows(); ++row) {
        check_signals(row);
        PyList_SetItem(list.ptr(), static_cast<Py_ssize_t>(row), make.of_row(stored, row));
    }
    return nb::borrow<nb::list>(list);
}

template <class Answer>
nb::object by_name(const wants& what, Answer&& answer) {
    if (!what.listed)
        return answer(what.list.front());
    nb::dict result;
    for (const want& entry : what.list)
        result[entry.name.c_str()] = answer(entry);
    return result;
}

// A numpy array and a pointer to its values.
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

bool is_number(const call& by, const want& entry) {
    return entry.what == want_kind::length || entry.what == want_kind::index ||
           (entry.what == want_kind::value && by.lookups().kind() == value_kind::integer);
}

// Values of rows without a route: the default, or -1.
template <class T>
gaps<T> gaps_of(const want& entry) {
    if (entry.missed.is_none())
        return {-1, -1};
    const nb::object number = nb::steal(PyNumber_Index(entry.missed.ptr()));
    if (!number.is_valid()) {
        PyErr_Clear();
        raise(PyExc_TypeError,
              "default=" + shown(entry.missed.ptr()) + " for '" + entry.name + "', which is an integer");
    }
    const long long value = PyLong_AsLongLong(number.ptr());
    if ((value == -1 && PyErr_Occurred() != nullptr) || value < std::numeric_limits<T>::min() ||
        value > std::numeric_limits<T>::max()) {
        PyErr_Clear();
        raise(PyExc_OverflowError, "default=" + shown(entry.missed.ptr()) + " for '" + entry.name +
                                       "', which is int" + std::to_string(8 * sizeof(T)));
    }
    return {static_cast<T>(value), -1};
}

// Returns a sink that writes numbers into a numpy array.
std::unique_ptr<sink> fill(const call& by, const want& entry, void* values) {
    const query* const lookups = &by.lookups();
    const bool by_route = by.by_route();
    if (entry.what == want_kind::length)
        return make_number_sink(static_cast<std::int16_t*>(values), gaps_of<std::int16_t>(entry),
                                [lookups](const answers& block, std::size_t row) -> std::int16_t {
                                    return block.is_ipv4(row)
                                               ? lookups->route_of<ipv4_address>(block.ids[row]).where.length
                                               : lookups->route_of<ipv6_address>(block.ids[row]).where.length;
                                });
    auto* const out = static_cast<std::int64_t*>(values);
    if (by.is_early(entry))
        return make_number_sink(out, gaps_of<std::int64_t>(entry), [](const answers& block, std::size_t row) {
            return std::int64_t{block.ids[row].id};
        });
    const bool indexed = entry.what == want_kind::index && lookups->kind() == value_kind::rows;
    const std::int64_t first[2] = {indexed ? lookups->first_index<ipv6_address>() : 0,
                                   indexed ? lookups->first_index<ipv4_address>() : 0};
    return make_number_sink(
        out, gaps_of<std::int64_t>(entry),
        [by_route, first6 = first[0], first4 = first[1]](const answers& block, std::size_t row) {
            const next_hop hop = by_route ? block.route_hops[row] : block.ids[row];
            return hop.id + (block.is_ipv4(row) ? first4 : first6);
        });
}

nb::object objects_of(const call& by, const want& entry, const keeper& stored) {
    const array result = new_array(stored.rows(), "O");
    auto** const values = static_cast<PyObject**>(result.values);
    object_maker make(by, entry, stored.rows());
    for (std::size_t row = 0; row < stored.rows(); ++row) {
        check_signals(row);
        PyObject* const before = std::exchange(values[row], make.of_row(stored, row));
        Py_XDECREF(before);
    }
    return result.object;
}

} // namespace

nb::object answer_as_list(call& by, std::unique_ptr<source> rows) {
    std::vector<std::unique_ptr<source>> chunks;
    chunks.push_back(std::move(rows));
    const auto keepers = by.look_up_and_keep(chunks);
    return by_name(by.how().what,
                   [&](const want& entry) -> nb::object { return list_of(by, entry, *keepers.front()); });
}

nb::object answer_as_numpy(call& by, std::unique_ptr<source> rows) {
    const wants& what = by.how().what;
    const std::size_t count = rows->rows();
    std::vector<std::unique_ptr<source>> chunks;
    chunks.push_back(std::move(rows));
    const bool early = std::all_of(what.list.begin(), what.list.end(),
                                   [&by](const want& entry) { return by.is_early(entry); });
    std::vector<std::unique_ptr<keeper>> keepers;
    if (!early)
        keepers = by.look_up_and_keep(chunks);
    std::vector<nb::object> numbers;
    std::vector<std::unique_ptr<sink>> sinks;
    std::vector<std::vector<sink*>> sinks_of_chunk(1);
    for (const want& entry : what.list) {
        numbers.emplace_back();
        if (!is_number(by, entry))
            continue;
        const array to = new_array(count, entry.what == want_kind::length ? "int16" : "int64");
        numbers.back() = to.object;
        sinks.push_back(fill(by, entry, to.values));
        sinks_of_chunk.front().push_back(sinks.back().get());
    }
    if (early) {
        by.look_up(chunks, sinks_of_chunk);
    } else if (!sinks.empty()) {
        const nb::gil_scoped_release free;
        by.give(keepers, sinks_of_chunk);
    }
    return by_name(what, [&](const want& entry) -> nb::object {
        nb::object& number_array = numbers[static_cast<std::size_t>(&entry - what.list.data())];
        return number_array.is_valid() ? std::move(number_array) : objects_of(by, entry, *keepers.front());
    });
}

} // namespace fingerpost::python
