// Checks and writes values that the two programs read back.
#include "cli/writers/table_to_proxy.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/input_error.hpp"
#include "io/format/parts/text_field.hpp"
#include "io/format/parts/words.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

// nginx reads words of less than 4096 bytes, HAProxy lines of less than 16384.
constexpr std::size_t most_value_bytes = 2000;

// Throws failure, before anything is written, if fault_of(value) is not nullptr for any value.
template <class A, class F>
void check_values(const io::loaded_table<A>& table, std::string_view form, F&& fault_of) {
    std::vector<bool> is_checked(table.values.size());
    for (const route<A>& r : table.routes) {
        if (is_checked[r.hop.id])
            continue;
        is_checked[r.hop.id] = true;
        const std::string_view value = table.values[r.hop];
        if (const char* const fault = fault_of(value); fault != nullptr)
            throw failure(
                fmt::format("{}: {}: the value {} {}", form, to_string(r.where), io::quoted(value), fault));
    }
}

template <class F>
void check_table(const io::both_tables& tables, std::string_view form, F&& fault_of) {
    if (const std::size_t columns = tables.ipv4.values.columns(); columns > 1)
        throw failure(
            fmt::format("{}: this format holds one column of values, and the table has {}; choose one with "
                        "--columns",
                        form, columns));
    check_values(tables.ipv4, form, fault_of);
    check_values(tables.ipv6, form, fault_of);
}

template <class A, class F>
void write_lines(const io::loaded_table<A>& table, output& out, F&& write_line) {
    char text[max_prefix_text<A>];
    for (const route<A>& r : table.routes) {
        const char* const end = format(r.where, text);
        write_line(std::string_view(text, static_cast<std::size_t>(end - text)), table.values[r.hop],
                   out.text());
        out.spill();
    }
}

const char* nginx_fault(std::string_view value) {
    return io::has_control(value)            ? "has control characters, which nginx values cannot have"
           : value.size() > most_value_bytes ? "is longer than nginx accepts"
                                             : nullptr;
}

const char* haproxy_fault(std::string_view value) {
    return value.empty()                     ? "is empty, but HAProxy maps need a value"
           : io::has_control(value)          ? "has control characters, which HAProxy values cannot have"
           : io::trimmed(value) != value     ? "has blanks around it, which HAProxy would remove"
           : value.size() > most_value_bytes ? "is longer than HAProxy accepts"
                                             : nullptr;
}

// Writes the value in quotes, with backslashes before special characters.
void append_nginx_value(std::string& out, std::string_view value) {
    out += '"';
    for (const char c : value) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    out += '"';
}

bool is_variable(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

} // namespace

void table_to_nginx_geo(const io::both_tables& tables, std::string_view variable, output& out) {
    if (!is_variable(variable))
        throw failure(fmt::format(
            "nginx-geo: {} is not the name of an nginx variable (letters, digits and _); name one with --set",
            io::quoted(variable)));
    check_table(tables, "nginx-geo", nginx_fault);
    out.text().append("geo $").append(variable).append(" {\n");
    const auto write_line = [](std::string_view where, std::string_view value, std::string& to) {
        append_nginx_value(to.append("    ").append(where).append(" "), value);
        to += ";\n";
    };
    write_lines(tables.ipv4, out, write_line);
    write_lines(tables.ipv6, out, write_line);
    out.text() += "}\n";
}

void table_to_haproxy_map(const io::both_tables& tables, output& out) {
    check_table(tables, "haproxy-map", haproxy_fault);
    const auto write_line = [](std::string_view where, std::string_view value, std::string& to) {
        to.append(where).append(" ").append(value).append("\n");
    };
    write_lines(tables.ipv4, out, write_line);
    write_lines(tables.ipv6, out, write_line);
}

} // namespace fingerpost::cli
