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
#include <utility>
#include <vector>

#include "fingerpost/base/owner.hpp"
#include "fingerpost/fib/scheme_entry.hpp"
#include "fingerpost/rib/rib.hpp"
#include "fingerpost/table/reader.hpp"
#include "fingerpost/table/scheme_change.hpp"
#include "fingerpost/table/table_options.hpp"
#include "fingerpost/table/transaction.hpp"

namespace fingerpost {

// The routes of one family in a table.
//
// Exact queries are on what has been committed, published or not, by any thread. They take a lock that
// readers never touch, and that the writer holds only while it changes the RIB. It is fair: the writer waits
// for at most one query of each thread.
template <class A>
class family_table {
  public:
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
    // Returns ask(rib), for its other queries. The RIB cannot change meanwhile and the writer waits, so be
    // brief; to go through a large table use copy_routes(). `ask` must not call the table.
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
    const scheme_entry<A>& scheme() const noexcept;
    policy update_policy() const noexcept;
    table_memory memory() const noexcept; // without the readers' lines
    // As of table.
    std::size_t pending() const noexcept;

    // Changes the scheme while the table is read, in three steps (scheme_change.hpp). Readers see the routes
    // as they are by the old FIB or by the new one, and never wait. The change may be dropped before its
    // end; a later begin ends it. The entry must outlive the table. errc::unsupported, errc::out_of_memory.
    expected<scheme_change<A>> begin_scheme(const scheme_entry<A>& scheme,
                                            policy update = policy::automatic) noexcept;
    // Brings in what has changed since the begin. errc::invalid: it is not built, or not the last begun.
    // After another error, which comes if it has to be built again and cannot, begin again.
    [[nodiscard]] errc catch_up(scheme_change<A>& built) noexcept;

  protected:
    explicit family_table(detail::table_core<A>& core) noexcept : core_(&core) {}
    // What makes the family have these routes. errc::invalid as from put_in_order(). Throws std::bad_alloc.
    expected<std::vector<edit<A>>> differences(std::vector<route<A>> wanted, replace_counts& counts) const;

  private:
    // Holds the RIB's lock shared.
    struct rib_lock {
        explicit rib_lock(const detail::table_core<A>& core) noexcept;
        rib_lock(const rib_lock&) = delete;
        rib_lock& operator=(const rib_lock&) = delete;
        ~rib_lock();

        const detail::table_core<A>& core;
        const rib<A>& truth;
    };

    detail::table_core<A>* core_;
};

// The scheme of one family, and how it is updated if not as the options of the table say.
template <class A>
struct scheme_choice {
    scheme_choice(const scheme_entry<A>& chosen, std::optional<policy> how = std::nullopt) noexcept
        : scheme(&chosen), update(how) {}

    const scheme_entry<A>* scheme;
    std::optional<policy> update;
};

namespace detail {

// The single changes of one family in a table.
template <class A, class Table>
class family_changes {
  public:
    [[nodiscard]] errc announce(prefix<A> p, next_hop hop) noexcept {
        if (hop == next_hop::none || p.length > A::bits)
            return errc::invalid;
        return commit({prefix<A>::make(p.base, p.length), hop});
    }
    [[nodiscard]] errc withdraw(prefix<A> p) noexcept {
        if (p.length > A::bits)
            return errc::invalid;
        return commit({prefix<A>::make(p.base, p.length), next_hop::none});
    }

  private:
    errc commit(const edit<A>& one) noexcept { return static_cast<Table*>(this)->commit_one(one); }
};

} // namespace detail

// A table of one family or of several, which change together: a version has the routes of all families.
template <class... A>
class table : public family_table<A>..., public detail::family_changes<A, table<A...>>... {
  public:
    // An empty table. A scheme that serves some of the families leaves the default one to the others.
    // errc::not_found: no scheme of this name serves any; errc::unsupported: the scheme cannot be updated
    // this way; errc::invalid: most_old_versions is 0; errc::out_of_memory.
    static expected<table> create(const table_options& options = {}) noexcept;
    // The same for schemes that need not be in the registry; `options.scheme` is ignored. The entries must
    // outlive the table. Links these schemes alone, where the other create() links all of them.
    static expected<table> create(const scheme_choice<A>&... schemes,
                                  const table_options& options = {}) noexcept;
    table(table&& other) noexcept;
    table& operator=(table&& other) noexcept;
    ~table();

