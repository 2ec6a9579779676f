// The part of a map that has the prefixes of one family: a live table, whose next hops are the numbers of
// values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/atomic_word.hpp"
#include "fingerpost/map/map_entry.hpp"
#include "fingerpost/map/value_slots.hpp"
#include "fingerpost/net/mapped.hpp"
#include "fingerpost/table/table.hpp"

namespace fingerpost::detail {

// The next hop of an IPv6 route within ::ffff:0:0/96 has a mark beside the number of its value: an answer
// with it is for IPv4 addresses too, whichever version of the table gives it.
//
// Changes are for the writer's thread. So are queries while it makes them, except those that take a snapshot.
template <class A, class T, bool shares>
class family_map {
  public:
    using entry = map_entry<prefix<A>, T>;
    using slots = value_slots<T, shares>;

    explicit family_map(table<A> made) noexcept : table_(std::move(made)) {}

    table<A>& live() noexcept { return table_; }
    const table<A>& live() const noexcept { return table_; }
    // The value that a next hop stands for; null for none. For readers too.
    const T* value_of(next_hop hop) const noexcept {
        return hop == next_hop::none ? nullptr : values_.find(number_of(hop));
    }
    // Whether there may be marked next hops. For readers too: those that see one see this.
    bool has_mapped() const noexcept { return has_marked_.load_relaxed(); }
    // Not below that of ::ffff:0:0/96 if the match, whose next hop is given, is within it; else 0.
    static constexpr unsigned mapped_length(A, next_hop match) noexcept {
        return match != next_hop::none && number_of(match) != match ? mapped_block.length : 0;
    }

    // True if the prefix is new. Throws what constructing T throws.
    template <class... Parts>
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
    errc erase(prefix<A> p) noexcept {
        const next_hop before = get(p);
        const errc failure = table_.withdraw(p);
        if (failure == errc::ok) {
            drop(before);
            settle();
        }
        return failure;
    }
    // In a transaction: counts a use of the value. Throws what constructing T throws.
    template <class... Parts>
    errc stage(transaction<A>& in, prefix<A> p, Parts&&... parts) {
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
    errc stage_erase(transaction<A>& in, prefix<A> p) noexcept {
        const next_hop earlier = staged(in, p);
        const errc failure = in.withdraw(p);
        if (failure == errc::ok)
            drop(earlier);
        return failure;
    }
    void roll_back(transaction<A>& in) noexcept {
        for (const edit<A>& e : in.edits())
            drop(e.hop);
        in.rollback();
        settle();
    }
    // What prefixes have that this transaction changes. Throws std::bad_alloc.
    std::vector<next_hop> replaced_by(const transaction<A>& in) const {
        std::vector<next_hop> before;
        before.reserve(in.edits().size());
        for (const edit<A>& e : in.edits())
            before.push_back(table_.get(e.where));
        return before;
    }
    // After a commit: the table now counts the uses of what was staged.
    void committed(std::span<const next_hop> before) noexcept {
        for (const next_hop hop : before)
            drop(hop);
        settle();
    }
    // Destroys values that no reader sees any more.
    void settle() noexcept {
        if (!values_.has_retired())
            return;
        if (table_.pending() == 0)
            values_.published(table_.version() - 1);
        values_.reclaim(table_.oldest_read(), [this](std::uint64_t first, std::uint64_t last) {
            return table_.is_read(first, last);
        });
    }

    const T* find(prefix<A> p) const noexcept { return value_of(get(p)); }
    // From the FIB, unless readers do not see the newest changes yet.
    next_hop hop_of(A a) const noexcept {
        return table_.pending() == 0 ? table_.newest_fib().lookup(a) : exact_hop_of(a);
    }
    next_hop exact_hop_of(A a) const noexcept {
        return table_.with_rib([a](const rib<A>& r) { return r.lookup(a); });
    }
    void lookup(std::span<const A> in, std::span<const T*> out) const noexcept {
        if (table_.pending() == 0)
            return lookup(table_.newest_fib(), in, out);
        for (std::size_t i = 0; i < in.size(); ++i)
            out[i] = value_of(hop_of(in[i]));
    }
    // In a snapshot or a FIB.
    template <class Fib>
    void lookup(const Fib& by, std::span<const A> in, std::span<const T*> out) const noexcept {
        std::array<next_hop, 256> hops;
        while (!in.empty()) {
            const std::size_t count = in.size() < hops.size() ? in.size() : hops.size();
            by.lookup(in.first(count), std::span(hops).first(count));
            for (std::size_t i = 0; i < count; ++i)
                out[i] = value_of(hops[i]);
            in = in.subspan(count);
            out = out.subspan(count);
        }
    }
    std::optional<entry> match(A a) const noexcept {
        const auto found = table_.match(a);
        return found ? std::optional<entry>(as_entry(*found)) : std::nullopt;
    }
    template <class P>
    std::vector<map_entry<P, T>> covering(prefix<A> p) const {
        return as_entries<P>(p.length > A::bits ? std::vector<route<A>>() : table_.covering(p));
    }
    template <class P>
    std::vector<map_entry<P, T>> covered(prefix<A> p) const {
        return as_entries<P>(p.length > A::bits ? std::vector<route<A>>() : table_.covered(p));
    }
    entry as_entry(const route<A>& r) const noexcept { return {r.where, value_of(r.hop)}; }

    std::size_t memory_bytes() const noexcept { return table_.memory_bytes() + values_.memory_bytes(); }

  private:
    static constexpr std::uint32_t mark =
        A::bits == ipv6_address::bits ? std::uint32_t{1} << 31 : std::uint32_t{0};

    static constexpr next_hop number_of(next_hop hop) noexcept { return {hop.id & ~mark}; }
    static constexpr bool is_to_be_marked(const prefix<A>& p) noexcept {
        if constexpr (A::bits == ipv6_address::bits)
            return is_ipv4_mapped(p);
        return false;
    }
    // The next hop for the value T(parts...) of this prefix, with one use more of the value.
    template <class... Parts>
    expected<next_hop> take(const prefix<A>& p, Parts&&... parts) {
        expected<next_hop> hop = values_.take(next_version(), std::forward<Parts>(parts)...);
        if (!hop)
            return hop;
        if ((hop->id & mark) != 0) {
            values_.release(*hop);
            return unexpected{errc::capacity};
        }
        if (is_to_be_marked(p)) {
            hop->id |= mark;
            has_marked_.store_relaxed(true);
        }
        return hop;
    }
    next_hop get(prefix<A> p) const noexcept { return p.length > A::bits ? next_hop::none : table_.get(p); }
    std::uint64_t next_version() const noexcept { return table_.version() + 1; }
    next_hop staged(const transaction<A>& in, const prefix<A>& p) const noexcept {
        const edit<A>* const earlier = in.find(prefix<A>::make(p.base, p.length));
        return earlier == nullptr ? next_hop::none : earlier->hop;
    }
    void drop(next_hop hop) noexcept {
        if (hop != next_hop::none)
            values_.release(number_of(hop));
    }
    template <class P>
    std::vector<map_entry<P, T>> as_entries(const std::vector<route<A>>& from) const {
        std::vector<map_entry<P, T>> made;
        made.reserve(from.size());
        for (const route<A>& r : from)
            made.push_back({r.where, value_of(r.hop)});
        return made;
    }

    table<A> table_;
    slots values_;
    atomic_word<bool> has_marked_{false};
};

} // namespace fingerpost::detail
