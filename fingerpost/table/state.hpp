// State shared by a table, its transactions and its readers: the versions, and a core for each family.
//
// All families change together. A commit changes the RIBs and creates all FIBs before readers get any of
// them. If the FIB of one family must wait for readers, the other families wait too.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <new>
#include <utility>

#include "fingerpost/table/core.hpp"

namespace fingerpost::detail {

template <class A>
struct core_slot {
    table_core<A> core;
};

template <class... A>
class table_state : versions<A...>, core_slot<A>... {
    using all_versions = versions<A...>;

  public:
    // Throws std::bad_alloc.
    table_state(core_setup<A>... setups, bool publish_on_commit)
        : core_slot<A>{table_core<A>(std::move(setups), this->readers(),
                                     this->published().version_word())}...,
          publish_on_commit_(publish_on_commit) {
        if (!this->make_room())
            throw std::bad_alloc();
        this->show_versions();
    }
    ~table_state() { assert(this->readers().size() == 0 && "a table outlives its readers"); }

    using all_versions::newest;
    using all_versions::published;
    using all_versions::readers;
    template <class F>
    table_core<F>& core() noexcept {
        return static_cast<core_slot<F>&>(*this).core;
    }
    template <class F>
    const table_core<F>& core() const noexcept {
        return static_cast<const core_slot<F>&>(*this).core;
    }

    // On failure neither the RIBs nor the readers' view have changed. Retries deferred changes. `publishes`:
    // publishes even if commits wait for publish().
    expected<commit_result> commit(family_news<A>... news, bool publishes) noexcept {
        // Readers immediately see the patches of an in-place family, so they may have to be undone.
        constexpr bool undoable = sizeof...(A) > 1;
        errc failure = errc::ok;
        (void)(((failure = core<A>().make(news, undoable)) == errc::ok) && ...);
        if (failure == errc::ok)
            failure = get_ready<void>(publishes || publish_on_commit_);
        return show(failure);
    }
    template <class F>
    expected<commit_result> finish_scheme(scheme_change<F>& with) noexcept {
        errc failure = core<F>().catch_up(with);
        if (failure == errc::ok)
            failure = get_ready<F>(true);
        if (failure != errc::ok)
            return show(failure);
        const bool waits =
            !core<F>().can_take_over() || ((!std::same_as<A, F> && waits_for_readers<A>()) || ...);
        if (waits)
            core<F>().wait();
        else if (this->make_room())
            core<F>().take_over(with);
        else
            failure = errc::out_of_memory;
        return show(failure);
    }
    void reclaim() noexcept { (core<A>().reclaim(), ...); }
    std::size_t pending() const noexcept { return (core<A>().pending() + ...); }

  private:
    template <class F>
    bool waits_for_readers() const noexcept {
        return core<F>().state() == publish_state::deferred;
    }
    // For all families except `Without`. Families that are patched in place come last, because readers see
    // them immediately.
    template <class Without>
    errc get_ready(bool publishes) noexcept {
        errc failure = errc::ok;
        const auto prepare = [&]<class F>(table_core<F>& of, bool in_place) {
            if (!std::same_as<F, Without> && failure == errc::ok && of.is_in_place() == in_place)
                failure = of.get_ready(publishes);
        };
        (prepare(core<A>(), false), ...);
        (prepare(core<A>(), true), ...);
        return failure;
    }
    // Ends a commit: publishes the prepared FIBs, or undoes everything after a failure.
    expected<commit_result> show(errc failure) noexcept {
        commit_result result;
        if (failure == errc::ok) {
            const bool waits = (waits_for_readers<A>() || ...);
            const bool shows = ((core<A>().state() == publish_state::published) || ...);
            result.state = waits ? publish_state::deferred : shows ? publish_state::published : result.state;
            if (result.state == publish_state::published && !this->make_room())
                failure = errc::out_of_memory;
        }
        if (failure != errc::ok) {
            (core<A>().take_back(), ...);
            return unexpected{failure};
        }
        if (result.state == publish_state::deferred)
            (core<A>().hold_back(), ...);
        else if (result.state == publish_state::published)
            ((unsigned{core<A>().stage()} | ...) != 0) ? show_versions() : this->show_same();
        result.changes = (core<A>().shown() + ...);
        result.version = newest();
        return result;
    }
    void show_versions() noexcept { all_versions::show(*core<A>().out().newest().fib...); }

    bool publish_on_commit_;
};

} // namespace fingerpost::detail
