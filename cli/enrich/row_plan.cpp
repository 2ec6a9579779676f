// Derives the output columns from options, rows and tables.
#include "cli/enrich/row_plan.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "cli/enrich/header.hpp"
#include "terminal/failure.hpp"
#include "terminal/table/column_names.hpp"

namespace fingerpost::cli::enrich {
namespace {

// Whether the output has a header or names that must not repeat.
bool writes_names(const enrich_options& options, const scan_choice& scan) {
    if (has_columns(scan.kind))
        return scan.has_header;
    return has_members(scan.kind) || options.style == log_style::pairs;
}

column_plan choose_columns_added(const enrich_options& options, const scan_choice& scan,
                                 std::span<const named_table> tables) {
    const row_layout layout{scan.kind, scan.dialect, scan.has_header, !scan.name_line.empty()};
    plan_choice choice{style_of(layout, options.style.value_or(log_style::tab)),
                       scan.names,
                       options.add,
                       scan.kind == row_kind::log,
                       options.table.renamings,
                       writes_names(options, scan)};
    choice.adds_nothing = options.adds_nothing || !options.count_by.empty();
    choice.conditions = options.where;
    choice.count_by = options.count_by;
    if (!choice.writes_names && !choice.renamings.empty())
        throw usage_error("--rename: these rows are written without names");
    for (std::size_t i = 0; i < scan.members.size(); ++i) {
        choice.fields[i].clear();
        for (const json_step& step : scan.members[i])
            if (!step.is_every)
                choice.fields[i] += (choice.fields[i].empty() ? "" : "_") +
                                    (step.index ? std::to_string(*step.index) : step.name);
        std::replace(choice.fields[i].begin(), choice.fields[i].end(), '.', '_');
    }
    if (choice.fields.empty())
        choice.fields.emplace_back();
    return make_plan(tables, choice);
}

} // namespace

row_plan plan_rows(const enrich_options& options, scan_choice scan, const row_beginning& first,
                   std::span<const named_table> tables) {
    row_plan plan{std::move(scan), {}, first.has_mark ? "\xef\xbb\xbf" : ""};
    plan.columns = choose_columns_added(options, plan.scan, tables);
    const column_plan& columns = plan.columns;
    if (!options.count_by.empty()) {
        if (!columns.unmet.empty())
            throw usage_error(no_such_name(columns.unmet.front().from, std::array{columns.counted_name}));
        if (options.on_miss == miss_policy::only && columns.counted.front().table != answer_place::address)
            throw usage_error(
                "--count-by: with --on-miss only there are no answers to count; count by address");
    }
    if (!options.count_by.empty() || !options.form.is_plain() || !options.writes_rows) {
        plan.beginning.clear();
        return plan;
    }
    if (first.header) {
        put_header(*first.header, plan.scan, columns, plan.beginning);
        return plan;
    }
    if (first.comments) {
        put_comment_header(*first.comments, columns, plan.beginning);
        return plan;
    }
    if (!columns.unmet.empty() && plan.scan.width + plan.scan.members.size() != 0)
        throw usage_error(no_such_name(columns.unmet.front().from, columns.names()));
    if (writes_names(options, plan.scan))
        plan.scan.added = columns.names();
    return plan;
}

} // namespace fingerpost::cli::enrich
