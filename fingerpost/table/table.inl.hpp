// The bodies of table<A> but for the one that looks schemes up by name, for the library and for tests of
// other widths.
#pragma once

#include <memory>
#include <utility>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/table/core.hpp"
#include "fingerpost/table/table.hpp"
#include "fingerpost/table/transaction.inl.hpp"

namespace fingerpost {

template <class A>
table<A>::table(owner<detail::table_core<A>> core, const scheme_entry<A>& scheme, policy how) noexcept
    : core_(std::move(core)), scheme_(&scheme), how_(how) {}
template <class A>
table<A>::table(table&& other) noexcept = default;
template <class A>
table<A>& table<A>::operator=(table&& other) noexcept = default;
template <class A>
table<A>::~table() = default;

namespace detail {

// The policy that is meant; errc::unsupported if the scheme cannot be updated so.
template <class A>
expected<policy> policy_for(const scheme_entry<A>& scheme, policy wanted) noexcept {
    if (wanted == policy::automatic)
        return scheme.patchable ? policy::left_right : policy::rebuild;
    if ((wanted == policy::left_right && !scheme.patchable) ||
        (wanted == policy::in_place && !scheme.patchable_in_place))
        return unexpected{errc::unsupported};
    return wanted;
}

} // namespace detail

template <class A>
expected<table<A>> table<A>::create(const scheme_entry<A>& scheme, const table_options& options) noexcept
    try {
    const auto chosen = detail::policy_for(scheme, options.update);
    if (!chosen)
        return unexpected{chosen.error()};
    const policy how = *chosen;
    if (options.most_old_versions == 0)
        return unexpected{errc::invalid};
    const auto build = how == policy::in_place ? scheme.build_in_place : scheme.build;
    auto empty = build(routes<A>{}, options.build);
    if (!empty)
        return unexpected{empty.error()};
    const detail::update_context<A> on{nullptr, nullptr, &scheme, options.build, options.patience};
    return table(
        owner(new detail::table_core<A>(std::make_unique<fib_version<A>>(std::move(*empty)),
                                        options.most_old_versions, on, how, options.publish_on_commit)),
        scheme, how);
} catch (...) {
    return unexpected{reason_of_exception()};
}

template <class A>
expected<std::vector<edit<A>>> table<A>::differences(std::vector<route<A>> wanted,
                                                     replace_counts& counts) const {
    if (const auto ordered = put_in_order(wanted); !ordered)
        return unexpected{ordered.error()};
    std::vector<edit<A>> edits;
    auto old = begin_routes();
    const auto remove = [&] {
        edits.push_back({(*old).where, next_hop::none});
        ++counts.removed;
        ++old;
    };
    for (const route<A>& r : wanted) {
        while (old != end_routes() && (*old).where < r.where)
            remove();
        const bool known = old != end_routes() && (*old).where == r.where;
        if (!known || (*old).hop != r.hop) {
            edits.push_back({r.where, r.hop});
            ++(known ? counts.replaced : counts.added);
        }
        if (known)
            ++old;
    }
    while (old != end_routes())
        remove();
    return edits;
}

template <class A>
expected<replace_counts> table<A>::replace_all(std::vector<route<A>> wanted) noexcept try {
    replace_counts counts;
    const auto edits = differences(std::move(wanted), counts);
    if (!edits)
        return unexpected{edits.error()};
    const auto done = core_->commit(*edits);
    if (!done)
        return unexpected{done.error()};
    counts.commit = *done;
    return counts;
} catch (...) {
    return unexpected{reason_of_exception()};
}

template <class A>
expected<reader<A>> table<A>::reader() noexcept {
    reader_line* const line = core_->out().readers().join();
    if (line == nullptr)
        return unexpected{errc::out_of_memory};
    return fingerpost::reader<A>(core_->out().published(), *line);
}

template <class A>
errc table<A>::announce(prefix<A> p, next_hop hop) noexcept {
    if (hop == next_hop::none || p.length > A::bits)
        return errc::invalid;
    return commit_one({prefix<A>::make(p.base, p.length), hop});
}

template <class A>
errc table<A>::withdraw(prefix<A> p) noexcept {
    if (p.length > A::bits)
        return errc::invalid;
    if (core_->truth().get(p) == next_hop::none)
        return errc::not_found;
    return commit_one({prefix<A>::make(p.base, p.length), next_hop::none});
}

template <class A>
errc table<A>::commit_one(const edit<A>& one) noexcept {
    const auto done = core_->commit({&one, 1});
    return done ? errc::ok : done.error();
}

template <class A>
expected<commit_result> table<A>::assign(std::vector<route<A>> loaded) noexcept {
    return core_->assign(std::move(loaded));
}
template <class A>
expected<scheme_change<A>> table<A>::begin_scheme(const scheme_entry<A>& scheme, policy update) noexcept {
    const auto how = detail::policy_for(scheme, update);
    if (!how)
        return unexpected{how.error()};
    return core_->begin_scheme(scheme, *how);
}
template <class A>
errc table<A>::catch_up(scheme_change<A>& built) noexcept {
    return core_->catch_up(built);
}
template <class A>
expected<commit_result> table<A>::finish_scheme(scheme_change<A>& built) noexcept {
    const auto done = core_->finish_scheme(built);
    if (done && done->state == publish_state::published) {
        scheme_ = built.scheme_;
        how_ = built.how_;
    }
    return done;
}
template <class A>
expected<commit_result> table<A>::publish() noexcept {
    return core_->publish();
}
template <class A>
std::size_t table<A>::pending() const noexcept {
    return core_->pending();
}
template <class A>
void table<A>::reclaim() noexcept {
    core_->reclaim();
}
template <class A>
stall table<A>::stalled() const noexcept {
    return core_->out().stalled();
}
template <class A>
std::uint64_t table<A>::version() const noexcept {
    return core_->out().version();
}

template <class A>
std::uint64_t table<A>::oldest_read() const noexcept {
    return core_->out().readers().oldest(0, version());
}
template <class A>
bool table<A>::is_read(std::uint64_t first, std::uint64_t last) const noexcept {
    return core_->out().readers().hold(first, last);
}

template <class A>
table_memory table<A>::memory() const noexcept {
    return {core_->truth().memory_bytes(), core_->out().newest().fib->memory_bytes(),
            core_->out().old_memory_bytes(), core_->update_memory_bytes()};
}

template <class A>
table<A>::rib_lock::rib_lock(const detail::table_core<A>& of) noexcept : core(of), truth(of.truth()) {
    core.lock().lock_shared();
}
template <class A>
table<A>::rib_lock::~rib_lock() {
    core.lock().unlock_shared();
}

template <class A>
std::size_t table<A>::size() const noexcept {
    return with_rib([](const rib<A>& r) { return r.size(); });
}
template <class A>
next_hop table<A>::get(prefix<A> p) const noexcept {
    return with_rib([p](const rib<A>& r) { return r.get(p); });
}
template <class A>
std::optional<route<A>> table<A>::cover(prefix<A> p) const noexcept {
    return with_rib([p](const rib<A>& r) { return r.cover(p); });
}
template <class A>
std::optional<route<A>> table<A>::match(A a) const noexcept {
    return with_rib([a](const rib<A>& r) { return r.match(a); });
}
template <class A>
std::vector<route<A>> table<A>::covering(prefix<A> p) const {
    return with_rib([p](const rib<A>& r) {
        std::vector<route<A>> found;
        r.covering(p, [&](const route<A>& one) { found.push_back(one); });
        return found;
    });
}
template <class A>
std::vector<route<A>> table<A>::covered(prefix<A> p) const {
    return core_->copy_covered(p);
}

template <class A>
const any_fib<A>& table<A>::newest_fib() const noexcept {
    return *core_->out().newest().fib;
}
template <class A>
typename rib<A>::iterator table<A>::begin_routes() const noexcept {
    return core_->truth().begin();
}

} // namespace fingerpost
