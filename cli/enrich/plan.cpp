// Names of columns: what the table calls them, behind the names of the field and the table where there are
// several.
#include "cli/enrich/plan.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "cli/failure.hpp"

namespace fingerpost::cli::enrich {
namespace {

constexpr std::size_t no_column = std::numeric_limits<std::size_t>::max();

template <class A>
std::size_t column_of(const family_table<A>* table, const std::string& name) {
    for (std::size_t i = 0; table != nullptr && i < table->values().columns(); ++i)
        if (table->values().name(i) == name)
            return i;
    return no_column;
}

template <class A>
void collect_names(const family_table<A>* table, std::vector<std::string>& names) {
    for (std::size_t i = 0; table != nullptr && i < table->values().columns(); ++i)
        if (std::string name(table->values().name(i));
            std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(std::move(name));
}

std::vector<std::string> value_names(const answer_table& table) {
    std::vector<std::string> names;
    collect_names(table.ipv4(), names);
    collect_names(table.ipv6(), names);
    return names;
}

void refuse_unknown(std::span<const named_table> tables, const std::vector<std::string>& add) {
    std::vector<std::string> known{"address", "prefix"};
    for (const named_table& each : tables)
        for (std::string& name : value_names(*each.table))
            if (std::find(known.begin(), known.end(), name) == known.end())
                known.push_back(std::move(name));
    for (const std::string& name : add)
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw usage_error(
                fmt::format("--add: there is no column '{}'; there are {}", name, fmt::join(known, ", ")));
}

std::vector<added_column> columns_of(const answer_table& table, const std::vector<std::string>& add,
                                     const std::string& before) {
    std::vector<std::string> wanted = add;
    if (wanted.empty()) {
        wanted = value_names(table);
        wanted.insert(wanted.begin(), "prefix");
    }
    std::vector<added_column> columns;
    for (const std::string& name : wanted) {
        const std::array values{column_of(table.ipv4(), name), column_of(table.ipv6(), name)};
        if (name == "prefix")
            columns.push_back({before + name, std::nullopt});
        else if (values[0] != no_column || values[1] != no_column)
            columns.push_back({before + name, values});
    }
    return columns;
}

} // namespace

std::vector<std::string> column_plan::names() const {
    std::vector<std::string> names;
    for (const field_columns& field : fields) {
        if (field.address)
            names.push_back(*field.address);
        for (const column_group& group : field.groups)
            for (const added_column& column : group.columns)
                names.push_back(column.name);
    }
    return names;
}

column_plan make_plan(std::span<const named_table> tables, const plan_choice& choice) {
    refuse_unknown(tables, choice.add);
    const bool address_asked = std::find(choice.add.begin(), choice.add.end(), "address") != choice.add.end();
    column_plan plan{choice.style, {}};
    for (const std::string& field : choice.fields) {
        const std::string before = choice.fields.size() > 1 ? field + "_" : "";
        field_columns added;
        if (choice.add.empty() ? choice.with_address : address_asked)
            added.address = before + "address";
        for (std::size_t i = 0; i < tables.size(); ++i)
            added.groups.push_back(
                {i, columns_of(*tables[i].table, choice.add,
                               tables.size() > 1 ? before + tables[i].name + "_" : before)});
        plan.fields.push_back(std::move(added));
    }
    return plan;
}

} // namespace fingerpost::cli::enrich
