// Converts the live tables to tables as file readers produce them.
#include "cli/replay/write_table.hpp"

#include <optional>
#include <vector>

#include "io/format/parts/table_types.hpp"
#include "terminal/console.hpp"

namespace fingerpost::cli {
namespace {

template <class A>
io::loaded_table<A> copy_of(const changed_table<A>& of) {
    return {of.live().copy_routes(), of.values(), {}};
}

} // namespace

void write_table(const replayer& of, const std::string& path, table_form form) {
    io::both_tables tables{copy_of(of.ipv4()), copy_of(of.ipv6())};
    // Updates have no types, so a column keeps its type only if all values still fit.
    std::vector<std::optional<column_type>> types;
    if (of.starts_typed())
        types.assign(tables.ipv4.values.types().begin(), tables.ipv4.values.types().end());
    io::decide_types(tables, types, true);
    const table_choice both;
    output out(path);
    write_tables(tables, {both}, form, out);
    out.finish();
}

} // namespace fingerpost::cli
