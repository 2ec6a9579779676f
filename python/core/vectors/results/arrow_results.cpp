// Chooses a builder for each wanted thing, and runs them over all chunks.
#include "python/core/vectors/results/arrow_results.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "python/core/keys.hpp"
#include "python/core/raise.hpp"
#include "python/core/vectors/results/builders.hpp"
#include "python/core/vectors/results/slot_values.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

using arrow::kind;

// A default value as a number of type T.
template <class T>
T number_default(const want& one, const char* what) {
    if (one.missed.is_none())
        return T{};
    const nb::object number = nb::steal(PyNumber_Index(one.missed.ptr()));
    if (!number.is_valid()) {
        PyErr_Clear();
        raise(PyExc_TypeError,
              "default=" + shown(one.missed.ptr()) + " for '" + one.name + "', which is " + what);
    }
    const long long value = PyLong_AsLongLong(number.ptr());
    if ((value == -1 && PyErr_Occurred() != nullptr) ||
        value < static_cast<long long>(std::numeric_limits<T>::min()) ||
        value > static_cast<long long>(std::numeric_limits<T>::max())) {
        PyErr_Clear();
        raise(PyExc_OverflowError,
              "default=" + shown(one.missed.ptr()) + " for '" + one.name + "', which is " + what);
    }
    return static_cast<T>(value);
}

double float_default(const want& one) {
    if (one.missed.is_none())
        return 0;
    const double value = PyFloat_AsDouble(one.missed.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        raise(PyExc_TypeError,
              "default=" + shown(one.missed.ptr()) + " for '" + one.name + "', which is float64");
    }
    return value;
}

bool boolean_default(const want& one) {
    if (one.missed.is_none())
        return false;
    if (!PyBool_Check(one.missed.ptr()))
        raise(PyExc_TypeError,
              "default=" + shown(one.missed.ptr()) + " for '" + one.name + "', which is bool");
    return one.missed.ptr() == Py_True;
}

std::string text_default(const want& one) {
    if (one.missed.is_none())
        return {};
    const auto text = PyUnicode_Check(one.missed.ptr()) ? text_of(one.missed.ptr()) : std::nullopt;
    if (!text)
        raise(PyExc_TypeError,
              "default=" + shown(one.missed.ptr()) + " for '" + one.name + "', which is text");
    return std::string(*text);
}

void append(std::vector<char>& to, std::string_view text) {
    to.insert(to.end(), text.begin(), text.end());
}

// The place of the next hop of a row with an answer.
struct hop_of_row {
    bool by_route;
    next_hop operator()(const answers& block, std::size_t row) const noexcept {
        return by_route ? block.route_hops[row] : block.ids[row];
    }
};

template <class F>
auto by_family(const answers& block, std::size_t row, F&& f) {
    return block.is_ipv4(row) ? f(ipv4_address{}) : f(ipv6_address{});
}

// A cell of the row of values of a row with an answer.
struct cell_of_row {
    const query* asked;
    std::size_t column;
    hop_of_row hop;
    std::string_view operator()(const answers& block, std::size_t row) const {
        return by_family(block, row,
                         [&]<class A>(A) { return asked->rows<A>().cell(hop(block, row), column); });
    }
    bool is_missing_in(const answers& block, std::size_t row) const {
        return is_missing((*this)(block, row));
    }
};

struct append_cell {
    cell_of_row cell;
    void operator()(const answers& block, std::size_t row, std::vector<char>& to) const {
        append(to, cell(block, row));
    }
};

// A missing cell is 0, and null besides.
template <class T>
struct number_of_cell {
    cell_of_row cell;
    T operator()(const answers& block, std::size_t row) const {
        const std::string_view text = cell(block, row);
        T number{};
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (!text.empty() && (error != std::errc{} || stop != text.data() + text.size()))
            throw std::overflow_error(
                std::string(text) +
                " does not fit the Arrow type of its column; types= can make it one of str");
        return number;
    }
};

struct truth_of_cell {
    cell_of_row cell;
    std::uint8_t operator()(const answers& block, std::size_t row) const {
        return cell(block, row) == "true" ? 1 : 0;
    }
};

struct append_prefix {
    const query* asked;
    void operator()(const answers& block, std::size_t row, std::vector<char>& to) const {
        by_family(block, row, [&]<class A>(A) {
            char text[max_prefix_text<A>];
            const char* const end = format(asked->route_of<A>(block.ids[row]).where, text);
            to.insert(to.end(), static_cast<const char*>(text), end);
        });
    }
};

