// State shared by a map, its readers and its transactions: a live table of both families with numbers of
// values as next hops, and the values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/atomic_word.hpp"
#include "fingerpost/base/owner.hpp"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/map/map_entry.hpp"
#include "fingerpost/map/value_slots.hpp"
#include "fingerpost/net/mapped.hpp"
#include "fingerpost/registry/one_scheme.hpp"
#include "fingerpost/table/table.hpp"

namespace fingerpost {

// Like table_options, but without policy::in_place, with which readers could see a number before its value. A
// null scheme selects the default. Another scheme links only itself, unless it comes from find_scheme(),
// which links all schemes.
struct map_options {
    const scheme_entry<ipv4_address>* ipv4_scheme = nullptr;
    const scheme_entry<ipv6_address>* ipv6_scheme = nullptr;
    policy update = policy::automatic;
    build_options build{};
    std::size_t most_old_versions = 4;
    std::optional<nanoseconds> patience{};
};

namespace detail {

// The next hop of an IPv6 route within ::ffff:0:0/96 has a mark in addition to its value number. The mark
// shows, in every version of the table, that the match also applies to IPv4 addresses.
//
// Only the writer's thread may change the map. While it does so, other threads must not query it, except
// where noted.
template <class T, bool shares>
class map_state {
  public:
    explicit map_state(ip_table table) noexcept : table_(std::move(table)) {}

    ip_table& live() noexcept { return table_; }
    const ip_table& live() const noexcept { return table_; }

    // Returns the value of a next hop, or null for none. The address selects the family. This and the next
    // two functions are also for readers.
    template <class A>
    const T* value_of(A, next_hop hop) const noexcept {
        return hop == next_hop::none ? nullptr : values_.find(number_of(hop));
    }
    // True if marked next hops may exist. Readers that see a marked next hop also see this.
    bool has_mapped() const noexcept { return has_marked_.load_relaxed(); }
    // Returns the length of ::ffff:0:0/96 if the match with this next hop is within that prefix, else 0.
    static constexpr unsigned mapped_length(ipv6_address, next_hop match) noexcept {
        return match != next_hop::none && number_of(match) != match ? mapped_block.length : 0;
    }

    // Returns true if the prefix is new. Throws exceptions from constructing T.
    template <class A, class... Parts>
    expected<bool> set(prefix<A> p, Parts&&... parts) {
        if (p.length > A::bits)
            return unexpected{errc::invalid};
        const expected<next_hop> hop = take(p, std::forward<Parts>(parts)...);
        if (!hop)
            return unexpected{hop.error()};
        const next_hop before = table_.get(p);
        if (before == *hop) {
            drop(*hop);
            return false;
        }
        const errc failure = table_.announce(p, *hop);
        drop(failure == errc::ok ? before : *hop);
        settle();
        if (failure != errc::ok)
            return unexpected{failure};
        return before == next_hop::none;
    }
    template <class A>
    errc erase(prefix<A> p) noexcept {
        const next_hop before = get(p);
        const errc failure = table_.withdraw(p);
        if (failure == errc::ok) {
            drop(before);
            settle();
        }
        return failure;
    }
    // Adds a change to a transaction, and counts a use of the value. Throws exceptions from constructing T.
    template <class A, class... Parts>
    errc stage(ip_transaction& in, prefix<A> p, Parts&&... parts) {
        if (p.length > A::bits)
            return errc::invalid;
        const expected<next_hop> hop = take(p, std::forward<Parts>(parts)...);
        if (!hop)
            return hop.error();
        const next_hop earlier = staged(in, p);
        const errc failure = in.announce(p, *hop);
        drop(failure == errc::ok ? earlier : *hop);
        return failure;
    }
    template <class A>
    errc stage_erase(ip_transaction& in, prefix<A> p) noexcept {
        const next_hop earlier = staged(in, p);
        const errc failure = in.withdraw(p);
        if (failure == errc::ok)
            drop(earlier);
        return failure;
    }
    void roll_back(ip_transaction& in) noexcept {
        drop_edits(in.template of<ipv4_address>().edits());
        drop_edits(in.template of<ipv6_address>().edits());
        in.rollback();
        settle();
    }
    // After the commit, the table counts the uses of the staged values.
    expected<commit_result> commit(ip_transaction& in) noexcept try {
        std::vector<next_hop> before;
        const auto note = [&]<class A>(std::span<const edit<A>> edits) {
            if (!edits.empty() && table_.of<A>().size() != 0)
                table_.of<A>().with_rib([&](const rib<A>& r) {
                    for (const edit<A>& e : edits)
                        before.push_back(r.get(e.where));
                });
        };
        note(in.template of<ipv4_address>().edits());
        note(in.template of<ipv6_address>().edits());
        const auto result = in.commit();
        if (!result)
            return result;
        for (const next_hop hop : before)
            drop(hop);
        settle();
        return result;
    } catch (...) {
        return unexpected{reason_of_exception()};
    }
    // Destroys values that readers no longer see.
    void settle() noexcept {
        if (!values_.has_retired())
            return;
        if (table_.pending() == 0)
            values_.published(table_.version() - 1);
        values_.reclaim(table_.oldest_read(), [this](std::uint64_t first, std::uint64_t last) {
            return table_.is_read(first, last);
        });
    }

