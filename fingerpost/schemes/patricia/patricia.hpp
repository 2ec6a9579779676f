// The path-compressed trie: nodes only for routes and forks, with keys that are compared during the descent.
//
// A binary trie has long chains of nodes without a choice. Here they are skipped: a node stores its length
// and its key, which is compared to check the skipped bits. Routes and forks are the same kind of node, so a
// step does not branch on the kind.
//
//      node  key | child 0 | child 1 | next hop | length | shift     32 bytes for 128 bits, 20 for 32 bits
//
//      ::/0 (root) --> 2000::/3 --+--> fork 2001:db8::/33 ---0--> 2001:db8::/48
//                                 |                      \---1--> 2001:db8:8000::/48
//
// A fork is a node without a next hop. The root always exists.
//
// Lookup: one dependent load for each node, up to the first key that does not match. A match in tier1-v6
// takes 25 loads on average and at most 40. An address far from all routes takes very few, so only uniformly
// random addresses are fast. Memory: at most two nodes a route, 64 bytes for 128 bits, 40 for 32 bits.
// Update: the same descent, then at most two nodes are created or freed. The trie is copied to return memory
// once 1/12 of it is unused. Not safe with concurrent readers: a node's children change one by one. Limits:
// 2^31 - 1 nodes; all widths and next hop ids. Batch: 16 descents in turn (interleave.hpp).
//
// About the name: Morrison (1968) and Sklower (1991) test bits on the way down and compare a key once, at the
// leaf. Sklower then goes back up through masks, like schemes/bsd_radix. A trie that compares on the way down
// is neither of these, but routing software calls it a Patricia tree. These comparisons make going back up
// unnecessary.
//
// Tested by: the registry's suites and tests/schemes/patricia. Reading order: patricia.hpp, entries.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/base/node_pool.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/batches/interleave.hpp"
#include "fingerpost/fib/parts/bit_trie.hpp"
#include "fingerpost/fib/patchable.hpp"

namespace fingerpost::patricia {

using bit_trie::branch;
using bit_trie::fits;
using bit_trie::root;
using bit_trie::shared;

template <class A>
class fib : public laid_out<fib<A>, A> {
    friend laid_out<fib, A>;
    using value = typename A::value_type;
    using index = std::uint32_t;

    struct node {
        value key = 0;
        index child[2] = {root, root};
        next_hop hop = next_hop::none;    // `none` in a fork
        std::uint8_t length = 0;          // length of the prefix, and number of the bit that chooses a child
        std::uint8_t shift = A::bits - 1; // position of that bit from the lowest one; 0 if there is none
        std::uint8_t unused[2] = {};      // explicit, because files must not contain padding

        next_hop answer() const noexcept { return hop; }
    };
    static_assert(sizeof(node) == (A::bits <= 32 ? 20 : A::bits <= 64 ? 24 : 32));

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("nodes", of.nodes_);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        return find_by_steps(*this, a, read);
    }

    // Tests pass a lower limit to reach it.
    static constexpr std::size_t most = node_pool<node>::most;

