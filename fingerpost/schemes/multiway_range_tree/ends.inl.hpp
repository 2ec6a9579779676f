// Adds and removes ends and routes of the tree. Included by tree.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <utility>

namespace fingerpost::multiway_range_tree {

template <class W>
errc range_tree<W>::add_end(W end) noexcept {
    if (std::uint32_t* const count = count_of(end)) {
        ++*count;
        return errc::ok;
    }
    if (edges_of(own(root_)) == edges) {
        const std::uint32_t new_root = allocate();
        if (new_root == nil)
            return nodes_.shortage(1);
        put(node_at(new_root), 0, {W::last(), root_, 0});
        put_padding(node_at(new_root), 1);
        root_ = new_root;
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

template <class W>
std::uint32_t* range_tree<W>::count_of(W end) noexcept {
    std::uint32_t at = root_;
    W ignored{};
    for (unsigned level = height_; level > 1; --level)
        at = node_at(at).below[edge_to(node_at(at), end, ignored)];
    place& leaf = node_at(at);
    const unsigned i = edge_to(leaf, end, ignored);
    return key_at(leaf, i) == end ? &leaf.below[i] : nullptr;
}

template <class W>
errc range_tree<W>::split(std::uint32_t at, unsigned i, W first) noexcept {
    const std::uint32_t left_number = allocate();
    if (left_number == nil)
        return nodes_.shortage(1);
    place& above = node_at(at);
    place& left = node_at(left_number);
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
    insert_edge(above, i, {middle, left_number, std::max(whole, lift(left, first))});
    above.word[i + 1] = std::max(whole, lift(right, next(middle)));
    return errc::ok;
}

template <class W>
void range_tree<W>::store(place& n, W first, const prefix<W>& p, std::uint32_t word) noexcept {
    for (unsigned i = 0; i < edges && n.below[i] != nil; ++i) {
        const W last = key_at(n, i);
        if (!(last < p.first())) {
            if (!(first < p.first()) && !(p.last() < last))
                n.word[i] = is_longer(n.word[i], p.length) ? n.word[i] : word;
            else
                store(own(n.below[i]), first, p, word);
            if (!(last < p.last()))
                return;
        }
        first = next(last);
    }
}

template <class W>
void range_tree<W>::take_away(place& n, range span, const prefix<W>& p, std::uint32_t cover) noexcept {
    const std::uint32_t at_home = holds(cover, span.first, span.last) ? 0 : cover;
    W first = span.first;
    for (unsigned i = 0; i < edges && n.below[i] != nil; ++i) {
        const W last = key_at(n, i);
        std::uint32_t& word = n.word[i];
        if (!(last < p.first())) {
            if (!(first < p.first()) && !(p.last() < last)) {
                if (word != 0 && length_of(word) == p.length)
                    word = at_home;
            } else {
                if (holds(at_home, first, last) && !is_longer(word, length_of(at_home)))
                    word = at_home;
                take_away(own(n.below[i]), {first, last}, p, cover);
            }
            if (!(last < p.last()))
                return;
        }
        first = next(last);
    }
}

template <class W>
void range_tree<W>::remove_end(W end) noexcept {
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
        place& n = own(*at);
        const unsigned i = edge_to(n, end, begin);
        way[depth] = {*at, i, first};
        at = &n.below[i];
        first = begin;
    }
    place& leaf = own(*at);
    const unsigned i = edge_to(leaf, end, first);
    // The last end of a leaf stays, because it is also a key in the parent. It is removed when the leaf is
    // merged.
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

template <class W>
bool range_tree<W>::merge_around(const turn& t, bool leaves) noexcept {
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

template <class W>
void range_tree<W>::merge(const turn& t, unsigned i, bool leaves) noexcept {
    place& above = node_at(t.at);
    const std::uint32_t right_number = above.below[i + 1];
    place& left = own(above.below[i]);
    const place& right = node_at(right_number);
    const W first = i == 0 ? t.first : next(key_at(above, i - 1));
    const W last = key_at(above, i + 1);
    // A route that contains both spans moves to the remaining edge. A route that contains only one moves
    // down, to edges without a route; routes at the other edges are longer.
    const std::uint32_t both = joined(above.word[i], above.word[i + 1], first, last);
    const std::uint32_t to_left = holds(above.word[i], first, last) ? 0 : above.word[i];
    const std::uint32_t to_right = holds(above.word[i + 1], first, last) ? 0 : above.word[i + 1];
    unsigned count = edges_of(left);
    for (unsigned k = 0; k < count; ++k)
        left.word[k] = left.word[k] == 0 ? to_left : left.word[k];
    // An end without routes is removed, which joins its cell to the first cell of the other leaf.
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
    release(right_number);
}

} // namespace fingerpost::multiway_range_tree
