// A call looks up the rows of a chunk in blocks. Rows with different tables are looked up separately.
#include "sql/scalar_functions.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/near_name.hpp"
#include "fingerpost/columns/column_lookup.hpp"
#include "fingerpost/net/text.hpp"
#include "sql/duckdb_vectors.hpp"
#include "sql/table_sources.hpp"

namespace fingerpost::sql {
namespace {

using columns::block_answers;
using columns::block_rows;
using columns::row_state;

enum class answer : std::uint8_t { text, integer, number, boolean, prefix, length, index };
constexpr bool is_cell(answer what) {
    return what <= answer::boolean;
}
constexpr answer answer_of(column_type type) {
    switch (type) {
    case column_type::integer:
        return answer::integer;
    case column_type::number:
        return answer::number;
    case column_type::boolean:
        return answer::boolean;
    case column_type::text:
        break;
    }
    return answer::text;
}

struct scalar_function {
    answer what;
    const char* name;
    duckdb_type type;
};
constexpr scalar_function scalar_functions[] = {
    {answer::text, "fingerpost_text", duckdb_type::varchar},
    {answer::integer, "fingerpost_integer", duckdb_type::bigint},
    {answer::number, "fingerpost_float", duckdb_type::double_},
    {answer::boolean, "fingerpost_boolean", duckdb_type::boolean},
    {answer::prefix, "fingerpost_prefix", duckdb_type::varchar},
    {answer::length, "fingerpost_length", duckdb_type::utinyint},
    {answer::index, "fingerpost_index", duckdb_type::uinteger},
};
// A function with certain parameters.
struct overload {
    scalar_function of;
    bool has_on_error = false;

    std::size_t address_column() const noexcept { return is_cell(of.what) ? 2 : 1; }
};
constexpr std::size_t overloads_of_each = 2;
constexpr auto overloads = [] {
    std::array<overload, std::size(scalar_functions) * overloads_of_each> result{};
    std::size_t count = 0;
    for (const scalar_function& of : scalar_functions)
        for (const bool has_on_error : {false, true})
            result[count++] = {of, has_on_error};
    return result;
}();

// Working memory of a thread.
struct scratch {
    columns::lookup_memory memory;
    address_block addresses;
    std::vector<block_answers> blocks;
    std::array<std::string_view, block_rows> cells;
};
scratch& own_scratch() {
    thread_local const auto own = std::make_unique<scratch>();
    return *own;
}

// Rows of one call that have the same table, column and handling of errors.
class run {
  public:
    run(const overload& of, duckdb_handle chunk, duckdb_handle out)
        : of_(of), table_(chunk, 0), column_(chunk, is_cell(of.of.what) ? 1 : 0),
          addresses_(chunk, of.address_column()),
          on_error_(chunk, of.has_on_error ? of.address_column() + 1 : 0), out_(out) {}

    // Answers the rows from `first` that belong together, and returns the row after them.
    std::size_t answer_from(std::size_t first, std::size_t end) {
        end = table_.end_of_run(first, end);
        if (is_cell(of_.of.what))
            end = column_.end_of_run(first, end);
        if (of_.has_on_error)
            end = on_error_.end_of_run(first, end);
        if (addresses_.type() == duckdb_type::null || table_.is_null(first) || column_.is_null(first) ||
            on_error_.is_null(first)) {
            for (std::size_t row = first; row < end; ++row)
                out_.set_null(row);
            return end;
        }
        look_up(first, end);
        return end;
    }

  private:
    void look_up(std::size_t first, std::size_t end);
    bool raises(std::size_t row) const;
    std::size_t column_of(const table_source& source, std::size_t row) const;
    void write(const chunk_lookup& by, const table_source& source, const block_answers& block,
               std::size_t first);
    template <class Write>
    void write_cells(const chunk_lookup& by, const block_answers& block, std::size_t first, Write to);
    template <class Write>
    void write_matches(const block_answers& block, std::size_t first, Write to);

