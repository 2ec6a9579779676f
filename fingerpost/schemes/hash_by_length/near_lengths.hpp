// The sets of lengths for widths up to 32 bits. See lengths.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/node_pool.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost::hash_by_length {

// The longest length in a non-empty set.
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

    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("root", of.root_);
        visit("pages", of.pages_);
    }
    // Required by fib/layout.hpp. Sets contain only lengths in `possible`.
    void check(const layout_check& in, set possible) {
        in.require(root_.size() == std::size_t{1} << root_bits, nullptr, "the root has a wrong size");
        std::vector<bool> visited(pages_.size());
        for (const block& b : root_.span()) {
            in.require((b.lengths & ~possible) == 0, &b, "a block has lengths without a table");
            if (b.page == pool::nil)
                continue;
            in.require(b.page < pages_.size(), &b, "a block has an invalid page");
            if (visited[b.page])
                continue;
            visited[b.page] = true;
            for (const std::uint16_t& lengths : pages_[b.page].cells)
                in.require((set{lengths} << root_bits & ~possible) == 0, &lengths,
                           "a cell has lengths without a table");
        }
    }

    // Empties everything and reserves room for these routes.
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
        auto new_root = aligned_array<block>::make(std::size_t{1} << root_bits);
        if (!new_root)
            return new_root.error();
        root_ = std::move(*new_root);
        std::fill(root_.begin(), root_.end(), block{});
        return errc::ok;
    }

    void prefetch_first(const hash_key&, A a) const noexcept { __builtin_prefetch(&root_[block_of(a)]); }
    void prefetch_second(A a) const noexcept {
        const block& b = root_[block_of(a)];
        if (b.page != pool::nil)
            __builtin_prefetch(&pages_[b.page].cells[cell_of(a)]);
    }
    template <class Read>
    set around(Read&& read, const hash_key&, A a) const {
        const block& b = read(root_, block_of(a));
        read.tell([](auto& step) { step.looks_at(0, root_bits); });
        if (b.page == pool::nil)
            return b.lengths;
        const std::uint16_t longer = read(pages_[b.page].cells, cell_of(a));
        read.tell([](auto& step) { step.looks_at(root_bits, cell_bits - root_bits); });
        return b.lengths | set{longer} << root_bits;
    }

    errc add(const hash_key&, const prefix<A>& where) noexcept {
        if (where.length <= root_bits) {
            for (std::size_t i = block_of(where.first()); i <= block_of(where.last()); ++i)
                root_[i].lengths |= only<set>(where.length);
            return errc::ok;
        }
        block& b = root_[block_of(where.base)];
        if (b.page == pool::nil) {
            const auto page_number = pages_.allocate();
            if (page_number == pool::nil)
                return pages_.shortage();
            b.page = page_number;
        }
        page& there = pages_[b.page];
        ++there.routes;
        for (std::size_t i = cell_of(where.first()); i <= cell_of(where.last()); ++i)
            there.cells[i] |= bit_in_page(where.length);
        return errc::ok;
    }
    // `is_route` returns whether a prefix is a route; the withdrawn one no longer is.
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

    void visit(node_visitor<A> each) const {
        each({.first = A::first(),
              .last = A::last(),
              .kind = "root",
              .part = "root",
              .bytes = root_.memory_bytes(),
              .children = pages_in_use(),
              .bits = root_bits,
              .contents = [&](node_contents& to) {
                  to.with = compared::bitmap;
                  for (const block& b : root_.span())
                      to.values.push_back(b.lengths);
              }});
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
                  .bytes = sizeof(page),
                  .offset = root_[i].page * sizeof(page),
                  .slot = i,
                  .first_bit = root_bits,
                  .bits = cell_bits - root_bits,
                  .contents = [&](node_contents& to) {
                      to.with = compared::bitmap;
                      const auto& cells = pages_[root_[i].page].cells;
                      to.values.assign(cells.begin(), cells.end());
                  }});
        }
    }
    std::size_t longest_search() const noexcept { return 0; }

  private:
    static std::size_t block_of(A a) noexcept { return static_cast<std::size_t>(slice(a, 0, root_bits)); }
    static std::size_t cell_of(A a) noexcept {
        return static_cast<std::size_t>(slice(a, root_bits, cell_bits - root_bits));
    }
    // The pool does not count the pages of a FIB from a file.
    std::size_t pages_in_use() const noexcept {
        const std::span<const block> blocks = root_.span();
        return static_cast<std::size_t>(
            std::count_if(blocks.begin(), blocks.end(), [](const block& b) { return b.page != pool::nil; }));
    }
    // Copies the pages if many are unused. Does nothing if memory is short.
    void compact() noexcept {
        pool copy;
        if (!pages_.sparse() || !copy.reserve(pages_.size()))
            return;
        for (block& b : root_) {
            if (b.page == pool::nil)
                continue;
            const auto page_number = copy.allocate();
            copy[page_number] = pages_[b.page];
            b.page = page_number;
        }
        pages_ = std::move(copy);
    }
    static std::uint16_t bit_in_page(unsigned length) noexcept {
        return static_cast<std::uint16_t>(only<set>(length) >> root_bits);
    }
    // Whether the cell has another route of this length. Tests each possible one, at most 255.
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

} // namespace fingerpost::hash_by_length
