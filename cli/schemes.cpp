// `fingerpost schemes`: prints the registry's facts about every lookup scheme.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "fingerpost/registry/registry.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/json_writer.hpp"
#include "terminal/options.hpp"
#include "terminal/table/choices.hpp"

namespace fingerpost::cli {
namespace {

struct known_scheme {
    scheme_facts facts;
    std::vector<int> families;
    bool is_default = false;
    bool patchable = false;
    bool patchable_in_place = false;
    bool saveable = false;
};

template <class A>
void collect(std::vector<known_scheme>& list, int family) {
    for (const scheme_entry<A>& entry : schemes<A>()) {
        auto known = std::find_if(list.begin(), list.end(),
                                  [&](const known_scheme& s) { return s.facts.name == entry.facts.name; });
        if (known == list.end())
            known = list.insert(
                list.end(),
                {entry.facts, {}, false, entry.patchable, entry.patchable_in_place, entry.saveable});
        known->families.push_back(family);
        known->is_default = known->is_default || &entry == &default_scheme<A>();
    }
}

std::vector<known_scheme> known_schemes(bool with_variants) {
    std::vector<known_scheme> list;
    collect<ipv4_address>(list, 4);
    collect<ipv6_address>(list, 6);
    std::vector<known_scheme> in_order;
    for (const std::string& name : scheme_names()) {
        const auto known = std::find_if(list.begin(), list.end(),
                                        [&](const known_scheme& s) { return s.facts.name == name; });
        if (with_variants || known->facts.is_standard())
            in_order.push_back(*known);
    }
    return in_order;
}

// The scheme's limits in words.
std::string limits_of(const known_scheme& s) {
    std::vector<std::string> limits;
    if (!s.patchable)
        limits.emplace_back("static");
    if (s.facts.widest <= ipv4_address::bits)
        limits.emplace_back("IPv4 only");
    if (s.facts.most_intervals != 0)
        limits.push_back(fmt::format("{} million intervals", s.facts.most_intervals / 1'000'000));
    if (s.facts.most_next_hops != 0)
        limits.push_back(fmt::format("{} next hops", s.facts.most_next_hops));
    return fmt::format("{}", fmt::join(limits, "; "));
}

std::string as_json(const std::vector<known_scheme>& list) {
    bench::json_writer json;
    json.begin_array();
    for (const known_scheme& s : list) {
        json.begin_object();
        json.member("name", s.facts.name);
        json.member("summary", s.facts.summary);
        json.member("paper", s.facts.source);
        json.member("families", s.families);
        json.member("limits", limits_of(s));
        json.member("default", s.is_default);
        json.member("standard", s.facts.is_standard());
        json.member("vectorised", s.facts.vectorised);
        json.member("patchable", s.patchable);
        json.member("patchable_in_place", s.patchable_in_place);
        json.member("saveable", s.saveable);
        json.end_object();
    }
    json.end_array();
    return json.take();
}

std::string as_text(const std::vector<known_scheme>& list) {
    std::string out;
    for (const known_scheme& s : list) {
        out += fmt::format("{}{}\n    {}\n    from: {}\n", s.facts.name, s.is_default ? "  (default)" : "",
                           s.facts.summary, s.facts.source);
        const std::string words = limits_of(s);
        const std::string limits = words.empty() ? "" : "; " + words;
        out += fmt::format("    IPv{}{}\n", fmt::join(s.families, " and IPv"), limits);
    }
    return out;
}

} // namespace

command schemes_command() {
    auto is_json = std::make_shared<bool>(false);
    auto variants = std::make_shared<bool>(false);
    command result{.name = "schemes", .summary = "list the lookup schemes"};
    add_json(result, *is_json);
    add_flag(result, "--variants", *variants, "List variants, too, which are for study (always in JSON)");
    result.examples = {{"fingerpost schemes", "List schemes with their sources and limits"}};
    result.run = [is_json, variants] {
        output out;
        out.write(*is_json ? as_json(known_schemes(true)) : as_text(known_schemes(*variants)));
        out.finish();
        return exit_code::ok;
    };
    return result;
}

} // namespace fingerpost::cli
