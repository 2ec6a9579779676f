// The nodes, children, leaves and next hops of the trie: building, changes and copies.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "fingerpost/fib/parts/answers/route_runs.hpp"
#include "fingerpost/fib/parts/memory/block_pool.hpp"
#include "fingerpost/fib/parts/memory/resized_block.hpp"
#include "fingerpost/fib/parts/multibit/tree_check.hpp"
#include "fingerpost/net/route.hpp"
#include "fingerpost/schemes/bart/view.hpp"

namespace fingerpost::bart {

inline constexpr ancestor_table<stride> ancestors = make_ancestors<stride>();

// `depth` is the length of a node's prefix. Each route is stored in one place: a bit of a node, a leaf or a
// fringe.
template <class A>
class trie {
  public:
    using leaf_type = std::conditional_t<(A::bits > 64), long_leaf, short_leaf>;
    // Maximum number of leaves. The next number marks a fringe.
    // Maximum number of leaves. The next number marks a fringe.
    static constexpr std::size_t most = (std::size_t{1} << 31) - 2;

    explicit trie(std::size_t most_nodes = most) noexcept : nodes_(most_nodes), leaves_(most) {}

    const node& at(std::uint32_t number) const noexcept { return *nodes_.at(number); }
    const child& child_at(std::uint32_t number) const noexcept { return *children_.at(number); }
    const leaf_type& leaf_at(std::uint32_t number) const noexcept { return *leaves_.at(number); }
    const next_hop& hop_at(std::uint32_t number) const noexcept { return *hops_.at(number); }
    std::uint32_t root() const noexcept { return root_; }
    trie_view view() const noexcept {
        return {nodes_.data(), children_.data(), leaves_.data(), hops_.data(), root_};
    }

    bool sparse() const noexcept {
        return nodes_.sparse() || children_.sparse() || leaves_.sparse() || hops_.sparse();
    }

    // Required by fib/layout.hpp.
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("nodes", of.nodes_);
        visit("children", of.children_);
        visit("leaves", of.leaves_);
        visit("hops", of.hops_);
        visit("root", of.root_);
    }
    // Kernels skip nodes without prefixes on the way back up.
    template <class Read>
    next_hop find(Read&& read, A a) const {
        std::array<std::uint32_t, A::bits / stride + 2> way; // nodes from the root down
        unsigned depth = 0;
        const auto tell_bits = [&](auto& step, const bitset& of, bool leads_on, const bit_count& counted) {
            step.looks_at(depth * stride, stride);
            step.tests_bitmaps(slot_of(a, depth * stride), {of.bits.begin(), of.bits.end()});
            if (leads_on)
                step.counted = counted;
            else
                step.misses();
        };
        for (std::uint32_t number = root_;; ++depth) {
            way[depth] = number;
            const node& n = at(number);
            const unsigned slot = slot_of(a, depth * stride);
            const std::uint32_t place = n.child_place(slot);
            const bool leads_on = read(&n.children, 0).test(slot);
            read.tell([&](auto& step) {
                const std::uint32_t first = n.first_child();
                tell_bits(step, n.children, leads_on,
                          {0, bitset::words, first, place - first, sizeof(child)});
            });
            if (!leads_on)
                break;
            const child& next = read(children_.data(), place);
            if (next.is_fringe())
                return next.hop;
            if (!next.is_node()) {
                const leaf_type& leaf = read(leaves_.data(), next.leaf());
                const bool fits = leaf.contains(top64(a), bottom64(a));
                read.tell([&](auto& step) {
                    step.looks_at(0, leaf.length);
                    step.compares_keys(number_in_step(a), {number_in_step(prefix_of(leaf).base)});
                    if (!fits)
                        step.misses();
                });
                if (fits)
                    return next.hop;
                break;
            }
            number = next.to;
        }
        for (++depth; depth-- > 0;) {
            const node& n = at(way[depth]);
            const bitset& covering = ancestors[slot_of(a, depth * stride)];
            const bool matches = read(&n.prefixes, 0).has_common(covering);
            const unsigned bit = matches ? n.prefixes.highest_common(covering) : 0;
            const std::uint32_t place = n.hop_place(bit);
            read.tell([&](auto& step) {
                tell_bits(step, n.prefixes, matches,
                          {0, bitset::words, n.hops, place - n.hops, sizeof(next_hop)});
                if (matches)
                    step.matched = {bit, length_of_base_index(bit)};
            });
            if (matches)
                return read(hops_.data(), place);
        }
        return next_hop::none;
    }
    void check(const layout_check& in) const {
        tree_check<A> tree(in, nodes_.size());
        tree.add(root_, 1, 0, nullptr);
        tree.for_each([&](std::uint32_t number, unsigned depth) {
            const node& n = at(number);
            node counted = n;
            counted.recount();
            in.require(counted == n, &n, "the ranks of a node do not match its bits");
            in.leads_into(hops_, n.hops, n.prefixes.count(), &n);
            in.leads_into(children_, n.first_child(), n.children.count(), &n);
            for (std::uint32_t i = 0; i < n.children.count(); ++i) {
                const child& below = child_at(n.first_child() + i);
                if (below.is_node()) {
                    tree.add(below.to, 1, depth + stride, &below);
                } else if (!below.is_fringe()) {
                    in.leads_into(leaves_, below.leaf(), 1, &below);
                    const leaf_type& leaf = leaf_at(below.leaf());
                    in.require(leaf.length >= 1 && leaf.length <= A::bits, &leaf,
                               "a leaf has an invalid prefix");
                }
            }
        });
    }

