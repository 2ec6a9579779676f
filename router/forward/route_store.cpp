// Collects changes of routes and applies them to the live table.
#include "router/forward/route_store.hpp"

#include <algorithm>
#include <utility>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/base/xxh64.hpp"

namespace fingerpost::router {

template <class A>
std::size_t route_store<A>::hash_of_prefix::operator()(const prefix<A>& p) const noexcept {
    const std::uint64_t words[3] = {top64(p.base), bottom64(p.base), p.length};
    return xxh64(std::as_bytes(std::span(words)));
}

template <class A>
void route_store<A>::announce(const prefix<A>& where, const route_target& to) noexcept {
    ++counts_.announced;
    const errc done = or_reason([&] {
        note_reported(where);
        if (own_.contains(where))
            hidden_.insert_or_assign(where, to);
        else
            put(where, to);
        return errc::ok;
    });
    if (done != errc::ok)
        ++counts_.refused;
}

template <class A>
void route_store<A>::withdraw(const prefix<A>& where) noexcept {
    ++counts_.withdrawn;
    const errc done = or_reason([&] {
        note_reported(where);
        if (own_.contains(where))
            hidden_.erase(where);
        else
            remove(where);
        return errc::ok;
    });
    if (done != errc::ok)
        ++counts_.refused;
}

template <class A>
void route_store<A>::note_reported(const prefix<A>& where) {
    if (!refreshing_ || !reported_.insert(where).second)
        return;
    const bool was_there =
        own_.contains(where) ? hidden_.contains(where) : routes_->get(where) != next_hop::none;
    if (was_there && stale_.left != 0)
        --stale_.left;
}

template <class A>
void route_store<A>::put(const prefix<A>& where, const route_target& to) noexcept {
    const auto number = hops_->hold(to, vrf_);
    if (!number) {
        ++counts_.refused;
        return;
    }
    if (or_reason([&] {
            changes_.push_back({where, {*number}});
            return errc::ok;
        }) != errc::ok) {
        hops_->release(*number);
        ++counts_.refused;
    }
}

template <class A>
void route_store<A>::remove(const prefix<A>& where) {
    changes_.push_back({where, next_hop::none});
}

template <class A>
void route_store<A>::begin_refresh() noexcept {
    refreshing_ = true;
    reported_.clear();
    const std::size_t count = routes_->size() + hidden_.size();
    stale_.former = stale_.left = count - std::min(count, own_.size());
}

template <class A>
bool route_store<A>::sweep() noexcept {
    if (!std::exchange(refreshing_, false))
        return false;
    const auto reported = std::exchange(reported_, {});
    stale_ = {};
    const errc done = or_reason([&] {
        for (auto at = routes_->begin_routes(); at != routes_->end_routes(); ++at) {
            const prefix<A> where = (*at).where;
            if (!reported.contains(where) && !own_.contains(where)) {
                remove(where);
                ++counts_.swept;
            }
        }
        counts_.swept +=
            std::erase_if(hidden_, [&](const auto& route) { return !reported.contains(route.first); });
        return errc::ok;
    });
    if (done != errc::ok)
        ++counts_.refused;
    return true;
}

template <class A>
void route_store<A>::set_own(const std::vector<std::pair<prefix<A>, destination>>& routes) noexcept {
    const errc done = or_reason([&] {
        std::map<prefix<A>, destination> target;
        for (const auto& [where, to] : routes)
            target.emplace(where, to);
        for (const auto& [where, to] : own_)
            if (!target.contains(where)) {
                if (const auto hidden = hidden_.find(where); hidden != hidden_.end()) {
                    put(where, hidden->second);
                    hidden_.erase(hidden);
                } else {
                    remove(where);
                }
            }
        for (const auto& [where, to] : target)
            if (const auto before = own_.find(where); before == own_.end() || before->second != to)
                put(where, to);
        own_ = std::move(target);
        return errc::ok;
    });
    if (done != errc::ok)
        ++counts_.refused;
}

template <class A>
void route_store<A>::coalesce() {
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const change& a, const change& b) { return a.where < b.where; });
    auto out = changes_.begin();
    for (auto at = changes_.begin(); at != changes_.end(); ++at) {
        const auto next = std::next(at);
        if (next != changes_.end() && next->where == at->where) {
            if (at->hop != next_hop::none)
                hops_->release(at->hop.id);
            continue;
        }
        *out++ = *at;
    }
    changes_.erase(out, changes_.end());
}

template <class A>
errc route_store<A>::stage(ip_transaction& to) noexcept {
    return or_reason([&] {
        coalesce();
        std::vector<edit<A>> edits;
        edits.reserve(changes_.size());
        replaced_.clear();
        replaced_.reserve(changes_.size());
        for (const change& pending : changes_) {
            const next_hop before = routes_->get(pending.where);
            if (before != next_hop::none)
                replaced_.push_back(before.id);
            if (before != pending.hop)
                edits.push_back({pending.where, pending.hop});
        }
        unlinked_.reserve(unlinked_.size() + replaced_.size());
        return to.change(edits).failure;
    });
}

template <class A>
void route_store<A>::committed(bool succeeded) noexcept {
    if (changes_.empty())
        return;
    ++counts_.commits;
    if (!succeeded) {
        ++counts_.failed_commits;
        return;
    }
    unlinked_.insert(unlinked_.end(), replaced_.begin(), replaced_.end());
    changes_.clear();
}

// A number may only be released when no version, published or pending, contains it.
template <class A>
void route_store<A>::let_go() noexcept {
    if (table_->pending() != 0)
        return;
    for (const std::uint32_t number : unlinked_)
        hops_->release(number);
    unlinked_.clear();
}

template class route_store<ipv4_address>;
template class route_store<ipv6_address>;

} // namespace fingerpost::router
