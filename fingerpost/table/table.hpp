// The live table: a RIB that one thread changes, and FIBs in which any number of threads look up without
// ever waiting.
//
//      auto made = table<ipv6_address>::create();          one writer
//      made->announce(prefix, hop);
//
//      auto reader = made->reader();                       each reading thread
//      { auto now = reader->pin(); now.lookup(in, out); }  each batch
//
// Who may call what: reader() and the exact queries that say so, any thread; everything else one
// thread at a time, the writer. A change that fails has not happened. docs/inside/live_table.md is the guide.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <shared_mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/registry/registry.hpp"
#include "fingerpost/table/core.hpp"
#include "fingerpost/table/reader.hpp"
#include "fingerpost/table/transaction.hpp"

namespace fingerpost {

struct table_options {
    std::string_view scheme{}; // empty: the default one
    policy update = policy::automatic;
    build_options build{};
    // Replaced FIBs that are kept for readers which stall; with that many held, publication is deferred. Any
    // number but 0: it costs nothing before readers stall, and the largest puts nothing off.
    std::size_t most_old_versions = 4;
    // False: commits change the RIB only, and publish() brings all of them to the readers at once.
    bool publish_on_commit = true;
    // How long left-right waits for readers of its standby before it builds a third one. Without a value:
    // as long as building takes.
    std::optional<std::chrono::nanoseconds> patience{};
};

struct table_memory {
    std::size_t rib = 0;
    std::size_t fib = 0;     // the published one
    std::size_t old = 0;     // left-right's standby, and those that readers still hold
    std::size_t updates = 0; // what is still to be applied, and the readers' lines
    std::size_t total() const noexcept { return rib + fib + old + updates; }
};

// What replace_all() found.
struct replace_counts {
    std::size_t added = 0;
    std::size_t removed = 0;
    std::size_t replaced = 0; // same prefix, another next hop
    commit_result commit{};
};

template <class A>
class table {
  public:
    // An empty table. errc::not_found: no scheme of this name serves this width; errc::unsupported: the
    // scheme cannot be updated this way; errc::invalid: no old version at all may be kept.
    static expected<table> create(const table_options& options = {}) noexcept;
    // The same for a scheme that need not be in the registry. The entry must outlive the table;
    // `options.scheme` is not looked at.
    static expected<table> create(const scheme_entry<A>& scheme, const table_options& options = {}) noexcept;

    // A reader for the calling thread or any other; errc::out_of_memory.
    expected<fingerpost::reader<A>> reader() noexcept {
        reader_line* const line = core_->out().readers().join();
        if (line == nullptr)
            return unexpected{errc::out_of_memory};
        return fingerpost::reader<A>(core_->out(), *line);
    }

    // Each a transaction of its own. Ok also when publication is deferred; see pending().
    [[nodiscard]] errc announce(prefix<A> p, next_hop hop) noexcept {
        if (hop == next_hop::none || p.length > A::bits)
            return errc::invalid;
        return commit_one({prefix<A>::make(p.base, p.length), hop});
    }
    [[nodiscard]] errc withdraw(prefix<A> p) noexcept {
        if (p.length > A::bits)
            return errc::invalid;
        if (core_->truth().get(p) == next_hop::none)
            return errc::not_found;
        return commit_one({prefix<A>::make(p.base, p.length), next_hop::none});
    }
    transaction<A> begin() noexcept { return transaction<A>(*core_); }

    // The whole table anew, in any order, of equal prefixes the last one: built beside the old one, then
    // published as one.
    [[nodiscard]] expected<commit_result> assign(std::vector<route<A>> loaded) noexcept {
        return core_->assign(std::move(loaded));
    }
    // The same as one transaction of what differs; a table that does not differ publishes nothing.
    [[nodiscard]] expected<replace_counts> replace_all(std::vector<route<A>> wanted) noexcept;

    // Tries again what was deferred, and publishes what commits were told not to.
    [[nodiscard]] expected<commit_result> publish() noexcept { return core_->publish(); }
    // Prefixes, at least, that readers do not see as the RIB has them.
    std::size_t pending() const noexcept { return core_->pending(); }
    // Frees old versions that no reader holds any more, as every commit does, and memory that the RIB does
    // not use any more, as large commits do.
    void reclaim() noexcept { core_->reclaim(); }
    // By the writer's thread.
    stall stalled() const noexcept { return core_->out().stalled(); }
    std::uint64_t version() const noexcept { return core_->out().version(); }

    table_memory memory() const noexcept {
        return {core_->truth().memory_bytes(), core_->out().newest().fib->memory_bytes(),
                core_->out().old_memory_bytes(), core_->update_memory_bytes()};
    }
    std::size_t memory_bytes() const noexcept { return memory().total(); }
    const scheme_entry<A>& scheme() const noexcept { return *scheme_; }
    policy update_policy() const noexcept { return how_; }

