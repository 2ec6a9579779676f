// The nodes and results of a tree bitmap: building, changes and copies.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "fingerpost/fib/parts/answers/route_runs.hpp"
#include "fingerpost/fib/parts/memory/block_pool.hpp"
#include "fingerpost/fib/parts/memory/resized_block.hpp"
#include "fingerpost/fib/parts/multibit/tree_check.hpp"
#include "fingerpost/net/route.hpp"
#include "fingerpost/schemes/tree_bitmap/view.hpp"

namespace fingerpost::tree_bitmap {

template <unsigned Stride>
inline constexpr ancestor_table<Stride> ancestors = make_ancestors<Stride>();

// The internal bits followed by the external ones, without the mark of an end node, which is not a route.
template <unsigned Stride>
auto words_of(const node<Stride>& n) noexcept {
    auto internal = n.internal;
    internal.clear(0);
    std::array<std::uint64_t, 2 * decltype(internal)::words> words{};
    std::copy(n.external.bits.begin(), n.external.bits.end(),
              std::copy(internal.bits.begin(), internal.bits.end(), words.begin()));
    return words;
}
// The bit of a node for the longest match of a slot, and the count that gives the result. The count has no
// words if there is no match.
struct node_match {
    matched_bit bit{};
    bit_count counted{};
};
template <unsigned Stride>
node_match match_in(const node<Stride>& n, unsigned slot) noexcept {
    constexpr unsigned words = decltype(n.internal)::words;
    const auto& covering = ancestors<Stride>[slot];
    if (n.is_end() && n.external.test(slot))
        return {{words * 64 + slot, Stride},
                {0, 2 * words, n.results, n.external_place(slot), sizeof(next_hop)}};
    if (!n.internal.has_common(covering))
        return {};
    const unsigned bit = n.internal.highest_common(covering);
    return {{bit, length_of_base_index(bit)}, {0, words, n.results, n.internal_place(bit), sizeof(next_hop)}};
}

// The last read of a lookup.
template <class Read>
next_hop read_result(Read&& read, const next_hop* results, std::uint32_t place) {
    const next_hop hop = read(results, place);
    read.tell([&](auto& step) { step.best = hop; });
    return hop;
}

// The nodes below the initial array. A node is identified by its number in the pool; the root of an entry is
// a block of one node. `depth` is the length of a node's prefix, and lengths count from the top of the
// address.
template <class A, unsigned Stride>
class trie {
  public:
    using node_type = node<Stride>;
    static constexpr std::uint32_t slots = 1u << Stride;
    static constexpr std::size_t most = block_pool<node_type, slots>::most;
    static constexpr std::size_t bytes_of_node = sizeof(node_type);

    explicit trie(std::size_t most_nodes = most) noexcept : nodes_(most_nodes) {}

    const node_type& at(std::uint32_t number) const noexcept { return *nodes_.at(number); }
    const node_type* nodes() const noexcept { return nodes_.data(); }
    const next_hop* results() const noexcept { return results_.data(); }
    std::size_t node_bytes() const noexcept { return nodes_.memory_bytes(); }
    std::size_t result_bytes() const noexcept { return results_.memory_bytes(); }
    std::size_t node_count() const noexcept { return nodes_.live_elements(); }
    std::size_t route_count() const noexcept { return results_.live_elements(); }
    bool sparse() const noexcept { return nodes_.sparse() || results_.sparse(); }
    // Whether there is no slack.
    bool is_tight() const noexcept {
        return node_bytes() == node_count() * sizeof(node_type) &&
               result_bytes() == route_count() * sizeof(next_hop);
    }
    static unsigned slot_of(A a, unsigned depth) noexcept {
        return static_cast<unsigned>(slice(a, depth, Stride));
    }

    // Required by fib/layout.hpp.
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("nodes", of.nodes_);
        visit("results", of.results_);
    }
    // Looks up from the node for the first `depth` bits. `hop` is the answer if no node has a match.
    template <class Read>
    next_hop find(Read&& read, std::uint32_t number, unsigned depth, A a, next_hop hop) const {
        std::uint32_t result = no_node; // place of the longest match so far
        for (;; depth += Stride) {
            const node_type& n = read(nodes_.data(), number);
            const unsigned slot = slot_of(a, depth);
            const bool goes_on = n.external.test(slot) && !n.is_end();
            const auto [match, to_result] = match_in(n, slot);
            if (to_result.words != 0)
                result = static_cast<std::uint32_t>(to_result.base + to_result.rank);
            read.tell([&, &match = match, &to_result = to_result](auto& step) {
                const auto words = words_of(n);
                step.looks_at(depth, Stride);
                step.tests_bitmaps(slot, {words.begin(), words.end()});
                step.counted = to_result;
                if (to_result.words != 0)
                    step.matched = match;
                if (goes_on && to_result.words != 0) {
                    step.matched->part = "results";
                    step.matched->entry = result;
                }
                constexpr unsigned external_words = words.size() / 2;
                if (goes_on)
                    step.counted = {external_words, external_words, n.children, n.external.rank_before(slot),
                                    sizeof n};
                else if (result == no_node)
                    step.misses();
                step.best = result == no_node ? hop : results()[result];
            });
            if (!goes_on)
                return result == no_node ? hop : read_result(read, results(), result);
            number = n.children + n.external.rank_before(slot);
        }
    }
    void check(const layout_check& in, std::span<const initial_entry> initial, unsigned initial_bits) const {
        tree_check<A> tree(in, nodes_.size());
        for (const initial_entry& entry : initial)
            if (entry.node != no_node)
                tree.add(entry.node, 1, initial_bits, &entry);
        tree.for_each([&](std::uint32_t number, unsigned depth) {
            const node_type& n = at(number);
            in.leads_into(results_, n.results, result_count(n), &n);
            tree.add(n.children, child_count(n), depth + Stride, &n);
        });
    }

