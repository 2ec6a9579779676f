// Converts the steps in an answer and explains them as `fingerpost explain` does.
#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/explain/lookup_steps.hpp"
#include "cli/router/traced_packet.hpp"
#include "fingerpost/net/text.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

std::string name_of_step(std::size_t number) {
    return fmt::format("step{}", number);
}

compared compared_named(std::string_view name) {
    return name == "keys" ? compared::keys : name == "bitmap" ? compared::bitmap : compared::nothing;
}
outcome outcome_named(std::string_view name) {
    return name == "answered" ? outcome::answered : name == "missed" ? outcome::missed : outcome::goes_on;
}

const answer* lookup_event(const answer& reply) {
    const std::uint64_t count = whole_of(reply, "events");
    for (std::uint64_t i = 0; i < count; ++i) {
        const answer& event = member_of(reply, fmt::format("event{}", i).c_str());
        if (word_of(event, "what") == "looked up")
            return &event;
    }
    return nullptr;
}

template <class A>
void explain_one(A address, const answer& reply, explained_lookup& lookup, line_numbers& lines) {
    const std::string part = word_of(reply, "part"), best = word_of(reply, "best");
    std::vector<std::uint64_t> values;
    for (const answer& value : member_of(reply, "values"))
        values.push_back(value.is_number_unsigned() ? value.get<std::uint64_t>() : 0);
    trace_step step{.part = part};
    // Distinguishes cache lines and is never dereferenced.
    step.at = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(whole_of(reply, "at")));
    step.offset = whole_of(reply, "offset");
    step.bytes = static_cast<std::uint32_t>(whole_of(reply, "bytes"));
    step.first_bit = static_cast<unsigned>(whole_of(reply, "first_bit"));
    step.bits = static_cast<unsigned>(whole_of(reply, "bits"));
    if (step.bytes == 0 || step.first_bit > A::bits || step.bits > A::bits - step.first_bit)
        throw failure(fmt::format("the router's answer has an unknown step: {}", reply.dump()));
    step.with = compared_named(word_of(reply, "compared"));
    step.key = whole_of(reply, "key");
    step.values = values;
    step.result = outcome_named(word_of(reply, "result"));
    step.counted.first_word = static_cast<unsigned>(whole_of(reply, "counted_first_word"));
    step.counted.words = static_cast<unsigned>(whole_of(reply, "counted_words"));
    step.counted.base = whole_of(reply, "counted_base");
    step.counted.rank = whole_of(reply, "counted_rank");
    step.counted.unit = static_cast<std::uint32_t>(whole_of(reply, "counted_unit"));
    if (step.counted.words != 0 && step.counted.first_word >= values.size())
        throw failure(
            fmt::format("the router's answer has a step without the words of its bitmap: {}", reply.dump()));
    if (const answer& matched = member_of(reply, "matched_part"); matched.is_string()) {
        step.matched = matched_bit{static_cast<unsigned>(whole_of(reply, "matched_bit")),
                                   static_cast<unsigned>(whole_of(reply, "matched_length")),
                                   matched.get_ref<const std::string&>(), whole_of(reply, "matched_entry")};
        if (step.matched->length > step.bits)
            throw failure(
                fmt::format("the router's answer has a prefix that no step matches: {}", reply.dump()));
    }
    if (member_of(reply, "best").is_string())
        step.best = next_hop{0};
    add_step(lookup, explain_step(address, step, lines, [&](next_hop) { return best; }), step);
}

template <class A>
void add_lookup(explanation& to, A address, const answer& reply, const answer& event) {
    explained_lookup lookup{.shows_steps = whole_of(event, "shows_steps") != 0};
    line_numbers lines;
    for (std::uint64_t i = 0; i < whole_of(reply, "steps"); ++i)
        explain_one(address, member_of(reply, name_of_step(i).c_str()), lookup, lines);
    to.lookups.push_back(std::move(lookup));
}

} // namespace

std::size_t steps_in(const answer& reply, std::size_t first) {
    std::size_t end = first;
    while (!member_of(reply, name_of_step(end).c_str()).is_null())
        ++end;
    return end - first;
}

explanation explained_route(const answer& reply) {
    explanation route;
    const answer* const event = lookup_event(reply);
    if (event == nullptr || number_of(*event, "changed") != 0.0)
        return route;
    route.input = route.address = word_of(member_of(reply, "packet"), "destination");
    route.columns = {"next hop"};
    if (const std::string prefix = word_of(*event, "prefix"); !prefix.empty())
        route.covers.push_back({prefix, {word_of(*event, "via")}});
    const auto address = parse_address(route.address);
    if (!address)
        throw failure(
            fmt::format("the router's answer has no address: {}", member_of(reply, "packet").dump()));
    std::visit(
        [&]<class A>(A a) {
            route.family = family_of<A>;
            add_lookup(route, a, reply, *event);
        },
        *address);
    return route;
}

} // namespace fingerpost::cli
