// Updates the tables with reports of the sources and the kernel.
#include "router/forward/forwarding.hpp"

#include <utility>

#include "fingerpost/base/reason.hpp"

namespace fingerpost::router {

expected<std::unique_ptr<forwarding>> forwarding::create(const forwarding_options& options,
                                                         grace_clock& clock) noexcept try {
    if (!is_scheme(options.scheme))
        return unexpected{errc::not_found};
    auto old = std::make_unique<reclaimer>(clock);
    auto neighbours = neighbour_table::create(options.most_neighbours, *old);
    if (!neighbours)
        return unexpected{neighbours.error()};
    std::unique_ptr<forwarding> created(new forwarding(options, std::move(old), std::move(*neighbours)));
    for (std::size_t i = 0; i < options.vrfs.size(); ++i) {
        auto routes =
            vrf_routes::create(static_cast<vrf_number>(i),
                               {options.scheme, options.ipv4_scheme, options.ipv6_scheme}, created->hops_);
        if (!routes)
            return unexpected{routes.error()};
        created->vrfs_.push_back(std::move(*routes));
    }
    created->map_.publish(vrf_map_of(created->links_));
    return created;
} catch (...) {
    return unexpected{reason_of_exception()};
}

forwarding::forwarding(const forwarding_options& options, std::unique_ptr<reclaimer> old,
                       neighbour_table neighbours)
    : old_(std::move(old)), numbers_(options.most_next_hops, *old_), links_(options.taps, options.vrfs),
      hops_(links_, numbers_, *old_), neighbours_(std::move(neighbours)), map_(*old_),
      scheme_(options.scheme) {
    links_.on_change([this] { follow_links(); });
}

forwarding_view forwarding::view() {
    forwarding_view view{&vrfs_[0]->table(), &numbers_, &neighbours_, {}, &map_};
    for (std::size_t i = 1; i < vrfs_.size(); ++i)
        view.others.push_back(&vrfs_[i]->table());
    return view;
}

void forwarding::announce(vrf_number vrf, const any_prefix& where, const route_target& to) noexcept {
    if (const auto* const group = std::get_if<group_id>(&to))
        vrfs_[vrf]->announce(where, group_id{group->id, source_});
    else
        vrfs_[vrf]->announce(where, to);
}

void forwarding::withdraw(vrf_number vrf, const any_prefix& where) noexcept {
    vrfs_[vrf]->withdraw(where);
}

void forwarding::set_group(group_id group, const destination& to) noexcept {
    if (hops_.set_group({group.id, source_}, to) != errc::ok)
        ++refused_groups_;
}

void forwarding::remove_group(group_id group) noexcept {
    hops_.remove_group({group.id, source_});
}

void forwarding::begin_refresh() noexcept {
    for (const auto& vrf : vrfs_)
        vrf->begin_refresh();
}

void forwarding::sweep() noexcept {
    for (const auto& vrf : vrfs_)
        vrf->sweep();
    has_swept_ = true;
}

expected<scheme_exchange> forwarding::begin_scheme(const std::string& name) noexcept try {
    if (!is_scheme(name))
        return unexpected{errc::not_found};
    scheme_exchange exchange{name, {}};
    for (const auto& vrf : vrfs_) {
        auto next = vrf->begin_scheme(name);
        if (!next)
            return unexpected{next.error()};
        exchange.vrfs.push_back(std::move(*next));
    }
    return exchange;
} catch (...) {
    return unexpected{reason_of_exception()};
}

// All tables are brought up to date first, because this can fail. After that, only stalled readers can cause
// an error.
errc forwarding::finish_scheme(scheme_exchange& built) noexcept {
    for (std::size_t i = 0; i < vrfs_.size(); ++i)
        if (const errc failed = vrfs_[i]->catch_up(built.vrfs[i]); failed != errc::ok)
            return failed;
    for (std::size_t i = 0; i < vrfs_.size(); ++i)
        if (const errc failed = vrfs_[i]->finish_scheme(built.vrfs[i]); failed != errc::ok)
            return failed;
    scheme_ = std::move(built.scheme);
    poll();
    return errc::ok;
}

stale_routes forwarding::stale() const noexcept {
    stale_routes total;
    for (const auto& vrf : vrfs_) {
        const stale_routes count = vrf->stale();
        total.ipv4.former += count.ipv4.former;
        total.ipv4.left += count.ipv4.left;
        total.ipv6.former += count.ipv6.former;
        total.ipv6.left += count.ipv6.left;
    }
    return total;
}

void forwarding::commit() noexcept {
    bool is_published = true;
    for (const auto& vrf : vrfs_)
        is_published = vrf->commit() && is_published;
    // Groups of former sources can go once no published route refers to them.
    if (has_swept_ && is_published) {
        hops_.keep_groups_of(source_);
        has_swept_ = false;
    }
    old_->poll();
}

void forwarding::poll() noexcept {
    for (const auto& vrf : vrfs_)
        vrf->poll();
    old_->poll();
}

void forwarding::follow_links() noexcept {
    hops_.refresh();
    // Without memory the tables stay as they are until the kernel's next report.
    (void)or_reason([&] {
        follow_neighbours();
        follow_addresses();
        if (links_changed_)
            links_changed_();
        return errc::ok;
    });
    commit();
}

void forwarding::follow_neighbours() {
    std::map<neighbour_key, std::uint32_t> resolved;
    links_.each_neighbour([&](const neighbour& entry) {
        if (entry.state == neighbour_state::resolved && links_.find_egress(entry.interface))
            resolved.emplace(neighbour_key{entry.interface, entry.address}, 0);
    });
    for (auto at = known_neighbours_.begin(); at != known_neighbours_.end();) {
        if (const auto still = resolved.find(at->first); still != resolved.end()) {
            resolved.erase(still);
            ++at;
            continue;
        }
        neighbours_.remove(at->first.interface, at->first.address,
                           [this, number = at->second] { hops_.release(number); });
        at = known_neighbours_.erase(at);
    }
    for (const auto& [key, unset] : resolved) {
        const auto number = hops_.hold(destination{action::forward, {path{key.address, key.interface, 1}}});
        if (!number)
            continue;
        if (neighbours_.set(key.interface, key.address, *number) == errc::ok)
            known_neighbours_.emplace(key, *number);
        else
            hops_.release(*number);
    }
}

void forwarding::follow_addresses() {
    for (const auto& vrf : vrfs_)
        vrf->follow_addresses(links_);
    if (vrf_map map = vrf_map_of(links_); map != map_.get())
        map_.publish(std::move(map));
}

} // namespace fingerpost::router
