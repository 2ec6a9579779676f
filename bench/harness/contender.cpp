// Turns the names that a user gave into contenders.
#include "bench/harness/contender.hpp"

#include <algorithm>

#ifdef FINGERPOST_HAVE_DPDK
#include "bench/contenders/dpdk.hpp"
#endif

namespace fingerpost::bench {
namespace {

bool holds(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
}

using kernel_list = std::vector<const simd::kernel_table*>;

expected<kernel_list, std::string> choose_kernels(const std::vector<std::string>& wanted) {
    kernel_list chosen;
    std::vector<std::string> known;
    for (const simd::kernel_table* kernels : simd::available_kernels()) {
        known.emplace_back(kernels->name);
        const bool best = kernels == &simd::preferred_kernels();
        if (holds(wanted, kernels->name) || holds(wanted, "all") || (best && holds(wanted, "auto")))
            chosen.push_back(kernels);
    }
    for (const std::string& name : wanted)
        if (name != "auto" && name != "all" && !holds(known, name))
            return unexpected{"this machine has no instruction set '" + name + "'; there are: auto, all, " +
                              joined(known)};
    return chosen;
}

template <class A>
contender<A> of_registry(const scheme_entry<A>& entry, const simd::kernel_table* kernels) {
    return {std::string(entry.facts.name), entry.facts.vectorised ? std::string(kernels->name) : "scalar",
            [build = entry.build, kernels](const routes<A>& table) {
                return build(table, build_options{.kernels = kernels});
            }};
}

std::string first_unknown(const std::vector<std::string>& wanted, const std::vector<std::string>& known) {
    for (const std::string& name : wanted)
        if (!holds(known, name))
            return name;
    return {};
}

template <class A>
expected<std::vector<contender<A>>, std::string> choose_strangers(const std::vector<std::string>& wanted) {
    if (const std::string name = first_unknown(wanted, known_strangers()); !name.empty())
        return unexpected{"no contenders '" + name + "'; there are: " + joined(known_strangers())};
    std::vector<contender<A>> chosen;
    for (const stranger_set<A>& set : stranger_sets<A>())
        if (holds(wanted, set.name))
            for (contender<A>& one : set.make())
                chosen.push_back(std::move(one));
    for (const std::string& name : wanted)
        if (const std::string reason = why_stranger_is_missing(name); !reason.empty())
            return unexpected{reason};
    return chosen;
}

} // namespace

template <class A>
std::vector<stranger_set<A>>& stranger_sets() {
    static std::vector<stranger_set<A>> sets = {
#ifdef FINGERPOST_HAVE_DPDK
        {"dpdk", dpdk_contenders<A>},
#endif
    };
    return sets;
}

std::vector<std::string> known_strangers() {
    return {"dpdk"};
}

std::string why_stranger_is_missing(const std::string& name) {
    for (const stranger_set<ipv4_address>& set : stranger_sets<ipv4_address>())
        if (set.name == name)
            return {};
    return "this build has no " + name +
           "; `tools/setup bench` installs what it wants, `make bench` builds with it";
}

template <class A>
expected<std::vector<contender<A>>, std::string> choose_contenders(const contender_choice& choice) {
    const auto kernels = choose_kernels(choice.isas);
    if (!kernels)
        return unexpected{kernels.error()};
    std::vector<std::string> known = {"default", "all"};
    std::vector<contender<A>> chosen;
    for (const scheme_entry<A>& entry : schemes<A>()) {
        known.emplace_back(entry.facts.name);
        const bool wanted = holds(choice.schemes, entry.facts.name) || holds(choice.schemes, "all") ||
                            (entry.facts.standard && holds(choice.schemes, "default"));
        if (!wanted)
            continue;
        const std::size_t variants = entry.facts.vectorised ? kernels->size() : 1;
        for (std::size_t i = 0; i < variants; ++i)
            chosen.push_back(of_registry(entry, (*kernels)[i]));
    }
    if (const std::string name = first_unknown(choice.schemes, known); !name.empty())
        return unexpected{"no scheme '" + name + "' serves addresses of " + std::to_string(A::bits) +
                          " bits; there are: " + joined(known)};
    auto strangers = choose_strangers<A>(choice.strangers);
    if (!strangers)
        return unexpected{strangers.error()};
    for (contender<A>& one : *strangers)
        chosen.push_back(std::move(one));
    return chosen;
}

template std::vector<stranger_set<ipv4_address>>& stranger_sets();
template std::vector<stranger_set<ipv6_address>>& stranger_sets();
template expected<std::vector<contender<ipv4_address>>, std::string>
choose_contenders(const contender_choice&);
template expected<std::vector<contender<ipv6_address>>, std::string>
choose_contenders(const contender_choice&);

} // namespace fingerpost::bench
