// The live table: a RIB that one thread changes, and FIBs in which any number of threads look up without ever
// waiting.
//
//      auto made = table<ipv6_address>::create();          one writer
//      made->announce(prefix, hop);
//
//      auto reader = made->reader();                       each reading thread
//      { auto now = reader->pin(); now.lookup(in, out); }  each batch
//
// Any thread may call reader() and the exact queries that say so, also while the writer changes the table.
// The rest is for the writer, one thread at a time; any number of threads may call what is const while none
// changes the table. A call that fails has changed nothing. Guide: docs/inside/live_table.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fingerpost/base/owner.hpp"
#include "fingerpost/fib/scheme_entry.hpp"
#include "fingerpost/rib/rib.hpp"
#include "fingerpost/table/reader.hpp"
#include "fingerpost/table/scheme_change.hpp"
#include "fingerpost/table/table_options.hpp"
#include "fingerpost/table/transaction.hpp"

namespace fingerpost {

template <class A>
class table {
  public:
    // An empty table. errc::not_found: no scheme of this name serves this width; errc::unsupported: the
    // scheme cannot be updated this way; errc::invalid: most_old_versions is 0; errc::out_of_memory.
    static expected<table> create(const table_options& options = {}) noexcept;
    // The same for a scheme that need not be in the registry; `options.scheme` is ignored. The entry must
    // outlive the table. Links that scheme alone, where the other create() links all of them.
    static expected<table> create(const scheme_entry<A>& scheme, const table_options& options = {}) noexcept;
    table(table&& other) noexcept;
    table& operator=(table&& other) noexcept;
    ~table();

    // A reader for the calling thread or another one; errc::out_of_memory.
    expected<fingerpost::reader<A>> reader() noexcept;

    // Each is a transaction of its own, with the errors of transaction. Also ok if publication is deferred;
    // see pending().
    [[nodiscard]] errc announce(prefix<A> p, next_hop hop) noexcept;
    [[nodiscard]] errc withdraw(prefix<A> p) noexcept;
    transaction<A> begin() noexcept { return transaction<A>(*core_); }

    // Replaces the whole table. Order does not matter; of equal prefixes the last counts. Builds beside the
    // old FIB, publishes once.
    [[nodiscard]] expected<commit_result> assign(std::vector<route<A>> loaded) noexcept;
    // Like assign(), but as one transaction of the differences. Publishes nothing if there are none.
    [[nodiscard]] expected<replace_counts> replace_all(std::vector<route<A>> wanted) noexcept;

    // Changes the scheme while the table is read, in three steps (scheme_change.hpp). Readers see the routes
    // as they are by the old FIB or by the new one, and never wait. The change may be dropped before its
    // end; a later begin ends it. The entry must outlive the table. errc::unsupported, errc::out_of_memory.
    expected<scheme_change<A>> begin_scheme(const scheme_entry<A>& scheme,
                                            policy update = policy::automatic) noexcept;
    // Brings in what has changed since the begin. errc::invalid: it is not built, or not the last begun.
    // After another error, which comes if it has to be built again and cannot, begin again.
    [[nodiscard]] errc catch_up(scheme_change<A>& built) noexcept;
    // Does so too, and publishes it, with all that is pending. Does not fail right after catch_up().
    // `deferred`: stalled readers hold as many old versions as the table keeps; nothing has changed, call
    // again.
    [[nodiscard]] expected<commit_result> finish_scheme(scheme_change<A>& built) noexcept;

    // Tries deferred changes again, and publishes what commits did not publish.
    [[nodiscard]] expected<commit_result> publish() noexcept;
    // A lower bound on the prefixes that readers do not yet see as in the RIB.
    std::size_t pending() const noexcept;
    // Frees old versions that no reader holds, as every commit does, and unused memory of the RIB, as large
    // commits do.
    void reclaim() noexcept;
    stall stalled() const noexcept;
    std::uint64_t version() const noexcept;
    // The oldest version that a reader may be reading; version() if none reads an older one.
    std::uint64_t oldest_read() const noexcept;
    // True if a reader may be reading one of the versions `first` to `last`, which are older than version().
    bool is_read(std::uint64_t first, std::uint64_t last) const noexcept;

