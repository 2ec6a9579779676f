// Table functions read an image that scalar functions use too, so its texts last.
#include "sql/table_functions.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "sql/duckdb_vectors.hpp"
#include "sql/table_sources.hpp"

namespace fingerpost::sql {
namespace {

template <class T>
void destroy(void* data) {
    delete static_cast<T*>(data);
}

std::string parameter(duckdb_handle info, std::size_t which) {
    duckdb_handle value = api.bind_get_parameter(info, which);
    char* const text = api.get_varchar(value);
    std::string result = text != nullptr ? text : "";
    api.free(text);
    api.destroy_value(&value);
    return result;
}

// Calls `work` and reports its exception through `report`.
template <class Work>
void guarded(duckdb_handle info, void (*report)(duckdb_handle, const char*), Work work) {
    try {
        work();
    } catch (const std::exception& error) {
        report(info, error.what());
    }
}

duckdb_type sql_type(column_type type) {
    switch (type) {
    case column_type::integer:
        return duckdb_type::bigint;
    case column_type::number:
        return duckdb_type::double_;
    case column_type::boolean:
        return duckdb_type::boolean;
    case column_type::text:
        break;
    }
    return duckdb_type::varchar;
}

// Writes a cell with the type of its column.
void write_cell(result_vector& out, std::size_t row, std::string_view cell, column_type type,
                bool is_lasting) {
    if (is_missing(cell))
        return out.set_null(row);
    switch (type) {
    case column_type::integer:
        return out.set_number<std::int64_t>(row, cell);
    case column_type::number:
        return out.set_number<double>(row, cell);
    case column_type::boolean:
        out.as<bool>()[row] = cell == "true";
        return;
    case column_type::text:
        return out.set_text(row, cell, is_lasting);
    }
}

// The routes of an image, in the order of IPv4 and then IPv6. One thread reads them.
struct routes_scan {
    std::shared_ptr<table_source> source;
    std::size_t next = 0;

    std::size_t size() const {
        const both_images& images = *source->images();
        return (images.ipv4 ? images.ipv4->size() : 0) + (images.ipv6 ? images.ipv6->size() : 0);
    }
};

template <class A>
void write_route(const image<A>& from, std::size_t number, std::size_t row, const table_source& source,
                 std::span<result_vector> out) {
    const route<A> entry = from.routes()[number];
    char text[max_prefix_text<A>];
    out[0].set_text(row, {text, static_cast<std::size_t>(format(entry.where, text) - text)}, false);
    const std::size_t columns = source.columns().size();
    if (columns == 0)
        out[1].as<std::uint32_t>()[row] = entry.hop.id;
    const value_view& values = from.values();
    const bool is_there = entry.hop.id < values.rows();
    for (std::size_t column = 0; column < columns; ++column)
        write_cell(out[column + 1], row, is_there ? values.cell(entry.hop, column) : missing_cell,
                   source.types()[column], source.has_lasting_texts());
}

void bind_routes(duckdb_handle info) {
    guarded(info, api.bind_set_error, [info] {
        auto scan = std::make_unique<routes_scan>(routes_scan{open_images(parameter(info, 0)), 0});
        const table_source& source = *scan->source;
        api.bind_add_result_column(info, "prefix", logical_type(duckdb_type::varchar));
        for (std::size_t i = 0; i < source.columns().size(); ++i)
            api.bind_add_result_column(info, source.columns()[i].c_str(),
                                       logical_type(sql_type(source.types()[i])));
        if (source.columns().empty())
            api.bind_add_result_column(info, "value", logical_type(duckdb_type::uinteger));
        api.bind_set_cardinality(info, scan->size(), true);
        api.bind_set_bind_data(info, scan.release(), destroy<routes_scan>);
    });
}

template <class T>
void start(duckdb_handle info) {
    api.init_set_init_data(info, new T(*static_cast<const T*>(api.init_get_bind_data(info))), destroy<T>);
}

void write_routes(duckdb_handle info, duckdb_handle chunk) {
    guarded(info, api.function_set_error, [info, chunk] {
        auto& scan = *static_cast<routes_scan*>(api.function_get_init_data(info));
        const both_images& images = *scan.source->images();
        const std::size_t ipv4_routes = images.ipv4 ? images.ipv4->size() : 0;
        const std::size_t rows = std::min<std::size_t>(api.vector_size(), scan.size() - scan.next);
        std::vector<result_vector> out;
        for (std::size_t i = 0; i < std::max<std::size_t>(scan.source->columns().size(), 1) + 1; ++i)
            out.emplace_back(api.data_chunk_get_vector(chunk, i));
        for (std::size_t row = 0; row < rows; ++row, ++scan.next) {
            if (scan.next < ipv4_routes)
                write_route(*images.ipv4, scan.next, row, *scan.source, out);
            else
                write_route(*images.ipv6, scan.next - ipv4_routes, row, *scan.source, out);
        }
        api.data_chunk_set_size(chunk, rows);
    });
}

std::string quoted(std::string_view text, char quote) {
    std::string result(1, quote);
    for (const char c : text)
        result.append(c == quote ? 2 : 1, c);
    return result + quote;
}

std::string macro(const std::string& name, const std::string& body) {
    return "CREATE OR REPLACE MACRO " + quoted(name, '"') + "(ip) AS " + body + ";";
}

// The statements of fingerpost_macros().
struct macros_scan {
    std::vector<std::string> statements;
    std::size_t next = 0;
};

macros_scan macros_of(const std::string& path, const std::string& name) {
    const auto source = open_images(path);
    const auto columns = source->columns();
    const std::string table = "(" + quoted(path, '\'') + ", ";
    const auto cell = [&](std::size_t i) {
        return "fingerpost_" + std::string(name_of(source->types()[i])) + table + quoted(columns[i], '\'') +
               ", ip)";
    };
    const std::string index = "fingerpost_index" + table + "ip)";
    std::string row = "CASE WHEN " + index + " IS NOT NULL THEN {";
    for (std::size_t i = 0; i < columns.size(); ++i)
        row += (i == 0 ? "" : ", ") + quoted(columns[i], '"') + ": " + cell(i);
    row += "} END";
    macros_scan result;
    result.statements.push_back(macro(name, columns.size() == 0   ? index
                                            : columns.size() == 1 ? cell(0)
                                                                  : row));
    result.statements.push_back(macro(name + "_prefix", "fingerpost_prefix" + table + "ip)"));
    result.statements.push_back(macro(name + "_length", "fingerpost_length" + table + "ip)"));
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i] != "prefix" && columns[i] != "length")
            result.statements.push_back(macro(name + "_" + columns[i], cell(i)));
    return result;
}

