// Packs pipelines into caches for each way of reserving cores for the control and host threads, and keeps the
// packing with the fewest pipelines split between caches. There is one way for each pair of caches, so all
// are tried.
#include "router/config/auto_placement.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace fingerpost::router {
namespace {

// The free cores of one last-level cache, in rounds: round 0 has the first hyper-thread of each physical
// core, round 1 the second.
struct cache_group {
    unsigned node = 0;
    std::vector<std::vector<unsigned>> rounds;

    std::size_t free(std::size_t round) const { return round < rounds.size() ? rounds[round].size() : 0; }
    unsigned take(std::size_t round) {
        const unsigned core = rounds[round].front();
        rounds[round].erase(rounds[round].begin());
        return core;
    }
};

using groups = std::vector<cache_group>;

groups group_cores(const system::topology& machine) {
    std::map<unsigned, cache_group> by_cache;
    std::map<unsigned, std::size_t> hyper_threads; // hyper-threads so far of each physical core
    for (const system::core_facts& core : machine.cores) {
        cache_group& group = by_cache[core.cache];
        group.node = core.node;
        const std::size_t round = hyper_threads[core.physical]++;
        group.rounds.resize(std::max(group.rounds.size(), round + 1));
        group.rounds[round].push_back(core.number);
    }
    groups groups_by_cache;
    for (auto& [cache, group] : by_cache)
        groups_by_cache.push_back(std::move(group));
    return groups_by_cache;
}

std::size_t free_cores(const groups& caches, std::size_t round) {
    return std::accumulate(caches.begin(), caches.end(), std::size_t{0},
                           [=](std::size_t sum, const cache_group& g) { return sum + g.free(round); });
}

std::size_t rounds_of(const groups& caches) {
    std::size_t most = 0;
    for (const cache_group& group : caches)
        most = std::max(most, group.rounds.size());
    return most;
}

// The group with the fewest free cores that has enough of them, preferably on memory node `node`.
std::optional<std::size_t> tightest(const groups& caches, std::size_t round, std::size_t cores,
                                    std::optional<unsigned> node) {
    const auto cost = [&](const cache_group& g) { return std::pair{node && g.node != *node, g.free(round)}; };
    std::optional<std::size_t> best;
    for (std::size_t g = 0; g < caches.size(); ++g)
        if (caches[g].free(round) >= cores && (!best || cost(caches[g]) < cost(caches[*best])))
            best = g;
    return best;
}

// The group with the most free cores, for when none has enough; preferably on memory node `node`.
std::size_t widest(const groups& caches, std::size_t round, std::optional<unsigned> node) {
    const auto worth = [&](const cache_group& g) {
        return std::pair{g.free(round) > 0 && (!node || g.node == *node), g.free(round)};
    };
    std::size_t best = 0;
    for (std::size_t g = 1; g < caches.size(); ++g)
        if (worth(caches[g]) > worth(caches[best]))
            best = g;
    return best;
}

class packer {
  public:
    packer(const system::topology& machine, groups free, std::size_t threads, std::optional<unsigned> near)
        : machine_(machine), free_(std::move(free)), near_(near), cores_(threads) {}

    void place(const std::vector<std::size_t>& pipeline) {
        std::optional<std::size_t> group;
        for (std::size_t i = 0; i < pipeline.size(); ++i) {
            const std::size_t round = next_round();
            // A pipeline stays on the node of its first thread.
            if (!group || free_[*group].free(round) == 0)
                group = choose(round, pipeline.size() - i, group ? free_[*group].node : near_);
            cores_[pipeline[i]] = free_[*group].take(round);
        }
    }

    const std::vector<unsigned>& cores() const { return cores_; }
    const groups& left() const { return free_; }

  private:
    // The first round with a free core. When all cores are taken, assignment starts over.
    std::size_t next_round() {
        const std::size_t rounds = rounds_of(free_);
        for (std::size_t round = 0; round < rounds; ++round)
            if (free_cores(free_, round) > 0)
                return round;
        free_ = group_cores(machine_);
        return 0;
    }

    std::size_t choose(std::size_t round, std::size_t cores, std::optional<unsigned> node) const {
        const auto group = tightest(free_, round, cores, node);
        return group ? *group : widest(free_, round, node);
    }