    static unsigned slot_of(A a, unsigned depth) noexcept {
        return static_cast<unsigned>(slice(a, depth, stride));
    }
    // The prefix of a leaf.
    static prefix<A> prefix_of(const leaf_type& leaf) noexcept {
        using value = typename A::value_type;
        if constexpr (A::bits > 64)
            return prefix<A>::make(
                A{static_cast<value>((u128{leaf.high} << 64 | leaf.low) >> (128 - A::bits))}, leaf.length);
        else
            return prefix<A>::make(A{static_cast<value>(leaf.high >> (64 - A::bits))}, leaf.length);
    }

    errc build(std::span<const route<A>> sorted) noexcept {
        root_ = nodes_.allocate(1);
        if (root_ == nodes_.nil)
            return nodes_.shortage(1);
        if (const errc failure = fill(root_, sorted, 0); failure != errc::ok)
            return failure;
        compact();
        return errc::ok;
    }

    errc announce(const prefix<A>& where, next_hop hop) noexcept { return put(root_, 0, {where, hop}); }

    // Removes a route if it exists, and the nodes, children and leaves that only it needs.
    errc withdraw(const prefix<A>& where) noexcept {
        std::array<std::uint32_t, A::bits / stride + 2> way; // nodes from the root to the one with the route
        unsigned depth = 0;
        unsigned last = 0;
        for (way[0] = root_; where.length - depth >= stride; depth += stride) {
            const unsigned slot = slot_of(where.base, depth);
            if (!at(way[last]).children.test(slot))
                return errc::ok;
            const child there = child_at(child_of(way[last], slot));
            if (there.is_node()) {
                way[++last] = there.to;
                continue;
            }
            if (!is_route(there, where, depth))
                return errc::ok;
            if (!there.is_fringe())
                leaves_.release(there.leaf(), 1);
            if (const errc failure = drop_child(way[last], slot); failure != errc::ok)
                return failure;
            return tidy(std::span(way).first(last + 1), where.base);
        }
        const unsigned rest = where.length - depth;
        const unsigned bit = base_index(slice(where.base, depth, rest), rest);
        if (!at(way[last]).prefixes.test(bit))
            return errc::ok;
        if (const errc failure = drop_hop(way[last], bit); failure != errc::ok)
            return failure;
        return tidy(std::span(way).first(last + 1), where.base);
    }

    // Copies everything in the order of build(), without slack. Does nothing if memory is short.
    void compact() noexcept {
        trie copy;
        if (!copy.nodes_.reserve(nodes_.live_elements()) ||
            !copy.children_.reserve(children_.live_elements()) ||
            !copy.leaves_.reserve(leaves_.live_elements()) || !copy.hops_.reserve(hops_.live_elements()))
            return;
        copy.root_ = copy_node(root_, copy);
        *this = std::move(copy);
    }

  private:
    std::uint32_t child_of(std::uint32_t number, unsigned slot) const noexcept {
        return at(number).child_place(slot);
    }
    bool is_route(const child& there, const prefix<A>& where, unsigned depth) const noexcept {
        return there.is_fringe() ? where.length == depth + stride : prefix_of(leaf_at(there.leaf())) == where;
    }

