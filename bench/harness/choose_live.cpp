// Converts names of schemes and policies to competitors of the update benchmark.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "bench/harness/measure_updates.hpp"
#include "fingerpost/registry/registry.hpp"

namespace fingerpost::bench {
namespace {

constexpr std::array policies{policy::rebuild, policy::left_right, policy::in_place};

bool holds(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string unknown(std::string_view what, const std::vector<std::string>& requested,
                    const std::vector<std::string>& known) {
    for (const std::string& name : requested)
        if (!holds(known, name))
            return fmt::format("no {} '{}'; there are: {}", what, name, fmt::join(known, ", "));
    return {};
}

template <class A>
bool fits(const scheme_entry<A>& scheme, policy how) {
    return how == policy::rebuild || (how == policy::left_right && scheme.patchable) ||
           (how == policy::in_place && scheme.patchable_in_place);
}

template <class A>
void add(live_competitors& to, const scheme_entry<A>& scheme, const std::vector<std::string>& requested) {
    const policy automatic = scheme.patchable ? policy::left_right : policy::rebuild;
    for (const policy how : policies) {
        if (fits(scheme, how)) {
            if (holds(requested, name_of(how)) || (how == automatic && holds(requested, "auto")))
                to.chosen.push_back({std::string(scheme.facts.name), how});
        } else if (holds(requested, name_of(how))) {
            to.notes.push_back(fmt::format("{} cannot be updated {}", scheme.facts.name, name_of(how)));
        }
    }
}

} // namespace

std::string_view name_of(policy how) noexcept {
    switch (how) {
    case policy::automatic:
        return "auto";
    case policy::rebuild:
        return "rebuild";
    case policy::left_right:
        return "left_right";
    case policy::in_place:
        return "in_place";
    }
    return "?";
}

template <class A>
expected<live_competitors, std::string> choose_live(const live_choice& choice) {
    std::vector<std::string> schemes = {"default", "all"};
    std::vector<std::string> ways = {"auto"};
    for (const policy how : policies)
        ways.emplace_back(name_of(how));
    live_competitors result;
    for (const scheme_entry<A>* const scheme : schemes_and_named<A>(choice.schemes)) {
        schemes.emplace_back(scheme->facts.name);
        if (holds(choice.schemes, scheme->facts.name) || holds(choice.schemes, "all") ||
            (holds(choice.schemes, "default") && scheme->facts.is_standard()))
            add(result, *scheme, choice.policies);
    }
    if (const std::string words = unknown("policy", choice.policies, ways); !words.empty())
        return unexpected{words};
    const std::string what = fmt::format("scheme for addresses of {} bits called", A::bits);
    if (const std::string words = unknown(what, choice.schemes, schemes); !words.empty())
        return unexpected{words};
    return result;
}

template expected<live_competitors, std::string> choose_live<ipv4_address>(const live_choice&);
template expected<live_competitors, std::string> choose_live<ipv6_address>(const live_choice&);

} // namespace fingerpost::bench
