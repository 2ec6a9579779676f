// Several changes that readers see together or not at all.
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

// Number of changes that were added, and the error that stopped the call, or ok if all were added.
struct changes_taken {
    std::size_t count = 0;
    errc failure = errc::ok;
};

// Changes of one family in a transaction.
template <class A>
class family_transaction {
  public:
    // errc::invalid for next_hop::none and for a length above the width.
    [[nodiscard]] errc announce(prefix<A> p, next_hop hop) noexcept;
    // errc::not_found if neither the table nor this transaction has the prefix; errc::invalid.
    [[nodiscard]] errc withdraw(prefix<A> p) noexcept;
    // Announces and withdraws many routes, in this order. next_hop::none withdraws. Faster than single calls,
    // because cache misses overlap. Stops before the first change that announce() or withdraw() would refuse.
    [[nodiscard]] changes_taken change(std::span<const edit<A>> changes) noexcept;
    // Changes in the order of first occurrence. next_hop::none withdraws. Valid until the next change.
    std::span<const edit<A>> edits() const noexcept { return edits_.edits(); }
    // Change of this canonical prefix, or nullptr if it has none.
    const edit<A>* find(const prefix<A>& p) const noexcept { return edits_.find(p); }

  protected:
    explicit family_transaction(const detail::table_core<A>& in) noexcept : in_(&in) {}
    // Changes in prefix order. Throws std::bad_alloc.
    std::vector<edit<A>> sorted_edits() const;
    void clear() noexcept { edits_.clear(); }

  private:
    template <class Ask>
    errc withdraw_known(const prefix<A>& p, Ask in_table) noexcept;
    errc set(const prefix<A>& p, next_hop hop) noexcept;

    const detail::table_core<A>* in_;
    detail::edit_list<A> edits_;
};

// Collects changes and applies them at commit(). Without commit() nothing changes. If a prefix is changed
// several times, the last change counts. Must be used by the writer's thread, and the table must outlive it.
// A call that fails changes nothing. Every call may return errc::out_of_memory.
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
    // Number of prefixes with a change.
    std::size_t size() const noexcept { return (of<A>().edits().size() + ...); }

    // Applies all changes together; the transaction is then empty. On failure the table is unchanged and the
    // transaction keeps its changes: commit again or drop them.
    [[nodiscard]] expected<commit_result> commit() noexcept;
    void rollback() noexcept { (family_transaction<A>::clear(), ...); }

  private:
    detail::table_state<A...>* in_;
};

} // namespace fingerpost