    using family_table<A>::get...;
    using family_table<A>::cover...;
    using family_table<A>::match...;
    using family_table<A>::covering...;
    using family_table<A>::covered...;
    using family_table<A>::begin_scheme...;
    using family_table<A>::catch_up...;
    template <class F>
    const family_table<F>& of() const noexcept {
        return *this;
    }
    std::size_t size() const noexcept { return (of<A>().size() + ...); }

    // A reader for the calling thread or another one; errc::out_of_memory.
    expected<fingerpost::reader<A...>> reader() noexcept;

    // Each is a transaction of its own, with the errors of transaction. Also ok if publication is deferred;
    // see pending().
    using detail::family_changes<A, table>::announce...;
    using detail::family_changes<A, table>::withdraw...;
    transaction<A...> begin() noexcept { return transaction<A...>(*state_); }

    // Replaces the whole table. Order does not matter; of equal prefixes the last counts. Builds beside the
    // old FIBs, publishes once.
    [[nodiscard]] expected<commit_result> assign(std::vector<route<A>>... loaded) noexcept;
    // Like assign(), but as one transaction of the differences. Publishes nothing if there are none.
    [[nodiscard]] expected<replace_counts> replace_all(std::vector<route<A>>... wanted) noexcept;

    // The last step of another scheme: catch_up(), and publishes the FIB, with all that is pending. Does not
    // fail right after catch_up(). `deferred`: stalled readers hold as many old versions as the table keeps;
    // nothing has changed, call again.
    template <class F>
    [[nodiscard]] expected<commit_result> finish_scheme(scheme_change<F>& built) noexcept;

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

  private:
    template <class F, class Table>
    friend class detail::family_changes;
    using state = detail::table_state<A...>;

    explicit table(owner<state> made) noexcept;
    template <class F>
    errc commit_one(const edit<F>& one) noexcept;

    owner<state> state_;
};

// The prefixes of both families.
using ip_table = table<ipv4_address, ipv6_address>;
using ip_reader = reader<ipv4_address, ipv6_address>;
using ip_snapshot = snapshot<ipv4_address, ipv6_address>;
using ip_transaction = transaction<ipv4_address, ipv6_address>;
using ipv4_table = table<ipv4_address>;
using ipv6_table = table<ipv6_address>;

// Compiled once, in the library; table.inl.hpp has the bodies for other widths.
#define FINGERPOST_TABLE(EXTERN, ...)                                                                        \
    EXTERN template class table<__VA_ARGS__>;                                                                \
    EXTERN template class transaction<__VA_ARGS__>;
#define FINGERPOST_TABLE_OF_FAMILY(EXTERN, A, ...)                                                           \
    EXTERN template errc table<__VA_ARGS__>::commit_one(const edit<A>&) noexcept;                            \
    EXTERN template expected<commit_result> table<__VA_ARGS__>::finish_scheme(scheme_change<A>&) noexcept;
#define FINGERPOST_FAMILY_TABLE(EXTERN, A)                                                                   \
    EXTERN template class family_table<A>;                                                                   \
    EXTERN template class family_transaction<A>;                                                             \
    FINGERPOST_TABLE(EXTERN, A)                                                                              \
    FINGERPOST_TABLE_OF_FAMILY(EXTERN, A, A)
#define FINGERPOST_TABLES(EXTERN)                                                                            \
    FINGERPOST_FAMILY_TABLE(EXTERN, ipv4_address)                                                            \
    FINGERPOST_FAMILY_TABLE(EXTERN, ipv6_address)                                                            \
    FINGERPOST_TABLE(EXTERN, ipv4_address, ipv6_address)                                                     \
    FINGERPOST_TABLE_OF_FAMILY(EXTERN, ipv4_address, ipv4_address, ipv6_address)                             \
    FINGERPOST_TABLE_OF_FAMILY(EXTERN, ipv6_address, ipv4_address, ipv6_address)
FINGERPOST_TABLES(extern)

} // namespace fingerpost
