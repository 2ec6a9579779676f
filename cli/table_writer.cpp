// Writes routes line by line, and images whole.
#include "cli/table_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "cli/failure.hpp"
#include "cli/quoting.hpp"
#include "cli/table_to_mrt.hpp"
#include "fingerpost/image/any_image.hpp"
#include "io/format/table_columns.hpp"
#include "io/format/words.hpp"

namespace fingerpost::cli {
namespace {

bool has_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(), io::is_control);
}

// Quoted where the reader of text would see an end, a comment or a separator in it.
void put_word(std::string& out, std::string_view text) {
    const bool is_plain =
        text.find_first_of(" ,\"") == std::string_view::npos &&
        std::string_view("#;|").find(text.empty() ? ' ' : text[0]) == std::string_view::npos;
    if (is_plain)
        out += text;
    else
        append_quoted(out, text);
}

// What the column of prefixes is called, so that none of values is taken for it.
std::string_view network_name(const value_rows& values) {
    const auto is_there = [&](std::string_view name) {
        for (std::size_t i = 0; i < values.columns(); ++i)
            if (io::plain_name(values.name(i)) == name)
                return true;
        return false;
    };
    return is_there("network") || !is_there("prefix") ? "prefix" : "network";
}

void report_columns_left_out(const value_rows& values, const output& out, std::string_view format) {
    if (values.columns() == 1)
        return;
    std::string others;
    for (std::size_t i = 1; i < values.columns(); ++i)
        others.append(i == 1 ? "" : ", ").append(values.name(i));
    report(fmt::format("{}: {} has one column of values: {} is kept, left out: {}", out.name(), format,
                       values.name(0), others));
}

// put(where, table, route) appends what a route is.
template <class Put>
void write_routes(io::both_tables& tables, const table_choice& choice, output& out, Put put) {
    for_each_family(tables, choice, [&]<class A>(const io::loaded_table<A>& table) {
        char where[max_prefix_text<A>];
        for (const route<A>& r : table.routes) {
            const char* const end = format(r.where, where);
            put(std::string_view(where, static_cast<std::size_t>(end - where)), table.values, r.hop);
            out.spill();
        }
    });
}

} // namespace

void table_to_text(io::both_tables& tables, const table_writing& how, output& out) {
    const value_rows& any = tables.ipv4.values;
    report_columns_left_out(any, out, "text");
    if (any.name(0) != "next_hop" && !has_control(any.name(0))) {
        out.text() += "prefix ";
        put_word(out.text(), any.name(0));
        out.text() += '\n';
    }
    write_routes(
        tables, how.choice, out, [&](std::string_view where, const value_rows& values, next_hop hop) {
            const std::string_view value = values[hop];
            if (has_control(value))
                throw failure(fmt::format("{}: the value {} has control characters, which text cannot have; "
                                          "use csv or ndjson",
                                          where, io::quoted(value)));
            out.text() += where;
            if (!value.empty()) {
                out.text() += ' ';
                put_word(out.text(), value);
            }
            out.text() += '\n';
        });
}

void table_to_csv(io::both_tables& tables, const table_writing& how, output& out) {
    const value_rows& any = tables.ipv4.values;
    out.text() += network_name(any);
    for (std::size_t i = 0; i < any.columns(); ++i) {
        out.text() += ',';
        append_csv_field(out.text(), any.name(i));
    }
    out.text() += '\n';
    write_routes(tables, how.choice, out,
                 [&](std::string_view where, const value_rows& values, next_hop hop) {
                     out.text() += where;
                     for (std::size_t i = 0; i < values.columns(); ++i) {
                         out.text() += ',';
                         append_csv_field(out.text(), values.cell(hop, i));
                     }
                     out.text() += '\n';
                 });
}

void table_to_ndjson(io::both_tables& tables, const table_writing& how, output& out) {
    const value_rows& any = tables.ipv4.values;
    const std::string begin = fmt::format(R"({{"{}":")", network_name(any));
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < any.columns(); ++i) {
        std::string key = ",";
        append_json_string(key, any.name(i));
        keys.push_back(key + ":");
    }
    write_routes(tables, how.choice, out,
                 [&](std::string_view where, const value_rows& values, next_hop hop) {
                     std::string& text = out.text();
                     text.append(begin).append(where).append("\"");
                     for (std::size_t i = 0; i < values.columns(); ++i) {
                         text += keys[i];
                         const std::string_view value = values.cell(hop, i);
                         if (value.empty())
                             text += "null";
                         else
                             append_json_string(text, value);
                     }
                     text += "}\n";
                 });
}

void table_to_image(io::both_tables& tables, const table_writing& how, output& out) {
    const auto write = [&](const expected<aligned_array<std::byte>>& image) {
        if (!image)
            throw failure(fmt::format("{}: {}", out.name(), message(image.error())));
        out.write({reinterpret_cast<const char*>(image->span().data()), image->span().size()});
    };
    if (!tables.ipv4.routes.empty() && !tables.ipv6.routes.empty())
        return write(compose_both_images(routes(tables.ipv4.routes), tables.ipv4.values.view(),
                                         routes(tables.ipv6.routes), tables.ipv6.values.view()));
    for_each_family(tables, how.choice, [&]<class A>(const io::loaded_table<A>& table) {
        write(image<A>::compose(routes<A>(table.routes), {}, table.values.view()));
    });
}

namespace {

void write_mrt(const io::both_tables& tables, const table_writing& how, io::mrt::reach_form reach,
               output& out) {
    io::mrt::writer_options options;
    options.seconds = static_cast<std::uint32_t>(std::time(nullptr));
    options.reach = reach;
    options.ipv4_substitute = how.ipv4_next_hop;
    options.ipv6_substitute = how.ipv6_next_hop;
    table_to_mrt(tables, options, out);
}

} // namespace

void table_to_mrt(io::both_tables& tables, const table_writing& how, output& out) {
    write_mrt(tables, how, io::mrt::reach_form::next_hop, out);
}

void table_to_whole_mrt(io::both_tables& tables, const table_writing& how, output& out) {
    write_mrt(tables, how, io::mrt::reach_form::whole, out);
}

} // namespace fingerpost::cli
