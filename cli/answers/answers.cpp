// Looks up batches and chooses the table for each address.
#include "cli/answers/answers.hpp"

#include <utility>
#include <variant>

namespace fingerpost::cli {

template <class A>
void family_questions<A>::look_up(const family_table<A>& table) {
    table.look_up(addresses_, std::span(matches_).first(addresses_.size()));
}

template <class A>
void family_questions<A>::answer(const family_table<A>& table, std::size_t question, row& into) {
    const next_hop match = matches_[question];
    if (match == next_hop::none)
        return;
    shown_end_ = describe(table, match, shown_end_, into);
}

template class family_questions<ipv4_address>;
template class family_questions<ipv6_address>;

void answers::note(std::string_view text, asked whom, std::size_t number) {
    texts_ += text;
    waiting_.push_back({texts_.size(), number, whom});
}

namespace {

// Returns nothing if the table does not have this family.
std::optional<any_address> as_it_is(const answer_table& table, ipv4_address a) {
    return table.ipv4() ? std::optional(any_address{family::ipv4, a, {}}) : std::nullopt;
}
std::optional<any_address> as_it_is(const answer_table& table, ipv6_address a) {
    return table.ipv6() ? std::optional(any_address{family::ipv6, {}, a}) : std::nullopt;
}

std::optional<any_address> in_family(const answer_table& table, const fingerpost::any_address& query) {
    return std::visit([&](auto address) { return as_it_is(table, address); }, query);
}

expected<std::optional<any_address>, text_error> plain_address_for(const answer_table& table,
                                                                   std::string_view text) {
    const auto address = parse_address(text);
    if (!address)
        return unexpected{address.error()};
    const auto* const six = std::get_if<ipv6_address>(&*address);
    if (six != nullptr ? ipv4_within(*six, table.aliases()).has_value() : table.has_mapped())
        return in_family(table, table.answering_form(*address));
    return in_family(table, *address);
}

} // namespace

expected<std::optional<any_address>, text_error> address_for(const answer_table& table,
                                                             std::string_view text) {
    auto address = plain_address_for(table, text);
    if (address)
        return address;
    if (const auto host = socket_host(text))
        return plain_address_for(table, *host);
    return address;
}

std::optional<text_error> answers::ask(std::string_view text) {
    const auto address = address_for(*table_, text);
    if (!address)
        return address.error();
    if (!*address)
        note(text, asked::missed, 0);
    else if ((*address)->kind == family::ipv4)
        note(text, asked::ipv4, ipv4_.ask((*address)->four));
    else
        note(text, asked::ipv6, ipv6_.ask((*address)->six));
    return std::nullopt;
}

void answers::keep(std::string_view text, std::string error) {
    errors_.push_back(std::move(error));
    note(text, asked::wrong, errors_.size() - 1);
}

void answers::write(row_writer& writer, std::string& out) {
    rows_.resize(waiting_.size());
    const auto* const ipv4 = table_->ipv4();
    const auto* const ipv6 = table_->ipv6();
    if (ipv4 != nullptr)
        ipv4_.look_up(*ipv4);
    if (ipv6 != nullptr)
        ipv6_.look_up(*ipv6);
    std::size_t start = 0;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        const question& q = waiting_[i];
        rows_[i] = {.address = std::string_view(texts_).substr(start, q.text_end - start)};
        start = q.text_end;
        if (q.whom == asked::ipv4)
            ipv4_.answer(*ipv4, q.number, rows_[i]);
        else if (q.whom == asked::ipv6)
            ipv6_.answer(*ipv6, q.number, rows_[i]);
        else if (q.whom == asked::wrong)
            rows_[i].error = errors_[q.number];
        if (part_ != nullptr)
            part_->narrow(rows_[i]);
    }
    writer.write(rows_, out);
    clear();
}

void answers::use(const answer_table& table, const table_part* part) {
    clear();
    table_ = &table;
    part_ = part;
}

void answers::clear() {
    ipv4_.clear();
    ipv6_.clear();
    texts_.clear();
    waiting_.clear();
    errors_.clear();
}

} // namespace fingerpost::cli
