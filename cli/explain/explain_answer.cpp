// Asks the FIB for its steps, and the routes for covers and intervals.
#include "cli/explain/explain_answer.hpp"

#include <vector>

#include "cli/explain/explanation_parts.hpp"
#include "cli/explain/lookup_steps.hpp"
#include "cli/explain/table_window.hpp"

namespace fingerpost::cli {

template <class A>
explanation explain_answer(const family_table<A>& table, const std::string& input, A address) {
    const answer_values& values = table.values();
    explanation result = begin_explanation(input, address, values);
    std::vector<next_hop> covers;
    table.find_covers(address, covers);
    for (const next_hop match : covers)
        add_cover(result, table.prefix_of(match), table.row_of(match), values);
    const auto row_text = [&](next_hop row) { return values.text(row, 0); };
    add_table(result, table_around<A>(table.copy_routes(), address, row_text));
    const auto answer_text = [&](next_hop answer) { return row_text(table.row_of_fib(answer)); };
    const next_hop right = covers.empty() ? next_hop::none : table.fib_answer(covers.back());
    const scheme_entry<A>& scheme = table.scheme();
    add_lookup(result, explain_lookup<A>(scheme.facts, table.fib(), address, answer_text, right),
               scheme.traceable);
    return result;
}

template explanation explain_answer(const family_table<ipv4_address>&, const std::string&, ipv4_address);
template explanation explain_answer(const family_table<ipv6_address>&, const std::string&, ipv6_address);

} // namespace fingerpost::cli
