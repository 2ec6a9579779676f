// The prefix lengths that a lookup must try: those of the routes around an address.
//
// A set of lengths is a number with bit l - 1 for length l. It does not contain /0, which its owner keeps.
//
// Widths up to 32 bits use `near_lengths`. For lengths up to that of a cell, 24 of 32 bits, the sets are
// exact: a length of the set is a hit. For longer ones the set tells which exist somewhere in the cell.
//
//    root      [ page | lengths 1 to 16 ]    one word a block of 16 bits, 8 bytes
//    pages     [ lengths 17 to 32 ] x 256    two bytes a cell; for blocks with routes longer than 16 bits
//
// Wider addresses use `far_lengths`, because a route of 20 bits would cover too many cells. So the root has
// the lengths 17 to 31 that exist somewhere in its block, and a hash table has the lengths from 32 on that
// exist in a cell of 32 bits. A separate table counts the routes of each length in each block or cell, for
// withdrawals.
//
//     root      [ lengths 1 to 31 ]           4 bytes a block of 16 bits
//     cells     cell -> lengths 32 to 128     hashed, a route of this length or longer lies in the cell
//     counts    cell, length -> routes        hashed; not read by lookups
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/node_pool.hpp"
#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/net/prefix.hpp"
#include "fingerpost/schemes/hash_by_length/open_table.hpp"

namespace fingerpost::hash_by_length {

// The longest length of a non-empty set.
constexpr unsigned longest_of(std::uint32_t set) noexcept {
    return 32 - static_cast<unsigned>(std::countl_zero(set));
}
constexpr unsigned longest_of(u128 set) noexcept {
    const auto high = static_cast<std::uint64_t>(set >> 64);
    return high != 0 ? 128 - static_cast<unsigned>(std::countl_zero(high))
                     : 64 - static_cast<unsigned>(std::countl_zero(static_cast<std::uint64_t>(set)));
}
template <class Set>
constexpr Set only(unsigned length) noexcept {
    return Set{1} << (length - 1);
}

template <class A>
class near_lengths {
    static_assert(A::bits <= 32);
    static constexpr unsigned root_bits = (A::bits + 1) / 2;
    static constexpr unsigned cell_bits = (root_bits + A::bits) / 2;
    static constexpr std::size_t page_cells = std::size_t{1} << (cell_bits - root_bits);
    struct page {
        std::array<std::uint16_t, page_cells> cells{};
        std::uint32_t routes = 0;
    };
    using pool = node_pool<page>;
    struct block {
        std::uint32_t lengths = 0;
        std::uint32_t page = pool::nil;
    };

  public:
    using set = std::uint32_t;
    static constexpr unsigned parts_count = 2;

    // Empties everything and makes room for these routes.
    errc prepare(std::span<const route<A>> routes) noexcept {
        std::size_t pages = 0;
        std::size_t last = ~std::size_t{0};
        for (const route<A>& r : routes)
            if (r.where.length > root_bits && block_of(r.where.base) != last) {
                last = block_of(r.where.base);
                ++pages;
            }
        if (!pages_.reserve(pages))
            return pages_.shortage(pages);
        auto made = aligned_array<block>::make(std::size_t{1} << root_bits);
        if (!made)
            return made.error();
        root_ = std::move(*made);
        std::fill(root_.begin(), root_.end(), block{});
        return errc::ok;
    }

    void prefetch_first(const hash_key&, A a) const noexcept { __builtin_prefetch(&root_[block_of(a)]); }
    void prefetch_second(A a) const noexcept {
        const block& b = root_[block_of(a)];
        if (b.page != pool::nil)
            __builtin_prefetch(&pages_[b.page].cells[cell_of(a)]);
    }
    set around(const hash_key&, A a) const noexcept {
        const block& b = root_[block_of(a)];
        return b.page == pool::nil ? b.lengths
                                   : b.lengths | set{pages_[b.page].cells[cell_of(a)]} << root_bits;
    }

    errc add(const hash_key&, const prefix<A>& where) noexcept {
        if (where.length <= root_bits) {
            for (std::size_t i = block_of(where.first()); i <= block_of(where.last()); ++i)
                root_[i].lengths |= only<set>(where.length);
            return errc::ok;
        }
        block& b = root_[block_of(where.base)];
        if (b.page == pool::nil) {
            const auto made = pages_.allocate();
            if (made == pool::nil)
                return pages_.shortage();
            b.page = made;
        }
        page& there = pages_[b.page];
        ++there.routes;
        for (std::size_t i = cell_of(where.first()); i <= cell_of(where.last()); ++i)
            there.cells[i] |= bit_in_page(where.length);
        return errc::ok;
    }
    // `is_route` tells which prefixes are routes; the withdrawn one is no longer among them.
    template <class IsRoute>
    void remove(const hash_key&, const prefix<A>& where, IsRoute is_route) noexcept {
        if (where.length <= root_bits) {
            for (std::size_t i = block_of(where.first()); i <= block_of(where.last()); ++i)
                root_[i].lengths &= ~only<set>(where.length);
            return;
        }
        block& b = root_[block_of(where.base)];
        page& there = pages_[b.page];
        if (--there.routes == 0) {
            pages_.release(b.page);
            b.page = pool::nil;
            compact();
            return;
        }
        if (where.length > cell_bits && has_sibling(where, is_route))
            return;
        for (std::size_t i = cell_of(where.first()); i <= cell_of(where.last()); ++i)
            there.cells[i] = static_cast<std::uint16_t>(there.cells[i] & ~bit_in_page(where.length));
    }

