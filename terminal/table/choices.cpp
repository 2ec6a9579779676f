// Looks up the names that users give.
#include "terminal/table/choices.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "fingerpost/base/near_name.hpp"
#include "fingerpost/net/text.hpp"
#include "io/format/parts/input_error.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

template <class A>
void refuse_other_family(const std::string& name) {
    if (find_scheme<A>(name) != nullptr)
        return;
    refuse_wrong_strides<A>(name);
    throw usage_error(fmt::format("--scheme: {} does not serve {} (see `fingerpost schemes`)", name,
                                  name_of(family_of<A>)));
}

template <class F>
void for_each_scheme(F use) {
    for (const auto& entry : schemes<ipv6_address>())
        use(entry.facts);
    for (const auto& entry : schemes<ipv4_address>())
        use(entry.facts);
}

} // namespace

std::vector<std::string> scheme_names() {
    std::vector<std::string> names;
    // Entries of one family are inserted after the entry that they follow there.
    const auto add_names = [&names](const auto& entries) {
        auto at = names.begin();
        for (const auto& entry : entries) {
            const auto position = std::find(names.begin(), names.end(), entry.facts.name);
            at = position != names.end() ? position + 1 : names.insert(at, std::string(entry.facts.name)) + 1;
        }
    };
    add_names(schemes<ipv4_address>());
    add_names(schemes<ipv6_address>());
    return names;
}

std::vector<std::string> scheme_choices() {
    std::vector<std::string> names = scheme_names();
    names.insert(names.begin(), {"default", "all"});
    return names;
}

std::string present_scheme(std::string name) {
    for_each_scheme([&](const scheme_facts& facts) {
        if (!facts.old_name.empty() && facts.old_name == name)
            name = facts.name;
    });
    return name;
}

name_reader hidden_scheme_names() {
    return [](std::string& name, std::span<const std::string> names) -> std::string {
        name = present_scheme(name);
        bool is_known = std::find(names.begin(), names.end(), name) != names.end();
        for_each_scheme([&](const scheme_facts& facts) {
            const std::string start = std::string(facts.name) + ':';
            is_known = is_known || (facts.takes_strides && name.starts_with(start) && name != start &&
                                    name.find_first_not_of("0123456789-", start.size()) == name.npos);
        });
        const std::string missing = is_known ? "" : why_not_built(name);
        return is_known || !missing.empty() ? missing
                                            : fmt::format("{} is unknown{} (see `fingerpost schemes`)",
                                                          io::quoted(name), did_you_mean(name, names));
    };
}

option& add_scheme(command& to, std::string& target, std::string help) {
    option& added = add_name(to, "--scheme", target, scheme_names(), std::move(help), hidden_scheme_names());
    added.preset = default_name();
    return added;
}

option& add_schemes(command& to, std::vector<std::string>& target, std::string help) {
    return add_names(to, "--scheme", target, scheme_choices(), std::move(help), hidden_scheme_names());
}

std::string default_name() {
    return std::string(default_scheme<ipv6_address>().facts.name);
}
std::string default_baseline() {
    return std::string(baseline_scheme<ipv6_address>().facts.name);
}

std::vector<std::string> isa_choices() {
    std::vector<std::string> names = {"all"};
    for (const simd::isa isa : simd::available_isas())
        names.emplace_back(simd::name_of(isa));
    return names;
}

template <class A>
void refuse_wrong_strides(const std::string& name) {
    if (const std::string fault = fault_of_strides<A>(schemes<A>(), name); !fault.empty())
        throw usage_error(fmt::format("--scheme: {}: {}", name, fault));
}

template <class A>
const scheme_entry<A>& scheme_named(const std::string& name) {
    if (name.empty())
        return default_scheme<A>();
    refuse_other_family<A>(name);
    return *find_scheme<A>(name);
}

template <class A>
std::vector<const scheme_entry<A>*> schemes_named(const std::vector<std::string>& names) {
    for (const std::string& name : names)
        if (name != "all" && name != "default")
            refuse_other_family<A>(name);
    std::vector<const scheme_entry<A>*> chosen;
    for (const scheme_entry<A>* const entry : schemes_and_named<A>(names))
        if (contains(names, "all") || (entry->facts.is_standard() && contains(names, "default")) ||
            contains(names, entry->facts.name))
            chosen.push_back(entry);
    return chosen;
}

std::vector<simd::isa> isas_named(const std::vector<std::string>& names) {
    std::vector<simd::isa> chosen;
    for (const simd::isa isa : simd::available_isas())
        if (contains(names, "all") || contains(names, simd::name_of(isa)))
            chosen.push_back(isa);
    return chosen;
}

template void refuse_wrong_strides<ipv4_address>(const std::string&);
template void refuse_wrong_strides<ipv6_address>(const std::string&);
template const scheme_entry<ipv4_address>& scheme_named<ipv4_address>(const std::string&);
template const scheme_entry<ipv6_address>& scheme_named<ipv6_address>(const std::string&);
template std::vector<const scheme_entry<ipv4_address>*>
schemes_named<ipv4_address>(const std::vector<std::string>&);
template std::vector<const scheme_entry<ipv6_address>*>
schemes_named<ipv6_address>(const std::vector<std::string>&);

} // namespace fingerpost::cli
