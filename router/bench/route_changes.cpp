// Changes routes like a router's control thread.
#include "router/bench/route_changes.hpp"

#include <rte_pause.h>

namespace fingerpost::bench {

template <class A>
void route_changes<A>::change_one() {
    // The /0 stays, so that every packet is forwarded.
    const std::size_t i = 1 + random_() % std::max<std::size_t>(routes_.size() - 1, 1);
    if (i >= routes_.size())
        return;
    const prefix<A>& where = routes_[i].where;
    const std::uint64_t draw = random_();
    if (!withdrawn_[i] && draw % 4 == 0) {
        tables_->withdraw(where);
        withdrawn_[i] = true;
        return;
    }
    tables_->announce(where, way_to<A>(static_cast<std::uint32_t>((draw >> 8) % gateways_)));
    withdrawn_[i] = false;
}

template <class A>
change_counts route_changes<A>::change(std::chrono::nanoseconds time, double rate, unsigned burst) {
    const auto start = clock::now();
    const auto between =
        std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(burst / rate));
    change_counts counts;
    for (auto next = start; next < start + time; next += between) {
        while (clock::now() < next)
            rte_pause();
        for (unsigned i = 0; i < burst; ++i)
            change_one();
        tables_->commit();
        tables_->poll();
        counts.changes += burst;
        if (clock::now() >= start + time)
            break;
    }
    counts.seconds = std::chrono::duration<double>(clock::now() - start).count();
    return counts;
}

template <class A>
void route_changes<A>::replace_one(std::uint32_t turn) {
    tables_->begin_refresh();
    for (const route<A>& entry : routes_)
        tables_->announce(entry.where, way_to<A>((entry.hop.id + turn) % gateways_));
    tables_->sweep();
    tables_->commit();
    tables_->poll();
    withdrawn_.assign(routes_.size(), false);
}

template <class A>
change_counts route_changes<A>::replace(std::chrono::nanoseconds time) {
    const auto start = clock::now();
    change_counts counts;
    do {
        replace_one(++turns_);
        ++counts.tables;
    } while (clock::now() < start + time);
    counts.seconds = std::chrono::duration<double>(clock::now() - start).count();
    return counts;
}

template <class A>
void route_changes<A>::restore() {
    turns_ = 0;
    replace_one(0);
    // A data thread that the system has interrupted delays the last change.
    const router::forwarding_view view = tables_->view();
    const auto end = clock::now() + std::chrono::seconds(5);
    while (view.routes->pending() != 0 && clock::now() < end) {
        rte_pause();
        tables_->poll();
    }
}

template class route_changes<ipv4_address>;
template class route_changes<ipv6_address>;

} // namespace fingerpost::bench