// Makes the builders of one call.
class builders_of {
  public:
    explicit builders_of(const call& by) : by_(by), hop_{by.by_route()} {}

    // After the lookup, unless a want is early; needs the GIL.
    void read_values(const std::vector<std::unique_ptr<keeper>>& kept) {
        const auto& all = by_.how().what.all;
        if (by_.asked().kind() == value_kind::object &&
            std::any_of(all.begin(), all.end(), [](const want& one) { return one.what == wanted::value; }))
            slots_ = read_slots(*by_.how().shared, [&] { return by_.named_slots(kept); });
    }

    std::unique_ptr<builder> make(const want& one, std::size_t rows) const {
        switch (one.what) {
        case wanted::value:
            return make_value(one, rows);
        case wanted::index:
            return make_index(one, rows);
        case wanted::length:
            return make_number_builder<std::uint8_t>(
                kind::uint8, rows, number_default<std::uint8_t>(one, "uint8"),
                [asked = &by_.asked()](const answers& block, std::size_t row) {
                    return by_family(block, row, [&]<class A>(A) {
                        return static_cast<std::uint8_t>(asked->route_of<A>(block.ids[row]).where.length);
                    });
                });
        case wanted::prefix:
            return make_text_builder(rows, text_default(one), append_prefix{&by_.asked()});
        case wanted::column:
            break;
        }
        return make_column(one, rows, one.column);
    }

    // Which rows of it are not null, if that is not the same as having an answer.
    std::unique_ptr<valid_sink> make_valid(const want& one, std::size_t rows) const {
        const bool nullable = one.what == wanted::value && slots_ && slots_->any_null;
        const bool is_cell = one.what == wanted::column || (one.what == wanted::value && has_one_column());
        const std::size_t column = one.what == wanted::column ? one.column : 0;
        const bool may_miss = is_cell && has_missing();
        if (one.missed.is_none() && !nullable && !may_miss)
            return nullptr;
        auto result = std::make_unique<valid_sink>(rows, !one.missed.is_none());
        if (may_miss)
            take_out_missing(*result, column);
        if (nullable)
            result->take_out([nulls = &slots_->is_null, hop = hop_](const answers& block, std::size_t row) {
                return (*nulls)[hop(block, row).id] != 0;
            });
        return result;
    }

  private:
    std::unique_ptr<builder> make_value(const want& one, std::size_t rows) const {
        if (by_.asked().kind() == value_kind::integer)
            return make_integer(one, rows, [hop = hop_](const answers& block, std::size_t row) {
                return hop(block, row).id;
            });
        if (by_.asked().kind() == value_kind::object)
            return make_object(one, rows);
        const std::vector<std::string>& columns = by_.asked().columns();
        if (columns.size() == 1)
            return make_column(one, rows, 0);
        if (!one.missed.is_none())
            raise(PyExc_TypeError,
                  "default= for 'value', which is a struct: want= the columns, with a default each");
        auto result = std::make_unique<struct_builder>(rows, true);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            std::unique_ptr<valid_sink> valid;
            if (has_missing()) {
                valid = std::make_unique<valid_sink>(rows, false);
                take_out_missing(*valid, i);
            }
            result->add(columns[i], make_column(one, rows, i), std::move(valid));
        }
        return result;
    }

    bool has_one_column() const {
        return by_.asked().kind() == value_kind::rows && by_.asked().columns().size() == 1;
    }
    bool has_missing() const {
        const auto has = [](const value_view& rows) { return rows.types().missing != value_types::no_text; };
        return has(by_.asked().rows<ipv4_address>()) || has(by_.asked().rows<ipv6_address>());
    }
    void take_out_missing(valid_sink& from, std::size_t column) const {
        from.take_out([cell = cell_of_row{&by_.asked(), column, hop_}](
                          const answers& block, std::size_t row) { return cell.is_missing_in(block, row); });
    }

    // Cells of a column, in the type of Arrow that is its own.
    std::unique_ptr<builder> make_column(const want& one, std::size_t rows, std::size_t column) const {
        const cell_of_row cell{&by_.asked(), column, hop_};
        switch (by_.asked().type(column)) {
        case column_type::integer:
            return make_number_builder<std::int64_t>(kind::int64, rows,
                                                     number_default<std::int64_t>(one, "int64"),
                                                     number_of_cell<std::int64_t>{cell});
        case column_type::number:
            return make_number_builder<double>(kind::float64, rows, float_default(one),
                                               number_of_cell<double>{cell});
        case column_type::boolean:
            return make_boolean_builder(rows, boolean_default(one), truth_of_cell{cell});
        case column_type::text:
            break;
        }
        return make_text_builder(rows, text_default(one), append_cell{cell});
    }

    std::unique_ptr<builder> make_index(const want& one, std::size_t rows) const {
        if (by_.is_early(one) || by_.asked().kind() != value_kind::rows)
            return make_integer(one, rows, [hop = hop_](const answers& block, std::size_t row) {
                return hop(block, row).id;
            });
        return make_integer(
            one, rows, [hop = hop_, asked = &by_.asked()](const answers& block, std::size_t row) {
                return hop(block, row).id +
                       by_family(block, row, [asked]<class A>(A) { return asked->first_index<A>(); });
            });
    }

    template <class Of>
    static std::unique_ptr<builder> make_integer(const want& one, std::size_t rows, Of of) {
        return make_number_builder<std::uint32_t>(
            kind::uint32, rows, number_default<std::uint32_t>(one, "uint32"), std::move(of));
    }

    std::unique_ptr<builder> make_object(const want& one, std::size_t rows) const {
        const slot_values& all = *slots_;
        if (all.type == kind::int64)
            return make_number_builder<std::int64_t>(
                kind::int64, rows, number_default<std::int64_t>(one, "int64"),
                [values = &all.integers, hop = hop_](const answers& block, std::size_t row) {
                    return (*values)[hop(block, row).id];
                });
        if (all.type == kind::float64)
            return make_number_builder<double>(
                kind::float64, rows, float_default(one),
                [values = &all.floats, hop = hop_](const answers& block, std::size_t row) {
                    return (*values)[hop(block, row).id];
                });
        return make_text_builder(
            rows, text_default(one),
            [values = &all.texts, hop = hop_](const answers& block, std::size_t row, std::vector<char>& to) {
                append(to, (*values)[hop(block, row).id]);
            });
    }

    const call& by_;
    hop_of_row hop_;
    std::shared_ptr<const slot_values> slots_;
};

