// Several changes that readers see all at once, or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/table/edit.hpp"
#include "fingerpost/table/edit_list.hpp"
#include "fingerpost/table/table_options.hpp"

namespace fingerpost {

namespace detail {
template <class A>
class table_core;
}

// How many changes were taken, and why no more: ok if all were taken.
struct changes_taken {
    std::size_t count = 0;
    errc failure = errc::ok;
};

template <class A>
class transaction;

// What a commit of two transactions did in each table.
struct both_commits {
    commit_result ipv4{};
    commit_result ipv6{};
};

// Makes the changes of both transactions: all of them or, after an error, none; a transaction without changes
// is left out. Readers see those of IPv4 before those of IPv6. If a FIB that is patched in place was changed
// before the other one failed, they see its changes until they are undone.
[[nodiscard]] expected<both_commits> commit_both(transaction<ipv4_address>& ipv4,
                                                 transaction<ipv6_address>& ipv6) noexcept;

// Collects changes and makes them at commit(); without commit() nothing happens. Of several changes of one
// prefix the last one counts. For the writer's thread; the table must outlive it. A call that fails has
// changed nothing; each may return errc::out_of_memory.
template <class A>
class [[nodiscard]] transaction {
  public:
    explicit transaction(detail::table_core<A>& in) noexcept : in_(&in) {}

    // errc::invalid for the next hop none and for lengths above the width.
    [[nodiscard]] errc announce(prefix<A> p, next_hop hop) noexcept;
    // errc::not_found if neither the table nor this transaction has the prefix; errc::invalid.
    [[nodiscard]] errc withdraw(prefix<A> p) noexcept;
    // Announces and withdraws many, in this order; next_hop::none withdraws. Faster than one by one, as cache
    // misses overlap. Stops before the first that announce() or withdraw() would refuse.
    [[nodiscard]] changes_taken change(std::span<const edit<A>> wanted) noexcept;
    // Prefixes that have a change.
    std::size_t size() const noexcept { return edits_.size(); }
    // The changes in the order of their first mention; next_hop::none withdraws. Valid until the next change.
    std::span<const edit<A>> edits() const noexcept { return edits_.all(); }
    // The change of this prefix, which is canonical; nullptr without one.
    const edit<A>* find(const prefix<A>& p) const noexcept { return edits_.find(p); }

    // Makes all changes as one; then the transaction is empty. When it fails, the table is as before and the
    // changes are still here: commit again or drop them.
    [[nodiscard]] expected<commit_result> commit() noexcept;
    void rollback() noexcept { edits_.clear(); }

  private:
    friend expected<both_commits> commit_both(transaction<ipv4_address>&,
                                              transaction<ipv6_address>&) noexcept;

    // In the order of the prefixes. Throws std::bad_alloc.
    std::vector<edit<A>> sorted_edits() const;
    template <class Ask>
    errc withdraw(const prefix<A>& p, Ask in_table) noexcept;
    errc set(const prefix<A>& p, next_hop hop) noexcept;

    detail::table_core<A>* in_;
    detail::edit_list<A> edits_;
};

} // namespace fingerpost