    // Makes the root of an entry from its routes, in prefix order, none of which is shorter than `depth`.
    errc add_root(std::span<const route<A>> inside, unsigned depth, std::uint32_t& root) noexcept {
        root = nodes_.allocate(1);
        return root == nodes_.nil ? std::exchange(root, no_node),
               nodes_.shortage(1) : fill(root, inside, depth);
    }

    // Sets the next hop of a route below the entry with this root, which is at `depth`.
    errc announce(std::uint32_t& root, unsigned depth, const prefix<A>& where, next_hop hop) noexcept {
        if (root == no_node) {
            root = nodes_.allocate(1);
            if (root == nodes_.nil)
                return root = no_node, nodes_.shortage(1);
            nodes_.at(root)->internal.set(0);
        }
        for (std::uint32_t number = root;; depth += Stride) {
            const unsigned rest = where.length - depth;
            if (rest < Stride)
                return put_internal(number, base_index(slice(where.base, depth, rest), rest), hop);
            const unsigned slot = slot_of(where.base, depth);
            if (at(number).is_end()) {
                if (rest == Stride)
                    return put_external(number, slot, hop);
                if (const errc failure = begin_children(number); failure != errc::ok)
                    return failure;
            }
            if (!at(number).external.test(slot))
                if (const errc failure = add_child(number, slot); failure != errc::ok)
                    return failure;
            number = child_of(number, slot);
        }
    }

    // Removes a route if it exists, and the nodes that only it needs.
    errc withdraw(std::uint32_t& root, unsigned depth, const prefix<A>& where) noexcept {
        if (root == no_node)
            return errc::ok;
        std::array<std::uint32_t, A::bits / Stride + 2> way; // nodes above `number`
        unsigned above = 0;
        std::uint32_t number = root;
        unsigned rest = where.length - depth;
        for (; rest >= Stride && !at(number).is_end(); rest -= Stride) {
            const unsigned slot = slot_of(where.base, where.length - rest);
            if (!at(number).external.test(slot))
                return errc::ok;
            way[above++] = number;
            number = child_of(number, slot);
        }
        if (rest > Stride)
            return errc::ok;
        const errc removed =
            rest == Stride
                ? take_external(number, slot_of(where.base, where.length - rest))
                : take_internal(number, base_index(slice(where.base, where.length - rest, rest), rest));
        if (removed != errc::ok)
            return removed;
        return tidy(root, depth, where.base, std::span(way).first(above), number);
    }

    // Copies the nodes below `root` and their results to a trie with enough room. Returns the new root.
    std::uint32_t copy_to(trie& to, std::uint32_t root) const noexcept {
        const std::uint32_t copy_number = to.nodes_.allocate(1);
        copy_node(root, to, copy_number);
        return copy_number;
    }
    [[nodiscard]] bool reserve_like(const trie& other) noexcept {
        return nodes_.reserve(other.node_count()) && results_.reserve(other.route_count());
    }

    static std::uint32_t result_count(const node_type& n) noexcept {
        return n.is_end() ? n.external_place(0) + n.external.count() : n.external_place(0);
    }
    static std::uint32_t child_count(const node_type& n) noexcept {
        return n.is_end() ? 0 : n.external.count();
    }

  private:
    std::uint32_t child_of(std::uint32_t number, unsigned slot) const noexcept {
        return at(number).children + at(number).external.rank_before(slot);
    }

