// Chooses a builder for each want, and runs the builders on all chunks.
#include "python/core/vectors/results/arrow_results.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "python/core/keys.hpp"
#include "python/core/raise.hpp"
#include "python/core/vectors/results/builders.hpp"
#include "python/core/vectors/results/column_numbers.hpp"
#include "python/core/vectors/results/slot_values.hpp"
#include "python/core/vectors/results/text_builders.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

using arrow::kind;

// A default value as a number of type T.
template <class T>
T number_default(const want& entry, const char* what) {
    if (entry.missed.is_none())
        return T{};
    const nb::object number = nb::steal(PyNumber_Index(entry.missed.ptr()));
    if (!number.is_valid()) {
        PyErr_Clear();
        raise(PyExc_TypeError,
              "default=" + shown(entry.missed.ptr()) + " for '" + entry.name + "', which is " + what);
    }
    const long long value = PyLong_AsLongLong(number.ptr());
    if ((value == -1 && PyErr_Occurred() != nullptr) ||
        value < static_cast<long long>(std::numeric_limits<T>::min()) ||
        value > static_cast<long long>(std::numeric_limits<T>::max())) {
        PyErr_Clear();
        raise(PyExc_OverflowError,
              "default=" + shown(entry.missed.ptr()) + " for '" + entry.name + "', which is " + what);
    }
    return static_cast<T>(value);
}

double float_default(const want& entry) {
    if (entry.missed.is_none())
        return 0;
    const double value = PyFloat_AsDouble(entry.missed.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        raise(PyExc_TypeError,
              "default=" + shown(entry.missed.ptr()) + " for '" + entry.name + "', which is float64");
    }
    return value;
}

bool boolean_default(const want& entry) {
    if (entry.missed.is_none())
        return false;
    if (!PyBool_Check(entry.missed.ptr()))
        raise(PyExc_TypeError,
              "default=" + shown(entry.missed.ptr()) + " for '" + entry.name + "', which is bool");
    return entry.missed.ptr() == Py_True;
}

std::string text_default(const want& entry) {
    if (entry.missed.is_none())
        return {};
    const auto text = PyUnicode_Check(entry.missed.ptr()) ? text_of(entry.missed.ptr()) : std::nullopt;
    if (!text)
        raise(PyExc_TypeError,
              "default=" + shown(entry.missed.ptr()) + " for '" + entry.name + "', which is text");
    return std::string(*text);
}

// Returns the next hop of a row with a result.
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

// Returns the cell of a column for a row with a result.
struct cell_of_row {
    const query* lookups;
    std::size_t column;
    hop_of_row hop;
    std::string_view operator()(const answers& block, std::size_t row) const {
        return by_family(block, row,
                         [&]<class A>(A) { return lookups->rows<A>().cell(hop(block, row), column); });
    }
};

// A missing cell becomes 0. The bitmap makes it null.
template <class T>
struct number_of_cell {
    cell_of_row cell;
    T operator()(const answers& block, std::size_t row) const {
        const std::string_view text = cell(block, row);
        const auto number = number_of<T>(text);
        if (!number)
            throw std::overflow_error(
                std::string(text) +
                " does not fit the Arrow type of its column; use types= to read the column as str");
        return *number;
    }
};

struct truth_of_cell {
    cell_of_row cell;
    std::uint8_t operator()(const answers& block, std::size_t row) const {
        return cell(block, row) == "true" ? 1 : 0;
    }
};

// Fills views of the matched prefixes.
struct prefix_views {
    const query* lookups;
    bool operator()(const answers& block, arrow::view* out, arrow::text_store& texts) const {
        for (std::size_t i = 0; i < block.rows; ++i)
            if (block.ids[i] != next_hop::none)
                out[i] = by_family(block, i, [&]<class A>(A) {
                    char text[max_prefix_text<A>];
                    const char* const end = format(lookups->route_of<A>(block.ids[i]).where, text);
                    return texts.add({text, static_cast<std::size_t>(end - text)});
                });
        return false;
    }
};

// Fills views of the texts of objects.
struct object_views {
    std::shared_ptr<const slot_values> slots;
    bool operator()(const answers& block, arrow::view* out, arrow::text_store&) const {
        for (std::size_t i = 0; i < block.rows; ++i)
            if (block.ids[i] != next_hop::none)
                out[i] = slots->texts[block.route_hops[i].id];
        return true;
    }
};

// Creates the builders of one call.
class builders_of {
  public:
    explicit builders_of(const call& by) : by_(by), hop_{by.by_route()} {}

