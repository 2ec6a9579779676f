// The tree of ends with the routes at its edges, and the changes of it.
//
// Ends. A route from `first` to `last` has two: the address before `first`, and `last`. Each end is counted,
// as routes share them; one that no route has any more goes. Address 0 has no address before it, and the last
// address of all is always an end. The ends cut the space into cells, and no route holds a part of a cell.
//
// Routes. The span of an edge is all addresses that it leads to. A route is at home at every edge whose span
// it holds, while it does not hold the span of the edge above: at most at one row of edges on each side of
// the two ways to its ends. Of the routes at home at an edge only the longest is stored.
//
// What holds between changes:
//   1. A stored route is at home where it is stored.
//   2. The longest route that holds an address is stored on the address's way.
// By 1 the routes on a way get longer from the root on, so the last one stored on it is the answer. Nothing
// is promised of a route that longer ones hide in all of a span; it may be stored there or not. So a tree can
// be split and merged without knowing such routes. When one comes to light, because a longer one goes, the
// change names it as the cover of what goes, and it is stored where it is at home (erase()).
//
// Changes may come coalesced (docs/inside/patching.md): a cover may come to light before it is inserted itself, when
// its ends are not there yet. It is stored at no edge whose span it does not hold, and where two cells become
// one only routes that hold the whole cell stay. What is lost by that is stored when the cover is inserted.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/schemes/multiway_range_tree/nodes.hpp"

namespace fingerpost::multiway_range_tree {

// A row of cells, by their ends, from which a tree is built. `count` is how many routes have this end.
template <class W>
struct cell {
    W end{};
    std::uint32_t count = 0;
    std::uint32_t word = 0; // the longest route that holds it
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

  public:
    using base::edges_of;
    using base::key_at;
    using base::most;

    // Fewer nodes at most are for tests of what happens then.
    explicit range_tree(key bias, std::size_t most_nodes = most) noexcept : base(bias, most_nodes) {}

    // Of a tree without nodes, from cells that cover everything. Throws std::bad_alloc.
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

    // What a change beside readers may take: for each of the two ways to its ends a copy of every node and
    // another node for it, of a split or of a neighbour that it is merged with, and two roots.
    static constexpr unsigned most_height_beside_readers = 16;
    static constexpr std::size_t most_needed = 4 * most_height_beside_readers + 2;
    bool has_room() const noexcept {
        return this->room() >= most_needed && height_ + 2 <= most_height_beside_readers;
    }
    // Shows readers what has been changed, all of it at once: a lookup reads root, height and the route that
    // holds every address as one word, and from there nothing that still changes.
    void publish() noexcept {
        static_assert(most_height < 256);
        const std::uint64_t now =
            std::uint64_t{height_} << 56 | std::uint64_t{word_ & code_mask} << 32 | root_;
        std::atomic_ref(published_).store(now, std::memory_order_release);
        this->is_read_ = false;
    }

    // A route that is new, or another next hop for one that is there.
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
    // `cover` is the word of the longest shorter route that holds it, 0 without one.
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

    // Builds the tree anew when more nodes are there than a new one has, by a twentieth: the bound on what a
    // table may take more than one just built is a tenth. Throws std::bad_alloc.
    void compact() {
        const std::size_t fresh = fresh_nodes(ends_);
        if (nodes_.elements() <= fresh + fresh / 20 + 64)
            return;
        range_tree copy(this->bias_, this->most_);
        if (copy.build(cells()) == errc::ok)
            *this = std::move(copy);
    }
    // The cells with their ends counted, but for ends that no route has.
    std::vector<cell<W>> cells() const {
        std::vector<cell<W>> row;
        row.reserve(ends_);
        append_cells(root_, height_, word_, row);
        std::size_t kept = 0;
        W from = W::first();
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (row[i].count == 0 && i + 1 < row.size()) {
                row[i + 1].word = joined(row[i].word, row[i + 1].word, from, row[i + 1].end);
                continue;
            }
            from = next(row[i].end);
            row[kept++] = row[i];
        }
        row.resize(kept);
        return row;
    }

    tree_view<W> view() const noexcept {
        const std::uint64_t now =
            std::atomic_ref(const_cast<std::uint64_t&>(published_)).load(std::memory_order_acquire);
        const auto code = static_cast<std::uint32_t>(now >> 32) & code_mask;
        return {.nodes = nodes_.data(),
                .root = static_cast<std::uint32_t>(now),
                .word = code == 0 ? 0 : word_of(0, code),
                .height = static_cast<unsigned>(now >> 56)};
    }
    std::size_t ends() const noexcept { return ends_; }

    // A new tree has 11 of 16 edges in use, as one has after many changes.
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
    // A node on the way to an end, by number, the edge that leads on, and the first address of its span.
    struct turn {
        std::uint32_t at;
        unsigned edge;
        W first;
    };
    // The root is split only when the level below has been split four times since, and that level likewise,
    // so it takes 4^63 insertions to get here.
    static constexpr unsigned most_height = 64;

