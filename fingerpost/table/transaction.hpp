// Several changes that readers see all at once, or not at all.
#pragma once

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "fingerpost/table/core.hpp"
#include "fingerpost/table/edit_list.hpp"

namespace fingerpost {

// Collects changes and makes them at commit(); without that nothing has happened. Of several changes of one
// prefix the last one counts. By the writer's thread, and the table outlives it.
template <class A>
class [[nodiscard]] transaction {
  public:
    explicit transaction(detail::table_core<A>& in) noexcept : in_(&in) {}
    transaction(transaction&&) noexcept = default;
    transaction& operator=(transaction&&) noexcept = default;

    // errc::invalid for the next hop none and for lengths above the width.
    [[nodiscard]] errc announce(prefix<A> p, next_hop hop) noexcept {
        if (hop == next_hop::none || p.length > A::bits)
            return errc::invalid;
        return set(prefix<A>::make(p.base, p.length), hop);
    }
    // errc::not_found when neither the table nor this transaction has it.
    [[nodiscard]] errc withdraw(prefix<A> p) noexcept {
        if (p.length > A::bits)
            return errc::invalid;
        p = prefix<A>::make(p.base, p.length);
        const edit<A>* const earlier = edits_.find(p);
        if ((earlier == nullptr ? in_->truth().get(p) : earlier->hop) == next_hop::none)
            return errc::not_found;
        return set(p, next_hop::none);
    }
    std::size_t size() const noexcept { return edits_.size(); }

    // When it fails, the table is as before and the changes are still here: commit again or drop them.
    // Afterwards the transaction is empty.
    [[nodiscard]] expected<commit_result> commit() noexcept try {
        std::vector<edit<A>> edits = edits_.all();
        std::sort(edits.begin(), edits.end(), [](const auto& a, const auto& b) { return a.where < b.where; });
        auto done = in_->commit(edits);
        if (done)
            edits_.clear();
        return done;
    } catch (const std::bad_alloc&) {
        return unexpected{errc::out_of_memory};
    }
    void rollback() noexcept { edits_.clear(); }

  private:
    errc set(const prefix<A>& p, next_hop hop) noexcept try {
        edits_.set(p, hop);
        return errc::ok;
    } catch (const std::bad_alloc&) {
        return errc::out_of_memory;
    }

    detail::table_core<A>* in_;
    detail::edit_list<A> edits_;
};

} // namespace fingerpost