void bind_macros(duckdb_handle info) {
    guarded(info, api.bind_set_error, [info] {
        auto scan = std::make_unique<macros_scan>(macros_of(parameter(info, 0), parameter(info, 1)));
        api.bind_add_result_column(info, "sql", logical_type(duckdb_type::varchar));
        api.bind_set_bind_data(info, scan.release(), destroy<macros_scan>);
    });
}

void write_macros(duckdb_handle info, duckdb_handle chunk) {
    guarded(info, api.function_set_error, [info, chunk] {
        auto& scan = *static_cast<macros_scan*>(api.function_get_init_data(info));
        result_vector out(api.data_chunk_get_vector(chunk, 0));
        const std::size_t rows = std::min<std::size_t>(api.vector_size(), scan.statements.size() - scan.next);
        for (std::size_t row = 0; row < rows; ++row)
            out.set_text(row, scan.statements[scan.next++], false);
        api.data_chunk_set_size(chunk, rows);
    });
}

struct table_function {
    const char* name;
    std::size_t parameters;
    duckdb_info_callback bind;
    duckdb_info_callback init;
    duckdb_table_callback write;
};
constexpr table_function table_functions[] = {
    {"read_fingerpost", 1, bind_routes, start<routes_scan>, write_routes},
    {"fingerpost_macros", 2, bind_macros, start<macros_scan>, write_macros},
};

} // namespace

bool register_table_functions(duckdb_handle connection) {
    bool is_registered = true;
    for (const table_function& of : table_functions) {
        duckdb_handle entry = api.create_table_function();
        api.table_function_set_name(entry, of.name);
        for (std::size_t i = 0; i < of.parameters; ++i)
            api.table_function_add_parameter(entry, logical_type(duckdb_type::varchar));
        api.table_function_set_bind(entry, of.bind);
        api.table_function_set_init(entry, of.init);
        api.table_function_set_function(entry, of.write);
        is_registered &= api.register_table_function(connection, entry) == 0;
        api.destroy_table_function(&entry);
    }
    return is_registered;
}

} // namespace fingerpost::sql