    // The view() of a map (map_queries.hpp). Looks up in the FIB, unless readers do not see the newest
    // changes.
    template <class A>
    next_hop hop_of(A a) const noexcept {
        return table_.pending() == 0 ? table_.of<A>().newest_fib().lookup(a) : exact_hop_of(a);
    }
    // If inlined, it would use the registers of the loop that converts next hops to values.
    template <class A>
    [[gnu::noinline]] void hops_of(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if (table_.pending() == 0)
            return table_.of<A>().newest_fib().lookup(in, out);
        for (std::size_t i = 0; i < in.size(); ++i)
            out[i] = exact_hop_of(in[i]);
    }
    template <class A, class Ask>
    decltype(auto) with_routes(Ask ask) const {
        return table_.of<A>().with_rib(ask);
    }
    template <class A>
    std::vector<route<A>> covered(const prefix<A>& p) const {
        return table_.covered(p);
    }
    std::size_t size() const noexcept { return table_.size(); }
    template <class A>
    auto begin_routes() const noexcept {
        return table_.of<A>().begin_routes();
    }

    // Copies the entries of another state into this empty one. Throws exceptions from copying T. After an
    // exception or an error this state must be destroyed.
    errc copy_from(const map_state& other) {
        std::vector<next_hop> copies; // indexed by the value numbers of `other`
        auto four = copied(other.table_.template of<ipv4_address>().copy_routes(), other, copies);
        auto six = copied(other.table_.template of<ipv6_address>().copy_routes(), other, copies);
        if (!four || !six)
            return four ? six.error() : four.error();
        has_marked_.store_relaxed(other.has_mapped());
        const auto result = table_.assign(std::move(*four), std::move(*six));
        return result ? errc::ok : result.error();
    }

    std::size_t memory_bytes() const noexcept { return table_.memory_bytes() + values_.memory_bytes(); }

  private:
    static constexpr std::uint32_t mark = std::uint32_t{1} << 31;

    static constexpr next_hop number_of(next_hop hop) noexcept { return {hop.id & ~mark}; }
    // Returns the next hop for T(parts...) at this prefix, and counts one more use of the value.
    template <class A, class... Parts>
    expected<next_hop> take(const prefix<A>& p, Parts&&... parts) {
        expected<next_hop> hop = values_.take(table_.version() + 1, std::forward<Parts>(parts)...);
        if (!hop)
            return hop;
        if ((hop->id & mark) != 0) {
            values_.release(*hop);
            return unexpected{errc::capacity};
        }
        if constexpr (A::bits == ipv6_address::bits)
            if (is_ipv4_mapped(p)) {
                hop->id |= mark;
                has_marked_.store_relaxed(true);
            }
        return hop;
    }
    // Returns the routes with value numbers of this state.
    template <class A>
    expected<std::vector<route<A>>> copied(std::vector<route<A>> routes, const map_state& other,
                                           std::vector<next_hop>& copies) {
        for (route<A>& r : routes) {
            const next_hop there = number_of(r.hop);
            const bool is_marked = there != r.hop;
            if (copies.size() <= there.id)
                copies.resize(there.id + 1, next_hop::none);
            const expected<next_hop> copy = shares && copies[there.id] != next_hop::none
                                                ? values_.take_again(copies[there.id])
                                                : take(r.where, *other.values_.find(there));
            if (!copy)
                return unexpected{copy.error()};
            copies[there.id] = number_of(*copy);
            r.hop = is_marked ? next_hop{copies[there.id].id | mark} : copies[there.id];
        }
        return routes;
    }
    template <class A>
    next_hop get(prefix<A> p) const noexcept {
        return p.length > A::bits ? next_hop::none : table_.get(p);
    }
    template <class A>
    static next_hop staged(const ip_transaction& in, const prefix<A>& p) noexcept {
        const edit<A>* const earlier = in.find(prefix<A>::make(p.base, p.length));
        return earlier == nullptr ? next_hop::none : earlier->hop;
    }
    void drop(next_hop hop) noexcept {
        if (hop != next_hop::none)
            values_.release(number_of(hop));
    }
    template <class A>
    void drop_edits(std::span<const edit<A>> edits) noexcept {
        for (const edit<A>& e : edits)
            drop(e.hop);
    }
    template <class A>
    next_hop exact_hop_of(A a) const noexcept {
        return with_routes<A>([a](const rib<A>& r) { return r.lookup(a); });
    }

    ip_table table_;
    value_slots<T, shares> values_;
    atomic_word<bool> has_marked_{false};
};

template <class T, bool shares>
expected<owner<map_state<T, shares>>> make_map_state(const map_options& options) {
    if (options.update == policy::in_place)
        return unexpected{errc::unsupported};
    const auto or_default = []<class A>(const scheme_entry<A>* scheme) -> const scheme_entry<A>& {
        return scheme == nullptr ? default_scheme_alone<A>() : *scheme;
    };
    table_options of;
    of.update = options.update;
    of.build = options.build;
    of.most_old_versions = options.most_old_versions;
    of.patience = options.patience;
    auto table = ip_table::create(or_default(options.ipv4_scheme), or_default(options.ipv6_scheme), of);
    if (!table)
        return unexpected{table.error()};
    auto* const state = new (std::nothrow) map_state<T, shares>(std::move(*table));
    if (state == nullptr)
        return unexpected{errc::out_of_memory};
    return owner<map_state<T, shares>>(state);
}
// With the default options, only memory can run out.
template <class T, bool shares>
owner<map_state<T, shares>> map_state_or_throw() {
    auto state = make_map_state<T, shares>({});
    if (!state)
        throw std::bad_alloc();
    return std::move(*state);
}

} // namespace detail
} // namespace fingerpost
