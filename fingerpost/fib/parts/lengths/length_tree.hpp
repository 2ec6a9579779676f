// Binary search trees over the prefix lengths of a table, for binary search on lengths.
//
//                   32                  after a hit at 32 a search continues with the longer lengths
//                  /    \                on the right, after a miss with the shorter ones on the left
//                24      48
//                  \    /  \             markers: a route of length 44 leaves its first 32 bits as a
//                  29  44   64           marker at 32, because the path to 44 goes right there
//
// Source: M. Waldvogel, G. Varghese, J. Turner, B. Plattner, Scalable high speed IP routing lookups, SIGCOMM
// 1997.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/fib/layout.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost {

// A set of prefix lengths from 1 to A::bits, one bit each.
template <class A>
using length_set = typename A::value_type;
template <class A>
constexpr length_set<A> set_of_length(unsigned length) noexcept {
    return static_cast<length_set<A>>(length_set<A>{1} << (length - 1));
}
template <class A>
constexpr bool has_length(length_set<A> set, unsigned length) noexcept {
    return (set & set_of_length<A>(length)) != 0;
}
// The set of lengths from 1 to `length`.
template <class A>
constexpr length_set<A> lengths_up_to(unsigned length) noexcept {
    return low_mask<length_set<A>>(length);
}

// Node numbers are in ascending order of lengths.
template <class A>
class length_tree {
  public:
    static constexpr std::uint8_t none = 255;
    struct node {
        std::uint8_t length = 0;
        std::uint8_t left = none;
        std::uint8_t right = none;
        std::uint8_t unused[sizeof(length_set<A>) < 4 ? 1 : sizeof(length_set<A>) - 3] = {}; // makes padding
                                                                                             // explicit
        length_set<A> below = 0; // lengths of the node and of all nodes below it

        friend bool operator==(const node&, const node&) = default;
    };

    length_tree() = default;
    // root_of(i, j) returns the root of the lengths i to j, inclusive.
    template <class RootOf>
    static length_tree make(std::span<const std::uint8_t> ascending, RootOf root_of) {
        length_tree tree;
        for (const std::uint8_t length : ascending)
            tree.nodes_.push_back({.length = length});
        tree.root_ = tree.link(0, ascending.size(), root_of);
        tree.count_below(tree.root_);
        return tree;
    }

    // The members of an array; see fib/layout.hpp.
    using value_type = node;
    const node* data() const noexcept { return nodes_.data(); }
    void assign(auto first, auto last) { nodes_.assign(first, last); }
    // Sets the root, and calls each(node, first, end) for every node with the range of nodes in its subtree.
    template <class Each>
    void check(const layout_check& in, std::uint8_t root, Each each) {
        root_ = root;
        in.require(nodes_.size() <= A::bits, data(), "there are too many lengths");
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            in.require(nodes_[i].length <= A::bits && nodes_[i].length > (i == 0 ? 0 : nodes_[i - 1].length),
                       &nodes_[i], "lengths do not ascend");
        check_below(in, root, 0, nodes_.size(), each);
    }

    std::size_t size() const noexcept { return nodes_.size(); }
    std::uint8_t root() const noexcept { return root_; }
    const node& operator[](std::size_t number) const noexcept { return nodes_[number]; }
    std::span<const node> nodes() const noexcept { return nodes_; }
    length_set<A> below(std::uint8_t number) const noexcept {
        return number == none ? length_set<A>{0} : nodes_[number].below;
    }
    // Node of a length, or none.
    std::uint8_t find(unsigned length) const noexcept {
        const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), length,
                                         [](const node& n, unsigned l) { return n.length < l; });
        return at != nodes_.end() && at->length == length ? number_at(at - nodes_.begin()) : none;
    }
    // Calls each(length) for the lengths at which the path to this length goes right: its routes have markers
    // there.
    template <class F>
    void for_each_marker(unsigned length, F each) const {
        for (std::uint8_t at = root_; at != none;) {
            const node& n = nodes_[at];
            if (length == n.length)
                return;
            if (length > n.length)
                each(unsigned{n.length});
            at = length < n.length ? n.left : n.right;
        }
    }
    // For each node, the number of nodes on the path to it, including itself.
    std::vector<unsigned> depths() const {
        std::vector<unsigned> depths(nodes_.size());
        note_depths(root_, 1, depths);
        return depths;
    }
    std::size_t memory_bytes() const noexcept { return nodes_.capacity() * sizeof(node); }

    // Adds a new length as a leaf. The paths to all others do not change.
    void add_leaf(unsigned length) {
        const auto place = std::lower_bound(nodes_.begin(), nodes_.end(), length,
                                            [](const node& n, unsigned l) { return n.length < l; });
        const auto number = number_at(place - nodes_.begin());
        nodes_.insert(place, {.length = static_cast<std::uint8_t>(length)});
        const auto moved = [&](std::uint8_t& link) {
            if (link != none && link >= number)
                ++link;
        };
        for (node& n : nodes_) {
            moved(n.left);
            moved(n.right);
        }
        moved(root_);
        std::uint8_t* link = &root_;
        while (*link != none)
            link = length < nodes_[*link].length ? &nodes_[*link].left : &nodes_[*link].right;
        *link = number;
        count_below(root_);
    }
    // Rotate the tree: the left or right child of a node, which must exist, moves to its position, and the
    // node becomes a child of that child.
    void raise_left(std::uint8_t number) noexcept {
        node& upper = nodes_[number];
        const std::uint8_t child = upper.left;
        upper.left = nodes_[child].right;
        nodes_[child].right = number;
        hang(number, child);
    }
    void raise_right(std::uint8_t number) noexcept {
        node& upper = nodes_[number];
        const std::uint8_t child = upper.right;
        upper.right = nodes_[child].left;
        nodes_[child].left = number;
        hang(number, child);
    }

    friend bool operator==(const length_tree&, const length_tree&) = default;

  private:
    // There are at most 128 nodes.
    static std::uint8_t number_at(std::ptrdiff_t position) noexcept {
        return static_cast<std::uint8_t>(position);
    }
    template <class Each>
    void check_below(const layout_check& in, std::uint8_t at, std::size_t first, std::size_t end,
                     Each& each) {
        if (first == end)
            return in.require(at == none, data(), "a node is on two paths");
        in.require(at >= first && at < end, data(), "a length is on the wrong side of another");
        each(at, first, end);
        check_below(in, nodes_[at].left, first, at, each);
        check_below(in, nodes_[at].right, at + 1u, end, each);
    }
    template <class RootOf>
    std::uint8_t link(std::size_t first, std::size_t end, RootOf& root_of) {
        if (first == end)
            return none;
        const std::size_t root = root_of(first, end - 1);
        nodes_[root].left = link(first, root, root_of);
        nodes_[root].right = link(root + 1, end, root_of);
        return static_cast<std::uint8_t>(root);
    }
    length_set<A> count_below(std::uint8_t number) noexcept {
        if (number == none)
            return 0;
        node& n = nodes_[number];
        n.below = set_of_length<A>(n.length) | count_below(n.left) | count_below(n.right);
        return n.below;
    }
    void note_depths(std::uint8_t number, unsigned depth, std::vector<unsigned>& depths) const {
        if (number == none)
            return;
        depths[number] = depth;
        note_depths(nodes_[number].left, depth + 1, depths);
        note_depths(nodes_[number].right, depth + 1, depths);
    }
    // Puts `risen` in the position of `sunk`, which is below it now.
    void hang(std::uint8_t sunk, std::uint8_t risen) noexcept {
        if (root_ == sunk)
            root_ = risen;
        else
            for (std::size_t i = 0; i < nodes_.size(); ++i) {
                if (i == risen)
                    continue;
                if (nodes_[i].left == sunk)
                    nodes_[i].left = risen;
                if (nodes_[i].right == sunk)
                    nodes_[i].right = risen;
            }
        count_below(root_);
    }

    std::vector<node> nodes_;
    std::uint8_t root_ = none;
};

