// Several changes that readers see all at once, or not at all.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/table/core.hpp"
#include "fingerpost/table/edit_list.hpp"

namespace fingerpost {

// How many changes were taken, and why no more: ok when that is all of them.
struct changes_taken {
    std::size_t count = 0;
    errc failure = errc::ok;
};

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
        return withdraw(p, [&] { return in_->truth().get(p); });
    }
    // Announces and withdraws many, in this order: next_hop::none withdraws. Faster than one by one, as it
    // waits for memory for many at a time. Ends before the first that announce() or withdraw() would refuse.
    [[nodiscard]] changes_taken change(std::span<const edit<A>> wanted) noexcept {
        std::array<prefix<A>, rib<A>::together> gone;
        std::array<typename rib<A>::neighbours, rib<A>::together> there;
        for (std::size_t first = 0; first < wanted.size(); first += rib<A>::together) {
            const auto some = wanted.subspan(first, std::min(rib<A>::together, wanted.size() - first));
            std::size_t count = 0;
            for (const edit<A>& e : some)
                if (e.hop == next_hop::none && e.where.length <= A::bits)
                    gone[count++] = prefix<A>::make(e.where.base, e.where.length);
            in_->truth().find_neighbours(std::span<const prefix<A>>(gone).first(count), there);
            count = 0;
            for (std::size_t i = 0; i < some.size(); ++i) {
                const edit<A>& e = some[i];
                errc failure = errc::ok;
                if (e.hop == next_hop::none && e.where.length <= A::bits) {
                    failure = withdraw(gone[count], [&] { return there[count].hop; });
                    ++count;
                } else {
                    failure = announce(e.where, e.hop);
                }
                if (failure != errc::ok)
                    return {first + i, failure};
            }
        }
        return {wanted.size(), errc::ok};
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
    } catch (...) {
        return unexpected{reason_of_exception()};
    }
    void rollback() noexcept { edits_.clear(); }

  private:
    // `in_table` is asked when this transaction has not changed it.
    template <class Ask>
    errc withdraw(const prefix<A>& p, Ask in_table) noexcept {
        const edit<A>* const earlier = edits_.find(p);
        const next_hop now = earlier == nullptr ? in_table() : earlier->hop;
        return now == next_hop::none ? errc::not_found : set(p, next_hop::none);
    }
    errc set(const prefix<A>& p, next_hop hop) noexcept try {
        edits_.set(p, hop);
        return errc::ok;
    } catch (...) {
        return reason_of_exception();
    }

    detail::table_core<A>* in_;
    detail::edit_list<A> edits_;
};

} // namespace fingerpost
