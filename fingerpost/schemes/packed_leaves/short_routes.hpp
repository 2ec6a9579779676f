// Routes so short that thousands of longer ones may lie below them, kept apart from the rest of a FIB: a
// lookup that finds no longer route asks here (schemes/packed_leaves/kernels.inl.hpp). A change of such a
// route then concerns entries side by side, 4,096 at most and some pages, and not each of the gaps that
// longer routes leave in it.
//
//     root    first bits -> the answer, or the page of a cell that is cut finer
//     page    next bits  -> the answer
//
//     bits    root + page    IPv4 12 + 0    IPv6 12 + 8
//
// One load, or two. The writer also keeps how long the route is that each entry has its answer from: an
// announcement takes the entries of shorter ones, a withdrawal gives its own to its cover. So changes may
// come in any order, as long as each is told with the cover that it has after all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/net/prefix.hpp"
#include "fingerpost/rib/change.hpp"
#include "fingerpost/schemes/packed_leaves/proportions.hpp"
#include "fingerpost/schemes/packed_leaves/view.hpp"

namespace fingerpost::packed_leaves {

// What lookups read. Answers are numbers as an next_hop_decoder takes them.
template <class A>
struct short_routes_view {
    // So many that tables of today leave 300 (IPv4) and 2,200 (IPv6) gaps at most in a route that is longer.
    static constexpr unsigned bits = A::bits > 32 ? 20 : std::max(A::bits * 3 / 8, 1U);
    static constexpr unsigned root_bits = bits < 12 ? bits : 12;
    static constexpr unsigned page_bits = bits - root_bits;
    static_assert(root_bits < 31, "a page for each entry of the root: their numbers have 31 bits");
    std::span<const std::uint32_t> root;  // empty when there is no short route, else 2^root_bits
    std::span<const std::uint32_t> pages; // 2^page_bits answers each

    bool empty() const noexcept { return root.empty(); }
    static std::size_t offset_of(std::uint32_t entry) noexcept {
        return std::size_t{entry & ~short_page_bit} << page_bits;
    }
    short_view kernel_view() const noexcept { return {root.data(), pages.data(), root_bits, page_bits}; }
};

// What throws is std::bad_alloc.
template <class A>
class short_routes {
    using shape = short_routes_view<A>;

  public:
    static bool is_short(const prefix<A>& p) noexcept { return p.length <= shape::bits; }

    // Takes a new route.
    void add(const prefix<A>& p, std::uint32_t number) {
        ++count_;
        paint(p, {no_route, rank_of(p.length), rank_of(p.length), number});
    }
    // `number` is that of the change's answer.
    void apply(const change<A>& c, std::uint32_t number) {
        const std::uint8_t own = rank_of(c.where.length);
        count_ += c.after != next_hop::none;
        count_ -= c.before != next_hop::none;
        if (count_ == 0)
            *this = {};
        else if (c.after != next_hop::none)
            paint(c.where, {no_route, own, own, number});
        else
            paint(c.where,
                  {own, own, c.cover == next_hop::none ? no_route : rank_of(c.cover_length), number});
        is_changed_ = true;
    }
    // As tree_store::sync_from().
    void sync_from(const short_routes& active, bool were_same) {
        if (!were_same || active.is_changed_)
            *this = active;
        is_changed_ = false;
    }

    shape view() const noexcept { return {root_, pages_}; }
    std::size_t memory_bytes() const noexcept {
        return (root_.capacity() + pages_.capacity() + page_cells_.capacity()) * sizeof(std::uint32_t) +
               root_ranks_.capacity() + page_ranks_.capacity();
    }

  private:
    static constexpr std::size_t page_size = std::size_t{1} << shape::page_bits;
    // How long the route of an entry is, plus one.
    static constexpr std::uint8_t no_route = 0;
    static std::uint8_t rank_of(unsigned length) noexcept { return static_cast<std::uint8_t>(length + 1); }

    // Entries whose routes have these ranks get an answer and its rank.
    struct brush {
        std::uint8_t least;
        std::uint8_t most;
        std::uint8_t rank;
        std::uint32_t number;