// Number of routes of each length, indexed by length.
template <class A>
using length_counts = std::vector<std::size_t>;
template <class A, class Routes>
length_counts<A> count_lengths(const Routes& routes) {
    length_counts<A> counts(A::bits + 1);
    for (const auto& r : routes)
        ++counts[r.where.length];
    return counts;
}
// The lengths that occur, except 0.
template <class A>
std::vector<std::uint8_t> lengths_in_use(const length_counts<A>& counts) {
    std::vector<std::uint8_t> lengths;
    for (unsigned length = 1; length <= A::bits; ++length)
        if (counts[length] != 0)
            lengths.push_back(static_cast<std::uint8_t>(length));
    return lengths;
}

// Tree of minimum height. Of two middle lengths, the longer one is the root, which needs fewer markers: in
// real tables most routes have one of the longer lengths.
template <class A>
length_tree<A> balanced_tree(std::span<const std::uint8_t> lengths) {
    return length_tree<A>::make(lengths, [](std::size_t i, std::size_t j) { return (i + j + 1) / 2; });
}

// Chooses the roots that minimise the sum of cost(i, r, j) over all nodes r, where r is the root of the
// lengths i to j. Of several solutions, takes the tree with the lowest height. Calls `cost` once for each
// choice.
template <class A, class Cost>
length_tree<A> cheapest_tree(std::span<const std::uint8_t> lengths, Cost cost) {
    const std::size_t count = lengths.size();
    // Minimum cost of the lengths i to j, at index i * (count + 1) + j + 1. An empty range costs nothing.
    std::vector<std::uint64_t> least((count + 1) * (count + 2));
    std::vector<std::uint8_t> roots(least.size());
    const auto place = [&](std::size_t i, std::size_t end) { return i * (count + 1) + end; };
    for (std::size_t span = 1; span <= count; ++span)
        for (std::size_t i = 0; i + span <= count; ++i) {
            const std::size_t j = i + span - 1;
            const auto of_root = cost(i, j);
            std::uint64_t best = ~std::uint64_t{0};
            for (std::size_t r = i; r <= j; ++r) {
                const std::uint64_t sum = of_root(r) + least[place(i, r)] + least[place(r + 1, j + 1)];
                if (sum < best) {
                    best = sum;
                    roots[place(i, j + 1)] = static_cast<std::uint8_t>(r);
                }
            }
            least[place(i, j + 1)] = best;
        }
    return length_tree<A>::make(
        lengths, [&](std::size_t i, std::size_t j) -> std::size_t { return roots[place(i, j + 1)]; });
}

// Tree with the minimum average depth of routes.
template <class A>
length_tree<A> weighted_tree(std::span<const std::uint8_t> lengths, const length_counts<A>& counts) {
    std::vector<std::uint64_t> before{0};
    for (const std::uint8_t length : lengths)
        before.push_back(before.back() + counts[length]);
    return cheapest_tree<A>(lengths, [&](std::size_t i, std::size_t j) {
        return [weight = before[j + 1] - before[i]](std::size_t) { return weight; };
    });
}

} // namespace fingerpost
