// The binary (unibit) trie: one node for every bit of every prefix. All other schemes improve on it.
//
// A lookup reads the address bit by bit, the highest first. Each bit chooses one of two children, and the
// last next hop on the path is the answer. The scheme is the simplest structure and serves as a yardstick.
//
//      node  child 0 | child 1 | next hop     12 bytes, `none` without a route
//
//                     o  (root, bit 0)
//                   0/ \1
//                   o   A          1.../1 -> A
//                    \1
//                     o
//                    0/
//                    B             010.../3 -> B
//
// Lookup: one dependent load for each bit of the longest match, and more if longer prefixes share further
// bits: 49 for a /48, 44 on average for matches in tier1-v6, at most bits + 1. The nodes near the root stay
// in the cache, those below mostly do not. Memory: 12 bytes a node; 4.7 nodes a route in tier1-v6, 2.3 in
// tier1-v4, 17 in uniformly random IPv6. Update: the same descent, and at most `length` nodes created or
// freed. Once 1/12 of the nodes are unused, the trie is copied to return memory; if it is patched in place,
// the table rebuilds it instead.
//
// Patching with concurrent readers. A change makes exactly one store that affects readers: it writes the next
// hop of an existing node, links a chain of new nodes that ends with the next hop, or removes the next hop at
// the end of a chain. In the last case a second store unlinks the chain, which readers cannot notice. Links
// are stored with release and loaded with acquire, so a reader that sees a link also sees the contents of the
// nodes below it. An unlinked node keeps its links and has no next hop below it, so a reader that is still
// there ends with the match from above. Such a node is reused only when no reader of its time is left. Nodes
// never move, because the pool does not grow. So a lookup during one change answers as before it or as after
// it. If several changes happen during one lookup, it may see some of them and miss others. The answer is
// then the next hop of some route that covered the address during the lookup, or none.
//
// Limits: 2^31 - 1 nodes; all widths and next hop ids. Batch: 16 descents in turn (interleave.hpp). The
// address is left-aligned, so a step shifts it by one.
//
// Source: common knowledge; E. Fredkin, Trie memory, CACM 3(9), 1960.
//
// Tested by: the registry's suites and tests/schemes/binary_trie. Reading order: binary_trie.hpp,
// entries.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/atomic_word.hpp"
#include "fingerpost/base/node_pool.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/batches/interleave.hpp"
#include "fingerpost/fib/parts/bit_trie.hpp"
#include "fingerpost/fib/parts/memory/retire_list.hpp"
#include "fingerpost/fib/patchable.hpp"

namespace fingerpost::binary_trie {

using bit_trie::root;

template <class A>
class fib : public laid_out<fib<A>, A> {
    friend laid_out<fib, A>;
    using value = typename A::value_type;
    static constexpr unsigned spare_bits = sizeof(value) * 8 - A::bits;
    static constexpr unsigned top_bit = sizeof(value) * 8 - 1;

    struct node {
        std::uint32_t child[2] = {root, root};
        next_hop hop = next_hop::none;
    };
    static_assert(sizeof(node) == 12);

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("nodes", of.nodes_);
        visit("retired", of.retired_);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        walk way = start(a);
        for (unsigned depth = 0;; ++depth) {
            const bool goes_on = step(way, read);
            read.tell([&](auto& step) {
                step.looks_at(depth, 1);
                step.best = way.best;
            });
            if (!goes_on)
                return way.best;
        }
    }

    // Tests pass a lower limit to reach it.
    static constexpr std::size_t most = node_pool<node>::most;

