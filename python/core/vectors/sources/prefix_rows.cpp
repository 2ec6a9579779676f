// Parses prefixes, and looks up those of a block together.
#include "python/core/vectors/sources/prefix_rows.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "python/core/arrow/array_layout.hpp"
#include "python/core/keys.hpp"

namespace fingerpost::python {
namespace {

// The prefixes of one family in a block, and their rows.
template <class A>
struct prefix_list {
    std::vector<prefix<A>> prefixes;
    std::vector<std::size_t> rows;

    void look_up(scratch& with, answers& out) const {
        const auto hops = std::span(with.hops).first(rows.size());
        with.by->match_prefixes(prefixes, hops);
        for (std::size_t i = 0; i < rows.size(); ++i)
            out.ids[rows[i]] = hops[i];
    }
};

} // namespace

void answer_prefixes(const columns::column& from, std::size_t first, std::size_t count, scratch& with,
                     answers& out) {
    prefix_list<ipv4_address> ipv4;
    prefix_list<ipv6_address> ipv6;
    out.rows = count;
    out.nulls = out.bad = 0;
    out.has_states = true;
    for (std::size_t row = 0; row < count; ++row) {
        out.ids[row] = next_hop::none;
        if (!arrow::has_value(from.valid, first + row)) {
            out.states[row] = row_state::null;
            ++out.nulls;
            continue;
        }
        const auto text = columns::bytes_of(from, first + row);
        const auto where = parse_any_prefix(text.value_or(std::string_view()));
        if (!where) {
            out.states[row] = row_state::bad;
            ++out.bad;
        } else if (const auto* const four = std::get_if<ipv4_prefix>(&*where)) {
            out.states[row] = row_state::ipv4;
            ipv4.prefixes.push_back(*four);
            ipv4.rows.push_back(row);
        } else {
            out.states[row] = row_state::ipv6;
            ipv6.prefixes.push_back(std::get<ipv6_prefix>(*where));
            ipv6.rows.push_back(row);
        }
    }
    ipv4.look_up(with, out);
    ipv6.look_up(with, out);
}

columns::bad_row explain_prefix(const columns::column& from, std::size_t row) {
    const std::string text(columns::bytes_of(from, row).value_or(std::string_view()));
    const auto where = parse_any_prefix(text);
    return {row, text, where ? std::string() : where.error()};
}

} // namespace fingerpost::python