    // Makes nodes of a row of edges, and the row of edges to these nodes of it.
    errc build_row(std::vector<edge>& row) noexcept {
        const std::size_t count = row.size();
        const std::size_t made = count <= edges ? 1 : fresh_row(count);
        W first = W::first();
        for (std::size_t n = 0; n < made; ++n) {
            const std::size_t from = n * count / made, to = (n + 1) * count / made;
            const std::uint32_t number = allocate();
            if (number == nil)
                return nodes_.shortage(1);
            place& here = node_at(number);
            for (std::size_t i = from; i < to; ++i)
                put(here, static_cast<unsigned>(i - from), row[i]);
            put_padding(here, static_cast<unsigned>(to - from));
            const W last = row[to - 1].key;
            row[n] = {last, number, lift(here, first)};
            first = next(last);
        }
        row.resize(made);
        return errc::ok;
    }

    errc add_end(W end) noexcept {
        if (std::uint32_t* const count = count_of(end)) {
            ++*count;
            return errc::ok;
        }
        if (edges_of(own(root_)) == edges) {
            const std::uint32_t made = allocate();
            if (made == nil)
                return nodes_.shortage(1);
            put(node_at(made), 0, {W::last(), root_, 0});
            put_padding(node_at(made), 1);
            root_ = made;
            ++height_;
        }
        std::uint32_t at = root_;
        W first = W::first();
        for (unsigned level = height_; level > 1; --level) {
            W begin = first;
            unsigned i = edge_to(node_at(at), end, begin);
            if (edges_of(own(node_at(at).below[i])) == edges) {
                if (const errc failure = split(at, i, begin); failure != errc::ok)
                    return failure;
                begin = first;
                i = edge_to(node_at(at), end, begin);
            }
            at = node_at(at).below[i];
            first = begin;
        }
        place& leaf = node_at(at);
        const unsigned i = edge_to(leaf, end, first);
        insert_edge(leaf, i, {end, 1, leaf.word[i]});
        ++ends_;
        return errc::ok;
    }
    // How often an end is counted, null where it is none.
    std::uint32_t* count_of(W end) noexcept {
        std::uint32_t at = root_;
        W ignored{};
        for (unsigned level = height_; level > 1; --level)
            at = node_at(at).below[edge_to(node_at(at), end, ignored)];
        place& leaf = node_at(at);
        const unsigned i = edge_to(leaf, end, ignored);
        return key_at(leaf, i) == end ? &leaf.below[i] : nullptr;
    }
    // Halves the full node below an edge whose span begins at `first`; the node `at` has room.
    errc split(std::uint32_t at, unsigned i, W first) noexcept {
        const std::uint32_t made = allocate();
        if (made == nil)
            return nodes_.shortage(1);
        place& above = node_at(at);
        place& left = node_at(made);
        place& right = node_at(above.below[i]);
        constexpr unsigned half = edges / 2;
        for (unsigned k = 0; k < half; ++k)
            put(left, k, get(right, k));
        put_padding(left, half);
        for (unsigned k = half; k < edges; ++k)
            put(right, k - half, get(right, k));
        put_padding(right, edges - half);
        const W middle = key_at(left, half - 1);
        const std::uint32_t whole = above.word[i];
        insert_edge(above, i, {middle, made, std::max(whole, lift(left, first))});
        above.word[i + 1] = std::max(whole, lift(right, next(middle)));
        return errc::ok;
    }

    // Stores a route where it is at home, unless a longer one is there.
    void store(place& here, W first, const prefix<W>& p, std::uint32_t word) noexcept {
        for (unsigned i = 0; i < edges && here.below[i] != nil; ++i) {
            const W last = key_at(here, i);
            if (!(last < p.first())) {
                if (!(first < p.first()) && !(p.last() < last))
                    here.word[i] = is_longer(here.word[i], p.length) ? here.word[i] : word;
                else
                    store(own(here.below[i]), first, p, word);
                if (!(last < p.last()))
                    return;
            }
            first = next(last);
        }
    }
    static bool is_longer(std::uint32_t word, unsigned length) noexcept {
        return word != 0 && length_of(word) > length;
    }
    // Takes a route away where it is stored. There its cover comes to light, and is stored where it is at
    // home: there, or at an edge above on the same way.
    void take_away(place& here, range span, const prefix<W>& p, std::uint32_t cover) noexcept {
        const std::uint32_t at_home = holds(cover, span.first, span.last) ? 0 : cover;
        W first = span.first;
        for (unsigned i = 0; i < edges && here.below[i] != nil; ++i) {
            const W last = key_at(here, i);
            std::uint32_t& word = here.word[i];
            if (!(last < p.first())) {
                if (!(first < p.first()) && !(p.last() < last)) {
                    if (word != 0 && length_of(word) == p.length)
                        word = at_home;
                } else {
                    if (holds(at_home, first, last) && !is_longer(word, length_of(at_home)))
                        word = at_home;
                    take_away(own(here.below[i]), {first, last}, p, cover);
                }
                if (!(last < p.last()))
                    return;
            }
            first = next(last);
        }
    }