    const system::topology& machine_;
    groups free_;
    std::optional<unsigned> near_;
    std::vector<unsigned> cores_;
};

// Cost of a placement: the number of rings between threads in different caches. A ring between two nodes, or
// a thread that is not on the ports' node, costs more than any number of caches.
std::size_t distance(const wiring& plan, const system::topology& machine, const std::vector<unsigned>& cores,
                     std::optional<unsigned> near) {
    std::vector<const system::core_facts*> facts;
    for (const unsigned core : cores)
        facts.push_back(machine.find(core));
    std::size_t caches = 0;
    std::size_t nodes = 0;
    for (const system::core_facts* const core : facts)
        nodes += near && core->node != *near ? 1 : 0;
    for (const wired_ring& ring : plan.rings) {
        if (ring.producer == plan.host() || ring.consumer == plan.host())
            continue;
        caches += facts[ring.producer]->cache != facts[ring.consumer]->cache ? 1 : 0;
        nodes += facts[ring.producer]->node != facts[ring.consumer]->node ? 1 : 0;
    }
    return nodes * (plan.rings.size() + 1) + caches;
}

// Cores for the control and host threads when no physical core could be reserved for them.
std::pair<unsigned, unsigned> leftovers(const packer& packed, unsigned last) {
    std::vector<unsigned> spare;
    for (const cache_group& group : packed.left())
        for (const auto& round : group.rounds)
            spare.insert(spare.end(), round.begin(), round.end());
    std::sort(spare.begin(), spare.end());
    if (spare.size() >= 2)
        return {spare[0], spare[1]};
    return spare.empty() ? std::pair{last, last} : std::pair{spare[0], spare[0]};
}

class chooser {
  public:
    chooser(const wiring& plan, const system::topology& machine, std::optional<unsigned> near)
        : plan_(plan), machine_(machine), near_(near), all_(group_cores(machine)),
          pipelines_(pipelines_of(plan)) {}

    chosen_cores choose() {
        const std::size_t physical = free_cores(all_, 0);
        const std::size_t spare =
            physical > plan_.host() ? std::min<std::size_t>(physical - plan_.host(), 2) : 0;
        if (spare == 0)
            try_with(all_, std::nullopt);
        for (std::size_t first = 0; spare > 0 && first < all_.size(); ++first)
            for (std::size_t second = first; second < (spare == 2 ? all_.size() : first + 1); ++second)
                try_aside(first, second, spare);
        return best_;
    }

  private:
    void try_aside(std::size_t first, std::size_t second, std::size_t spare) {
        groups free = all_;
        if (free[first].free(0) == 0)
            return;
        const unsigned control = free[first].take(0);
        unsigned host = control;
        if (spare == 2) {
            if (free[second].free(0) == 0)
                return;
            host = free[second].take(0);
        }
        try_with(free, std::pair{control, host});
    }

    // Tries two packings: each pipeline where it fits best, and all pipelines in one row, so that they share
    // a cache that has room for all.
    void try_with(const groups& free, std::optional<std::pair<unsigned, unsigned>> aside) {
        std::vector<std::size_t> row;
        for (const auto& pipeline : pipelines_)
            row.insert(row.end(), pipeline.begin(), pipeline.end());
        consider(free, {row}, aside);
        consider(free, pipelines_, aside);
    }

    void consider(groups free, const std::vector<std::vector<std::size_t>>& pipelines,
                  std::optional<std::pair<unsigned, unsigned>> aside) {
        packer packed(machine_, std::move(free), plan_.host(), near_);
        for (const auto& pipeline : pipelines)
            packed.place(pipeline);
        const std::size_t far = distance(plan_, machine_, packed.cores(), near_);
        if (found_ && far >= least_)
            return;
        found_ = true;
        least_ = far;
        const auto [control, host] =
            aside ? *aside : leftovers(packed, packed.cores().empty() ? 0 : packed.cores().back());
        best_ = {packed.cores(), host, control};
    }

