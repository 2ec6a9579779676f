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

#include "fingerpost/map/map_entry.hpp"
#include "fingerpost/map/value_slots.hpp"
#include "fingerpost/table/table.hpp"

namespace fingerpost::detail {

// Changes are for the writer's thread. So are queries while it makes them, except those that take a
// snapshot.
template <class A, class T, bool shares>
class family_map {
  public:
    using entry = map_entry<prefix<A>, T>;
    using slots = value_slots<T, shares>;

    explicit family_map(table<A> made) noexcept : table_(std::move(made)) {}

    table<A>& live() noexcept { return table_; }
    const table<A>& live() const noexcept { return table_; }
    const slots& values() const noexcept { return values_; }

    // True if the prefix is new. Throws what constructing T throws.
    template <class... Parts>
    expected<bool> set(prefix<A> p, Parts&&... parts) {
        if (p.length > A::bits)
            return unexpected{errc::invalid};
        const expected<next_hop> number = values_.take(next_version(), std::forward<Parts>(parts)...);
        if (!number)
            return unexpected{number.error()};
        const next_hop before = table_.get(p);
        if (before == *number) {
            values_.release(*number);
            return false;
        }
        const errc failure = table_.announce(p, *number);
        if (failure != errc::ok)
            values_.release(*number);
        else if (before != next_hop::none)
            values_.release(before);
        settle();
        if (failure != errc::ok)
            return unexpected{failure};
        return before == next_hop::none;
    }
    errc erase(prefix<A> p) noexcept {
        const next_hop before = get(p);
        const errc failure = table_.withdraw(p);
        if (failure == errc::ok) {
            values_.release(before);
            settle();
        }
        return failure;
    }
    // In a transaction: counts a use of the value. Throws what constructing T throws.
    template <class... Parts>
    errc stage(transaction<A>& in, prefix<A> p, Parts&&... parts) {
        if (p.length > A::bits)
            return errc::invalid;
        const expected<next_hop> number = values_.take(next_version(), std::forward<Parts>(parts)...);
        if (!number)
            return number.error();
        const next_hop earlier = staged(in, p);
        const errc failure = in.announce(p, *number);
        drop(failure == errc::ok ? earlier : *number);
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

    const T* find(prefix<A> p) const noexcept { return values_.find(get(p)); }
    // From the FIB, unless readers do not see the newest changes yet.
    const T* lookup(A a) const noexcept {
        if (table_.pending() == 0)
            return values_.find(table_.newest_fib().lookup(a));
        return values_.find(table_.with_rib([a](const rib<A>& r) { return r.lookup(a); }));
    }
    void lookup(std::span<const A> in, std::span<const T*> out) const noexcept {
        if (table_.pending() == 0)
            return lookup(table_.newest_fib(), in, out);
        for (std::size_t i = 0; i < in.size(); ++i)
            out[i] = lookup(in[i]);
    }
    // In a snapshot or a FIB.
    template <class Fib>
    void lookup(const Fib& by, std::span<const A> in, std::span<const T*> out) const noexcept {
        std::array<next_hop, 256> hops;
        while (!in.empty()) {
            const std::size_t count = in.size() < hops.size() ? in.size() : hops.size();
            by.lookup(in.first(count), std::span(hops).first(count));
            for (std::size_t i = 0; i < count; ++i)
                out[i] = values_.find(hops[i]);
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
    entry as_entry(const route<A>& r) const noexcept { return {r.where, values_.find(r.hop)}; }

    std::size_t memory_bytes() const noexcept { return table_.memory_bytes() + values_.memory_bytes(); }

  private:
    next_hop get(prefix<A> p) const noexcept { return p.length > A::bits ? next_hop::none : table_.get(p); }
    std::uint64_t next_version() const noexcept { return table_.version() + 1; }
    next_hop staged(const transaction<A>& in, const prefix<A>& p) const noexcept {
        const edit<A>* const earlier = in.find(prefix<A>::make(p.base, p.length));
        return earlier == nullptr ? next_hop::none : earlier->hop;
    }
    void drop(next_hop hop) noexcept {
        if (hop != next_hop::none)
            values_.release(hop);
    }
    template <class P>
    std::vector<map_entry<P, T>> as_entries(const std::vector<route<A>>& from) const {
        std::vector<map_entry<P, T>> made;
        made.reserve(from.size());
        for (const route<A>& r : from)
            made.push_back({r.where, values_.find(r.hop)});
        return made;
    }

    table<A> table_;
    slots values_;
};

} // namespace fingerpost::detail
