// Looking up what users name, and telling them what there is instead.
#include "cli/choices.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "cli/failure.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::cli {
namespace {

bool is_known(const std::string& name) {
    return find_scheme<ipv4_address>(name) != nullptr || find_scheme<ipv6_address>(name) != nullptr;
}

[[noreturn]] void refuse_scheme(const std::string& name) {
    throw usage_error(fmt::format("no scheme is called '{}'; there are {}", name, scheme_names()));
}

template <class A>
bool selects(const std::vector<std::string>& parts, const scheme_facts& facts) {
    return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
        return part == "all" || (part == "default" && facts.standard) || part == facts.name;
    });
}

} // namespace

std::vector<std::string> split_names(const std::string& names) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < names.size();) {
        const std::size_t comma = std::min(names.find(',', at), names.size());
        if (comma != at)
            parts.push_back(names.substr(at, comma - at));
        at = comma + 1;
    }
    return parts;
}

std::string scheme_names() {
    std::vector<std::string_view> names;
    const auto add = [&](std::string_view name) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    };
    for (const auto& entry : schemes<ipv6_address>())
        add(entry.facts.name);
    for (const auto& entry : schemes<ipv4_address>())
        add(entry.facts.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

template <class A>
const scheme_entry<A>& scheme_named(const std::string& name) {
    if (name.empty())
        return default_scheme<A>();
    if (const scheme_entry<A>* const entry = find_scheme<A>(name))
        return *entry;
    if (!is_known(name))
        refuse_scheme(name);
    throw usage_error(fmt::format("scheme {} does not serve {}", name, name_of(family_of<A>)));
}

template <class A>
std::vector<const scheme_entry<A>*> schemes_named(const std::string& names) {
    const std::vector<std::string> parts = split_names(names);
    for (const std::string& part : parts)
        if (part != "all" && part != "default")
            scheme_named<A>(part);
    std::vector<const scheme_entry<A>*> chosen;
    for (const scheme_entry<A>& entry : schemes<A>())
        if (selects<A>(parts, entry.facts))
            chosen.push_back(&entry);
    if (chosen.empty())
        throw usage_error("no scheme named; there are " + scheme_names());
    return chosen;
}

std::vector<const simd::kernel_table*> kernels_named(const std::string& names) {
    const std::vector<std::string> parts = split_names(names);
    for (const std::string& part : parts)
        if (part != "all" && simd::find_kernels(part) == nullptr)
            throw usage_error(fmt::format("this machine has no kernels called '{}'", part));
    std::vector<const simd::kernel_table*> chosen;
    for (const simd::kernel_table* const kernels : simd::available_kernels())
        if (std::any_of(parts.begin(), parts.end(),
                        [&](const std::string& part) { return part == "all" || part == kernels->name; }))
            chosen.push_back(kernels);
    if (chosen.empty())
        throw usage_error("no instruction set named");
    return chosen;
}

template const scheme_entry<ipv4_address>& scheme_named<ipv4_address>(const std::string&);
template const scheme_entry<ipv6_address>& scheme_named<ipv6_address>(const std::string&);
template std::vector<const scheme_entry<ipv4_address>*> schemes_named<ipv4_address>(const std::string&);
template std::vector<const scheme_entry<ipv6_address>*> schemes_named<ipv6_address>(const std::string&);

} // namespace fingerpost::cli