    table_memory memory() const noexcept;
    std::size_t memory_bytes() const noexcept { return memory().total(); }
    const scheme_entry<A>& scheme() const noexcept { return *scheme_; }
    policy update_policy() const noexcept { return how_; }

    // Exact queries on what has been committed, published or not, by any thread. They take a lock that
    // readers never touch, and that the writer holds only while it changes the RIB. It is fair: the writer
    // waits for at most one query of each thread.
    std::size_t size() const noexcept;
    next_hop get(prefix<A> p) const noexcept;
    std::optional<route<A>> cover(prefix<A> p) const noexcept;
    std::optional<route<A>> match(A a) const noexcept;
    // Shortest first. Throws std::bad_alloc.
    std::vector<route<A>> covering(prefix<A> p) const;
    // All routes inside p, p's own included, in prefix order; a consistent snapshot. Copies in pieces, so a
    // large table does not keep the writer waiting. Throws std::bad_alloc.
    std::vector<route<A>> covered(prefix<A> p) const;
    std::vector<route<A>> copy_routes() const { return covered(prefix<A>{}); }
    // Returns ask(rib). The RIB cannot change meanwhile and the writer waits, so be brief; to go through a
    // large table use copy_routes(). `ask` must not call the table.
    template <class F>
    decltype(auto) with_rib(F ask) const {
        const rib_lock held(*core_);
        return ask(held.truth);
    }

    // What readers see, without a reader: for the writer's thread. Valid until the next change.
    const any_fib<A>& newest_fib() const noexcept;
    // All routes in prefix order, without the lock: for the writer's thread. A change ends the iteration.
    typename rib<A>::iterator begin_routes() const noexcept;
    end_of_routes end_routes() const noexcept { return {}; }

  private:
    friend expected<both_commits> replace_both(table<ipv4_address>&, std::vector<route<ipv4_address>>,
                                               table<ipv6_address>&,
                                               std::vector<route<ipv6_address>>) noexcept;

    // Holds the RIB's lock shared.
    struct rib_lock {
        explicit rib_lock(const detail::table_core<A>& core) noexcept;
        rib_lock(const rib_lock&) = delete;
        rib_lock& operator=(const rib_lock&) = delete;
        ~rib_lock();

        const detail::table_core<A>& core;
        const rib<A>& truth;
    };

    table(owner<detail::table_core<A>> core, const scheme_entry<A>& scheme, policy how) noexcept;
    errc commit_one(const edit<A>& one) noexcept;
    // What makes the table have these routes. errc::invalid as from put_in_order(). Throws std::bad_alloc.
    expected<std::vector<edit<A>>> differences(std::vector<route<A>> wanted, replace_counts& counts) const;

    owner<detail::table_core<A>> core_;
    const scheme_entry<A>* scheme_;
    policy how_;
};

using ipv4_table = table<ipv4_address>;
using ipv6_table = table<ipv6_address>;

// Replaces the routes of both tables, or after an error of none. Order does not matter; of equal prefixes the
// last counts. A table that is empty, or becomes empty, is built at once as by assign(); another one gets the
// differences, as by replace_all(). Readers see these changes as commit_both() says.
[[nodiscard]] expected<both_commits> replace_both(ipv4_table& ipv4,
                                                  std::vector<route<ipv4_address>> ipv4_routes,
                                                  ipv6_table& ipv6,
                                                  std::vector<route<ipv6_address>> ipv6_routes) noexcept;

// Compiled once, in the library; table.inl.hpp has the bodies for other widths.
extern template class transaction<ipv4_address>;
extern template class transaction<ipv6_address>;
extern template class table<ipv4_address>;
extern template class table<ipv6_address>;

} // namespace fingerpost