    // Calls route(r, number) for the routes that end in the node, before its border, and below(slot, routes)
    // for those at the border and longer ones. The latter is called for each slot until it returns an errc
    // other than ok.
    template <class Ends, class Below>
    static errc sweep(std::span<const route<A>> inside, unsigned depth, Ends ends, Below below) {
        while (!inside.empty()) {
            const route<A>& r = inside.front();
            const unsigned rest = r.where.length - depth;
            if (rest < Stride) {
                ends(r, base_index(slice(r.where.base, depth, rest), rest));
                inside = inside.subspan(1);
                continue;
            }
            const std::size_t run = count_sharing(inside, depth + Stride);
            if (const errc failure = below(slot_of(r.where.base, depth), inside.first(run));
                failure != errc::ok)
                return failure;
            inside = inside.subspan(run);
        }
        return errc::ok;
    }

    // Sets the bits first, because they determine the number and the places of the results and children.
    errc fill(std::uint32_t number, std::span<const route<A>> inside, unsigned depth) noexcept {
        node_type n{};
        bool is_end = true;
        (void)sweep(
            inside, depth, [&](const route<A>&, unsigned bit) { n.internal.set(bit); },
            [&](unsigned slot, std::span<const route<A>> below) {
                n.external.set(slot);
                is_end = is_end && below.size() == 1 && below[0].where.length == depth + Stride;
                return errc::ok;
            });
        if (is_end)
            n.internal.set(0);
        if (const errc failure = allocate_blocks(n); failure != errc::ok)
            return failure;
        *nodes_.at(number) = n;
        return sweep(
            inside, depth,
            [&](const route<A>& r, unsigned bit) { *results_.at(n.results + n.internal_place(bit)) = r.hop; },
            [&](unsigned slot, std::span<const route<A>> below) {
                if (!is_end)
                    return fill(n.children + n.external.rank_before(slot), below, depth + Stride);
                *results_.at(n.results + n.external_place(slot)) = below[0].hop;
                return errc::ok;
            });
    }
    errc allocate_blocks(node_type& n) noexcept {
        const std::uint32_t results = result_count(n);
        const std::uint32_t children = child_count(n);
        if (results > 0 && (n.results = results_.allocate(results)) == results_.nil)
            return results_.shortage(results);
        if (children > 0 && (n.children = nodes_.allocate(children)) == nodes_.nil)
            return nodes_.shortage(children);
        return errc::ok;
    }

    // Inserts a new result at `place`.
    errc insert_result(std::uint32_t number, std::uint32_t place, next_hop hop) noexcept {
        node_type& n = *nodes_.at(number);
        const std::uint32_t moved = with_gap(results_, n.results, result_count(n), place);
        if (moved == results_.nil)
            return results_.shortage(result_count(n) + 1);
        n.results = moved;
        *results_.at(moved + place) = hop;
        return errc::ok;
    }
    errc remove_result(std::uint32_t number, std::uint32_t place) noexcept {
        node_type& n = *nodes_.at(number);
        const std::uint32_t moved = without(results_, n.results, result_count(n), place);
        if (moved == results_.nil)
            return results_.shortage(result_count(n) - 1);
        n.results = moved;
        return errc::ok;
    }
    // A bit of one of the two bitmaps is a route. `place` is that of the route's result.
    using bitmap_of = slot_bitmap<slots> node_type::*;
    errc put(std::uint32_t number, bitmap_of bitmap, unsigned bit, std::uint32_t place,
             next_hop hop) noexcept {
        if ((at(number).*bitmap).test(bit))
            return *results_.at(at(number).results + place) = hop, errc::ok;
        const errc done = insert_result(number, place, hop);
        if (done == errc::ok)
            (nodes_.at(number)->*bitmap).set(bit);
        return done;
    }
    errc take(std::uint32_t number, bitmap_of bitmap, unsigned bit, std::uint32_t place) noexcept {
        if (!(at(number).*bitmap).test(bit))
            return errc::ok;
        const errc done = remove_result(number, place);
        if (done == errc::ok)
            (nodes_.at(number)->*bitmap).clear(bit);
        return done;
    }
    errc put_internal(std::uint32_t number, unsigned bit, next_hop hop) noexcept {
        return put(number, &node_type::internal, bit, at(number).internal_place(bit), hop);
    }
    errc put_external(std::uint32_t number, unsigned slot, next_hop hop) noexcept {
        return put(number, &node_type::external, slot, at(number).external_place(slot), hop);
    }
    errc take_internal(std::uint32_t number, unsigned bit) noexcept {
        return take(number, &node_type::internal, bit, at(number).internal_place(bit));
    }
    errc take_external(std::uint32_t number, unsigned slot) noexcept {
        return take(number, &node_type::external, slot, at(number).external_place(slot));
    }

