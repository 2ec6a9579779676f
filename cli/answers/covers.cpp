// Searches the sorted routes, not the FIB.
#include "cli/answers/covers.hpp"

#include <array>
#include <utility>

#include "cli/answers/answers.hpp"
#include "terminal/quoting.hpp"

namespace fingerpost::cli {
namespace {

void put_name(std::string& out, char before, std::string_view name) {
    out += before;
    append_json_string(out, name);
    out += ':';
}

void put_member(std::string& out, char before, std::string_view name, std::string_view text) {
    put_name(out, before, name);
    append_json_string(out, text);
}

} // namespace

covers_writer::covers_writer(const answer_table& table, const table_part* part, answer_names names)
    : table_(table), part_(part), names_(std::move(names)) {}

void covers_writer::write_route(const row& route, std::string& out) const {
    put_member(out, '{', names_.prefix, route.prefix);
    for (std::size_t i = 0; i < names_.columns.size(); ++i) {
        put_name(out, ',', names_.columns[i]);
        route.append_json(i, out);
    }
    out += '}';
}

template <class A>
void covers_writer::write_covers(const family_table<A>& table, A address, std::string& out) {
    table.find_covers(address, covers_);
    bool is_first = true;
    for (const next_hop number : covers_) {
        std::array<char, max_prefix_text<A> + max_number_text> text;
        row route;
        describe(table, number, text.data(), route);
        if (part_ != nullptr && !part_->has(route))
            continue;
        if (part_ != nullptr)
            part_->narrow(route);
        out += std::exchange(is_first, false) ? "" : ",";
        write_route(route, out);
    }
}

void covers_writer::write(std::string_view text, std::string& out) {
    out += '{';
    append_json_string(out, names_.address);
    out += ':';
    append_json_string(out, text);
    out += ",\"covers\":[";
    const auto query = address_for(table_, text);
    if (query && *query) {
        const any_address& address = **query;
        if (address.kind == family::ipv4)
            write_covers(*table_.ipv4(), address.four, out);
        else
            write_covers(*table_.ipv6(), address.six, out);
    }
    out += ']';
    if (!query)
        put_member(out, ',', names_.error, message(query.error()));
    out += '}';
}

} // namespace fingerpost::cli