    const overload& of_;
    argument_vector table_;
    argument_vector column_;
    address_vector addresses_;
    argument_vector on_error_;
    result_vector out_;
    std::size_t cell_column_ = 0;
};

bool run::raises(std::size_t row) const {
    const std::string_view text = of_.has_on_error ? view_of(on_error_.text(row)) : "null";
    if (text != "null" && text != "raise")
        throw std::invalid_argument("on_error='" + std::string(text) + "': must be 'null' or 'raise'");
    return text == "raise";
}

void run::look_up(std::size_t first, std::size_t end) {
    scratch& with = own_scratch();
    const bool raises_bad = raises(first);
    const auto source = source_named(view_of(table_.text(first)));
    if (is_cell(of_.of.what))
        cell_column_ = column_of(*source, first);
    const bool wants_route = of_.of.what == answer::prefix || of_.of.what == answer::length;
    const auto by = source->begin(wants_route ? ask::routes : ask::hops, end - first);
    with.memory.by = by->reader();
    // The reader goes before `by`, also when this throws.
    const std::unique_ptr<columns::lookup_memory,
                          decltype([](columns::lookup_memory* of) { of->by.reset(); })>
        reader_guard(&with.memory);
    with.blocks.resize((end - first + block_rows - 1) / block_rows);
    for (std::size_t i = 0; i < with.blocks.size(); ++i) {
        const std::size_t row = first + i * block_rows;
        const std::size_t count = std::min(block_rows, end - row);
        const columns::column_lookup lookup(with.addresses.read(addresses_, row, count));
        block_answers& block = with.blocks[i];
        lookup.answer(0, count, with.memory, block);
        if (!raises_bad || block.bad == 0)
            continue;
        const auto bad = std::find(block.states.begin(), block.states.end(), row_state::bad);
        const auto reason = lookup.explain(static_cast<std::size_t>(bad - block.states.begin()));
        throw std::invalid_argument("'" + reason.text + "' is not an address: " + reason.reason);
    }
    with.memory.by.reset();
    by->settle();
    for (std::size_t i = 0; i < with.blocks.size(); ++i)
        write(*by, *source, with.blocks[i], first + i * block_rows);
}

// Calls to(row, result, whether it is from IPv4) for each row with a result. Rows without one, and rows for
// which it returns false, become null.
template <class Write>
void run::write_matches(const block_answers& block, std::size_t first, Write to) {
    for (std::size_t row = 0; row < block.rows; ++row)
        if (block.ids[row] == next_hop::none || !to(first + row, block.ids[row], block.is_ipv4(row)))
            out_.set_null(first + row);
}

// The number of the column, which must have the type of the function.
std::size_t run::column_of(const table_source& source, std::size_t row) const {
    const std::string_view name = view_of(column_.text(row));
    const auto names = source.columns();
    const auto entry = std::find(names.begin(), names.end(), name);
    if (entry == names.end())
        throw std::invalid_argument(std::string(view_of(table_.text(row))) + " has no column '" +
                                    std::string(name) + "'" + did_you_mean(name, names));
    const auto column = static_cast<std::size_t>(entry - names.begin());
    const column_type type = source.types()[column];
    const answer what = of_.of.what;
    if (what != answer::text && what != answer_of(type) &&
        !(what == answer::number && type == column_type::integer))
        throw std::invalid_argument(
            "column '" + std::string(name) + "' of " + std::string(view_of(table_.text(row))) +
            " has the type " + std::string(name_of(type)) + ": use fingerpost_" + std::string(name_of(type)));
    return column;
}

// Calls to(row, cell) for each cell that is not missing.
template <class Write>
void run::write_cells(const chunk_lookup& by, const block_answers& block, std::size_t first, Write to) {
    const value_view& ipv4 = by.values(true);
    const value_view& ipv6 = by.values(false);
    // Cells are far apart, so all of a block are found and their texts loaded before the first is written.
    std::array<std::string_view, block_rows>& cells = own_scratch().cells;
    for (std::size_t row = 0; row < block.rows; ++row) {
        const value_view& values = block.is_ipv4(row) ? ipv4 : ipv6;
        const next_hop hop = block.ids[row];
        cells[row] = hop.id < values.rows() ? values.cell(hop, cell_column_) : missing_cell;
        __builtin_prefetch(cells[row].data());
    }
    for (std::size_t row = 0; row < block.rows; ++row) {
        if (is_missing(cells[row]))
            out_.set_null(first + row);
        else
            to(first + row, cells[row]);
    }
}

void run::write(const chunk_lookup& by, const table_source& source, const block_answers& block,
                std::size_t first) {
    const bool is_lasting = source.has_lasting_texts();
    switch (of_.of.what) {
    case answer::text:
        return write_cells(by, block, first, [&](std::size_t row, std::string_view cell) {
            out_.set_text(row, cell, is_lasting);
        });
    case answer::integer:
        return write_cells(by, block, first, [&](std::size_t row, std::string_view cell) {
            out_.set_number<std::int64_t>(row, cell);
        });
    case answer::number:
        return write_cells(by, block, first, [&](std::size_t row, std::string_view cell) {
            out_.set_number<double>(row, cell);
        });
    case answer::boolean:
        return write_cells(by, block, first,
                           [to = out_.as<bool>()](std::size_t row, auto cell) { to[row] = cell == "true"; });
    case answer::prefix:
        return write_matches(block, first, [&](std::size_t row, next_hop number, bool is_ipv4) {
            char text[max_prefix_text<ipv6_address>];
            const char* const end = is_ipv4 ? format(by.ipv4_route(number).where, text)
                                            : format(by.ipv6_route(number).where, text);
            out_.set_text(row, {text, static_cast<std::size_t>(end - text)}, false);
            return true;
        });
    case answer::length:
        return write_matches(
            block, first, [&, to = out_.as<std::uint8_t>()](std::size_t row, next_hop number, bool is_ipv4) {
                to[row] = is_ipv4 ? by.ipv4_route(number).where.length : by.ipv6_route(number).where.length;
                return true;
            });
    case answer::index:
        break;
    }
    const auto ipv6_offset = source.first_ipv6_index();
    write_matches(block, first,
                  [&, to = out_.as<std::uint32_t>()](std::size_t row, next_hop hop, bool is_ipv4) {
                      to[row] = hop.id + (is_ipv4 ? 0 : ipv6_offset);
                      return by.values(is_ipv4).columns() == 0 || hop.id < by.values(is_ipv4).rows();
                  });
}

void call(duckdb_handle info, duckdb_handle chunk, duckdb_handle out) {
    try {
        const auto& of = *static_cast<const overload*>(api.scalar_function_get_extra_info(info));
        const std::size_t rows = api.data_chunk_get_size(chunk);
        run each(of, chunk, out);
        for (std::size_t row = 0; row < rows;)
            row = each.answer_from(row, rows);
    } catch (const std::exception& error) {
        api.scalar_function_set_error(info, error.what());
    }
}

duckdb_handle make_function(const overload& of) {
    const duckdb_handle result = api.create_scalar_function();
    api.scalar_function_set_name(result, of.of.name);
    const logical_type text(duckdb_type::varchar);
    api.scalar_function_add_parameter(result, text);
    if (is_cell(of.of.what))
        api.scalar_function_add_parameter(result, text);
    api.scalar_function_add_parameter(result, logical_type(duckdb_type::any));
    if (of.has_on_error)
        api.scalar_function_add_parameter(result, text);
    api.scalar_function_set_return_type(result, logical_type(of.of.type));
    api.scalar_function_set_special_handling(result);
    api.scalar_function_set_extra_info(result, const_cast<overload*>(&of), nullptr);
    api.scalar_function_set_function(result, call);
    return result;
}

} // namespace

bool register_scalar_functions(duckdb_handle connection) {
    bool is_registered = true;
    for (std::size_t i = 0; i < overloads.size(); i += overloads_of_each) {
        duckdb_handle set = api.create_scalar_function_set(overloads[i].of.name);
        for (std::size_t j = i; j < i + overloads_of_each; ++j) {
            duckdb_handle one = make_function(overloads[j]);
            is_registered &= api.add_scalar_function_to_set(set, one) == 0;
            api.destroy_scalar_function(&one);
        }
        is_registered &= api.register_scalar_function_set(connection, set) == 0;
        api.destroy_scalar_function_set(&set);
    }
    return is_registered;
}

} // namespace fingerpost::sql
