// Definitions of table members except the one that finds schemes by name, for the library and for tests of
// other widths.
#pragma once

#include <memory>
#include <utility>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/table/core.hpp"
#include "fingerpost/table/table.hpp"
#include "fingerpost/table/transaction.inl.hpp"

namespace fingerpost {

namespace detail {

// Resolves policy::automatic. errc::unsupported if the scheme does not support the policy.
template <class A>
expected<policy> policy_for(const scheme_entry<A>& scheme, policy requested) noexcept {
    if (requested == policy::automatic)
        return scheme.patchable ? policy::left_right : policy::rebuild;
    if ((requested == policy::left_right && !scheme.patchable) ||
        (requested == policy::in_place && !scheme.patchable_in_place))
        return unexpected{errc::unsupported};
    return requested;
}

template <class A>
expected<core_setup<A>> setup_for(const scheme_choice<A>& choice, const table_options& options) {
    const scheme_entry<A>& scheme = *choice.scheme;
    const auto how = policy_for(scheme, choice.update.value_or(options.update));
    if (!how)
        return unexpected{how.error()};
    const auto build = *how == policy::in_place ? scheme.build_in_place : scheme.build;
    auto empty = build(routes<A>{}, options.build);
    if (!empty)
        return unexpected{empty.error()};
    return core_setup<A>{std::make_unique<fib_version<A>>(std::move(*empty)),
                         {nullptr, nullptr, &scheme, options.build, options.patience},
                         *how,
                         options.most_old_versions};
}

} // namespace detail

template <class... A>
table<A...>::table(owner<state> state) noexcept
    : family_table<A>(state->template core<A>())..., state_(std::move(state)) {}
template <class... A>
table<A...>::table(table&& other) noexcept = default;
template <class... A>
table<A...>& table<A...>::operator=(table&& other) noexcept = default;
template <class... A>
table<A...>::~table() = default;

template <class... A>
expected<table<A...>> table<A...>::create(const scheme_choice<A>&... schemes,
                                          const table_options& options) noexcept try {
    if (options.most_old_versions == 0)
        return unexpected{errc::invalid};
    const auto with = [&](expected<detail::core_setup<A>>... setups) -> expected<table> {
        errc failure = errc::ok;
        (void)((setups || (failure = setups.error(), false)) && ...);
        if (failure != errc::ok)
            return unexpected{failure};
        return table(owner(new state(std::move(*setups)..., options.publish_on_commit)));
    };
    return with(detail::setup_for(schemes, options)...);
} catch (...) {
    return unexpected{reason_of_exception()};
}

template <class A>
expected<std::vector<edit<A>>> family_table<A>::differences(std::vector<route<A>> routes,
                                                            replace_counts& counts) const {
    if (const auto ordered = put_in_order(routes); !ordered)
        return unexpected{ordered.error()};
    std::vector<edit<A>> edits;
    auto old = begin_routes();
    const auto remove = [&] {
        edits.push_back({(*old).where, next_hop::none});
        ++counts.removed;
        ++old;
    };
    for (const route<A>& r : routes) {
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

template <class... A>
expected<replace_counts> table<A...>::replace_all(std::vector<route<A>>... routes) noexcept try {
    replace_counts counts;
    const auto commit = [&](const expected<std::vector<edit<A>>>&... edits) -> expected<replace_counts> {
        errc failure = errc::ok;
        (void)((edits || (failure = edits.error(), false)) && ...);
        if (failure != errc::ok)
            return unexpected{failure};
        const auto result = state_->commit(detail::family_news<A>{*edits}..., false);
        if (!result)
            return unexpected{result.error()};
        counts.commit = *result;
        return counts;
    };
    return commit(family_table<A>::differences(std::move(routes), counts)...);
} catch (...) {
    return unexpected{reason_of_exception()};
}

template <class... A>
expected<reader<A...>> table<A...>::reader() noexcept {
    reader_line* const line = state_->readers().join();
    if (line == nullptr)
        return unexpected{errc::out_of_memory};
    return fingerpost::reader<A...>(state_->published(), *line);
}

template <class... A>
template <class F>
errc table<A...>::commit_one(const edit<F>& change) noexcept {
    if (change.hop == next_hop::none &&
        state_->template core<F>().truth().get(change.where) == next_hop::none)
        return errc::not_found;
    const auto news = [&change]<class B>(detail::family_news<B>) {
        detail::family_news<B> of;
        if constexpr (std::same_as<B, F>)
            of.edits = {&change, 1};
        return of;
    };
    const auto result = state_->commit(news(detail::family_news<A>{})..., false);
    return result ? errc::ok : result.error();
}

template <class... A>
expected<commit_result> table<A...>::assign(std::vector<route<A>>... loaded) noexcept {
    return state_->commit(detail::family_news<A>{{}, std::move(loaded)}..., true);
}
template <class... A>
template <class F>
expected<commit_result> table<A...>::finish_scheme(scheme_change<F>& built) noexcept {
    return state_->finish_scheme(built);
}
template <class... A>
expected<commit_result> table<A...>::publish() noexcept {
    return state_->commit(detail::family_news<A>{}..., true);
}
template <class... A>
std::size_t table<A...>::pending() const noexcept {
    return state_->pending();
}
template <class... A>
void table<A...>::reclaim() noexcept {
    state_->reclaim();
}
template <class... A>
stall table<A...>::stalled() const noexcept {
    stall held;
    (state_->template core<A>().out().count_held(held), ...);
    held.readers = state_->readers().behind(version());
    held.publications = version() - oldest_read();
    return held;
}
template <class... A>
std::uint64_t table<A...>::version() const noexcept {
    return state_->newest();
}
template <class... A>
std::uint64_t table<A...>::oldest_read() const noexcept {
    return state_->readers().oldest(0, version());
}
template <class... A>
bool table<A...>::is_read(std::uint64_t first, std::uint64_t last) const noexcept {
    return state_->readers().hold(first, last);
}

template <class... A>
table_memory table<A...>::memory() const noexcept {
    table_memory total;
    total.updates = state_->readers().memory_bytes();
    for (const table_memory& family : {of<A>().memory()...}) {
        total.rib += family.rib;
        total.fib += family.fib;
        total.old += family.old;
        total.updates += family.updates;
    }
    return total;
}

template <class A>
std::size_t family_table<A>::pending() const noexcept {
    return core_->pending();
}
template <class A>
table_memory family_table<A>::memory() const noexcept {
    return {core_->truth().memory_bytes(), newest_fib().memory_bytes(), core_->out().old_memory_bytes(),
            core_->update_memory_bytes()};
}
template <class A>
expected<scheme_change<A>> family_table<A>::begin_scheme(const scheme_entry<A>& scheme,
                                                         policy update) noexcept {
    const auto how = detail::policy_for(scheme, update);
    if (!how)
        return unexpected{how.error()};
    return core_->begin_scheme(scheme, *how);
}
template <class A>
errc family_table<A>::catch_up(scheme_change<A>& built) noexcept {
    return core_->catch_up(built);
}
template <class A>
const scheme_entry<A>& family_table<A>::scheme() const noexcept {
    return core_->scheme();
}
template <class A>
policy family_table<A>::update_policy() const noexcept {
    return core_->update_policy();
}

template <class A>
family_table<A>::rib_lock::rib_lock(const detail::table_core<A>& of) noexcept : core(of), truth(of.truth()) {
    core.lock().lock_shared();
}
template <class A>
family_table<A>::rib_lock::~rib_lock() {
    core.lock().unlock_shared();
}

template <class A>
std::size_t family_table<A>::size() const noexcept {
    return with_rib([](const rib<A>& r) { return r.size(); });
}
template <class A>
next_hop family_table<A>::get(prefix<A> p) const noexcept {
    return with_rib([p](const rib<A>& r) { return r.get(p); });
}
template <class A>
std::optional<route<A>> family_table<A>::cover(prefix<A> p) const noexcept {
    return with_rib([p](const rib<A>& r) { return r.cover(p); });
}
template <class A>
std::optional<route<A>> family_table<A>::match(A a) const noexcept {
    return with_rib([a](const rib<A>& r) { return r.match(a); });
}
template <class A>
std::vector<route<A>> family_table<A>::covering(prefix<A> p) const {
    return with_rib([p](const rib<A>& r) {
        std::vector<route<A>> covers;
        r.covering(p, [&](const route<A>& cover) { covers.push_back(cover); });
        return covers;
    });
}
template <class A>
std::vector<route<A>> family_table<A>::covered(prefix<A> p) const {
    return core_->copy_covered(p);
}

template <class A>
const any_fib<A>& family_table<A>::newest_fib() const noexcept {
    return *core_->out().newest().fib;
}
template <class A>
typename rib<A>::iterator family_table<A>::begin_routes() const noexcept {
    return core_->truth().begin();
}

} // namespace fingerpost
