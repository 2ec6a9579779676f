// Names the added columns. With several fields or tables, a name begins with the name of its field and table.
#include "cli/enrich/enrich_plan.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <utility>

#include "io/format/parts/input_error.hpp"
#include "terminal/failure.hpp"
#include "terminal/quoting.hpp"

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

// The type of a column in both families. They differ only in images that were made by hand.
column_type type_of(const answer_table& table, const column_number& column) {
    std::optional<column_type> type;
    const auto join = [&]<class A>(const family_table<A>* family, std::size_t number) {
        if (family != nullptr && number < family->values().columns())
            type = type ? joined(*type, family->values().type(number)) : family->values().type(number);
    };
    if (column) {
        join(table.ipv4(), (*column)[0]);
        join(table.ipv6(), (*column)[1]);
    }
    return type.value_or(column_type::text);
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

// A column that can be added.
struct candidate {
    std::optional<std::size_t> table; // unset for the address itself
    column_number value;
    std::string own;    // the table's name of the column, or `prefix` or `address`
    std::string name;   // the name from --rename, else `own`
    std::string before; // the names of field and table
    std::string whole;  // name in the output
    bool is_renamed = false;

    void rename(std::string to, bool is_whole) {
        whole = is_whole ? to : before + to;
        name = std::move(to);
        is_renamed = true;
    }
};

// The columns of a field: the address, then the prefix and the columns of each table. The first of equal
// names counts, so the command's own columns precede those of the table.
std::vector<candidate> candidates_of(std::span<const named_table> tables, const std::string& before) {
    std::vector<candidate> columns;
    const auto add = [&](std::optional<std::size_t> table, const column_number& value,
                         const std::string& lead, std::string name) {
        columns.push_back({table, value, name, name, lead, lead + name});
    };
    add(std::nullopt, std::nullopt, before, "address");
    for (std::size_t i = 0; i < tables.size(); ++i) {
        const answer_table& table = *tables[i].table;
        const std::string lead = tables.size() > 1 ? before + tables[i].name + "_" : before;
        add(i, std::nullopt, lead, "prefix");
        for (std::string& name : value_names(table))
            add(i, std::array{column_of(table.ipv4(), name), column_of(table.ipv6(), name)}, lead, name);
    }
    return columns;
}

using all_candidates = std::vector<std::vector<candidate>>; // by field

// Renames the first column with this whole name.
bool rename_whole(all_candidates& fields, const renaming& change) {
    for (std::vector<candidate>& field : fields)
        for (candidate& each : field)
            if (!each.is_renamed && each.before + each.own == change.from) {
                each.rename(change.to, true);
                return true;
            }
    return false;
}

// Renames by the name without field and table: the first match in each table of each field.
bool rename_everywhere(all_candidates& fields, const renaming& change) {
    bool met = false;
    for (std::vector<candidate>& field : fields) {
        std::optional<std::size_t> done;
        for (candidate& each : field)
            if (!each.is_renamed && each.own == change.from && !(each.table && each.table == done)) {
                each.rename(change.to, false);
                done = each.table;
                met = true;
            }
    }
    return met;
}

// The columns of a field that a word of --columns selects, at most one per table. Matches the names in the
// output, else those in the table.
std::vector<const candidate*> meant_by(const std::vector<candidate>& field, const std::string& word) {
    std::vector<const candidate*> columns;
    for (const bool as_given : {true, false}) {
        for (const candidate& each : field)
            if ((as_given ? each.name : each.own) == word &&
                (columns.empty() || columns.back()->table != each.table))
                columns.push_back(&each);
        // The address belongs to no table, so one match is enough.
        if (!columns.empty() && !columns.front()->table)
            columns.resize(1);
        if (!columns.empty())
            break;
    }
    return columns;
}

[[noreturn]] void refuse_word(const all_candidates& fields, const char* option, const std::string& word) {
    std::vector<std::string> known;
    for (const std::vector<candidate>& field : fields)
        for (const candidate& each : field)
            if (std::find(known.begin(), known.end(), each.name) == known.end())
                known.push_back(each.name);
    throw usage_error(fmt::format("{}: no column '{}'; columns: {}", option, word, fmt::join(known, ", ")));
}

// Throws usage_error for words of --columns that select nothing.
void refuse_unknown(const all_candidates& fields, const std::vector<std::string>& add) {
    for (const std::string& word : add)
        if (std::all_of(fields.begin(), fields.end(),
                        [&](const auto& field) { return meant_by(field, word).empty(); }))
            refuse_word(fields, "--columns", word);
}

// The places of the answers that a name selects: one column for a whole name, else those that --columns would
// select.
std::vector<answer_place> places_of(const all_candidates& fields, const char* option,
                                    const std::string& word) {
    std::vector<answer_place> places;
    for (const bool as_whole : {true, false}) {
        for (std::size_t field = 0; field < fields.size(); ++field) {
            std::vector<const candidate*> columns;
            if (!as_whole)
                columns = meant_by(fields[field], word);
            for (const candidate& each : fields[field])
                if (as_whole && each.whole == word && columns.empty())
                    columns.push_back(&each);
            for (const candidate* const each : columns)
                places.push_back({field, each->table.value_or(answer_place::address), each->value});
        }
        if (!places.empty())
            return places;
    }
    refuse_word(fields, option, word);
}

void choose_counted(const all_candidates& fields, std::span<const named_table> tables,
                    const plan_choice& choice, column_plan& plan) {
    plan.counted = places_of(fields, "--count-by", choice.count_by);
    plan.counted_name = choice.count_by;
    for (std::size_t i = 0; i < plan.counted.size(); ++i) {
        const answer_place& place = plan.counted[i];
        if (i != 0 && plan.counted[i - 1].field == place.field)
            throw usage_error(fmt::format("--count-by: several tables have a column '{}'; name one: {}_{}",
                                          choice.count_by, tables[place.table].name, choice.count_by));
        const column_type type = place.table == answer_place::address
                                     ? column_type::text
                                     : type_of(*tables[place.table].table, place.column);
        plan.counted_type = i == 0 ? type : joined(plan.counted_type, type);
    }
    if (choice.count_by == "count" || choice.count_by == "share")
        throw usage_error(
            fmt::format("--count-by: the counts have a column {} already; {} gives yours another name",
                        choice.count_by, rename_hint(choice.count_by)));
}

std::vector<const candidate*> chosen(const std::vector<candidate>& field, const plan_choice& choice) {
    std::vector<const candidate*> columns;
    for (const std::string& word : choice.add)
        for (const candidate* const each : meant_by(field, word))
            columns.push_back(each);
    for (const candidate& each : field)
        if (choice.add.empty() && !choice.adds_nothing && (each.table || choice.with_address))
            columns.push_back(&each);
    return columns;
}

void refuse_equal(const column_plan& plan, const std::vector<std::string>& add) {
    for (std::size_t i = 0; i < add.size(); ++i)
        if (std::find(add.begin(), add.begin() + static_cast<std::ptrdiff_t>(i), add[i]) !=
            add.begin() + static_cast<std::ptrdiff_t>(i))
            throw usage_error(fmt::format("--columns: {} is named twice", io::quoted(add[i])));
    const std::vector<std::string> names = plan.names();
    if (const auto equal = find_equal(names))
        throw usage_error(fmt::format("two of the added columns would be called {}; {} renames the first, "
                                      "and --columns chooses columns",
                                      io::quoted(names[equal->first]), rename_hint(names[equal->first])));
}

} // namespace