    // Sets the bits first, because they determine the number and the places of the children and next hops.
    errc fill(std::uint32_t number, std::span<const route<A>> inside, unsigned depth) noexcept {
        node n{};
        for (std::size_t i = 0; i < inside.size();) {
            const prefix<A>& where = inside[i].where;
            const unsigned rest = where.length - depth;
            if (rest < stride) {
                n.prefixes.set(base_index(slice(where.base, depth, rest), rest));
                ++i;
            } else {
                n.children.set(slot_of(where.base, depth));
                i += count_sharing(inside.subspan(i), depth + stride);
            }
        }
        if (n.prefixes.any() && (n.hops = hops_.allocate(n.prefixes.count())) == hops_.nil)
            return hops_.shortage(n.prefixes.count());
        if (n.children.any() && (n.first = children_.allocate(n.children.count())) == children_.nil)
            return children_.shortage(n.children.count());
        n.recount();
        *nodes_.at(number) = n;
        return fill_children(n, inside, depth);
    }
    errc fill_children(const node& n, std::span<const route<A>> inside, unsigned depth) noexcept {
        std::uint32_t next = n.first_child();
        while (!inside.empty()) {
            const route<A>& r = inside.front();
            const unsigned rest = r.where.length - depth;
            if (rest < stride) {
                const unsigned bit = base_index(slice(r.where.base, depth, rest), rest);
                *hops_.at(n.hop_place(bit)) = r.hop;
                inside = inside.subspan(1);
                continue;
            }
            const std::size_t run = count_sharing(inside, depth + stride);
            child there;
            errc failure = errc::ok;
            if (run == 1) {
                failure = make_lone(r, depth, there);
            } else {
                there.to = nodes_.allocate(1);
                failure = there.to == nodes_.nil ? nodes_.shortage(1)
                                                 : fill(there.to, inside.first(run), depth + stride);
            }
            if (failure != errc::ok)
                return failure;
            *children_.at(next++) = there;
            inside = inside.subspan(run);
        }
        return errc::ok;
    }

    // Makes the child for the only route below an octet of a node at `depth`.
    errc make_lone(const route<A>& r, unsigned depth, child& lone) noexcept {
        lone = {child::fringe, r.hop};
        if (r.where.length == depth + stride)
            return errc::ok;
        const std::uint32_t number = leaves_.allocate(1);
        if (number == leaves_.nil)
            return leaves_.shortage(1);
        leaf_type& leaf = *leaves_.at(number);
        leaf.high = top64(r.where.base);
        if constexpr (A::bits > 64)
            leaf.low = bottom64(r.where.base);
        leaf.length = r.where.length;
        lone.to = number | child::leaf_bit;
        return errc::ok;
    }

    // Sets the next hop of a route in node `number` or below.
    errc put(std::uint32_t number, unsigned depth, const route<A>& r) noexcept {
        for (;; depth += stride) {
            const unsigned rest = r.where.length - depth;
            if (rest < stride)
                return put_hop(number, base_index(slice(r.where.base, depth, rest), rest), r.hop);
            const unsigned slot = slot_of(r.where.base, depth);
            if (!at(number).children.test(slot))
                return add_child(number, slot, r, depth);
            const std::uint32_t place = child_of(number, slot);
            if (!child_at(place).is_node()) {
                if (is_route(child_at(place), r.where, depth))
                    return children_.at(place)->hop = r.hop, errc::ok;
                if (const errc failure = push_down(place, depth); failure != errc::ok)
                    return failure;
            }
            number = child_at(place).to;
        }
    }
    // Replaces a leaf or a fringe by a node with that route.
    errc push_down(std::uint32_t place, unsigned depth) noexcept {
        const child old = child_at(place);
        const std::uint32_t new_node = nodes_.allocate(1);
        if (new_node == nodes_.nil)
            return nodes_.shortage(1);
        *children_.at(place) = {new_node, next_hop::none};
        if (old.is_fringe())
            return put_hop(new_node, base_index(0, 0), old.hop);
        const prefix<A> where = prefix_of(leaf_at(old.leaf()));
        leaves_.release(old.leaf(), 1);
        return put(new_node, depth + stride, {where, old.hop});
    }
    errc put_hop(std::uint32_t number, unsigned bit, next_hop hop) noexcept {
        const node n = at(number);
        const std::uint32_t place = n.prefixes.rank_before(bit);
        if (n.prefixes.test(bit))
            return *hops_.at(n.hops + place) = hop, errc::ok;
        const std::uint32_t moved = with_gap(hops_, n.hops, n.prefixes.count(), place);
        if (moved == hops_.nil)
            return hops_.shortage(n.prefixes.count() + 1);
        *hops_.at(moved + place) = hop;
        node& changed = *nodes_.at(number);
        changed.hops = moved;
        changed.prefixes.set(bit);
        changed.recount();
        return errc::ok;
    }
    errc drop_hop(std::uint32_t number, unsigned bit) noexcept {
        node& n = *nodes_.at(number);
        const std::uint32_t moved = without(hops_, n.hops, n.prefixes.count(), n.prefixes.rank_before(bit));
        if (moved == hops_.nil)
            return hops_.shortage(n.prefixes.count() - 1);
        n.hops = moved;
        n.prefixes.clear(bit);
        n.recount();
        return errc::ok;
    }
    errc add_child(std::uint32_t number, unsigned slot, const route<A>& r, unsigned depth) noexcept {
        child lone;
        if (const errc failure = make_lone(r, depth, lone); failure != errc::ok)
            return failure;
        node& n = *nodes_.at(number);
        const std::uint32_t place = n.children.rank_before(slot);
        const std::uint32_t moved = with_gap(children_, n.first_child(), n.children.count(), place);
        if (moved == children_.nil)
            return children_.shortage(n.children.count() + 1);
        *children_.at(moved + place) = lone;
        n.first = moved;
        n.children.set(slot);
        n.recount();
        return errc::ok;
    }
    errc drop_child(std::uint32_t number, unsigned slot) noexcept {
        node& n = *nodes_.at(number);
        const std::uint32_t moved =
            without(children_, n.first_child(), n.children.count(), n.children.rank_before(slot));
        if (moved == children_.nil)
            return children_.shortage(n.children.count() - 1);
        n.first = moved;
        n.children.clear(slot);
        n.recount();
        return errc::ok;
    }

