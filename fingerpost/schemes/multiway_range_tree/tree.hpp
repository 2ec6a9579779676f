// The tree of ends with the routes at its edges, and its changes.
//
// Ends. A route from `first` to `last` has two ends: the address before `first`, and `last`. Routes may share
// ends, so they are counted, and an end without routes is removed. Address 0 has no address before it, and
// the last address of the space is always an end. The ends divide the space into cells. A route contains all
// of a cell or nothing.
//
// Routes. The span of an edge is all addresses below it. A route belongs to each edge whose span it contains,
// unless it also contains the span of the edge above. These edges are siblings of the two paths to the
// route's ends. Of the routes that belong to an edge, only the longest is stored.
//
// Invariants between changes:
//   1. A stored route belongs to its edge.
//   2. The longest route that contains an address is stored on the path of the address.
// By 1, routes get longer on a path from the root, so the last one is the answer. A route that longer ones
// hide in a whole span may or may not be stored there. So nodes can be split and merged without regard to
// such routes. When a hidden route becomes visible, because a longer one is removed, it is the cover in the
// change, and erase() stores it at the edges to which it belongs.
//
// Changes may be coalesced (docs/inside/patching.md), so a cover may become visible before it is inserted and
// has its ends. It is stored only at edges whose span it contains, and when two cells become one, only routes
// that contain the whole cell stay. The insertion of the cover stores the missing parts.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/atomic_word.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/schemes/multiway_range_tree/nodes.hpp"

namespace fingerpost::multiway_range_tree {

// The cells from which a tree is built, each with its end. `count` is the number of routes with this end.
template <class W>
struct cell {
    W end{};
    std::uint32_t count = 0;
    std::uint32_t word = 0; // the longest route that contains the cell
};

template <class W>
class range_tree : public node_store<W> {
    using base = node_store<W>;
    using base::allocate;
    using base::before;
    using base::edge_to;
    using base::edges;
    using base::get;
    using base::holds;
    using base::insert_edge;
    using base::joined;
    using base::lift;
    using base::next;
    using base::node_at;
    using base::nodes_;
    using base::own;
    using base::put;
    using base::put_padding;
    using base::release;
    using base::remove_edge;
    using typename base::edge;
    using typename base::key;
    using typename base::place;
    using typename base::value;

  public:
    using base::edges_of;
    using base::key_at;
    using base::most;

    // Tests pass a lower limit of nodes to reach it.
    explicit range_tree(std::size_t most_nodes = most) noexcept : base(most_nodes) {}

    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("nodes", of.nodes_);
        visit("retired", of.lists_);
        visit("top", of.published_);
    }

    // Builds an empty tree from cells that cover all addresses. Throws std::bad_alloc.
    errc build(std::span<const cell<W>> cells) {
        if (!nodes_.reserve(fresh_nodes(cells.size())))
            return nodes_.shortage(fresh_nodes(cells.size()));
        std::vector<edge> row;
        row.reserve(cells.size());
        for (const cell<W>& c : cells)
            row.push_back({c.end, c.count, c.word});
        ends_ = row.size();
        height_ = 0;
        do {
            if (const errc failure = build_row(row); failure != errc::ok)
                return failure;
            ++height_;
        } while (row.size() > 1);
        root_ = row[0].below;
        word_ = row[0].word;
        publish();
        return errc::ok;
    }

    // The nodes that a change with concurrent readers may need: for each of the two paths, a copy of every
    // node and another node for a split or for a neighbour to merge with; and two roots.
    static constexpr unsigned most_height_beside_readers = 16;
    static constexpr std::size_t most_needed = 4 * most_height_beside_readers + 2;
    bool has_room() const noexcept {
        return this->room() >= most_needed && height_ + 2 <= most_height_beside_readers;
    }
    // Publishes the current change as a whole. A lookup reads the root, the height and the route that
    // contains every address as one word; the nodes below no longer change.
    void publish() noexcept {
        static_assert(most_height < 256);
        const std::uint64_t state =
            std::uint64_t{height_} << 56 | std::uint64_t{word_ & code_mask} << 32 | root_;
        std::atomic_ref(published_).store(state, std::memory_order_release);
        this->is_read_ = false;
    }