    const wiring& plan_;
    const system::topology& machine_;
    std::optional<unsigned> near_;
    groups all_;
    std::vector<std::vector<std::size_t>> pipelines_;
    bool found_ = false;
    std::size_t least_ = 0;
    chosen_cores best_{};
};

// Takes whole caches until they have enough physical cores, or enough hyper-threads if there are too few
// physical cores. One cache is always left.
std::optional<system::topology> take_caches(system::topology& rest, std::size_t cores,
                                            std::optional<unsigned> near) {
    system::topology part;
    std::size_t enough = 0;
    do {
        const groups caches = group_cores(rest);
        if (caches.size() < 2)
            break;
        const std::size_t missing = cores - enough;
        const std::size_t from = tightest(caches, 0, missing, near).value_or(widest(caches, 0, near));
        enough += caches[from].free(0);
        const unsigned cache = rest.find(caches[from].rounds[0].front())->cache;
        const auto stay = std::stable_partition(rest.cores.begin(), rest.cores.end(),
                                                [=](const auto& core) { return core.cache != cache; });
        part.cores.insert(part.cores.end(), stay, rest.cores.end());
        rest.cores.erase(stay, rest.cores.end());
    } while (enough < cores);
    if (part.cores.empty())
        return std::nullopt;
    std::sort(part.cores.begin(), part.cores.end(),
              [](const auto& a, const auto& b) { return a.number < b.number; });
    return part;
}

} // namespace

std::vector<std::vector<std::size_t>> pipelines_of(const wiring& plan) {
    // Each thread starts as a pipeline of its own. A ring to a thread that looks up joins two pipelines.
    std::vector<std::size_t> pipeline(plan.host());
    std::iota(pipeline.begin(), pipeline.end(), std::size_t{0});
    for (const wired_ring& ring : plan.rings)
        if (ring.use == ring_use::lookup)
            std::replace(pipeline.begin(), pipeline.end(), std::size_t{pipeline[ring.consumer]},
                         std::size_t{pipeline[ring.producer]});
    std::map<std::size_t, std::vector<std::size_t>> joined;
    for (std::size_t thread = 0; thread < plan.host(); ++thread)
        if (plan.threads[thread].receives || plan.threads[thread].looks_up)
            joined[pipeline[thread]].push_back(thread);
    std::vector<std::vector<std::size_t>> pipelines;
    for (auto& [first, threads] : joined)
        pipelines.push_back(std::move(threads));
    // Every thread that looks up may send on every port, so threads that only send belong to no single
    // pipeline. They are distributed.
    std::size_t dealt = 0;
    for (std::size_t thread = 0; thread < plan.host(); ++thread)
        if (const wired_thread& wired = plan.threads[thread]; !wired.receives && !wired.looks_up)
            pipelines[dealt++ % pipelines.size()].push_back(thread);
    std::stable_sort(pipelines.begin(), pipelines.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    return pipelines;
}

chosen_cores choose_cores(const wiring& plan, const system::topology& machine, std::optional<unsigned> near) {
    return chooser(plan, machine, near).choose();
}

std::optional<chosen_cores> choose_lookups_apart(const wiring& plan, const system::topology& machine,
                                                 std::optional<unsigned> near) {
    std::vector<std::size_t> lookups, others;
    for (std::size_t thread = 0; thread < plan.host(); ++thread)
        (plan.threads[thread].looks_up && !plan.threads[thread].receives ? lookups : others)
            .push_back(thread);
    if (lookups.empty())
        return std::nullopt;
    system::topology rest = machine;
    const auto own = take_caches(rest, lookups.size(), near);
    if (!own)
        return std::nullopt;
    packer apart(*own, group_cores(*own), plan.host(), near);
    apart.place(lookups);
    groups free = group_cores(rest);
    const std::size_t physical = free_cores(free, 0);
    const std::size_t spare =
        physical > others.size() ? std::min<std::size_t>(physical - others.size(), 2) : 0;
    std::vector<unsigned> aside;
    for (cache_group& group : free)
        while (aside.size() < spare && group.free(0) > 0)
            aside.push_back(group.take(0));
    packer beside(rest, std::move(free), plan.host(), near);
    beside.place(others);
    chosen_cores cores{.data = beside.cores()};
    for (const std::size_t thread : lookups)
        cores.data[thread] = apart.cores()[thread];
    if (aside.empty()) {
        const unsigned last = beside.cores()[others.back()];
        std::tie(cores.control, cores.host) = leftovers(beside, last);
    } else {
        cores.control = aside.front();
        cores.host = aside.back();
    }
    return cores;
}

} // namespace fingerpost::router
