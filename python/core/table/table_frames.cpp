// Creates tables from frames. Their rows are read like those of a file.
#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>

#include "io/format/parts/input_error.hpp"
#include "io/format/parts/network_length.hpp"
#include "io/format/parts/route_taker.hpp"
#include "io/format/parts/table_columns.hpp"
#include "io/format/parts/table_types.hpp"
#include "io/format/parts/words.hpp"
#include "python/core/arrow/cell_texts.hpp"
#include "python/core/arrow/import.hpp"
#include "python/core/keys.hpp"
#include "python/core/raise.hpp"
#include "python/core/table/table_object.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

using arrow::ArrowArray;
using arrow::ArrowSchema;

[[noreturn]] void refuse(const std::string& reason) {
    throw std::invalid_argument(reason);
}

std::string listed(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names)
        list += (list.empty() ? "" : ", ") + io::quoted(name);
    return list.empty() ? "none" : list;
}

template <class T>
T or_refuse(expected<T, std::string> result) {
    if (!result)
        refuse(result.error());
    return std::move(*result);
}

// The columns of a chunk as texts. Only those that are read have rows.
class frame_rows {
  public:
    frame_rows(const ArrowSchema& type, const ArrowArray& chunk, const std::vector<bool>& is_read,
               std::int64_t rows)
        : columns_(is_read.size()), cells_(is_read.size()) {
        for (std::size_t i = 0; i < is_read.size(); ++i) {
            if (!is_read[i])
                continue;
            ArrowArray view{};
            child_of(chunk, i, view, memory_);
            view.length = rows;
            columns_[i].emplace(*type.children[i], view, memory_);
        }
    }

    // The cells of a row, valid until the next call.
    const std::vector<std::string_view>& operator[](std::size_t row) {
        for (std::size_t i = 0; i < cells_.size(); ++i)
            if (columns_[i])
                cells_[i] = columns_[i]->cell(row);
        return cells_;
    }

  private:
    arrow::layout_memory memory_;
    std::vector<std::optional<arrow::cell_texts>> columns_;
    std::vector<std::string_view> cells_;
};

class frame_reader {
  public:
    // Chooses the columns. Needs the GIL.
    frame_reader(const arrow::imported& from, io::table_options options)
        : from_(&from), type_(&*from.schema), taker_(std::move(options)) {
        for (std::int64_t i = 0; i < type_->n_children; ++i)
            names_.emplace_back(type_->children[i]->name != nullptr ? type_->children[i]->name : "");
        const auto network = or_refuse(find_network());
        if (!network)
            refuse(
                "none of the columns " + listed(names_) +
                " has a name such as network, prefix, cidr or subnet, and no two have names such as start_ip "
                "and end_ip; name the column of networks with network=");
        network_ = *network;
        const auto columns = or_refuse(selection_.choose(names_, network_, taker_.options().values));
        taker_.builder().set_columns(io::views(columns));
        taker_.builder().keep_empty_texts();
        choose_read();
    }

    // Reads all rows. Needs no GIL.
    io::both_tables read() {
        std::size_t first = 0;
        for (const arrow::owned<ArrowArray>& chunk : from_->chunks) {
            frame_rows rows(*type_, *chunk, is_read_, chunk->length);
            for (std::size_t row = 0; row < static_cast<std::size_t>(chunk->length); ++row)
                if (const auto fault = take(rows[row]))
                    refuse(arrow::in_row(first + row) + fault->text + fault->reason);
            first += static_cast<std::size_t>(chunk->length);
        }
        return std::move(taker_).finish_both(first);
    }

  private:
    // The first row shows which columns have lengths or masks.
    expected<std::optional<io::network_columns>, std::string> find_network() const {
        const auto has_rows = [](const arrow::owned<ArrowArray>& chunk) { return chunk->length > 0; };
        const auto chunk = std::find_if(from_->chunks.begin(), from_->chunks.end(), has_rows);
        if (chunk == from_->chunks.end())
            return io::find_network(names_, taker_.options().network);
        std::vector<bool> is_stored;
        for (std::int64_t i = 0; i < type_->n_children; ++i)
            is_stored.push_back(arrow::type_of_cells(*type_->children[i]).has_value());
        frame_rows rows(*type_, **chunk, is_stored, 1);
        return io::find_network(names_, taker_.options().network, rows[0]);
    }

    void choose_read() {
        std::vector<std::size_t> columns =
            or_refuse(io::find_values(names_, network_, taker_.options().values));
        std::vector<std::optional<column_type>> types;
        for (const std::size_t column : columns)
            types.push_back(arrow::type_of_rows(child(column)).format == std::string_view("n")
                                ? std::optional<column_type>()
                                : type_of(column));
        taker_.builder().set_types(std::move(types));
        is_read_.resize(names_.size());
        columns.push_back(network_.first);
        columns.push_back(network_.last.value_or(network_.first));
        columns.push_back(network_.length.value_or(network_.first));
        for (const std::size_t column : columns) {
            static_cast<void>(type_of(column));
            is_read_[column] = true;
        }
    }