        bool is_for(std::uint8_t old) const noexcept { return least <= old && old <= most; }
    };
    void paint(const prefix<A>& p, brush what) {
        if (root_.empty()) {
            root_.resize(std::size_t{1} << shape::root_bits, next_hop::none.id);
            root_ranks_.resize(root_.size());
        }
        const auto first = static_cast<std::size_t>(slice(p.base, 0, shape::root_bits));
        if (p.length > shape::root_bits) {
            if (!is_short_page(root_[first])) {
                reserve_pages(1);
                add_page(first);
            }
            const std::size_t start =
                shape::offset_of(root_[first]) +
                static_cast<std::size_t>(slice(p.base, shape::root_bits, shape::page_bits));
            paint_in_page(start, std::size_t{1} << (shape::bits - p.length), what);
            if (what.rank < what.most)
                drop_page_if_uncut(first);
            return;
        }
        paint_cells(first, std::size_t{1} << (shape::root_bits - p.length), what);
    }
    void paint_cells(std::size_t first, std::size_t count, brush what) {
        std::uint8_t* const ranks = root_ranks_.data() + first;
        if (is_short_page(what.number)) {
            const auto needs_page = [&](std::size_t i) {
                return what.is_for(ranks[i]) && !is_short_page(root_[first + i]);
            };
            std::size_t more = 0;
            for (std::size_t i = 0; i < count; ++i)
                more += needs_page(i) ? 1 : 0;
            reserve_pages(more);
            for (std::size_t i = 0; i < count; ++i)
                if (needs_page(i))
                    add_page(first + i);
        } else {
            std::uint32_t* const entries = root_.data() + first;
            for (std::size_t i = 0; i < count; ++i) {
                const bool is_meant = what.is_for(ranks[i]) && !is_short_page(entries[i]);
                entries[i] = is_meant ? what.number : entries[i];
            }
        }
        paint_ranks(ranks, count, what);
        // Backwards, as the last page takes the place of one that goes.
        for (std::size_t page = page_cells_.size(); page-- > 0;)
            if (const std::size_t cell = page_cells_[page]; first <= cell && cell < first + count) {
                paint_in_page(page * page_size, page_size, what);
                drop_page_if_uncut(cell);
            }
    }
    // Here and above without branches, so that compilers make vectors of it.
    static void paint_ranks(std::uint8_t* ranks, std::size_t count, brush what) {
        for (std::size_t i = 0; i < count; ++i)
            ranks[i] = what.is_for(ranks[i]) ? what.rank : ranks[i];
    }
    void paint_in_page(std::size_t start, std::size_t count, brush what) {
        std::uint32_t* const numbers = pages_.data() + start;
        std::uint8_t* const ranks = page_ranks_.data() + start;
        for (std::size_t i = 0; i < count; ++i)
            numbers[i] = what.is_for(ranks[i]) ? what.number : numbers[i];
        paint_ranks(ranks, count, what);
    }

    void reserve_pages(std::size_t more) {
        const std::size_t pages = page_cells_.size() + more;
        if (pages * page_size <= pages_.capacity())
            return;
        const std::size_t room = std::max(pages, grown_short_pages.of(page_cells_.size()));
        page_cells_.reserve(room);
        page_ranks_.reserve(room * page_size);
        pages_.reserve(room * page_size);
    }
    // There is room for it.
    void add_page(std::size_t cell) {
        const std::size_t size = pages_.size() + page_size;
        pages_.resize(size, root_[cell]);
        page_ranks_.resize(size, root_ranks_[cell]);
        root_[cell] = entry_of(page_cells_.size());
        page_cells_.push_back(static_cast<std::uint32_t>(cell));
    }
    static std::uint32_t entry_of(std::size_t page) noexcept {
        return static_cast<std::uint32_t>(page) | short_page_bit;
    }
    // A page goes that says no more than its cell can, and the last one takes its place.
    void drop_page_if_uncut(std::size_t cell) {
        const std::size_t start = shape::offset_of(root_[cell]);
        const std::uint32_t number = pages_[start];
        const auto ranks = page_ranks_.begin() + static_cast<std::ptrdiff_t>(start);
        if (is_short_page(number) ||
            std::any_of(ranks, ranks + page_size, [](auto r) { return r > rank_of(shape::root_bits); }))
            return;
        const std::size_t last = pages_.size() - page_size;
        std::copy_n(pages_.begin() + static_cast<std::ptrdiff_t>(last), page_size,
                    pages_.begin() + static_cast<std::ptrdiff_t>(start));
        std::copy_n(page_ranks_.begin() + static_cast<std::ptrdiff_t>(last), page_size, ranks);
        root_[page_cells_.back()] = root_[cell];
        page_cells_[start / page_size] = page_cells_.back();
        root_[cell] = number;
        pages_.resize(last);
        page_ranks_.resize(last);
        page_cells_.pop_back();
        if (pages_.capacity() > wasteful_short_pages.of(pages_.size())) {
            pages_.shrink_to_fit();
            page_ranks_.shrink_to_fit();
            page_cells_.shrink_to_fit();
        }
    }

    std::size_t count_ = 0;
    std::vector<std::uint32_t> root_;
    std::vector<std::uint32_t> pages_;
    std::vector<std::uint8_t> root_ranks_;
    std::vector<std::uint8_t> page_ranks_;
    std::vector<std::uint32_t> page_cells_; // the root's entry of each page
    bool is_changed_ = false;               // since it took over
};

} // namespace fingerpost::packed_leaves
