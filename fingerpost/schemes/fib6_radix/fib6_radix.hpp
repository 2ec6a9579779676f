// The radix tree of Linux's IPv6 routing: a lookup descends by single bits without comparing keys, then
// climbs back up.
//
// There is a node for each route and for each fork, as in any path-compressed trie. The descent tests one bit
// a node and does not compare keys, so it may take wrong turns if skipped bits differ. It ends at the last
// node. From there the lookup climbs through the parents and compares the address with the prefix of each
// node that has a route. The first one that covers the address is the longest match.
//
//      node  child 0 | child 1 | parent | length, shift, has_route ] key | next hop     48 bytes for 128 bits
//             read on the way down, within 16 bytes                   compared on the way up
//
//      ::/0 (root) ---1--> 2000::/3 (route) ---0--> 2001:db8::/32 (fork) --0--> 2001:db8::/48 (route)
//                                                                       \--1--> 2001:db8:8000::/48 (route)
//
// Lookup: one dependent load for each node on the way down, 25 on average and at most 40 for a match in
// tier1-v6. The way up reads the same nodes again up to the match, or up to the root if there is none.
// Update: a descent, one comparison, and a climb to the place where the prefix differs from existing ones;
// then at most two nodes are created or freed. A build inserts the routes in order and starts each search at
// the previous route. The tree is copied to return memory once 1/12 of it is unused. Memory: 48 bytes a node
// for 128 bits, 24 for 32 bits; one node a route, fewer than that for forks, and the root, which always
// exists. Limits: 2^31 - 1 nodes; all widths and next hop ids. Batch: 16 descents in turn (interleave.hpp).
// The climb is part of the last step, because its nodes have just been read.
//
// Source: Linux's fib6_lookup as described by V. Bernat, IPv6 route lookup on Linux, 2017; K. Sklower, 1991.
// Not included: routes by source address, route caches, and separate route objects; prefixes and next hops
// are stored in the nodes.
//
// Tested by: the registry's suites and tests/schemes/fib6_radix. Reading order: fib6_radix.hpp, entries.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "fingerpost/base/node_pool.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/batches/interleave.hpp"
#include "fingerpost/fib/parts/bit_trie.hpp"
#include "fingerpost/fib/patchable.hpp"

namespace fingerpost::fib6_radix {

using bit_trie::branch;
using bit_trie::fits;
using bit_trie::root;
using bit_trie::shared;

template <class A>
class fib : public laid_out<fib<A>, A> {
    friend laid_out<fib, A>;
    using value = typename A::value_type;
    using index = std::uint32_t;

    // The part of a node that the descent reads.
    struct links {
        index child[2] = {root, root};
        index parent = root;
        std::uint8_t length = 0;          // length of the prefix, and number of the bit that the node tests
        std::uint8_t shift = A::bits - 1; // position of the bit from the lowest one; 0 if there is none
        std::uint8_t has_route = 0;       // 0 or 1
        std::uint8_t unused = 0;
    };
    struct node : links {
        value key = 0;
        // Its width is the width of the key, so that there is no padding, which files must not contain.
        std::conditional_t<(sizeof(value) > 4), value, std::uint32_t> hop = next_hop::none.id;

