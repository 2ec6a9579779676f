// Definitions of transaction members, for the library and for tests of other widths.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/table/state.hpp"
#include "fingerpost/table/transaction.hpp"

namespace fingerpost {

template <class A>
errc family_transaction<A>::announce(prefix<A> p, next_hop hop) noexcept {
    if (hop == next_hop::none || p.length > A::bits)
        return errc::invalid;
    return set(prefix<A>::make(p.base, p.length), hop);
}

template <class A>
errc family_transaction<A>::withdraw(prefix<A> p) noexcept {
    if (p.length > A::bits)
        return errc::invalid;
    p = prefix<A>::make(p.base, p.length);
    return withdraw_known(p, [&] { return in_->truth().get(p); });
}

template <class A>
changes_taken family_transaction<A>::change(std::span<const edit<A>> changes) noexcept {
    std::array<prefix<A>, rib<A>::together> withdrawn;
    std::array<typename rib<A>::neighbours, rib<A>::together> there;
    for (std::size_t first = 0; first < changes.size(); first += rib<A>::together) {
        const auto some = changes.subspan(first, std::min(rib<A>::together, changes.size() - first));
        std::size_t count = 0;
        for (const edit<A>& e : some)
            if (e.hop == next_hop::none && e.where.length <= A::bits)
                withdrawn[count++] = prefix<A>::make(e.where.base, e.where.length);
        in_->truth().find_neighbours(std::span<const prefix<A>>(withdrawn).first(count), there);
        count = 0;
        for (std::size_t i = 0; i < some.size(); ++i) {
            const edit<A>& e = some[i];
            errc failure = errc::ok;
            if (e.hop == next_hop::none && e.where.length <= A::bits) {
                failure = withdraw_known(withdrawn[count], [&] { return there[count].hop; });
                ++count;
            } else {
                failure = announce(e.where, e.hop);
            }
            if (failure != errc::ok)
                return {first + i, failure};
        }
    }
    return {changes.size(), errc::ok};
}

template <class A>
std::vector<edit<A>> family_transaction<A>::sorted_edits() const {
    std::vector<edit<A>> edits = edits_.edits();
    if (!edits_.is_in_order())
        std::sort(edits.begin(), edits.end(), [](const auto& a, const auto& b) { return a.where < b.where; });
    return edits;
}

template <class... A>
transaction<A...>::transaction(detail::table_state<A...>& in) noexcept
    : family_transaction<A>(in.template core<A>())..., in_(&in) {}

template <class... A>
expected<commit_result> transaction<A...>::commit() noexcept try {
    const auto commit = [this](const std::vector<edit<A>>&... edits) {
        return in_->commit(detail::family_news<A>{edits}..., false);
    };
    auto result = commit(family_transaction<A>::sorted_edits()...);
    if (result)
        rollback();
    return result;
} catch (...) {
    return unexpected{reason_of_exception()};
}

// Calls `in_table` only if this transaction has not changed the prefix.
template <class A>
template <class Ask>
errc family_transaction<A>::withdraw_known(const prefix<A>& p, Ask in_table) noexcept {
    const edit<A>* const earlier = edits_.find(p);
    const next_hop hop = earlier == nullptr ? in_table() : earlier->hop;
    return hop == next_hop::none ? errc::not_found : set(p, next_hop::none);
}

template <class A>
errc family_transaction<A>::set(const prefix<A>& p, next_hop hop) noexcept try {
    edits_.set(p, hop);
    return errc::ok;
} catch (...) {
    return reason_of_exception();
}

} // namespace fingerpost
