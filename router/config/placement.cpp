// Checks listed cores against the machine, or chooses them (auto_placement.cpp), and describes the result for
// the log.
#include "router/config/placement.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>

#include "router/config/auto_placement.hpp"

namespace fingerpost::router {
namespace {

std::vector<unsigned> numbers_of(const system::topology& machine) {
    std::vector<unsigned> numbers;
    for (const system::core_facts& core : machine.cores)
        numbers.push_back(core.number);
    return numbers;
}

std::vector<unsigned> cores_by_hand(const config& settings) {
    const placement_config& by_hand = settings.threads.placement;
    std::vector<unsigned> cores = by_hand.receive;
    cores.insert(cores.end(), by_hand.lookup.begin(), by_hand.lookup.end());
    cores.insert(cores.end(), by_hand.send.begin(), by_hand.send.end());
    return cores;
}

void check_known(const config& settings, const system::topology& machine, report& findings) {
    const placement_config& by_hand = settings.threads.placement;
    const auto check = [&](const char* name, const std::vector<unsigned>& cores) {
        const std::string key = std::string("threads.placement.") + name;
        for (const unsigned core : cores)
            if (machine.find(core) == nullptr)
                findings.error(findings.place_of(key),
                               fmt::format("{}: there is no core {} that the router may use; allowed: {}",
                                           key, core, system::to_core_list(numbers_of(machine))));
    };
    check("receive", by_hand.receive);
    check("lookup", by_hand.lookup);
    check("send", by_hand.send);
    check("host", by_hand.host);
    check("control", by_hand.control);
}

// A core for a thread that the lists omit: the first free one, preferably on a physical core that is free
// too.
unsigned spare_core(const system::topology& machine, const std::vector<unsigned>& used) {
    const auto has = [&](auto like) {
        return std::any_of(used.begin(), used.end(),
                           [&](unsigned core) { return like(*machine.find(core)); });
    };
    std::optional<unsigned> beside;
    for (const system::core_facts& core : machine.cores) {
        if (has([&](const system::core_facts& other) { return other.number == core.number; }))
            continue;
        if (!has([&](const system::core_facts& other) { return other.physical == core.physical; }))
            return core.number;
        if (!beside)
            beside = core.number;
    }
    return beside.value_or(machine.cores.front().number);
}

chosen_cores take_by_hand(const config& settings, const system::topology& machine) {
    const placement_config& by_hand = settings.threads.placement;
    chosen_cores chosen{.data = cores_by_hand(settings)};
    std::vector<unsigned> used = chosen.data;
    for (const auto* listed : {&by_hand.control, &by_hand.host})
        used.insert(used.end(), listed->begin(), listed->end());
    chosen.control = by_hand.control.empty() ? spare_core(machine, used) : by_hand.control.front();
    used.push_back(chosen.control);
    chosen.host = by_hand.host.empty() ? spare_core(machine, used) : by_hand.host.front();
    return chosen;
}

// Thread names with their cores.
using thread_cores = std::vector<std::pair<std::string, unsigned>>;

std::vector<std::string> describe_caches(const thread_cores& threads, const system::topology& machine) {
    std::map<unsigned, std::vector<unsigned>> caches;
    for (const system::core_facts& core : machine.cores)
        caches[core.cache].push_back(core.number);
    std::vector<std::string> lines;
    for (const auto& [cache, cores] : caches) {
        std::vector<std::string> residents;
        for (const auto& [name, core] : threads)
            if (machine.find(core)->cache == cache)
                residents.push_back(fmt::format("{} on {}", name, core));
        if (!residents.empty())
            lines.push_back(fmt::format("cache of cores {}: {}", system::to_core_list(cores),
                                        fmt::join(residents, ", ")));
    }
    return lines;
}

void describe_sharing(const thread_cores& threads, const system::topology& machine,
                      std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < threads.size(); ++i)
        for (std::size_t j = i + 1; j < threads.size(); ++j) {
            const auto& [first, core] = threads[i];
            const auto& [second, other] = threads[j];
            if (core == other)
                lines.push_back(fmt::format("{} and {} share core {}", first, second, core));
            else if (machine.find(core)->physical == machine.find(other)->physical)
                lines.push_back(fmt::format("{} and {} are hyper-threads of the same core", first, second));
        }
}

void describe_distance(const wiring& plan, const system::topology& machine, std::optional<unsigned> near,
                       placement& placed) {
    const auto away = std::count_if(placed.cores.begin(), placed.cores.end(),
                                    [&](unsigned core) { return near && machine.find(core)->node != *near; });
    if (away > 0)
        placed.lines.push_back(fmt::format("{} of {} data threads are not on the ports' node {}", away,
                                           placed.cores.size(), *near));
    if (const std::size_t far = distant_pairs(plan, machine, placed.cores); far > 0)
        placed.lines.push_back(fmt::format("{} of the rings between data threads connect{} different caches",
                                           far, far == 1 ? "s" : ""));
}

// Two polling threads on one core alternate every few milliseconds, and queues overflow in the meantime.
void check_polling(const config& settings, const std::vector<unsigned>& data, report& findings) {
    if (settings.threads.idle == idle_mode::sleep)
        return;
    std::vector<unsigned> sorted = data;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
        findings.warning(
            findings.place_of("threads.placement"),
            fmt::format("core {} has several polling threads; consider idle = \"sleep\"", *twice));
}

} // namespace