    // Called with the path to a node that has lost an element. Replaces each node that has one route left by
    // a leaf or a fringe, and frees empty nodes, from the bottom up. The root stays.
    errc tidy(std::span<const std::uint32_t> way, A base) noexcept {
        for (; way.size() > 1; way = way.first(way.size() - 1)) {
            const std::uint32_t number = way.back();
            const node n = at(number);
            const unsigned prefixes = n.prefixes.count();
            const unsigned children = n.children.count();
            const unsigned above = static_cast<unsigned>(way.size() - 2) * stride;
            if (prefixes + children > 1 || (children == 1 && child_at(n.first_child()).is_node()))
                return errc::ok;
            const std::uint32_t place = child_of(way[way.size() - 2], slot_of(base, above));
            if (prefixes + children == 0) {
                nodes_.release(number, 1);
                if (const errc failure = drop_child(way[way.size() - 2], slot_of(base, above));
                    failure != errc::ok)
                    return failure;
                continue;
            }
            child lone;
            if (const errc failure = take_last(n, base, above + stride, lone); failure != errc::ok)
                return failure;
            *children_.at(place) = lone;
            nodes_.release(number, 1);
        }
        return errc::ok;
    }
    // Turns the only route of a node at `depth` into a child for the parent, and frees the node's blocks.
    errc take_last(const node& n, A base, unsigned depth, child& lone) noexcept {
        if (n.prefixes.any()) {
            const unsigned bit = n.prefixes.next(0);
            const auto length = static_cast<unsigned>(std::bit_width(bit)) - 1;
            const next_hop hop = hop_at(n.hops);
            hops_.release(n.hops, 1);
            return make_lone({within(base, depth, bit - (1u << length), length), hop}, depth - stride, lone);
        }
        const child last = child_at(n.first_child());
        children_.release(n.first_child(), 1);
        lone = last;
        return last.is_fringe() ? make_lone({within(base, depth, n.children.next(0), stride), last.hop},
                                            depth - stride, lone)
                                : errc::ok;
    }
    // The prefix that extends a node's prefix (the first `depth` bits of `base`) by the `length` bits of
    // `bits`.
    static prefix<A> within(A base, unsigned depth, unsigned bits, unsigned length) noexcept {
        using value = typename A::value_type;
        const auto node = prefix<A>::make(base, depth);
        const auto lower = shift_left(static_cast<value>(bits), A::bits - depth - length);
        return prefix<A>::make(A{static_cast<value>(node.base.value | lower)}, depth + length);
    }

    std::uint32_t copy_node(std::uint32_t from, trie& to) const noexcept {
        const std::uint32_t copy_number = to.nodes_.allocate(1);
        node copy = at(from);
        if (const std::uint32_t hops = copy.prefixes.count(); hops > 0) {
            const std::uint32_t old = std::exchange(copy.hops, to.hops_.allocate(hops));
            std::copy_n(hops_.at(old), hops, to.hops_.at(copy.hops));
        }
        const std::uint32_t count = copy.children.count();
        const std::uint32_t old = copy.first_child();
        if (count > 0)
            copy.first = to.children_.allocate(count);
        const std::uint32_t first = copy.first;
        copy.recount();
        *to.nodes_.at(copy_number) = copy;
        for (std::uint32_t i = 0; i < count; ++i) {
            child there = child_at(old + i);
            if (there.is_node()) {
                there.to = copy_node(there.to, to);
            } else if (!there.is_fringe()) {
                const std::uint32_t leaf = to.leaves_.allocate(1);
                *to.leaves_.at(leaf) = leaf_at(there.leaf());
                there.to = leaf | child::leaf_bit;
            }
            *to.children_.at(first + i) = there;
        }
        return copy_number;
    }

    block_pool<node, 1> nodes_;
    block_pool<child, 256> children_;
    block_pool<leaf_type, 1> leaves_;
    block_pool<next_hop, 256> hops_;
    std::uint32_t root_ = 0;
};

} // namespace fingerpost::bart
