// Builds lists of changes. Each change is applied to a RIB, so that every step knows the current state.
#include "bench/workloads/change/update_workload.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "bench/workloads/random.hpp"
#include "fingerpost/rib/rib.hpp"

namespace fingerpost::bench {
namespace {

constexpr std::array facts{
    update_facts{"churn", "a realistic mix of withdrawals, announcements and replacements"},
    update_facts{"recorded", "the updates of --updates"},
    update_facts{"slash8", "announce and withdraw the /8 (IPv6: /16) above the most routes"},
    update_facts{"default_route", "switch the default route between two next hops"},
    update_facts{"flap48", "withdraw and announce one /24 (IPv6: /48)"},
};

// Number of routes to try when looking for one whose change is visible.
constexpr int tries = 64;

template <class A>
class update_maker {
  public:
    update_maker(std::span<const route<A>> sorted, std::uint64_t seed) : sorted_(sorted), random_(seed, 7) {
        if (!truth_.assign({sorted.begin(), sorted.end()}))
            throw std::bad_alloc();
    }

    update_list<A> take() {
        std::set<prefix<A>> prefixes;
        for (const update_step<A>& s : list_.steps)
            prefixes.insert(s.where);
        list_.prefixes = prefixes.size();
        return std::move(list_);
    }

    void churn(std::size_t count);
    void recorded(std::span<const route<A>> updates);
    void short_prefix(unsigned length);
    void default_route();
    void flap(unsigned length);

  private:
    // Appends the change to the list and applies it.
    void step(const prefix<A>& where, next_hop to) {
        const next_hop before = truth_.get(where);
        if (before == to) {
            ++list_.without_effect;
            return;
        }
        const auto done = to == next_hop::none ? truth_.erase(where) : truth_.insert(where, to);
        if (!done)
            throw std::bad_alloc();
        const change<A> effect = truth_.describe(where, before);
        update_step<A> added{
            where, before, to, false, {}, before == next_hop::none ? effect.cover : before, effect.answer()};
        added.visible = !effect.affected_ranges.empty() && added.answer_before != added.answer_after;
        if (added.visible)
            added.probe = effect.affected_ranges[random_.below(effect.affected_ranges.size())].first;
        list_.steps.push_back(added);
    }
    // Routes to add before the first step.
    void give(const prefix<A>& where, next_hop hop) {
        if (!truth_.insert(where, hop))
            throw std::bad_alloc();
        list_.beforehand.push_back({where, hop});
    }
    const route<A>& any_route() { return sorted_[random_.below(sorted_.size())]; }
    // If possible a next hop of the table, so that the FIB does not need wider codes.
    next_hop another_hop(next_hop than, next_hop nor = next_hop::none) {
        for (int i = 0; i < tries && !sorted_.empty(); ++i)
            if (const next_hop hop = any_route().hop; hop != than && hop != nor)
                return hop;
        std::uint32_t id = 0;
        while (next_hop{id} == than || next_hop{id} == nor)
            ++id;
        return {id};
    }
    bool is_visible(const route<A>& r) const {
        const change<A> withdrawal = truth_.describe(r.where, next_hop::none);
        return !withdrawal.affected_ranges.empty() && withdrawal.cover != r.hop;
    }