std::size_t distant_pairs(const wiring& plan, const system::topology& machine,
                          const std::vector<unsigned>& cores) {
    return static_cast<std::size_t>(
        std::count_if(plan.rings.begin(), plan.rings.end(), [&](const wired_ring& ring) {
            return ring.producer != plan.host() && ring.consumer != plan.host() &&
                   machine.find(cores[ring.producer])->cache != machine.find(cores[ring.consumer])->cache;
        }));
}

placement place_threads(const config& settings, const wiring& plan, const system::topology& machine,
                        std::optional<unsigned> near, report& findings) {
    const bool automatic = settings.threads.placement.automatic;
    if (automatic && settings.threads.idle == idle_mode::poll && plan.host() > machine.cores.size())
        findings.error(findings.place_of("threads"),
                       fmt::format("{} threads poll, but the router may use {} core{} ({}); use fewer "
                                   "threads, or idle = \"sleep\"",
                                   plan.host(), machine.cores.size(), machine.cores.size() == 1 ? "" : "s",
                                   system::to_core_list(numbers_of(machine))));
    if (!automatic)
        check_known(settings, machine, findings);
    if (findings.has_errors())
        return {};
    const bool is_apart = automatic && settings.threads.placement.lookups_apart;
    const auto apart = is_apart ? choose_lookups_apart(plan, machine, near) : std::optional<chosen_cores>();
    if (is_apart && !apart)
        findings.warning(
            findings.place_of("threads.placement"),
            settings.threads.mode == run_mode::complete
                ? "lookups-apart is the same as auto here: in mode \"complete\" every thread looks up"
                : "lookups-apart is the same as auto here: all cores that the router may use "
                  "share one cache");
    const chosen_cores chosen = apart       ? *apart
                                : automatic ? choose_cores(plan, machine, near)
                                            : take_by_hand(settings, machine);
    check_polling(settings, chosen.data, findings);

    thread_cores threads{{"control", chosen.control}, {"host", chosen.host}};
    for (std::size_t thread = 0; thread < plan.host(); ++thread)
        threads.emplace_back(plan.threads[thread].name, chosen.data[thread]);
    placement placed{
        .cores = chosen.data, .control = chosen.control, .lines = describe_caches(threads, machine)};
    describe_sharing(threads, machine, placed.lines);
    describe_distance(plan, machine, near, placed);
    placed.cores.push_back(chosen.host);
    return placed;
}

} // namespace fingerpost::router