        next_hop answer() const noexcept { return next_hop{static_cast<std::uint32_t>(hop)}; }
        void set_route(next_hop to) noexcept {
            this->has_route = to != next_hop::none ? 1 : 0;
            hop = to.id;
        }
    };
    static_assert(sizeof(node) == (A::bits <= 32 ? 24 : A::bits <= 64 ? 32 : 48));

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
        index last = root;
        for (const route<A>& r : table.sorted())
            if (const errc failure = built.insert(r, last); failure != errc::ok)
                return unexpected{failure};
        return built;
    }

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        lookup_interleaved<16>(*this, in, out);
    }

    errc apply(const change<A>& c) noexcept {
        if (c.after == next_hop::none) {
            erase(c.where);
            bit_trie::compact(nodes_);
            return errc::ok;
        }
        index from = root;
        return insert({c.where, c.after}, from);
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
        const links& n = read(static_cast<const links*>(w.at), 0);
        const unsigned bit = branch(w.address, n);
        const index next = n.child[bit];
        read.tell([&](auto& step) {
            step.looks_at(n.length, 1);
            step.key = bit;
            if (next == root)
                step.misses();
        });
        if (next == root) {
            w.best = climb(*w.at, w.address, read);
            return false;
        }
        w.at = &nodes_[next];
        __builtin_prefetch(w.at);
        return true;
    }

    void visit(node_visitor<A> each) const { bit_trie::visit<A>(nodes_, each); }

    void check(const layout_check& in) const { bit_trie::check<A>(in, nodes_); }

  private:
    explicit fib(std::size_t most_nodes = most) noexcept : nodes_(most_nodes) {}

    // The next hop of the first matching route, from this node upwards.
    template <class Read>
    next_hop climb(const node& from, A a, Read& read) const {
        for (const node* at = &from;; at = &nodes_[at->parent]) {
            const bool has_route = at->has_route != 0;
            const links& n = has_route ? read(at, 0) : read(static_cast<const links*>(at), 0);
            const bool is_match = has_route && fits(a, *at);
            read.tell([&](auto& step) {
                step.key = 0;
                if (has_route) {
                    step.looks_at(0, n.length);
                    step.compares_keys(number_in_step(a), {number_in_step(A{at->key})});
                }
                if (!is_match)
                    step.misses();
            });
            if (is_match)
                return at->answer();
            if (n.length == 0)
                return next_hop::none;
        }
    }
    // Makes a node without children. Returns root if the pool is full.
    index make(const prefix<A>& p, next_hop hop) noexcept {
        const index number = bit_trie::make(nodes_, p);
        if (number != root)
            nodes_[number].set_route(hop);
        return number;
    }
    void link(index parent, index child) noexcept {
        nodes_[child].parent = parent;
        nodes_[parent].child[branch(A{nodes_[child].key}, nodes_[parent])] = child;
    }
    // Descends from `at` to the first node whose length is at least that of the prefix, or to the last node
    // before that.
    index descend(const prefix<A>& p, index at) const noexcept {
        while (nodes_[at].length < p.length) {
            const index next = nodes_[at].child[branch(p.base, nodes_[at])];
            if (next == root)
                break;
            at = next;
        }
        return at;
    }
    // Starts at `finger`, which may be any node, and sets it to the route's node for the next search.
    errc insert(const route<A>& r, index& finger) noexcept {
        const prefix<A>& p = r.where;
        index at = finger;
        while (shared(p, nodes_[at]) < nodes_[at].length)
            at = nodes_[at].parent;
        at = descend(p, at);
        const unsigned parting = shared(p, nodes_[at]);
        // The descent may have taken wrong turns: climb to the topmost node that is not above bit `parting`.
        while (nodes_[at].length > parting && nodes_[nodes_[at].parent].length >= parting)
            at = nodes_[at].parent;
        const unsigned length = nodes_[at].length;
        if (length == p.length && parting == length) {
            nodes_[at].set_route(r.hop);
            finger = at;
            return errc::ok;
        }
        const index new_node = make(p, r.hop);
        if (new_node == root)
            return nodes_.shortage();
        finger = new_node;
        if (length == parting) {
            link(at, new_node);
            return errc::ok;
        }
        const index above = nodes_[at].parent;
        if (parting == p.length) {
            link(above, new_node);
            link(new_node, at);
            return errc::ok;
        }
        const index fork = make(prefix<A>::make(p.base, parting), next_hop::none);
        if (fork == root)
            return nodes_.shortage();
        link(above, fork);
        link(fork, at);
        link(fork, new_node);
        return errc::ok;
    }

    void erase(const prefix<A>& p) noexcept {
        const index at = descend(p, root);
        node& n = nodes_[at];
        if (n.has_route == 0 || n.length != p.length || n.key != p.base.value)
            return;
        n.set_route(next_hop::none);
        const index parent = n.parent;
        if (remove_needless(at))
            (void)remove_needless(parent);
    }
    // Removes a node without a route and without two children. Returns true if it had no child, because its
    // parent may then be unnecessary too.
    bool remove_needless(index at) noexcept {
        const node old = nodes_[at];
        if (at == root || old.has_route != 0 || (old.child[0] != root && old.child[1] != root))
            return false;
        const index below = old.child[0] | old.child[1];
        nodes_[old.parent].child[branch(A{old.key}, nodes_[old.parent])] = below;
        if (below != root)
            nodes_[below].parent = old.parent;
        nodes_.release(at);
        return below == root;
    }

    node_pool<node> nodes_;
};

} // namespace fingerpost::fib6_radix