    const ArrowSchema& child(std::size_t column) const noexcept { return *type_->children[column]; }
    column_type type_of(std::size_t column) const {
        const auto type = arrow::type_of_cells(child(column));
        if (!type)
            raise(PyExc_TypeError,
                  "column " + io::quoted(names_[column]) + " has Arrow type " +
                      describe_format(child(column)) +
                      "; a table stores text, integers, floats and bool: convert it, or choose "
                      "other columns with values=");
        return *type;
    }

    // Returns the fault as the text to show and a reason.
    std::optional<io::route_fault> take(std::span<const std::string_view> cells) {
        std::string_view first = io::trimmed(cells[network_.first]);
        if (is_missing(cells[network_.first]))
            return io::route_fault{"", "the network is null"};
        const auto described = [](std::optional<io::route_fault> fault) {
            if (fault)
                fault->text = io::quoted(fault->text) + ": ";
            return fault;
        };
        if (network_.length)
            if (auto fault =
                    io::join_length(first, io::trimmed(cells[*network_.length]), network_.rule, joined_))
                return described(std::move(fault));
        const auto values = selection_.of(cells);
        if (!network_.last)
            return described(taker_.add(first, values));
        if (is_missing(cells[*network_.last]))
            return io::route_fault{"", "the last address of the range is null"};
        return described(taker_.add_range(first, io::trimmed(cells[*network_.last]), values));
    }

    const arrow::imported* from_;
    const ArrowSchema* type_;
    std::vector<std::string> names_;
    io::route_taker taker_;
    io::network_columns network_;
    io::value_columns selection_;
    std::vector<bool> is_read_;
    std::string joined_;
};

// Replaces the rows of one column by their numbers.
template <class A>
void use_numbers(io::loaded_table<A>& table) {
    std::vector<next_hop> numbers(table.values.size(), next_hop::none);
    for (route<A>& entry : table.routes) {
        next_hop& number = numbers[entry.hop.id];
        if (number == next_hop::none) {
            const std::string_view text = table.values[entry.hop];
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.id);
            if (is_missing(text))
                refuse("values=int: the value of " + to_string(entry.where) + " is null");
            if (error != std::errc{} || end != text.data() + text.size() || number == next_hop::none)
                throw std::overflow_error("values=int: " + io::quoted(text) +
                                          " is not an int from 0 to 2**32 - 2");
        }
        entry.hop = number;
    }
}

struct chosen_values {
    io::table_options options{.both = true};
    std::vector<io::typed_column> types{};
    bool integers = false;
};

chosen_values choose(nb::handle network, nb::handle values) {
    chosen_values result;
    result.options.network = names_argument(network, "network");
    result.integers = values.ptr() == reinterpret_cast<PyObject*>(&PyLong_Type);
    if (result.integers || values.ptr() == reinterpret_cast<PyObject*>(&PyBaseObject_Type))
        return result;
    // Checks the argument.
    static_cast<void>(new_table(values, {}));
    for (const nb::handle name : values)
        result.options.values.push_back(nb::cast<std::string>(nb::str(name)));
    if (PyDict_Check(values.ptr()))
        result.types = typed_columns(values, "values");
    return result;
}

io::both_tables read(frame_reader& rows, const chosen_values& how) {
    io::both_tables tables = rows.read();
    if (const std::string reason = io::fix_types(tables, how.types); !reason.empty())
        refuse(reason);
    if (how.integers) {
        if (tables.ipv4.values.columns() != 1)
            refuse("values=int takes a frame with one column besides the networks");
        use_numbers(tables.ipv4);
        use_numbers(tables.ipv6);
    }
    return tables;
}

} // namespace

bool is_frame(nb::handle object) {
    return nb::hasattr(object, "columns") &&
           (arrow::is_arrow(object) || nb::hasattr(object, "itertuples")); // pandas before 2.2
}

std::shared_ptr<shared_table> table_of_frame(nb::handle frame, nb::handle network, nb::handle values,
                                             const std::string& scheme) {
    const chosen_values how = choose(network, values);
    const nb::object library = nb::getattr(frame.type(), "__module__").attr("partition")(".")[0];
    const nb::object exported = nb::module_::import_("fingerpost._kinds").attr("exportable")(library, frame);
    const arrow::imported from = arrow::import_arrow(exported);
    if (std::string_view(from.schema->format) != "+s")
        raise(PyExc_TypeError,
              "a frame of networks needs named columns, not Arrow type " + describe_format(*from.schema));
    frame_reader rows(from, how.options);
    std::optional<io::both_tables> tables;
    {
        const nb::gil_scoped_release free;
        tables.emplace(read(rows, how));
    }
    if (!how.integers)
        return table_of(std::move(*tables), scheme);
    return filled_table(std::make_unique<value_store>(value_kind::integer, std::vector<std::string>()),
                        scheme, {std::move(tables->ipv4.routes), true},
                        {std::move(tables->ipv6.routes), true});
}

} // namespace fingerpost::python