    // Reads the values of objects after the lookup. Needs the GIL.
    void read_values(const std::vector<std::unique_ptr<keeper>>& keepers) {
        const auto& wants = by_.how().what.list;
        if (by_.lookups().kind() == value_kind::object &&
            std::any_of(wants.begin(), wants.end(),
                        [](const want& entry) { return entry.what == want_kind::value; }))
            slots_ = read_slots(*by_.how().shared, [&] { return by_.named_slots(keepers); });
    }

    std::unique_ptr<builder> make(const want& entry, std::size_t rows) const {
        switch (entry.what) {
        case want_kind::value:
            return make_value(entry, rows);
        case want_kind::index:
            return make_index(entry, rows);
        case want_kind::length:
            return make_number_builder<std::uint8_t>(
                kind::uint8, rows, number_default<std::uint8_t>(entry, "uint8"),
                [lookups = &by_.lookups()](const answers& block, std::size_t row) {
                    return by_family(block, row, [&]<class A>(A) {
                        return static_cast<std::uint8_t>(lookups->route_of<A>(block.ids[row]).where.length);
                    });
                });
        case want_kind::prefix:
            return make_text_builder(rows, text_default(entry), {}, prefix_views{&by_.lookups()});
        case want_kind::column:
            break;
        }
        return make_column(entry, rows, entry.column);
    }

    // The bitmap of rows that are not null; null if these are the rows with a result.
    std::unique_ptr<valid_sink> make_valid(const want& entry, std::size_t rows) const {
        const bool nullable = entry.what == want_kind::value && slots_ && slots_->any_null;
        const bool is_cell =
            entry.what == want_kind::column || (entry.what == want_kind::value && has_one_column());
        const std::size_t column = entry.what == want_kind::column ? entry.column : 0;
        const bool may_miss = is_cell && has_missing();
        if (entry.missed.is_none() && !nullable && !may_miss)
            return nullptr;
        auto result = std::make_unique<valid_sink>(rows, !entry.missed.is_none());
        if (may_miss)
            take_out_missing(*result, column);
        if (nullable)
            result->take_out([slots = slots_](const answers& block, row_bits& bits) {
                clear_rows(block, bits,
                           [&](std::size_t row) { return slots->is_null[block.route_hops[row].id] != 0; });
            });
        return result;
    }