std::vector<std::string> column_plan::names() const {
    std::vector<std::string> names;
    for (const field_columns& field : fields)
        for (const column_group& group : field)
            for (const added_column& column : group.columns)
                names.push_back(column.name);
    return names;
}

bool column_plan::adds_nothing() const {
    return std::all_of(fields.begin(), fields.end(),
                       [](const field_columns& field) { return field.empty(); });
}

column_plan make_plan(std::span<const named_table> tables, const plan_choice& choice) {
    all_candidates fields;
    for (const std::string& field : choice.fields)
        fields.push_back(candidates_of(tables, choice.fields.size() > 1 ? field + "_" : ""));
    column_plan plan{choice.style, {}};
    for (const renaming& change : choice.renamings)
        if (!rename_whole(fields, change) && !rename_everywhere(fields, change))
            plan.unmet.push_back(change);
    refuse_unknown(fields, choice.add);
    for (const std::vector<candidate>& field : fields) {
        field_columns added;
        for (const candidate* const each : chosen(field, choice)) {
            if (added.empty() || !each->table || added.back().table != each->table)
                added.push_back({each->table, {}});
            // JSON must be valid UTF-8.
            const bool is_json = choice.style == cell_style::json;
            const column_type type =
                each->table ? type_of(*tables[*each->table].table, each->value) : column_type::text;
            added.back().columns.push_back(
                {is_json ? valid_utf8(each->whole) : each->whole, each->value, type});
        }
        plan.fields.push_back(std::move(added));
    }
    for (const condition_text& text : choice.conditions) {
        plan.conditions.push_back({places_of(fields, "--where", text.column), text.value, text.is_equal});
        if (plan.conditions.back().places.front().table == answer_place::address)
            throw usage_error("--where: the address is not a column of an answer; select addresses with "
                              "fingerpost grep");
    }
    if (!choice.count_by.empty())
        choose_counted(fields, tables, choice, plan);
    if (choice.writes_names)
        refuse_equal(plan, choice.add);
    return plan;
}

} // namespace fingerpost::cli::enrich
