// Routes as lines.
#include "cli/write_table.hpp"

#include <string_view>

#include "cli/console.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::cli {
namespace {

void put_csv(std::string_view cell, std::string& out) {
    if (cell.find_first_of(",\"\r\n") == std::string_view::npos) {
        out += cell;
        return;
    }
    out += '"';
    for (const char c : cell) {
        if (c == '"')
            out += '"';
        out += c;
    }
    out += '"';
}

template <class A>
void put_routes(const changed_table<A>& of, output& out) {
    char text[max_prefix_text<A>];
    const value_rows& values = of.values();
    const table<A>& live = of.live();
    for (auto at = live.begin_routes(); at != live.end_routes(); ++at) {
        const route<A> one = *at;
        std::string& line = out.text();
        line.append(text, format(one.where, text));
        if (values.columns() == 1) {
            const std::string_view hop = values[one.hop];
            if (!hop.empty())
                line.append(" ").append(hop);
        } else {
            for (std::size_t column = 0; column < values.columns(); ++column) {
                line += ',';
                put_csv(values.cell(one.hop, column), line);
            }
        }
        line += '\n';
        out.spill();
    }
}

} // namespace

void write_table(const replayer& of, const std::string& path) {
    output out(path);
    const value_rows& values = of.ipv4().values();
    if (values.columns() > 1) {
        out.write("network");
        for (std::size_t column = 0; column < values.columns(); ++column) {
            out.text() += ',';
            put_csv(values.name(column), out.text());
        }
        out.write("\n");
    }
    put_routes(of.ipv4(), out);
    put_routes(of.ipv6(), out);
    out.finish();
}

} // namespace fingerpost::cli