  private:
    std::unique_ptr<builder> make_value(const want& entry, std::size_t rows) const {
        if (by_.lookups().kind() == value_kind::integer)
            return make_integer(entry, rows, [hop = hop_](const answers& block, std::size_t row) {
                return hop(block, row).id;
            });
        if (by_.lookups().kind() == value_kind::object)
            return make_object(entry, rows);
        const std::vector<std::string>& columns = by_.lookups().columns();
        if (columns.size() == 1)
            return make_column(entry, rows, 0);
        if (!entry.missed.is_none())
            raise(PyExc_TypeError,
                  "default= for 'value', which is a struct: pass want= the columns, with a default each");
        auto result = std::make_unique<struct_builder>(rows, true);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            std::unique_ptr<valid_sink> valid;
            if (has_missing()) {
                valid = std::make_unique<valid_sink>(rows, false);
                take_out_missing(*valid, i);
            }
            result->add(columns[i], make_column(entry, rows, i), std::move(valid));
        }
        return result;
    }

    bool has_one_column() const {
        return by_.lookups().kind() == value_kind::rows && by_.lookups().columns().size() == 1;
    }
    bool has_missing() const {
        const auto has = [](const value_view& rows) { return rows.types().missing != value_types::no_text; };
        return has(by_.lookups().rows<ipv4_address>()) || has(by_.lookups().rows<ipv6_address>());
    }
    void take_out_missing(valid_sink& from, std::size_t column) const {
        from.take_out([cells = cell_numbers(by_.lookups(), column)](const answers& block, row_bits& bits) {
            std::array<std::uint32_t, block_rows> texts;
            cells.read(block, texts);
            clear_rows(block, bits,
                       [&](std::size_t row) { return cells.is_missing(block, row, texts[row]); });
        });
    }

    // Builds the cells of a column, with the Arrow type of the column.
    std::unique_ptr<builder> make_column(const want& entry, std::size_t rows, std::size_t column) const {
        const cell_of_row cell{&by_.lookups(), column, hop_};
        switch (by_.lookups().type(column)) {
        case column_type::integer:
            return make_numbers<std::int64_t>(kind::int64, rows, number_default<std::int64_t>(entry, "int64"),
                                              column, &column_numbers::integers);
        case column_type::number:
            return make_numbers<double>(kind::float64, rows, float_default(entry), column,
                                        &column_numbers::floats);
        case column_type::boolean:
            return make_boolean_builder(rows, boolean_default(entry), truth_of_cell{cell});
        case column_type::text:
            break;
        }
        std::vector<arrow::text_buffer> shared;
        cell_views views(by_.lookups(), column, shared);
        return make_text_builder(rows, text_default(entry), std::move(shared), views);
    }

    template <class T>
    std::unique_ptr<builder> make_numbers(kind type, std::size_t rows, T missed, std::size_t column,
                                          const std::vector<T> column_numbers::*by_row) const {
        const auto known = numbers_of(*by_.how().shared, by_.lookups(), column, rows);
        if (known == nullptr)
            return make_number_builder<T>(type, rows, missed,
                                          number_of_cell<T>{{&by_.lookups(), column, hop_}});
        return make_number_builder<T>(
            type, rows, missed,
            [known, numbers = ((*known).*by_row).data(),
             first6 = by_.lookups().first_index<ipv6_address>()](const answers& block, std::size_t row) {
                return numbers[block.route_hops[row].id + (block.is_ipv4(row) ? 0 : first6)];
            });
    }

    std::unique_ptr<builder> make_index(const want& entry, std::size_t rows) const {
        if (by_.is_early(entry) || by_.lookups().kind() != value_kind::rows)
            return make_integer(entry, rows, [hop = hop_](const answers& block, std::size_t row) {
                return hop(block, row).id;
            });
        return make_integer(
            entry, rows, [hop = hop_, lookups = &by_.lookups()](const answers& block, std::size_t row) {
                return hop(block, row).id +
                       by_family(block, row, [lookups]<class A>(A) { return lookups->first_index<A>(); });
            });
    }

    template <class Of>
    static std::unique_ptr<builder> make_integer(const want& entry, std::size_t rows, Of of) {
        return make_number_builder<std::uint32_t>(
            kind::uint32, rows, number_default<std::uint32_t>(entry, "uint32"), std::move(of));
    }

    std::unique_ptr<builder> make_object(const want& entry, std::size_t rows) const {
        const slot_values& slot_data = *slots_;
        if (slot_data.type == kind::int64)
            return make_number_builder<std::int64_t>(
                kind::int64, rows, number_default<std::int64_t>(entry, "int64"),
                [values = &slot_data.integers, hop = hop_](const answers& block, std::size_t row) {
                    return (*values)[hop(block, row).id];
                });
        if (slot_data.type == kind::float64)
            return make_number_builder<double>(
                kind::float64, rows, float_default(entry),
                [values = &slot_data.floats, hop = hop_](const answers& block, std::size_t row) {
                    return (*values)[hop(block, row).id];
                });
        return make_text_builder(rows, text_default(entry), slot_data.buffers, object_views{slots_});
    }

    const call& by_;
    hop_of_row hop_;
    std::shared_ptr<const slot_values> slots_;
};

// The builders of one chunk of rows.
struct build {
    std::unique_ptr<valid_sink> valid;
    std::unique_ptr<builder> of;

    std::vector<sink*> sinks() const { return {valid.get(), of.get()}; }
};

build make_build(const builders_of& make, const wants& what, std::size_t rows) {
    if (!what.listed) {
        const want& entry = what.list.front();
        auto valid = make.make_valid(entry, rows);
        if (valid == nullptr)
            valid = std::make_unique<valid_sink>(rows, false);
        return {std::move(valid), make.make(entry, rows)};
    }
    auto fields = std::make_unique<struct_builder>(rows, false);
    for (const want& entry : what.list)
        fields->add(entry.name, make.make(entry, rows), make.make_valid(entry, rows));
    return {std::make_unique<valid_sink>(rows, false), std::move(fields)};
}

arrow::column finish(std::vector<build>& builds, const build& empty, bool chunked) {
    const nb::gil_scoped_release free;
    std::vector<std::shared_ptr<const arrow::chunk>> chunks;
    for (build& entry : builds) {
        chunks.push_back(entry.of->finish(*entry.valid));
        entry.of.reset();
    }
    return {empty.of->type(), std::move(chunks), chunked};
}

} // namespace

arrow::column answer_as_arrow(call& by, std::vector<std::unique_ptr<source>>& chunks, bool chunked) {
    const wants& what = by.how().what;
    const bool early = std::all_of(what.list.begin(), what.list.end(),
                                   [&by](const want& entry) { return by.is_early(entry); });
    std::vector<std::unique_ptr<keeper>> keepers;
    if (!early)
        keepers = by.look_up_and_keep(chunks);
    builders_of make(by);
    if (!early)
        make.read_values(keepers);
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
        by.give(keepers, sinks);
        keepers.clear();
    }
    return finish(builds, empty, chunked);
}

arrow::column_type type_of_results(const call_options& how) {
    std::vector<std::unique_ptr<source>> no_rows;
    call by(how, 0);
    return answer_as_arrow(by, no_rows, false).type();
}

} // namespace fingerpost::python