    static expected<fib> build(const routes<A>& table, const build_options& = {},
                               std::size_t most_nodes = most) {
        fib built(most_nodes);
        if (built.nodes_.allocate() != root)
            return unexpected{built.nodes_.shortage()};
        way_down way;
        way.push(root);
        for (const route<A>& r : table.sorted())
            if (const errc failure = built.append(r, way); failure != errc::ok)
                return unexpected{failure};
        return built;
    }

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        lookup_interleaved<16>(*this, in, out);
    }
    errc apply(const change<A>& c) noexcept {
        if (c.after != next_hop::none)
            return insert({c.where, c.after});
        erase(c.where);
        bit_trie::compact(nodes_);
        return errc::ok;
    }

    // The state of a lookup during its descent.
    struct walk {
        A address;
        const node* at;
        next_hop best = next_hop::none;
    };
    walk start(A a) const noexcept { return {a, &nodes_[root]}; }
    template <class Read>
    bool step(walk& w, Read&& read) const {
        const node& n = read(w.at, 0);
        const bool is_match = fits(w.address, n);
        if (is_match && n.hop != next_hop::none)
            w.best = n.hop;
        const index next = is_match ? n.child[branch(w.address, n)] : root;
        read.tell([&](auto& step) {
            step.looks_at(0, n.length + 1u);
            step.compares_keys(number_in_step(w.address), {number_in_step(A{n.key})});
            step.best = w.best;
            if (next == root && !(is_match && w.best != next_hop::none))
                step.misses();
        });
        if (next == root)
            return false;
        w.at = &nodes_[next];
        __builtin_prefetch(w.at);
        return true;
    }

    void visit(node_visitor<A> each) const { bit_trie::visit<A>(nodes_, each); }

    void check(const layout_check& in) const { bit_trie::check<A>(in, nodes_); }

  private:
    // The nodes on a path from the root. Lengths increase along it, so the array is large enough.
    struct way_down {
        std::array<index, A::bits + 2> nodes;
        unsigned count = 0;

        void push(index at) noexcept { nodes[count++] = at; }
        index back() const noexcept { return nodes[count - 1]; }
    };

    explicit fib(std::size_t most_nodes = most) noexcept : nodes_(most_nodes) {}

    // Makes a node without children. Returns root if the pool is full.
    index make(const prefix<A>& p, next_hop hop) noexcept {
        const index number = bit_trie::make(nodes_, p);
        if (number != root)
            nodes_[number].hop = hop;
        return number;
    }
    void link(index parent, index child) noexcept {
        nodes_[parent].child[branch(A{nodes_[child].key}, nodes_[parent])] = child;
    }
    // Puts a new route below `above`, and beside or over `below`, which is the child of `above` on that side,
    // or root if there is none. Sets `fork` to the number of the fork that this takes, or to root.
    index place(const route<A>& r, index above, index below, index& fork) noexcept {
        fork = root;
        const index new_node = make(r.where, r.hop);
        if (new_node == root)
            return root;
        const unsigned parting = below == root ? r.where.length : shared(r.where, nodes_[below]);
        if (parting == r.where.length) {
            link(above, new_node);
            if (below != root)
                link(new_node, below);
            return new_node;
        }
        fork = make(prefix<A>::make(r.where.base, parting), next_hop::none);
        if (fork == root) {
            nodes_.release(new_node);
            return root;
        }
        link(above, fork);
        link(fork, below);
        link(fork, new_node);
        return new_node;
    }

    // Appends a route that comes after all existing ones in prefix order. `way` is the path to the last one.
    errc append(const route<A>& r, way_down& way) noexcept {
        if (r.where.length == 0) {
            nodes_[root].hop = r.hop;
            return errc::ok;
        }
        index below = root;
        while (shared(r.where, nodes_[way.back()]) < nodes_[way.back()].length) {
            below = way.back();
            --way.count;
        }
        // If the route shares no more bits with a node than with its parent, it belongs on the other side.
        if (below != root && shared(r.where, nodes_[below]) == nodes_[way.back()].length)
            below = root;
        index fork = root;
        const index new_node = place(r, way.back(), below, fork);
        if (new_node == root)
            return nodes_.shortage();
        if (fork != root)
            way.push(fork);
        way.push(new_node);
        return errc::ok;
    }
    errc insert(const route<A>& r) noexcept {
        index at = root;
        for (;;) {
            if (nodes_[at].length == r.where.length) {
                nodes_[at].hop = r.hop;
                return errc::ok;
            }
            const index next = nodes_[at].child[branch(r.where.base, nodes_[at])];
            if (next == root || shared(r.where, nodes_[next]) < nodes_[next].length) {
                index fork = root;
                return place(r, at, next, fork) == root ? nodes_.shortage() : errc::ok;
            }
            at = next;
        }
    }

    void erase(const prefix<A>& p) noexcept {
        way_down way;
        way.push(root);
        while (nodes_[way.back()].length < p.length) {
            const index next = nodes_[way.back()].child[branch(p.base, nodes_[way.back()])];
            if (next == root)
                return;
            way.push(next);
        }
        node& n = nodes_[way.back()];
        if (n.length != p.length || n.key != p.base.value)
            return;
        n.hop = next_hop::none;
        if (remove_needless(way)) {
            --way.count;
            (void)remove_needless(way);
        }
    }
    // Removes the last node of a path if it has no route and fewer than two children. Returns true if it had
    // no child, because its parent may then be unnecessary too.
    bool remove_needless(const way_down& way) noexcept {
        const index at = way.back();
        const node old = nodes_[at];
        if (at == root || old.hop != next_hop::none || (old.child[0] != root && old.child[1] != root))
            return false;
        const index below = old.child[0] | old.child[1];
        node& above = nodes_[way.nodes[way.count - 2]];
        above.child[branch(A{old.key}, above)] = below;
        nodes_.release(at);
        return below == root;
    }

    node_pool<node> nodes_;
};

} // namespace fingerpost::patricia