// What is built from one chunk of rows.
struct build {
    std::unique_ptr<valid_sink> valid;
    std::unique_ptr<builder> of;

    std::vector<sink*> sinks() const { return {valid.get(), of.get()}; }
};

build make_build(const builders_of& make, const wants& what, std::size_t rows) {
    if (!what.listed) {
        const want& one = what.all.front();
        auto valid = make.make_valid(one, rows);
        if (valid == nullptr)
            valid = std::make_unique<valid_sink>(rows, false);
        return {std::move(valid), make.make(one, rows)};
    }
    auto all = std::make_unique<struct_builder>(rows, false);
    for (const want& one : what.all)
        all->add(one.name, make.make(one, rows), make.make_valid(one, rows));
    return {std::make_unique<valid_sink>(rows, false), std::move(all)};
}

arrow::column finish(std::vector<build>& builds, const build& empty, bool chunked) {
    const nb::gil_scoped_release free;
    const bool large =
        std::any_of(builds.begin(), builds.end(), [](const build& one) { return one.of->needs_large(); });
    std::vector<std::shared_ptr<const arrow::chunk>> chunks;
    for (build& one : builds) {
        chunks.push_back(one.of->finish(*one.valid, large));
        one.of.reset();
    }
    return {empty.of->type(large), std::move(chunks), chunked};
}

} // namespace

arrow::column answer_as_arrow(call& by, std::vector<std::unique_ptr<source>>& chunks, bool chunked) {
    const wants& what = by.how().what;
    const bool early =
        std::all_of(what.all.begin(), what.all.end(), [&by](const want& one) { return by.is_early(one); });
    std::vector<std::unique_ptr<keeper>> kept;
    if (!early)
        kept = by.look_up_and_keep(chunks);
    builders_of make(by);
    if (!early)
        make.read_values(kept);
    std::vector<build> builds;
    std::vector<std::vector<sink*>> sinks;
    for (const std::unique_ptr<source>& chunk : chunks) {
        builds.push_back(make_build(make, what, chunk->rows()));
        sinks.push_back(builds.back().sinks());
    }
    const build empty = make_build(make, what, 0);
    if (early) {
        by.look_up(chunks, sinks);
    } else {
        const nb::gil_scoped_release free;
        by.give(kept, sinks);
        kept.clear();
    }
    return finish(builds, empty, chunked);
}

} // namespace fingerpost::python