    static expected<fib> build(const routes<A>& table, const build_options& = {},
                               std::size_t most_nodes = most) {
        fib built(most_nodes);
        if (const errc failure = built.fill(table.sorted()); failure != errc::ok)
            return unexpected{failure};
        return built;
    }
    // Reserves room for 1/4 more nodes, and for a few changes if the table is small.
    static expected<fib> build_in_place(const routes<A>& table, const build_options& = {},
                                        std::size_t most_nodes = most) {
        fib built(most_nodes);
        if (const errc failure = built.fill(table.sorted()); failure != errc::ok)
            return unexpected{failure};
        const std::size_t used = built.nodes_.size();
        const std::size_t capacity = std::min(used + used / 4 + 64 * A::bits, most_nodes);
        if (!built.nodes_.reserve(capacity))
            return unexpected{built.nodes_.shortage(capacity)};
        built.retired_.reserve(used / 16 + 64 * A::bits);
        return built;
    }

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        lookup_interleaved<16>(*this, in, out);
    }

    errc apply(const change<A>& c) noexcept {
        const errc done = set(c, [this](std::uint32_t number) { nodes_.release(number); });
        if (done == errc::ok)
            bit_trie::compact(nodes_);
        return done;
    }
    errc apply_in_place(const change<A>& c, std::uint64_t version) noexcept {
        if (room() < needs(c))
            return errc::capacity;
        return set(c, [&](std::uint32_t number) { retired_.push(number, version); });
    }
    std::size_t room() const noexcept { return std::min(nodes_.room(), retired_.room()); }
    static std::size_t needs(const change<A>& c) noexcept { return c.where.length; }
    void reclaim(std::uint64_t version) noexcept {
        retired_.release_before(version, [this](std::uint32_t number) { nodes_.release(number); });
    }

    // The state of a lookup during its descent: the remaining bits are left-aligned.
    struct walk {
        value rest;
        const node* at;
        next_hop best;
    };
    walk start(A a) const noexcept {
        return {static_cast<value>(a.value << spare_bits), &nodes_[root], next_hop::none};
    }
    template <class Read>
    bool step(walk& w, Read&& read) const {
        const node& n = *w.at;
        const auto bit = static_cast<unsigned>(w.rest >> top_bit);
        // Offset from the child to the next hop, which is stored after both children.
        (void)read(n.child, bit, 3 - bit);
        const next_hop hop = load_relaxed(n.hop);
        if (hop != next_hop::none)
            w.best = hop;
        const std::uint32_t next = load_acquire(n.child[bit]);
        if (next == root)
            return false;
        w.rest = static_cast<value>(w.rest << 1);
        w.at = &nodes_[next];
        __builtin_prefetch(w.at);
        return true;
    }

    void visit(node_visitor<A> each) const { visit_below(root, prefix<A>{}, 0, each); }

    // A build numbers each node after its parent.
    void check(const layout_check& in) const {
        in.require(nodes_.size() > 0, nullptr, "there is no root");
        std::vector<std::uint8_t> depths(nodes_.size());
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            for (const std::uint32_t& child : nodes_[i].child) {
                if (child == root)
                    continue;
                in.require(i < child && child < nodes_.size() && depths[i] < A::bits, &child,
                           "a node has an invalid child");
                depths[child] = std::max<std::uint8_t>(depths[child], depths[i] + 1);
            }
    }

  private:
    explicit fib(std::size_t most_nodes = most) noexcept : nodes_(most_nodes) {}

    void visit_below(std::uint32_t at, const prefix<A>& where, unsigned slot, node_visitor<A> each) const {
        const node& n = nodes_[at];
        each({.first = where.first(),
              .last = where.last(),
              .level = where.length,
              .kind = n.hop == next_hop::none ? "node" : "route",
              .part = "nodes",
              .bytes = sizeof(node),
              .children = bit_trie::children_of(n),
              .offset = std::uint64_t{at} * sizeof(node),
              .slot = slot,
              .first_bit = where.length,
              .bits = where.length < A::bits ? 1u : 0u,
              .contents = [&](node_contents& to) {
                  if (n.hop != next_hop::none)
                      to.answers = {{0, n.hop}};
                  bit_trie::show_children(n, to);
              }});
        for (unsigned bit = 0; bit < 2; ++bit)
            if (n.child[bit] != root) {
                const A half = bit == 0 ? where.first() : where.last();
                visit_below(n.child[bit], prefix<A>::make(half, where.length + 1u), bit, each);
            }
    }

    // The nodes from the root along an address, one for each bit, as far as they exist.
    struct path {
        std::array<std::uint32_t, A::bits + 1> nodes{root};
        unsigned length = 0;
    };

    errc fill(std::span<const route<A>> sorted) noexcept {
        if (nodes_.allocate() != root)
            return nodes_.shortage();
        path way; // descent to the last node with a route
        A last{};
        for (const route<A>& r : sorted) {
            way.length = std::min<unsigned>(common_length(last, r.where.base), way.length);
            for (; way.length < r.where.length; ++way.length) {
                const std::uint32_t child = nodes_.allocate();
                if (child == nodes_.nil)
                    return nodes_.shortage();
                nodes_[way.nodes[way.length]].child[bit_at(r.where.base, way.length)] = child;
                way.nodes[way.length + 1] = child;
            }
            nodes_[way.nodes[way.length]].hop = r.hop;
            last = r.where.base;
        }
        return errc::ok;
    }

    path descend(const prefix<A>& p) const noexcept {
        path way;
        while (way.length < p.length) {
            const std::uint32_t next = nodes_[way.nodes[way.length]].child[bit_at(p.base, way.length)];
            if (next == root)
                break;
            way.nodes[++way.length] = next;
        }
        return way;
    }
    void store_hop(std::uint32_t at, next_hop hop) noexcept {
        std::atomic_ref(nodes_[at].hop).store(hop, std::memory_order_relaxed);
    }
    void store_child(std::uint32_t at, unsigned bit, std::uint32_t child) noexcept {
        std::atomic_ref(nodes_[at].child[bit]).store(child, std::memory_order_release);
    }

    template <class Release>
    errc set(const change<A>& c, Release release) noexcept {
        const path way = descend(c.where);
        if (way.length == c.where.length) {
            const std::uint32_t end = way.nodes[way.length];
            store_hop(end, c.after);
            if (c.after == next_hop::none)
                prune(c.where.base, way, release);
            return errc::ok;
        }
        return c.after == next_hop::none ? errc::ok : extend(c, way);
    }

    // Makes the missing nodes from the bottom up, so that one store links all of them.
    errc extend(const change<A>& c, const path& way) noexcept {
        std::uint32_t below = root;
        for (unsigned at = c.where.length; at > way.length; --at) {
            const std::uint32_t number = nodes_.allocate();
            if (number == nodes_.nil) {
                const errc reason = nodes_.shortage();
                while (below != root) {
                    const node old = nodes_[below];
                    nodes_.release(below);
                    below = old.child[0] | old.child[1];
                }
                return reason;
            }
            if (at == c.where.length)
                nodes_[number].hop = c.after;
            else
                nodes_[number].child[bit_at(c.where.base, at)] = below;
            below = number;
        }
        store_child(way.nodes[way.length], bit_at(c.where.base, way.length), below);
        return errc::ok;
    }

    // Unlinks the nodes that no route needs, with one store above them.
    template <class Release>
    void prune(A base, const path& way, Release release) noexcept {
        unsigned top = way.length + 1; // index of the first node to unlink
        while (top > 1) {
            const node& n = nodes_[way.nodes[top - 1]];
            const unsigned on_way = top <= way.length ? bit_at(base, top - 1) : 2;
            const bool other = (on_way != 0 && n.child[0] != root) || (on_way != 1 && n.child[1] != root);
            if (other || n.hop != next_hop::none)
                break;
            --top;
        }
        if (top > way.length)
            return;
        store_child(way.nodes[top - 1], bit_at(base, top - 1), root);
        for (unsigned i = top; i <= way.length; ++i)
            release(way.nodes[i]);
    }

    node_pool<node> nodes_;
    retire_list retired_;
};

} // namespace fingerpost::binary_trie