    // One route less has this end.
    void remove_end(W end) noexcept {
        std::uint32_t* const count = count_of(end);
        assert(count != nullptr && *count > 0);
        if (--*count > 0)
            return;
        std::array<turn, most_height> way;
        std::uint32_t* at = &root_;
        W first = W::first();
        unsigned depth = 0;
        for (; depth + 1 < height_; ++depth) {
            W begin = first;
            place& here = own(*at);
            const unsigned i = edge_to(here, end, begin);
            way[depth] = {*at, i, first};
            at = &here.below[i];
            first = begin;
        }
        place& leaf = own(*at);
        const unsigned i = edge_to(leaf, end, first);
        // The last end of a leaf stays, as it is the key of an edge above. It goes when the leaf is merged.
        if (i + 1 == edges_of(leaf))
            return;
        leaf.word[i + 1] = joined(leaf.word[i], leaf.word[i + 1], first, key_at(leaf, i + 1));
        remove_edge(leaf, i);
        --ends_;
        bool merged = true;
        for (bool is_leaf = true; merged && depth-- > 0; is_leaf = false)
            merged = merge_around(way[depth], is_leaf);
        while (height_ > 1 && edges_of(node_at(root_)) == 1) {
            release(std::exchange(root_, node_at(root_).below[0]));
            --height_;
        }
    }
    // Merges the node below an edge with one beside it, if that leaves a quarter of the edges free.
    bool merge_around(const turn& t, bool leaves) noexcept {
        const place& above = node_at(t.at);
        const auto fits = [&](unsigned left) {
            return edges_of(node_at(above.below[left])) + edges_of(node_at(above.below[left + 1])) <=
                   edges - edges / 4;
        };
        if (t.edge + 1 < edges_of(above) && fits(t.edge))
            merge(t, t.edge, leaves);
        else if (t.edge > 0 && fits(t.edge - 1))
            merge(t, t.edge - 1, leaves);
        else
            return false;
        return true;
    }
    // Of the edges `i` and the one behind it.
    void merge(const turn& t, unsigned i, bool leaves) noexcept {
        place& above = node_at(t.at);
        const std::uint32_t gone = above.below[i + 1];
        place& left = own(above.below[i]);
        const place& right = node_at(gone);
        const W first = i == 0 ? t.first : next(key_at(above, i - 1));
        const W last = key_at(above, i + 1);
        // A route that holds both spans goes to the edge that remains, one that holds but one goes down, to
        // edges without a route: what is at home at the others is longer.
        const std::uint32_t both = joined(above.word[i], above.word[i + 1], first, last);
        const std::uint32_t to_left = holds(above.word[i], first, last) ? 0 : above.word[i];
        const std::uint32_t to_right = holds(above.word[i + 1], first, last) ? 0 : above.word[i + 1];
        unsigned count = edges_of(left);
        for (unsigned k = 0; k < count; ++k)
            left.word[k] = left.word[k] == 0 ? to_left : left.word[k];
        // An end that no route has goes, and its cell is one with the first of the other leaf.
        const bool drops = leaves && left.below[count - 1] == 0;
        const edge dropped = get(left, count - 1);
        const W from = count == 1 ? first : next(key_at(left, count - 2));
        count -= drops ? 1 : 0;
        ends_ -= drops ? 1 : 0;
        const unsigned more = edges_of(right);
        for (unsigned k = 0; k < more; ++k) {
            edge moved = get(right, k);
            moved.word = moved.word == 0 ? to_right : moved.word;
            if (k == 0 && drops)
                moved.word = joined(dropped.word, moved.word, from, moved.key);
            put(left, count + k, moved);
        }
        put_padding(left, count + more);
        above.word[i + 1] = both;
        above.below[i + 1] = above.below[i];
        remove_edge(above, i);
        release(gone);
    }

    void append_cells(std::uint32_t at, unsigned level, std::uint32_t above,
                      std::vector<cell<W>>& row) const {
        const place& here = node_at(at);
        for (unsigned i = 0; i < edges && here.below[i] != nil; ++i) {
            const std::uint32_t word = std::max(above, here.word[i]);
            if (level == 1)
                row.push_back({key_at(here, i), here.below[i], word});
            else
                append_cells(here.below[i], level - 1, word, row);
        }
    }

    std::size_t ends_ = 0; // in leaves, the last address and those that no route has among them
    // As the change that is being made has it.
    std::uint32_t root_ = 0;
    std::uint32_t word_ = 0; // of the route that holds every address
    unsigned height_ = 0;
    std::uint64_t published_ = 0; // the last three in one, as readers see them
};

} // namespace fingerpost::multiway_range_tree