    errc add_child(std::uint32_t number, unsigned slot) noexcept {
        const node_type n = at(number);
        const std::uint32_t place = n.external.rank_before(slot);
        const std::uint32_t moved = with_gap(nodes_, n.children, child_count(n), place);
        if (moved == nodes_.nil)
            return nodes_.shortage(child_count(n) + 1);
        nodes_.at(moved + place)->internal.set(0);
        nodes_.at(number)->children = moved;
        nodes_.at(number)->external.set(slot);
        return errc::ok;
    }
    errc drop_child(std::uint32_t number, unsigned slot) noexcept {
        const node_type n = at(number);
        const std::uint32_t moved = without(nodes_, n.children, child_count(n), n.external.rank_before(slot));
        if (moved == nodes_.nil)
            return nodes_.shortage(child_count(n) - 1);
        nodes_.at(number)->children = moved;
        nodes_.at(number)->external.clear(slot);
        return errc::ok;
    }

    // Turns an end node into a node with children: each external route gets a separate node.
    errc begin_children(std::uint32_t number) noexcept {
        node_type n = at(number);
        const std::uint32_t children = n.external.count();
        const std::uint32_t internal_count = n.external_place(0);
        if (children > 0) {
            n.children = nodes_.allocate(children);
            if (n.children == nodes_.nil)
                return nodes_.shortage(children);
            for (std::uint32_t i = 0; i < children; ++i) {
                const std::uint32_t result = results_.allocate(1);
                if (result == results_.nil)
                    return results_.shortage(1);
                *results_.at(result) = *results_.at(n.results + internal_count + i);
                *nodes_.at(n.children + i) = lone_route(result);
            }
            const std::uint32_t moved =
                without(results_, n.results, internal_count + children, internal_count, children);
            if (moved == results_.nil)
                return results_.shortage(internal_count);
            n.results = moved;
        }
        n.internal.clear(0);
        *nodes_.at(number) = n;
        return errc::ok;
    }
    // Reverses begin_children(). All children must be lone routes, or there must be none.
    errc end_children(std::uint32_t number) noexcept {
        node_type n = at(number);
        const std::uint32_t children = n.external.count();
        const std::uint32_t internal_count = n.external_place(0);
        if (children > 0) {
            const std::uint32_t moved =
                with_gap(results_, n.results, internal_count, internal_count, children);
            if (moved == results_.nil)
                return results_.shortage(internal_count + children);
            n.results = moved;
            for (std::uint32_t i = 0; i < children; ++i) {
                const std::uint32_t result = at(n.children + i).results;
                *results_.at(moved + internal_count + i) = *results_.at(result);
                results_.release(result, 1);
            }
            nodes_.release(n.children, children);
        }
        n.children = 0;
        n.internal.set(0);
        *nodes_.at(number) = n;
        return errc::ok;
    }
    static node_type lone_route(std::uint32_t result) noexcept {
        node_type n{};
        n.internal.set(0);
        n.internal.set(1);
        n.results = result;
        return n;
    }
    // Whether the node has only the route with the node's own prefix.
    static bool is_lone_route(const node_type& n) noexcept {
        const node_type lone = lone_route(0);
        return n.internal == lone.internal && n.external == lone.external;
    }
    bool has_lone_routes_only(const node_type& n) const noexcept {
        return std::all_of(nodes_.at(n.children), nodes_.at(n.children) + child_count(n), is_lone_route);
    }

    // Simplifies nodes from one that has lost an element up to the first one that stays the same.
    errc tidy(std::uint32_t& root, unsigned depth, A base, std::span<const std::uint32_t> above,
              std::uint32_t number) noexcept {
        for (;;) {
            if (!at(number).is_end() && has_lone_routes_only(at(number)))
                if (const errc failure = end_children(number); failure != errc::ok)
                    return failure;
            const node_type& n = at(number);
            const bool is_empty = n.is_end() && result_count(n) == 0;
            if (!is_empty && !is_lone_route(n))
                return errc::ok;
            if (above.empty()) {
                if (is_empty)
                    nodes_.release(std::exchange(root, no_node), 1);
                return errc::ok;
            }
            number = above.back();
            above = above.first(above.size() - 1);
            const unsigned slot = slot_of(base, depth + static_cast<unsigned>(above.size()) * Stride);
            if (is_empty)
                if (const errc failure = drop_child(number, slot); failure != errc::ok)
                    return failure;
        }
    }

    void copy_node(std::uint32_t from, trie& to, std::uint32_t target) const noexcept {
        node_type copy = at(from);
        if (const std::uint32_t results = result_count(copy); results > 0) {
            const std::uint32_t old = std::exchange(copy.results, to.results_.allocate(results));
            std::copy_n(results_.at(old), results, to.results_.at(copy.results));
        }
        const std::uint32_t children = child_count(copy);
        const std::uint32_t old = copy.children;
        if (children > 0)
            copy.children = to.nodes_.allocate(children);
        *to.nodes_.at(target) = copy;
        for (std::uint32_t i = 0; i < children; ++i)
            copy_node(old + i, to, copy.children + i);
    }

    block_pool<node_type, slots> nodes_;
    block_pool<next_hop, 2 * slots> results_;
};

} // namespace fingerpost::tree_bitmap
