// Several changes that readers see all at once, or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/table/edit.hpp"
#include "fingerpost/table/edit_list.hpp"
#include "fingerpost/table/table_options.hpp"

namespace fingerpost {

namespace detail {
template <class A>
class table_core;
template <class... A>
class table_state;
} // namespace detail

// How many changes were taken, and why no more: ok if all were taken.
struct changes_taken {
    std::size_t count = 0;
    errc failure = errc::ok;
};

// The changes of one family in a transaction.
template <class A>
class family_transaction {
  public:
    // errc::invalid for the next hop none and for lengths above the width.
    [[nodiscard]] errc announce(prefix<A> p, next_hop hop) noexcept;
    // errc::not_found if neither the table nor this transaction has the prefix; errc::invalid.
    [[nodiscard]] errc withdraw(prefix<A> p) noexcept;
    // Announces and withdraws many, in this order; next_hop::none withdraws. Faster than one by one, as cache
    // misses overlap. Stops before the first that announce() or withdraw() would refuse.
    [[nodiscard]] changes_taken change(std::span<const edit<A>> wanted) noexcept;
    // The changes in the order of their first mention; next_hop::none withdraws. Valid until the next change.
    std::span<const edit<A>> edits() const noexcept { return edits_.all(); }
    // The change of this prefix, which is canonical; nullptr without one.
    const edit<A>* find(const prefix<A>& p) const noexcept { return edits_.find(p); }

  protected:
    explicit family_transaction(const detail::table_core<A>& in) noexcept : in_(&in) {}
    // In the order of the prefixes. Throws std::bad_alloc.
    std::vector<edit<A>> sorted_edits() const;
    void clear() noexcept { edits_.clear(); }

  private:
    template <class Ask>
    errc withdraw_known(const prefix<A>& p, Ask in_table) noexcept;
    errc set(const prefix<A>& p, next_hop hop) noexcept;

    const detail::table_core<A>* in_;
    detail::edit_list<A> edits_;
};

// Collects changes and makes them at commit(); without commit() nothing happens. Of several changes of one
// prefix the last one counts. For the writer's thread; the table must outlive it. A call that fails has
// changed nothing; each may return errc::out_of_memory.
template <class... A>
class [[nodiscard]] transaction : public family_transaction<A>... {
  public:
    explicit transaction(detail::table_state<A...>& in) noexcept;

    using family_transaction<A>::announce...;
    using family_transaction<A>::withdraw...;
    using family_transaction<A>::change...;
    using family_transaction<A>::find...;
    template <class F>
    family_transaction<F>& of() noexcept {
        return *this;
    }
    template <class F>
    const family_transaction<F>& of() const noexcept {
        return *this;
    }
    // Prefixes that have a change.
    std::size_t size() const noexcept { return (of<A>().edits().size() + ...); }

    // Makes all changes as one; then the transaction is empty. When it fails, the table is as before and the
    // changes are still here: commit again or drop them.
    [[nodiscard]] expected<commit_result> commit() noexcept;
    void rollback() noexcept { (family_transaction<A>::clear(), ...); }

  private:
    detail::table_state<A...>* in_;
};

} // namespace fingerpost