    std::array<memory_part, parts_count> parts() const noexcept {
        return {{{"root", root_.memory_bytes()}, {"pages", pages_.memory_bytes()}}};
    }
    // Calls each(step) for the reads of around(), except the last one, which is returned.
    template <class Each>
    trace_step trace(const hash_key&, A a, Each each) const {
        const block& b = root_[block_of(a)];
        const trace_step first{.part = "root",
                               .at = &b,
                               .offset = block_of(a) * sizeof b,
                               .bytes = sizeof b,
                               .bits = root_bits,
                               .key = block_of(a),
                               .found = b.lengths};
        if (b.page == pool::nil)
            return first;
        each(first);
        const std::uint16_t& cell = pages_[b.page].cells[cell_of(a)];
        return {.part = "pages",
                .at = &cell,
                .offset = b.page * sizeof(page) + cell_of(a) * sizeof cell,
                .bytes = sizeof cell,
                .first_bit = root_bits,
                .bits = cell_bits - root_bits,
                .key = cell_of(a),
                .found = cell};
    }
    void visit(node_visitor<A> each) const {
        each({.first = A::first(),
              .last = A::last(),
              .kind = "root",
              .part = "root",
              .bytes = root_.memory_bytes(),
              .children = pages_.size()});
        for (std::size_t i = 0; i < root_.size(); ++i) {
            if (root_[i].page == pool::nil)
                continue;
            const A base{static_cast<std::uint32_t>(i << (A::bits - root_bits))};
            const auto where = prefix<A>::make(base, root_bits);
            each({.first = where.first(),
                  .last = where.last(),
                  .level = 1,
                  .kind = "page",
                  .part = "pages",
                  .bytes = sizeof(page)});
        }
    }
    std::size_t longest_search() const noexcept { return 0; }

  private:
    static std::size_t block_of(A a) noexcept { return static_cast<std::size_t>(slice(a, 0, root_bits)); }
    static std::size_t cell_of(A a) noexcept {
        return static_cast<std::size_t>(slice(a, root_bits, cell_bits - root_bits));
    }
    // Copies the pages if many are unused; does nothing without memory for that.
    void compact() noexcept {
        pool copy;
        if (!pages_.sparse() || !copy.reserve(pages_.size()))
            return;
        for (block& b : root_) {
            if (b.page == pool::nil)
                continue;
            const auto made = copy.allocate();
            copy[made] = pages_[b.page];
            b.page = made;
        }
        pages_ = std::move(copy);
    }
    static std::uint16_t bit_in_page(unsigned length) noexcept {
        return static_cast<std::uint16_t>(only<set>(length) >> root_bits);
    }
    // Whether another route of this length lies in the cell: tests each possible one, at most 255.
    template <class IsRoute>
    static bool has_sibling(const prefix<A>& where, IsRoute is_route) noexcept {
        const std::uint32_t step = std::uint32_t{1} << (A::bits - where.length);
        const A first = prefix<A>::make(where.base, cell_bits).first();
        for (std::uint32_t i = 0; i < std::uint32_t{1} << (where.length - cell_bits); ++i)
            if (is_route(prefix<A>::make(A{first.value + i * step}, where.length)))
                return true;
        return false;
    }

    aligned_array<block> root_;
    pool pages_;
};

template <class A>
class far_lengths {
    static_assert(A::bits > 32 && sizeof(std::array<std::uint64_t, 2>) == sizeof(u128));
    static constexpr unsigned root_bits = 16;
    static constexpr unsigned cell_bits = 32;
    // A set without the alignment of a 128-bit number.
    using stored_set = std::array<std::uint64_t, 2>;

  public:
    using set = u128;
    static constexpr unsigned parts_count = 3;

    errc prepare(std::span<const route<A>> routes) noexcept {
        constexpr std::uint64_t nowhere = ~std::uint64_t{0};
        std::array<std::uint64_t, A::bits + 1> last;
        last.fill(nowhere);
        std::uint64_t last_cell = nowhere;
        std::size_t counts = 0;
        std::size_t cells = 0;
        for (const route<A>& r : routes) {
            if (r.where.length > root_bits && counted(r.where) != last[r.where.length]) {
                last[r.where.length] = counted(r.where);
                ++counts;
            }
            if (r.where.length >= cell_bits && cell_of(r.where.base) != last_cell) {
                last_cell = cell_of(r.where.base);
                ++cells;
            }
        }
        auto made = aligned_array<std::uint32_t>::make(std::size_t{1} << root_bits);
        if (!made)
            return made.error();
        root_ = std::move(*made);
        if (const errc failure = cells_.reset(cells); failure != errc::ok)
            return failure;
        return counts_.reset(counts);
    }

