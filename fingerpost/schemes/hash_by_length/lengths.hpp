// Sets of the prefix lengths near an address, which are the lengths that a lookup must try.
//
// A set of lengths is a number with bit l - 1 for length l. It does not contain /0, which the FIB stores
// separately.
//
// Widths up to 32 bits use `near_lengths`. Up to the length of a cell (24 of 32 bits) the sets are exact:
// each length in the set is a hit. A longer length is in the set if a route of that length exists anywhere in
// the cell.
//
//    root      [ page | lengths 1 to 16 ]    one 8-byte word for each value of 16 bits
//    pages     [ lengths 17 to 32 ] x 256    two bytes a cell, for blocks with routes longer than 16 bits
//
// Wider addresses use `far_lengths`, because a route of 20 bits would cover too many cells. So the root has
// the lengths 17 to 31 that exist anywhere in its block, and a hash table has the lengths from 32 that exist
// in a cell of 32 bits. A separate table counts the routes of each length in each block or cell, for
// withdrawals.
//
//     root      [ lengths 1 to 31 ]           4 bytes for each value of 16 bits
//     cells     cell -> lengths 32 to 128     hashed; for cells with a route of at least 32 bits
//     counts    cell, length -> routes        hashed; not read by lookups
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/lengths/hashed_nodes.hpp"
#include "fingerpost/net/prefix.hpp"
#include "fingerpost/schemes/hash_by_length/near_lengths.hpp"
#include "fingerpost/schemes/hash_by_length/open_table.hpp"

namespace fingerpost::hash_by_length {

template <class A>
class far_lengths {
    static_assert(A::bits > 32 && sizeof(std::array<std::uint64_t, 2>) == sizeof(u128));
    static constexpr unsigned root_bits = 16;
    static constexpr unsigned cell_bits = 32;
    // A set that does not need the alignment of a 128-bit number.
    using stored_set = std::array<std::uint64_t, 2>;
    using cell_table = open_table<std::uint32_t, stored_set, stored_set{}>;

  public:
    using set = u128;

    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("root", of.root_);
        visit("cells", cell_table::slots_of(of.cells_));
        visit("counts", of.counts_);
    }
    // Required by fib/layout.hpp. Sets contain only lengths in `possible`.
    void check(const layout_check& in, set possible) {
        in.require(root_.size() == std::size_t{1} << root_bits, nullptr, "the root has a wrong size");
        for (const std::uint32_t& lengths : root_.span())
            in.require((lengths & ~possible) == 0, &lengths, "a block has lengths without a table");
        cells_.check(in);
        for (const auto& slot : cells_.slots().span())
            in.require((std::bit_cast<set>(slot.value) & ~possible) == 0, &slot,
                       "a cell has lengths without a table");
    }

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
        auto new_root = aligned_array<std::uint32_t>::make(std::size_t{1} << root_bits);
        if (!new_root)
            return new_root.error();
        root_ = std::move(*new_root);
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
    template <class Read>
    set around(Read&& read, const hash_key& secret, A a) const {
        const std::uint32_t lengths = read(root_, block_of(a));
        read.tell([](auto& step) { step.looks_at(0, root_bits); });
        if (cells_.size() == 0)
            return lengths;
        const auto& cell = cells_.search(cell_of(a), cells_.bucket(secret, cell_of(a)));
        read(&cell, 0);
        read.tell([&](auto& step) {
            step.looks_at(0, cell_bits);
            step.key = cell_of(a);
        });
        return std::bit_cast<set>(cell.value) | lengths;
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
        const set own_length = only<set>(where.length);
        if (stored_set* const cell = cells_.change(secret, cell_of(where.base))) {
            *cell = std::bit_cast<stored_set>(std::bit_cast<set>(*cell) | own_length);
            return errc::ok;
        }
        return cells_.add(secret, cell_of(where.base), std::bit_cast<stored_set>(own_length));
    }
    template <class IsRoute>
    void remove(const hash_key& secret, const prefix<A>& where, IsRoute) noexcept {
        if (where.length > root_bits) {
            std::uint32_t& count = *counts_.change(secret, counted(where));
            if (--count != 0)
                return;
            count = 1; // nonzero while it is a key of the table
            counts_.remove(secret, counted(where));
        }
        if (where.length < cell_bits) {
            for (std::size_t i = block_of(where.first()); i <= block_of(where.last()); ++i)
                root_[i] &= ~only<std::uint32_t>(where.length);
            return;
        }
        stored_set& cell = *cells_.change(secret, cell_of(where.base));
        const set left = std::bit_cast<set>(cell) & ~only<set>(where.length);
        if (left == 0)
            cells_.remove(secret, cell_of(where.base));
        else
            cell = std::bit_cast<stored_set>(left);
    }

    void visit(node_visitor<A> each) const {
        each({.first = A::first(),
              .last = A::last(),
              .kind = "root",
              .part = "root",
              .bytes = root_.memory_bytes(),
              .bits = root_bits,
              .contents = [&](node_contents& to) {
                  to.with = compared::bitmap;
                  const std::span<const std::uint32_t> sets = root_.span();
                  to.values.assign(sets.begin(), sets.end());
              }});
        if (cells_.size() == 0)
            return;
        const auto& slots = cells_.slots();
        each({.first = A::first(),
              .last = A::last(),
              .kind = "cells",
              .part = "cells",
              .bytes = slots.size() * sizeof slots[0],
              .children = cells_.size(),
              .bits = cell_bits});
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (slots[i].is_free())
                continue;
            const auto base = static_cast<typename A::value_type>(slots[i].whole_key());
            const auto where = prefix<A>::make(A{base << (A::bits - cell_bits)}, cell_bits);
            const auto show = [&](node_contents& to) {
                to.with = compared::bitmap;
                to.values.assign(slots[i].value.begin(), slots[i].value.end());
            };
            auto shown = hashed_entry(where, "cell", "cells", i * sizeof slots[i]);
            shown.level = 1;
            shown.slot = i;
            shown.contents = show;
            each(shown);
        }
    }
    std::size_t longest_search() const noexcept {
        return std::max(cells_.longest_search(), counts_.longest_search());
    }

  private:
    static std::size_t block_of(A a) noexcept { return static_cast<std::size_t>(slice(a, 0, root_bits)); }
    static std::uint32_t cell_of(A a) noexcept { return static_cast<std::uint32_t>(slice(a, 0, cell_bits)); }
    // The key of a count: the length, and the cell or block of the route.
    static std::uint64_t counted(const prefix<A>& where) noexcept {
        const std::uint64_t place = where.length < cell_bits ? std::uint64_t{block_of(where.base)}
                                                             : std::uint64_t{cell_of(where.base)};
        return place << 8 | where.length;
    }

    aligned_array<std::uint32_t> root_;
    cell_table cells_;
    open_table<std::uint64_t, std::uint32_t, 0u> counts_;
};

template <class A>
using lengths_around = std::conditional_t<(A::bits <= 32), near_lengths<A>, far_lengths<A>>;

} // namespace fingerpost::hash_by_length
