// Asks the FIB for its steps, and the routes for covers and intervals.
#include "cli/explain/explain_answer.hpp"

#include <span>
#include <vector>

#include "cli/explain/drawing/drawing.hpp"
#include "cli/explain/lookup_steps.hpp"
#include "cli/explain/page/page.hpp"
#include "cli/explain/table_window.hpp"

namespace fingerpost::cli {

template <class A>
explanation explain_answer(const family_table<A>& table, const std::string& asked, A address) {
    const answer_values& values = table.values();
    explanation told{.asked = asked, .address = to_string(address), .family = family_of<A>};
    for (std::size_t i = 0; i < values.columns(); ++i)
        told.columns.emplace_back(values.name(i));
    std::vector<next_hop> covers;
    table.find_covers(address, covers);
    for (const next_hop match : covers) {
        covering_prefix& cover = told.covers.emplace_back(covering_prefix{to_string(table.prefix_of(match))});
        for (std::size_t i = 0; i < values.columns(); ++i)
            cover.values.push_back(values.text(table.row_of(match), i));
    }
    const auto row_text = [&](next_hop row) { return values.text(row, 0); };
    told.table = table_around<A>(table.copy_routes(), address, row_text);
    for (const shown_interval& one : told.table.intervals)
        if (one.has_address) {
            told.first = one.first;
            told.last = one.last;
        }
    const auto answer_text = [&](next_hop answer) { return row_text(table.row_of_fib(answer)); };
    const next_hop right = covers.empty() ? next_hop::none : table.fib_answer(covers.back());
    const scheme_entry<A>& scheme = table.scheme();
    told.lookups.push_back(explain_lookup<A>(scheme.facts, table.fib(), address, answer_text, right));
    told.lookups.back().shows_steps = scheme.traceable;
    return told;
}

template explanation explain_answer(const family_table<ipv4_address>&, const std::string&, ipv4_address);
template explanation explain_answer(const family_table<ipv6_address>&, const std::string&, ipv6_address);

std::string page_of_answer(const explanation& told) {
    // It is never called, as there are no changes.
    const auto changed = [&](std::size_t) { return told; };
    const auto draw = [](const explained_lookup& lookup, unsigned width) {
        return structure_svg(lookup, width);
    };
    return html_page(std::span(&told, 1), {{}, changed}, draw);
}

} // namespace fingerpost::cli