    void prefetch_first(const hash_key& secret, A a) const noexcept {
        __builtin_prefetch(&root_[block_of(a)]);
        if (cells_.size() != 0)
            cells_.prefetch(cells_.bucket(secret, cell_of(a)));
    }
    void prefetch_second(A) const noexcept {}
    set around(const hash_key& secret, A a) const noexcept {
        return std::bit_cast<set>(cells_.find(secret, cell_of(a))) | root_[block_of(a)];
    }

    errc add(const hash_key& secret, const prefix<A>& where) noexcept {
        if (where.length > root_bits) {
            if (std::uint32_t* const count = counts_.change(secret, counted(where))) {
                ++*count;
                return errc::ok;
            }
            if (const errc failure = counts_.add(secret, counted(where), 1); failure != errc::ok)
                return failure;
        }
        if (where.length < cell_bits) {
            for (std::size_t i = block_of(where.first()); i <= block_of(where.last()); ++i)
                root_[i] |= only<std::uint32_t>(where.length);
            return errc::ok;
        }
        const set one = only<set>(where.length);
        if (stored_set* const here = cells_.change(secret, cell_of(where.base))) {
            *here = std::bit_cast<stored_set>(std::bit_cast<set>(*here) | one);
            return errc::ok;
        }
        return cells_.add(secret, cell_of(where.base), std::bit_cast<stored_set>(one));
    }
    template <class IsRoute>
    void remove(const hash_key& secret, const prefix<A>& where, IsRoute) noexcept {
        if (where.length > root_bits) {
            std::uint32_t& count = *counts_.change(secret, counted(where));
            if (--count != 0)
                return;
            count = 1; // it remains a key of the table until it is removed
            counts_.remove(secret, counted(where));
        }
        if (where.length < cell_bits) {
            for (std::size_t i = block_of(where.first()); i <= block_of(where.last()); ++i)
                root_[i] &= ~only<std::uint32_t>(where.length);
            return;
        }
        stored_set& here = *cells_.change(secret, cell_of(where.base));
        const set left = std::bit_cast<set>(here) & ~only<set>(where.length);
        if (left == 0)
            cells_.remove(secret, cell_of(where.base));
        else
            here = std::bit_cast<stored_set>(left);
    }

    std::array<memory_part, parts_count> parts() const noexcept {
        return {{{"root", root_.memory_bytes()},
                 {"cells", cells_.memory_bytes()},
                 {"counts", counts_.memory_bytes()}}};
    }
    template <class Each>
    trace_step trace(const hash_key& secret, A a, Each each) const {
        const trace_step root{.part = "root",
                              .at = &root_[block_of(a)],
                              .offset = block_of(a) * sizeof root_[0],
                              .bytes = sizeof root_[0],
                              .bits = root_bits,
                              .key = block_of(a),
                              .found = root_[block_of(a)]};
        if (cells_.size() == 0)
            return root;
        each(root);
        const auto& end = cells_.search(cell_of(a), cells_.bucket(secret, cell_of(a)));
        const auto at = static_cast<std::size_t>(&end - cells_.slots().data());
        return {.part = "cells",
                .at = &end,
                .offset = at * sizeof end,
                .bytes = sizeof end,
                .bits = cell_bits,
                .key = cell_of(a),
                .found = at};
    }
    void visit(node_visitor<A> each) const {
        each({.first = A::first(),
              .last = A::last(),
              .kind = "root",
              .part = "root",
              .bytes = root_.memory_bytes(),
              .children = cells_.size()});
        for (const auto& s : cells_.slots().span()) {
            if (s.is_free())
                continue;
            const auto base = static_cast<typename A::value_type>(s.whole_key());
            const auto where = prefix<A>::make(A{base << (A::bits - cell_bits)}, cell_bits);
            each({.first = where.first(),
                  .last = where.last(),
                  .level = 1,
                  .kind = "cell",
                  .part = "cells",
                  .bytes = sizeof s});
        }
    }
    std::size_t longest_search() const noexcept {
        return std::max(cells_.longest_search(), counts_.longest_search());
    }

  private:
    static std::size_t block_of(A a) noexcept { return static_cast<std::size_t>(slice(a, 0, root_bits)); }
    static std::uint32_t cell_of(A a) noexcept { return static_cast<std::uint32_t>(slice(a, 0, cell_bits)); }
    // The key of the counts: the length, and the cell or block of the route.
    static std::uint64_t counted(const prefix<A>& where) noexcept {
        const std::uint64_t place = where.length < cell_bits ? std::uint64_t{block_of(where.base)}
                                                             : std::uint64_t{cell_of(where.base)};
        return place << 8 | where.length;
    }

    aligned_array<std::uint32_t> root_;
    open_table<std::uint32_t, stored_set, stored_set{}> cells_;
    open_table<std::uint64_t, std::uint32_t, 0u> counts_;
};

template <class A>
using lengths_around = std::conditional_t<(A::bits <= 32), near_lengths<A>, far_lengths<A>>;

} // namespace fingerpost::hash_by_length