    // Exact queries on what has been committed, published or not, by any thread. They take a lock that
    // readers never touch, and that the writer holds only while it changes the RIB. It is fair: however many
    // threads ask, the writer waits for one question of each at most.
    std::size_t size() const {
        return with_rib([](const rib<A>& r) { return r.size(); });
    }
    next_hop get(prefix<A> p) const {
        return with_rib([p](const rib<A>& r) { return r.get(p); });
    }
    std::optional<route<A>> cover(prefix<A> p) const {
        return with_rib([p](const rib<A>& r) { return r.cover(p); });
    }
    std::optional<route<A>> match(A a) const {
        return with_rib([a](const rib<A>& r) { return r.match(a); });
    }
    // Shortest first.
    std::vector<route<A>> covering(prefix<A> p) const {
        return with_rib([p](const rib<A>& r) {
            std::vector<route<A>> found;
            r.covering(p, [&](const route<A>& one) { found.push_back(one); });
            return found;
        });
    }
    // In prefix order, its own among them, as they were at one moment of the call. A copy of a large table
    // does not hold the writer up, see walks.hpp. Throws std::bad_alloc.
    std::vector<route<A>> covered(prefix<A> p) const { return core_->copy_covered(p); }
    std::vector<route<A>> copy_routes() const { return covered(prefix<A>{}); }
    // ask(rib) with the RIB held still. The writer waits that long, so be brief: for a walk through a large
    // table take copy_routes(). `ask` must not call the table.
    template <class F>
    decltype(auto) with_rib(F ask) const {
        const std::shared_lock guard(core_->lock());
        return ask(core_->truth());
    }
    // All routes in prefix order, without the lock: for the writer's thread. A change ends the iteration.
    typename rib<A>::iterator begin_routes() const noexcept { return core_->truth().begin(); }
    std::default_sentinel_t end_routes() const noexcept { return {}; }

  private:
    table(std::unique_ptr<detail::table_core<A>> core, const scheme_entry<A>& scheme, policy how)
        : core_(std::move(core)), scheme_(&scheme), how_(how) {}

    errc commit_one(const edit<A>& one) noexcept {
        const auto done = core_->commit({&one, 1});
        return done ? errc::ok : done.error();
    }

    std::unique_ptr<detail::table_core<A>> core_;
    const scheme_entry<A>* scheme_;
    policy how_;
};

template <class A>
expected<table<A>> table<A>::create(const table_options& options) noexcept {
    const scheme_entry<A>* const scheme =
        options.scheme.empty() ? &default_scheme<A>() : find_scheme<A>(options.scheme);
    if (scheme == nullptr)
        return unexpected{errc::not_found};
    return create(*scheme, options);
}

template <class A>
expected<table<A>> table<A>::create(const scheme_entry<A>& scheme, const table_options& options) noexcept
    try {
    policy how = options.update;
    if (how == policy::automatic)
        how = scheme.patchable ? policy::left_right : policy::rebuild;
    if ((how == policy::left_right && !scheme.patchable) ||
        (how == policy::in_place && !scheme.patchable_in_place))
        return unexpected{errc::unsupported};
    if (options.most_old_versions == 0)
        return unexpected{errc::invalid};
    const auto build = how == policy::in_place ? scheme.build_in_place : scheme.build;
    auto empty = build(routes<A>{}, options.build);
    if (!empty)
        return unexpected{empty.error()};
    const detail::update_context<A> on{nullptr, nullptr, &scheme, options.build, options.patience};
    return table(std::make_unique<detail::table_core<A>>(std::make_unique<fib_version<A>>(std::move(*empty)),
                                                         options.most_old_versions, on, how,
                                                         options.publish_on_commit),
                 scheme, how);
} catch (...) {
    return unexpected{reason_of_exception()};
}

template <class A>
expected<replace_counts> table<A>::replace_all(std::vector<route<A>> wanted) noexcept try {
    if (const auto ordered = put_in_order(wanted); !ordered)
        return unexpected{ordered.error()};
    replace_counts counts;
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
    const auto done = core_->commit(edits);
    if (!done)
        return unexpected{done.error()};
    counts.commit = *done;
    return counts;
} catch (...) {
    return unexpected{reason_of_exception()};
}

using ipv4_table = table<ipv4_address>;
using ipv6_table = table<ipv6_address>;

// Compiled once, in the library.
extern template class detail::table_core<ipv4_address>;
extern template class detail::table_core<ipv6_address>;
extern template class transaction<ipv4_address>;
extern template class transaction<ipv6_address>;
extern template class table<ipv4_address>;
extern template class table<ipv6_address>;

} // namespace fingerpost
