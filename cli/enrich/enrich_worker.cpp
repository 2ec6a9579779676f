// Passes a block through scanner, tables and columns.
#include "cli/enrich/enrich_worker.hpp"

#include <algorithm>
#include <utility>

#include "cli/enrich/scan/line_rows.hpp"
#include "cli/enrich/scan/make_scanner.hpp"
#include "terminal/quoting.hpp"

namespace fingerpost::cli::enrich {
namespace {

// Enough for kernels at full width; more addresses would exceed the cache.
constexpr std::size_t batch = 2048;

template <class A>
void look_up_all(const family_table<A>* table, std::span<const A> addresses, std::vector<next_hop>& matches) {
    matches.assign(addresses.size(), next_hop::none);
    for (std::size_t at = 0; table != nullptr && at < addresses.size(); at += batch) {
        const std::size_t count = std::min(batch, addresses.size() - at);
        table->look_up(addresses.subspan(at, count), std::span(matches).subspan(at, count));
    }
}

std::string without_match(const column_group& group, cell_style style) {
    std::string text;
    for (const added_column& column : group.columns)
        put_cell(style, column.name, {}, text);
    return text;
}

// For each number of existing names, the objects around the new members, up to the last opening brace.
std::vector<std::string> leads_of(const std::vector<std::string>& nest) {
    std::vector<std::string> leads;
    for (std::size_t there = 0; there < nest.size(); ++there) {
        std::string lead;
        for (std::size_t i = there; i < nest.size(); ++i) {
            append_json_string(lead += i == there ? ',' : '{', nest[i]);
            lead += ':';
        }
        leads.push_back(std::move(lead));
    }
    return leads;
}

} // namespace

worker::worker(const work_choice& choice)
    : choice_(choice), scanner_(make_scanner(*choice.scan)), ipv4_matches_(choice.tables.size()),
      ipv6_matches_(choice.tables.size()), adds_nothing_(choice.plan->adds_nothing()),
      filters_(choice.on_miss == miss_policy::only || choice.on_miss == miss_policy::inverse ||
               choice.on_miss == miss_policy::select || !choice.plan->conditions.empty()),
      counts_rows_(!choice.plan->counted.empty()),
      writes_lists_(choice.scan->which == which_address::all &&
                    (has_columns(choice.scan->kind) || has_members(choice.scan->kind))),
      leads_(leads_of(choice.scan->nest)), counts_(choice.tables.size()) {
    const column_plan& plan = *choice.plan;
    for (const named_table& entry : choice.tables) {
        scanned_.has_mapped = scanned_.has_mapped || entry.table->has_mapped();
        has_aliases_ = has_aliases_ || !entry.table->aliases().empty();
    }
    for (const condition& requirement : plan.conditions)
        met_.emplace_back(requirement.places.size());
    std::size_t groups = 1;
    for (const field_columns& field : plan.fields)
        groups += field.size();
    const std::size_t share = choice.cache_bytes / (groups * 2);
    for (const field_columns& field : plan.fields) {
        field_cells cells;
        for (const column_group& group : field) {
            if (!group.table) {
                cells.emplace_back(address_cell{group.columns.front().name});
                continue;
            }
            const answer_table& table = *choice.tables[*group.table].table;
            cells.emplace_back(group_cells{*group.table,
                                           {table.ipv4(), group, plan.style, share},
                                           {table.ipv6(), group, plan.style, share},
                                           without_match(group, plan.style)});
        }
        fields_.push_back(std::move(cells));
    }
}

enriched_block worker::work(const row_block& block) {
    enriched_block result;
    result.file = block.file;
    result.bytes = block.bytes.size();
    scanned_.begin(block);
    if (block.is_too_long) {
        result.counts.rows = result.counts.bad = 1;
        scanned_row row;
        refuse_too_long(scanned_, row, block.bytes);
        result.has_failed = choice_.on_error == error_policy::fail;
    } else {
        scanner_->scan(scanned_);
        look_up();
        write_rows(result);
        result.has_failed = result.has_failed || scanned_.is_over;
    }
    result.counts.readable = scanned_.readable;
    result.counts.hits = scanned_.hits;
    result.faults = std::move(scanned_.faults);
    return result;
}

void worker::look_up() {
    for (std::size_t i = 0; i < choice_.tables.size(); ++i) {
        look_up_all<ipv4_address>(choice_.tables[i].table->ipv4(), scanned_.ipv4, ipv4_matches_[i]);
        look_up_all<ipv6_address>(choice_.tables[i].table->ipv6(), scanned_.ipv6, ipv6_matches_[i]);
    }
}

worker::cell_match worker::match_of(const asked_cell& cell, std::size_t table) const {
    switch (cell.kind) {
    case asked_cell::what::absent:
    case asked_cell::what::bad:
        return {};
    case asked_cell::what::ipv4:
        return {ipv4_matches_[table][cell.number], family::ipv4};
    case asked_cell::what::ipv6:
        return has_aliases_ ? match_of_ipv6(cell.number, table)
                            : cell_match{ipv6_matches_[table][cell.number], family::ipv6};
    case asked_cell::what::either:
    case asked_cell::what::mapped:
        break;
    }
    return match_of_both(cell, table);
}

// Few addresses lie within aliases, so their IPv4 form is looked up only here.
worker::cell_match worker::match_of_ipv6(std::uint32_t number, std::size_t table) const {
    const cell_match six{ipv6_matches_[table][number], family::ipv6};
    const answer_table& answers = *choice_.tables[table].table;
    if (answers.ipv4() == nullptr)
        return six;
    cell_match four{next_hop::none, family::ipv4};
    const auto has_ipv4 = [&](ipv4_address a) {
        answers.ipv4()->look_up(std::span(&a, 1), std::span(&four.route, 1));
        return four.route != next_hop::none;
    };
    const auto ipv6_length = [](ipv6_address) { return 0U; };
    const auto match = [&]<class A>(A) { return A::bits == ipv4_address::bits ? four : six; };
    return in_answering_form(scanned_.ipv6[number], has_ipv4, ipv6_length, match, answers.aliases());
}

// Both forms were looked up in advance.
worker::cell_match worker::match_of_both(const asked_cell& cell, std::size_t table) const {
    const cell_match four{ipv4_matches_[table][cell.number], family::ipv4};
    const std::uint32_t second = scanned_.second_form(cell.number);
    const cell_match six{ipv6_matches_[table][second], family::ipv6};
    const auto has_ipv4 = [&](ipv4_address) { return four.route != next_hop::none; };
    const auto ipv6_length = [&](ipv6_address) {
        return six ? unsigned{choice_.tables[table].table->ipv6()->prefix_of(six.route).length} : 0U;
    };
    const auto match = [&]<class A>(A) { return A::bits == ipv4_address::bits ? four : six; };
    if (cell.kind == asked_cell::what::mapped)
        return in_answering_form(scanned_.ipv6[second], has_ipv4, ipv6_length, match);
    return in_answering_form(scanned_.ipv4[cell.number], has_ipv4, ipv6_length, match);
}

// Calls use(address), with the IPv4 form if the address has both.
template <class F>
void worker::with_address(const asked_cell& cell, F use) const {
    if (cell.kind == asked_cell::what::ipv6)
        use(scanned_.ipv6[cell.number]);
    else
        use(scanned_.ipv4[cell.number]);
}

bool worker::has_match(const asked_cell& cell) const {
    for (std::size_t table = 0; table < choice_.tables.size(); ++table)
        if (match_of(cell, table))
            return true;
    return false;
}

bool worker::has_match(const scanned_row& row) const {
    const auto begin = scanned_.cells.begin() + row.cells;
    return std::any_of(begin, begin + row.cell_count,
                       [this](const asked_cell& cell) { return has_match(cell); });
}

// Whether an answer to one of the row's addresses meets the condition.
bool worker::meets(const scanned_row& row, std::size_t number) {
    const condition& what = choice_.plan->conditions[number];
    for (std::size_t i = 0; i < row.cell_count; ++i) {
        const asked_cell& cell = scanned_.cells[row.cells + i];
        for (std::size_t at = 0; at < what.places.size(); ++at) {
            const answer_place& place = what.places[at];
            if (place.field != cell.field)
                continue;
            const cell_match match = match_of(cell, place.table);
            const answer_table& table = *choice_.tables[place.table].table;
            condition_routes& known = met_[number][at];
            if (match &&
                (match.of == family::ipv4 ? known.ipv4.get(*table.ipv4(), what, place.column, match.route)
                                          : known.ipv6.get(*table.ipv6(), what, place.column, match.route)))
                return true;
        }
    }
    return false;
}

// Whether the row passes --where and --on-miss only.
bool worker::is_selected(const scanned_row& row, bool missed) {
    if (choice_.on_miss == miss_policy::only && !(missed && has_address(row)))
        return false;
    if (choice_.on_miss == (missed ? miss_policy::select : miss_policy::inverse))
        return false;
    for (std::size_t i = 0; i < met_.size(); ++i)
        if (!meets(row, i))
            return false;
    return true;
}

// Whether to write a row. Counts it instead if rows are counted.
bool worker::is_written(const scanned_row& row, bool missed) {
    if (filters_ && (row.is_bad || !is_selected(row, missed)))
        return false;
    if (counts_rows_)
        count(row);
    return !counts_rows_;
}

void worker::count(const scanned_row& row) {
    for (std::size_t i = 0; i < row.cell_count; ++i) {
        const asked_cell& cell = scanned_.cells[row.cells + i];
        if (!cell.has_address())
            continue;
        for (const answer_place& place : choice_.plan->counted) {
            if (place.field != cell.field)
                continue;
            if (place.table == answer_place::address) {
                with_address(cell, [&](auto address) { counts_.add(address); });
                continue;
            }
            const cell_match match = match_of(cell, place.table);
            const answer_table& table = *choice_.tables[place.table].table;
            if (!match)
                counts_.add_miss();
            else if (match.of == family::ipv4)
                counts_.add(*table.ipv4(), place.table, match.route);
            else
                counts_.add(*table.ipv6(), place.table, match.route);
        }
    }
}

void worker::sum_counts(value_counts& to) const {
    std::vector<const answer_table*> tables;
    std::vector<column_number> columns(choice_.tables.size());
    for (const named_table& entry : choice_.tables)
        tables.push_back(entry.table);
    for (const answer_place& place : choice_.plan->counted)
        if (place.table != answer_place::address)
            columns[place.table] = place.column;
    counts_.sum(tables, columns, to);
}

bool worker::has_address(const scanned_row& row) const {
    return std::any_of(scanned_.cells.begin() + row.cells,
                       scanned_.cells.begin() + row.cells + row.cell_count,
                       [](const asked_cell& cell) { return cell.kind != asked_cell::what::absent; });
}

void worker::write_rows(enriched_block& to) {
    // Most rows get a prefix and one or two words.
    to.out.reserve(scanned_.block->bytes.size() + scanned_.rows.size() * 64);
    done_ = lined_ = 0;
    line_ = scanned_.block->first_line;
    for (const scanned_row& row : scanned_.rows) {
        if (!write_row(row, to)) {
            to.has_failed = true;
            return;
        }
        done_ = row.end;
    }
}

// Writes the bytes between the previous row and this one. In a document, the first written row of an array
// must not follow a comma. Whether an earlier block wrote a row is unknown here.
void worker::put_lead(const scanned_row& row, enriched_block& to) const {
    std::string_view lead = std::string_view(scanned_.block->bytes).substr(done_, row.begin - done_);
    const std::size_t comma = lead.find(',');
    if (comma != std::string_view::npos && to.array == array_state::unknown)
        to.comma = to.out.size() + comma;
    if (comma != std::string_view::npos && to.array == array_state::begun) {
        to.out += lead.substr(0, comma);
        lead.remove_prefix(comma + 1);
    }
    to.out += lead;
    to.array = array_state::has_rows;
}

// Writes a line for the row, or one for each matching address; for each address without a match if such rows
// are selected.
void worker::put_in_form(const scanned_row& row, enriched_block& to) {
    const std::string_view bytes = scanned_.block->bytes;
    std::string lead;
    if (choice_.form.has_file)
        lead += to.file + ':';
    if (choice_.form.has_number) {
        line_ += line_feeds(bytes.substr(lined_, row.begin - lined_));
        lined_ = row.begin;
        lead += std::to_string(line_) + ':';
    }
    const auto put = [&](std::string_view text) {
        to.out.append(lead).append(text);
        if (!text.ends_with('\n'))
            to.out += '\n';
    };
    if (!choice_.form.only_addresses)
        return put(bytes.substr(row.begin, row.end - row.begin));
    const bool wants_match = choice_.on_miss != miss_policy::inverse;
    for (const asked_cell& cell : std::span(scanned_.cells).subspan(row.cells, row.cell_count))
        if (cell.has_address() && has_match(cell) == wants_match)
            with_address(cell, [&](auto address) { put(to_string(address)); });
}

// Returns false if the row ends the run.
bool worker::write_row(const scanned_row& row, enriched_block& to) {
    const std::string_view bytes = scanned_.block->bytes;
    const auto pass_on = [&](std::size_t begin, std::size_t end) {
        to.out += bytes.substr(begin, end - begin);
    };
    if (row.is_frame) {
        to.array = array_state::begun;
        if (!counts_rows_ && choice_.form.is_plain())
            pass_on(row.begin, row.end);
        return true;
    }
    if (row.is_blank) {
        if (!row.is_left_out && !counts_rows_ && (!filters_ || choice_.on_miss == miss_policy::inverse)) {
            ++to.counts.selected;
            if (choice_.form.is_plain())
                pass_on(row.begin, row.end);
            else
                put_in_form(row, to);
        }
        return true;
    }
    ++to.counts.rows;
    const bool missed = !has_match(row);
    if (row.is_bad) {
        ++to.counts.bad;
        if (choice_.on_error == error_policy::fail)
            return false;
        if (choice_.on_error == error_policy::drop || row.is_left_out)
            return true;
    } else {
        ++(!missed ? to.counts.matched : has_address(row) ? to.counts.missed : to.counts.no_address);
        if (missed && choice_.on_miss == miss_policy::error)
            scanned_.faults.add(fault::no_match, [&] {
                return scanned_.error_at(row.begin, bytes.substr(row.begin, row.insert - row.begin),
                                         "has no match");
            });
        if (missed && choice_.on_miss == miss_policy::drop)
            return true;
    }
    if ((filters_ || counts_rows_) && !is_written(row, missed))
        return true;
    ++to.counts.selected;
    if (!choice_.form.is_plain()) {
        put_in_form(row, to);
        return true;
    }
    put_lead(row, to);
    const bool is_unchanged =
        adds_nothing_ || !row.is_readable || (missed && !row.is_bad && choice_.on_miss == miss_policy::keep);
    if (is_unchanged) {
        pass_on(row.begin, row.end);
        return true;
    }
    pass_on(row.begin, row.insert);
    // Keeps columns below their names after a row with too few fields.
    for (std::uint32_t i = 0; i < row.missing; ++i)
        put_cell(choice_.plan->style, {}, {}, to.out);
    if (has_members(choice_.scan->kind))
        put_members(row, to.out);
    else
        write_columns(row, to.out);
    pass_on(row.insert, row.end);
    return true;
}

// Adds members at the end of an object, inside new objects if the row lacks those of --nest.
void worker::put_members(const scanned_row& row, std::string& out) {
    const std::size_t before = out.size();
    const bool is_nested = row.nested < leads_.size();
    if (is_nested)
        out += leads_[row.nested];
    const std::size_t members = out.size();
    write_columns(row, out);
    if (is_nested) {
        out[members] = '{';
        out.append(leads_.size() - row.nested, '}');
    }
    if (row.is_empty_object)
        out.erase(before, 1);
}

// Each address of a log line gets its own columns.
void worker::write_columns(const scanned_row& row, std::string& out) {
    const std::span cells = std::span(scanned_.cells).subspan(row.cells, row.cell_count);
    if (writes_lists_) {
        for (std::size_t begin = 0, end = 0; begin != cells.size(); begin = end) {
            while (end != cells.size() && cells[end].field == cells[begin].field)
                ++end;
            write_lists(cells.subspan(begin, end - begin), out);
        }
        return;
    }
    for (const asked_cell& cell : cells) {
        for (auto& part : fields_[cell.field]) {
            if (auto* const group = std::get_if<group_cells>(&part)) {
                write_group(*group, cell, out);
                continue;
            }
            put_cell(choice_.plan->style, std::get<address_cell>(part).name,
                     cell.has_address() ? cell.text : std::string_view{}, out);
        }
    }
}

// Writes each column with the answers to all addresses of the field: a JSON array, or texts separated by
// semicolons.
void worker::write_lists(std::span<const asked_cell> cells, std::string& out) const {
    const field_columns& columns = choice_.plan->fields[cells.front().field];
    if (cells.front().kind == asked_cell::what::absent)
        cells = {};
    const cell_style style = choice_.plan->style;
    for (const column_group& group : columns)
        for (const added_column& column : group.columns) {
            std::string list;
            for (const asked_cell& cell : cells) {
                list += &cell == cells.data() ? "" : style == cell_style::json ? "," : ";";
                put_element(cell, group, column, list);
            }
            if (style == cell_style::json)
                put_json_list(column.name, list, out);
            else
                put_cell(style, column.name, list.empty() ? missing_cell : list, out);
        }
}

// Writes one value of a list, without separators.
void worker::put_element(const asked_cell& cell, const column_group& group, const added_column& column,
                         std::string& list) const {
    std::string_view text;
    value_buffer<ipv4_address> four;
    value_buffer<ipv6_address> six;
    const cell_match match = group.table ? match_of(cell, *group.table) : cell_match{};
    if (!group.table && cell.has_address())
        text = cell.text;
    else if (match && match.of == family::ipv4)
        text = route_value(*choice_.tables[*group.table].table->ipv4(), column.value, match.route, four);
    else if (match)
        text = route_value(*choice_.tables[*group.table].table->ipv6(), column.value, match.route, six);
    if (choice_.plan->style == cell_style::json)
        append_json_cell(list, text, column.type);
    else
        list += text;
}

void worker::write_group(group_cells& group, const asked_cell& cell, std::string& out) const {
    const cell_match match = match_of(cell, group.table);
    if (!match)
        out += group.missing;
    else if (match.of == family::ipv4)
        group.ipv4.append(match.route, out);
    else
        group.ipv6.append(match.route, out);
}

} // namespace fingerpost::cli::enrich