    std::span<const route<A>> sorted_;
    random_source random_;
    rib<A> truth_;
    update_list<A> list_;
};

// Changes one route of a pool at a time: a withdrawn route is announced again, a present one is withdrawn or
// replaced, in the recorded proportion. In the long run, announcements balance withdrawals, and the share of
// replacements is 27 %, as recorded.
template <class A>
void update_maker<A>::churn(std::size_t count) {
    namespace r = recorded_churn;
    const std::size_t pool_size = std::max<std::size_t>(1, count * r::prefixes / r::updates);
    std::vector<route<A>> pool;
    std::set<prefix<A>> pool_prefixes;
    for (std::size_t i = 0; i < 4 * pool_size && pool.size() < std::min(pool_size, sorted_.size()); ++i)
        if (const route<A>& candidate = any_route(); pool_prefixes.insert(candidate.where).second)
            pool.push_back(candidate);
    while (list_.steps.size() < count) {
        route<A>& entry = pool[random_.below(pool.size())];
        if (truth_.get(entry.where) == next_hop::none) {
            if (random_.below(r::back_with_another_hop + r::back_with_its_hop) < r::back_with_another_hop)
                entry.hop = another_hop(entry.hop);
            step(entry.where, entry.hop);
        } else if (random_.below(r::withdrawn + r::replaced) < r::withdrawn) {
            step(entry.where, next_hop::none);
        } else {
            entry.hop = another_hop(entry.hop);
            step(entry.where, entry.hop);
        }
    }
}

// A route that the record withdraws first was in the recorded table, so it is added to this one.
template <class A>
void update_maker<A>::recorded(std::span<const route<A>> updates) {
    std::set<prefix<A>> known;
    for (const route<A>& u : updates)
        if (known.insert(u.where).second && u.hop == next_hop::none && truth_.get(u.where) == next_hop::none)
            give(u.where, another_hop(next_hop::none));
    for (const route<A>& u : updates)
        step(u.where, u.hop);
}

template <class A>
void update_maker<A>::short_prefix(unsigned length) {
    prefix<A> best{};
    std::size_t most = 0;
    for (std::size_t i = 0; i < sorted_.size();) {
        const prefix<A> block = prefix<A>::make(sorted_[i].where.base, length);
        std::size_t count = 0;
        for (; i < sorted_.size() && block.contains(sorted_[i].where.base); ++i)
            count += sorted_[i].where.length >= length ? 1 : 0;
        if (count > most) {
            best = block;
            most = count;
        }
    }
    if (most == 0)
        return;
    const change<A> withdrawal = truth_.describe(best, next_hop::none);
    step(best, withdrawal.after == next_hop::none ? another_hop(withdrawal.cover) : next_hop::none);
}

template <class A>
void update_maker<A>::default_route() {
    const prefix<A> default_prefix{};
    if (truth_.get(default_prefix) == next_hop::none)
        give(default_prefix, another_hop(next_hop::none));
    step(default_prefix, another_hop(truth_.get(default_prefix)));
}

// A route of that length, or of any length if there is none; if possible, one that is the match of some
// address.
template <class A>
void update_maker<A>::flap(unsigned length) {
    std::vector<route<A>> fit;
    std::copy_if(sorted_.begin(), sorted_.end(), std::back_inserter(fit),
                 [length](const route<A>& r) { return r.where.length == length; });
    if (fit.empty())
        fit.assign(sorted_.begin(), sorted_.end());
    if (fit.empty())
        return;
    route<A> chosen = fit[random_.below(fit.size())];
    for (int i = 0; i < tries && !is_visible(chosen); ++i)
        chosen = fit[random_.below(fit.size())];
    step(chosen.where, next_hop::none);
}

} // namespace

std::span<const update_facts> update_workloads() noexcept {
    return facts;
}

const update_facts* find_update_workload(std::string_view name) noexcept {
    const auto* const match =
        std::find_if(facts.begin(), facts.end(), [&](const auto& f) { return f.name == name; });
    return match == facts.end() ? nullptr : match;
}

template <class A>
expected<update_list<A>> make_updates(std::string_view workload, std::span<const route<A>> sorted,
                                      std::size_t count, std::uint64_t seed,
                                      std::span<const route<A>> recorded) {
    if (find_update_workload(workload) == nullptr)
        return unexpected{errc::invalid};
    update_maker<A> maker(sorted, seed);
    constexpr bool wide = A::bits > 32;
    if (workload == "churn" && !sorted.empty())
        maker.churn(count);
    else if (workload == "recorded")
        maker.recorded(recorded);
    else if (workload == "slash8")
        maker.short_prefix(wide ? 16 : 8);
    else if (workload == "default_route")
        maker.default_route();
    else if (workload == "flap48")
        maker.flap(wide ? 48 : 24);
    update_list<A> list = maker.take();
    if (list.steps.empty())
        return unexpected{errc::not_found};
    return list;
}

template expected<update_list<ipv4_address>> make_updates(std::string_view,
                                                          std::span<const route<ipv4_address>>, std::size_t,
                                                          std::uint64_t,
                                                          std::span<const route<ipv4_address>>);
template expected<update_list<ipv6_address>> make_updates(std::string_view,
                                                          std::span<const route<ipv6_address>>, std::size_t,
                                                          std::uint64_t,
                                                          std::span<const route<ipv6_address>>);

} // namespace fingerpost::bench
