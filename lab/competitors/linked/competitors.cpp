// Converts names to competitors.
#include "lab/competitors/linked/competitors.hpp"

#include <algorithm>

#ifdef FINGERPOST_HAVE_DPDK
#include "lab/competitors/linked/dpdk.hpp"
#endif

namespace fingerpost::bench {
namespace {

bool has_name(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
}

using isa_list = std::vector<simd::isa>;

expected<isa_list, std::string> choose_isas(const std::vector<std::string>& requested) {
    isa_list chosen;
    std::vector<std::string> known;
    for (const simd::isa isa : simd::available_isas()) {
        known.emplace_back(simd::name_of(isa));
        const bool best = isa == simd::preferred_isa();
        if (has_name(requested, simd::name_of(isa)) || has_name(requested, "all") ||
            (best && has_name(requested, "auto")))
            chosen.push_back(isa);
    }
    for (const std::string& name : requested)
        if (name != "auto" && name != "all" && !has_name(known, name))
            return unexpected{"this machine has no instruction set '" + name + "'; there are: auto, all, " +
                              joined(known)};
    return chosen;
}

template <class A>
competitor<A> of_registry(const scheme_entry<A>& entry, simd::isa isa) {
    return {std::string(entry.facts.name),
            entry.facts.vectorised ? std::string(simd::name_of(isa)) : "scalar",
            [build = entry.build, isa](const routes<A>& table) {
                return build(table, build_options{.isa = isa});
            }};
}

std::string first_unknown(const std::vector<std::string>& requested, const std::vector<std::string>& known) {
    for (const std::string& name : requested)
        if (!has_name(known, name))
            return name;
    return {};
}

template <class A>
expected<std::vector<competitor<A>>, std::string>
choose_third_parties(const std::vector<std::string>& requested) {
    if (const std::string name = first_unknown(requested, known_third_parties()); !name.empty())
        return unexpected{"no competitors '" + name + "'; there are: " + joined(known_third_parties())};
    std::vector<competitor<A>> chosen;
    for (const third_party_set<A>& set : third_party_sets<A>())
        if (has_name(requested, set.name))
            for (competitor<A>& entry : set.make())
                chosen.push_back(std::move(entry));
    for (const std::string& name : requested)
        if (const std::string reason = why_third_party_is_missing(name); !reason.empty())
            return unexpected{reason};
    return chosen;
}

} // namespace

template <class A>
std::vector<third_party_set<A>>& third_party_sets() {
    static std::vector<third_party_set<A>> sets = {
#ifdef FINGERPOST_HAVE_DPDK
        {"dpdk", dpdk_competitors<A>},
#endif
    };
    return sets;
}

std::vector<std::string> known_third_parties() {
    return {"dpdk"};
}

std::string why_third_party_is_missing(const std::string& name) {
    for (const third_party_set<ipv4_address>& set : third_party_sets<ipv4_address>())
        if (set.name == name)
            return {};
    return "this build has no " + name +
           "; `tools/setup bench` installs its dependencies, `make bench` builds with it";
}

template <class A>
expected<std::vector<competitor<A>>, std::string> choose_competitors(const competitor_choice& choice) {
    const auto isas = choose_isas(choice.isas);
    if (!isas)
        return unexpected{isas.error()};
    std::vector<std::string> known = {"default", "all"};
    std::vector<competitor<A>> chosen;
    for (const scheme_entry<A>* const entry : schemes_and_named<A>(choice.schemes)) {
        const scheme_facts& facts = entry->facts;
        known.emplace_back(facts.name);
        const bool requested = has_name(choice.schemes, facts.name) || has_name(choice.schemes, "all") ||
                               (facts.is_standard() && has_name(choice.schemes, "default"));
        if (!requested)
            continue;
        const std::size_t variants = facts.vectorised ? isas->size() : 1;
        for (std::size_t i = 0; i < variants; ++i)
            chosen.push_back(of_registry(*entry, (*isas)[i]));
    }
    if (const std::string name = first_unknown(choice.schemes, known); !name.empty())
        return unexpected{"no scheme '" + name + "' serves addresses of " + std::to_string(A::bits) +
                          " bits; there are: " + joined(known)};
    auto third_parties = choose_third_parties<A>(choice.third_parties);
    if (!third_parties)
        return unexpected{third_parties.error()};
    for (competitor<A>& entry : *third_parties)
        chosen.push_back(std::move(entry));
    return chosen;
}

template std::vector<third_party_set<ipv4_address>>& third_party_sets();
template std::vector<third_party_set<ipv6_address>>& third_party_sets();
template expected<std::vector<competitor<ipv4_address>>, std::string>
choose_competitors(const competitor_choice&);
template expected<std::vector<competitor<ipv6_address>>, std::string>
choose_competitors(const competitor_choice&);

} // namespace fingerpost::bench
