// The live table: a RIB that one thread changes, and FIBs in which other threads look up without waiting.
//
//      auto routes = table<ipv6_address>::create();                  one writer
//      routes->announce(prefix, hop);
//
//      auto reader = routes->reader();                               each reading thread
//      { auto snapshot = reader->pin(); snapshot.lookup(in, out); }  each batch
//
// Any thread may call reader() and the exact queries marked as such, even while the writer changes the table.
// All other members must be called by one thread at a time, the writer. While no thread changes the table,
// any number of threads may call const members. A call that fails changes nothing. Guide:
// docs/inside/live_table.md.
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

// Routes of one family in a table.
//
// Exact queries use the committed routes, published or not, and may be called by any thread. They take a lock
// that lookups never take, and that the writer holds only while it changes the RIB. The lock is fair: the
// writer waits for at most one query of each thread.
template <class A>
class family_table {
  public:
    std::size_t size() const noexcept;
    next_hop get(prefix<A> p) const noexcept;
    std::optional<route<A>> cover(prefix<A> p) const noexcept;
    std::optional<route<A>> match(A a) const noexcept;
    // Shortest first. Throws std::bad_alloc.
    std::vector<route<A>> covering(prefix<A> p) const;
    // All routes inside `p`, including its own, in prefix order, as a consistent snapshot. Copies in pieces,
    // so even a large table does not block the writer for long. Throws std::bad_alloc.
    std::vector<route<A>> covered(prefix<A> p) const;
    std::vector<route<A>> copy_routes() const { return covered(prefix<A>{}); }
    // Returns ask(rib), for other queries. Meanwhile the RIB cannot change and the writer waits, so `ask`
    // must be brief and must not call the table. To visit a large table use copy_routes().
    template <class F>
    decltype(auto) with_rib(F ask) const {
        const rib_lock held(*core_);
        return ask(held.truth);
    }

    // The FIB that readers currently see, without a reader. Only for the writer's thread. Valid until the
    // next change.
    const any_fib<A>& newest_fib() const noexcept;
    // All routes in prefix order, without the lock, for the writer's thread. Changes invalidate iterators.
    typename rib<A>::iterator begin_routes() const noexcept;
    end_of_routes end_routes() const noexcept { return {}; }
    const scheme_entry<A>& scheme() const noexcept;
    policy update_policy() const noexcept;
    table_memory memory() const noexcept; // without the readers' cache lines
    // See table::pending().
    std::size_t pending() const noexcept;

    // Changes the scheme in three steps while the table is in use (scheme_change.hpp). Readers always see
    // correct routes, through the old FIB or the new one, and never wait. A change can be dropped before its
    // last step. A later begin_scheme() cancels it. The entry must outlive the table. errc::unsupported,
    // errc::out_of_memory.
    expected<scheme_change<A>> begin_scheme(const scheme_entry<A>& scheme,
                                            policy update = policy::automatic) noexcept;
    // Applies the changes since begin_scheme(). errc::invalid: the FIB is not built, or this is not the last
    // change that was begun. Other errors occur if the FIB must be rebuilt and cannot be; then begin again.
    [[nodiscard]] errc catch_up(scheme_change<A>& built) noexcept;

  protected:
    explicit family_table(detail::table_core<A>& core) noexcept : core_(&core) {}
    // Returns the edits that turn the family's routes into these. errc::invalid as in put_in_order(). Throws
    // std::bad_alloc.
    expected<std::vector<edit<A>>> differences(std::vector<route<A>> routes, replace_counts& counts) const;

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

// Scheme of one family, and its update policy if it differs from the table's options.
template <class A>
struct scheme_choice {
    scheme_choice(const scheme_entry<A>& chosen, std::optional<policy> how = std::nullopt) noexcept
        : scheme(&chosen), update(how) {}

    const scheme_entry<A>* scheme;
    std::optional<policy> update;
};

namespace detail {

// Single changes of one family in a table.
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
    errc commit(const edit<A>& change) noexcept { return static_cast<Table*>(this)->commit_one(change); }
};

} // namespace detail

// A table of one or several families that change together: a version has the routes of all families.
template <class... A>
class table : public family_table<A>..., public detail::family_changes<A, table<A...>>... {
  public:
    // Creates an empty table. Families that the scheme does not support use their default scheme.
    // errc::not_found: no family has a scheme with this name; errc::unsupported: the scheme does not support
    // this policy; errc::invalid: most_old_versions is 0; errc::out_of_memory.
    static expected<table> create(const table_options& options = {}) noexcept;
    // Creates an empty table with these schemes, which need not be in the registry. `options.scheme` is
    // ignored. The entries must outlive the table. Links only these schemes, whereas the other create() links
    // all of them.
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

    // Creates a reader for the calling thread or another one; errc::out_of_memory.
    expected<fingerpost::reader<A...>> reader() noexcept;

    // Each call is one transaction, with the errors of transaction. Succeeds also if publication is deferred;
    // see pending().
    using detail::family_changes<A, table>::announce...;
    using detail::family_changes<A, table>::withdraw...;
    transaction<A...> begin() noexcept { return transaction<A...>(*state_); }

    // Replaces the whole table by these routes, in any order. If a prefix occurs several times, the last
    // occurrence counts. Builds new FIBs while readers use the old ones, and publishes once.
    [[nodiscard]] expected<commit_result> assign(std::vector<route<A>>... loaded) noexcept;
    // Makes the table equal to these routes, in one transaction with the differences. Publishes nothing if
    // there are none.
    [[nodiscard]] expected<replace_counts> replace_all(std::vector<route<A>>... wanted) noexcept;

    // Last step of a scheme change: catch_up(), then publishes the FIB with all pending changes. Cannot fail
    // directly after catch_up(). `deferred`: stalled readers hold as many old versions as the table keeps.
    // Nothing has changed then; call it again.
    template <class F>
    [[nodiscard]] expected<commit_result> finish_scheme(scheme_change<F>& built) noexcept;

    // Publishes changes that were deferred or committed without publication.
    [[nodiscard]] expected<commit_result> publish() noexcept;
    // Lower bound of the number of prefixes with changes that readers do not see yet.
    std::size_t pending() const noexcept;
    // Frees old versions that readers no longer hold, as every commit does, and unused memory of the RIB, as
    // large commits do.
    void reclaim() noexcept;
    stall stalled() const noexcept;
    std::uint64_t version() const noexcept;
    // The oldest version that a reader may be reading, or version() if all read the newest.
    std::uint64_t oldest_read() const noexcept;
    // True if a reader may be reading one of the versions `first` to `last`, which are older than version().
    bool is_read(std::uint64_t first, std::uint64_t last) const noexcept;

    table_memory memory() const noexcept;
    std::size_t memory_bytes() const noexcept { return memory().total(); }

  private:
    template <class F, class Table>
    friend class detail::family_changes;
    using state = detail::table_state<A...>;

    explicit table(owner<state> state) noexcept;
    template <class F>
    errc commit_one(const edit<F>& change) noexcept;

    owner<state> state_;
};

// A table of both IP families.
using ip_table = table<ipv4_address, ipv6_address>;
using ip_reader = reader<ipv4_address, ipv6_address>;
using ip_snapshot = snapshot<ipv4_address, ipv6_address>;
using ip_transaction = transaction<ipv4_address, ipv6_address>;
using ipv4_table = table<ipv4_address>;
using ipv6_table = table<ipv6_address>;

// Instantiated in the library. table.inl.hpp has the definitions for other widths.
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