    // Inserts a new route, or replaces the next hop of an existing one.
    errc insert(const prefix<W>& p, std::uint32_t code, bool is_new) noexcept {
        const std::uint32_t word = word_of(p.length, code);
        if (p.length == 0) {
            word_ = word;
            return errc::ok;
        }
        if (is_new) {
            if (const errc failure = p.first() == W::first() ? errc::ok : add_end(before(p.first()));
                failure != errc::ok)
                return failure;
            if (const errc failure = p.last() == W::last() ? errc::ok : add_end(p.last());
                failure != errc::ok)
                return failure;
        }
        store(own(root_), W::first(), p, word);
        return errc::ok;
    }
    // `cover` is the word of the longest shorter route that contains the removed one, or 0.
    void erase(const prefix<W>& p, std::uint32_t cover) noexcept {
        if (p.length == 0) {
            word_ = 0;
            return;
        }
        if (cover != 0 && length_of(cover) == 0 && word_ == 0)
            word_ = cover;
        take_away(own(root_), {W::first(), W::last()}, p, cover);
        if (p.first() != W::first())
            remove_end(before(p.first()));
        if (p.last() != W::last())
            remove_end(p.last());
    }

    // Rebuilds the tree if it has 5 % more nodes than a new one; a table may take at most 10 % more memory
    // than a new one. Throws std::bad_alloc.
    void compact() {
        const std::size_t fresh = fresh_nodes(ends_);
        if (nodes_.size() <= fresh + fresh / 20 + 64)
            return;
        range_tree copy(this->most_);
        if (copy.build(cells()) == errc::ok)
            *this = std::move(copy);
    }
    // The cells with the counts of their ends, except for ends without routes.
    std::vector<cell<W>> cells() const {
        std::vector<cell<W>> row;
        row.reserve(ends_);
        append_cells(root_, height_, word_, row);
        std::size_t count = 0;
        W from = W::first();
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (row[i].count == 0 && i + 1 < row.size()) {
                row[i + 1].word = joined(row[i].word, row[i + 1].word, from, row[i + 1].end);
                continue;
            }
            from = next(row[i].end);
            row[count++] = row[i];
        }
        row.resize(count);
        return row;
    }

    tree_view<W> view() const noexcept {
        const std::uint64_t state = load_acquire(published_);
        const auto code = static_cast<std::uint32_t>(state >> 32) & code_mask;
        return {.nodes = nodes_.data(),
                .root = static_cast<std::uint32_t>(state),
                .word = code == 0 ? 0 : word_of(0, code),
                .height = static_cast<unsigned>(state >> 56)};
    }
    std::size_t ends() const noexcept { return ends_; }

    // Required by fib/layout.hpp. The last key of a node equals the key of the edge to it, so every search in
    // a node ends at an edge. No node is reached twice, so each has one level and is checked once.
    void check(const layout_check& in, const next_hop_codec& codec) const {
        struct reached {
            std::uint32_t at;
            W last;
        };
        const tree_view<W> top = view();
        in.require(top.height > 0, nullptr, "there is no root");
        in.is_code(codec, top.word & code_mask, nullptr);
        std::vector<reached> level{{top.root, W::last()}}, below;
        std::vector<bool> visited(nodes_.size());
        for (unsigned left = top.height; left > 0; --left, std::swap(level, below)) {
            below.clear();
            for (const auto& [at, last] : level) {
                in.leads_into(nodes_, at, 1, nullptr);
                const place& n = node_at(at);
                const unsigned count = edges_of(n);
                in.require(!visited[at], &n, "two edges have the same child");
                in.require(count > 0 && key_at(n, count - 1) == last, &n,
                           "the last key of a node differs from its edge");
                visited[at] = true;
                for (unsigned i = 0; i < edges; ++i) {
                    const W edge_key = key_at(n, i);
                    in.require(i < count ? n.below[i] != nil && (i == 0 || key_at(n, i - 1) < edge_key)
                                         : edge_key == W{static_cast<value>(~value{0})},
                               &n, "keys are not in ascending order");
                    if (i < count)
                        in.is_code(codec, n.word[i] & code_mask, &n);
                    if (i < count && left > 1)
                        below.push_back({n.below[i], edge_key});
                }
            }
        }
    }

    // A new tree uses 11 of 16 edges, which is also the average after many changes.
    static constexpr std::size_t fresh_row(std::size_t count) noexcept {
        return (count * 16 + edges * 11 - 1) / (edges * 11);
    }
    static constexpr std::size_t fresh_nodes(std::size_t ends) noexcept {
        std::size_t sum = 0;
        do {
            ends = ends <= edges ? 1 : fresh_row(ends);
            sum += ends;
        } while (ends > 1);
        return sum;
    }

  private:
    struct range {
        W first, last;
    };
    // A node on the path to an end, the edge to the next node, and the first address of the node's span.
    struct turn {
        std::uint32_t at;
        unsigned edge;
        W first;
    };
    // A root is split only after four splits on the level below, each of which takes four splits on the next
    // level. So 4^63 insertions are needed to get here.
    static constexpr unsigned most_height = 64;

    // Makes nodes for a row of edges, and replaces the row by the edges to these nodes.
    errc build_row(std::vector<edge>& row) noexcept {
        const std::size_t count = row.size();
        const std::size_t node_count = count <= edges ? 1 : fresh_row(count);
        W first = W::first();
        for (std::size_t n = 0; n < node_count; ++n) {
            const std::size_t from = n * count / node_count, to = (n + 1) * count / node_count;
            const std::uint32_t number = allocate();
            if (number == nil)
                return nodes_.shortage(1);
            place& row_node = node_at(number);
            for (std::size_t i = from; i < to; ++i)
                put(row_node, static_cast<unsigned>(i - from), row[i]);
            put_padding(row_node, static_cast<unsigned>(to - from));
            const W last = row[to - 1].key;
            row[n] = {last, number, lift(row_node, first)};
            first = next(last);
        }
        row.resize(node_count);
        return errc::ok;
    }

    errc add_end(W end) noexcept;
    // The count of an end, or null if there is no such end.
    std::uint32_t* count_of(W end) noexcept;
    // Splits the full node below edge `i`, whose span starts at `first`, in half. The node `at` must have
    // room.
    errc split(std::uint32_t at, unsigned i, W first) noexcept;

    // Stores a route at the edges to which it belongs, except where a longer one is stored.
    void store(place& n, W first, const prefix<W>& p, std::uint32_t word) noexcept;
    static bool is_longer(std::uint32_t word, unsigned length) noexcept {
        return word != 0 && length_of(word) > length;
    }
    // Removes a route from its edges, which makes its cover visible. Stores the cover where it belongs:
    // there, or at an edge higher up on the same path.
    void take_away(place& n, range span, const prefix<W>& p, std::uint32_t cover) noexcept;

    // Decrements the count of an end.
    void remove_end(W end) noexcept;
    // Merges the node below an edge with a neighbour if that leaves 1/4 of the edges free.
    bool merge_around(const turn& t, bool leaves) noexcept;
    // Merges the nodes below edges `i` and `i` + 1.
    void merge(const turn& t, unsigned i, bool leaves) noexcept;

    void append_cells(std::uint32_t at, unsigned level, std::uint32_t above,
                      std::vector<cell<W>>& row) const {
        const place& n = node_at(at);
        for (unsigned i = 0; i < edges && n.below[i] != nil; ++i) {
            const std::uint32_t word = std::max(above, n.word[i]);
            if (level == 1)
                row.push_back({key_at(n, i), n.below[i], word});
            else
                append_cells(n.below[i], level - 1, word, row);
        }
    }

    std::size_t ends_ = 0; // number of ends in leaves, including the last address and unused ones
    // The state during a change.
    std::uint32_t root_ = 0;
    std::uint32_t word_ = 0; // the route that contains every address
    unsigned height_ = 0;
    std::uint64_t published_ = 0; // the last three members as one word, for readers
};

} // namespace fingerpost::multiway_range_tree

#include "fingerpost/schemes/multiway_range_tree/ends.inl.hpp"
