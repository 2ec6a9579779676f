// The unibit trie: one node for every bit of every prefix. All other schemes improve on it.
//
// An address is read bit by bit from the top. Each bit chooses one of two children, and the last next hop met
// on the way down is the answer. It is included as the simplest structure and as a yardstick.
//
//      node  child 0 | child 1 | next hop     12 bytes, `none` where no route ends
//
//                     o  (root, bit 0)
//                   0/ \1
//                   o   A          1.../1 -> A
//                    \1
//                     o
//                    0/
//                    B             010.../3 -> B
//
// Lookup: one dependent load for each bit of the longest match, and more if longer prefixes lead on: 49 for a
// /48, 44 on average for matches in tier1-v6, at most bits + 1. The nodes near the root stay in the cache,
// those below mostly do not.
// Memory: 12 bytes a node; 4.7 nodes a route in tier1-v6, 2.3 in tier1-v4, 17 in uniformly random IPv6.
// Update: the same walk, and at most `length` nodes made or freed. The trie is copied to give memory back
// once 1/12 of it is unused; if patched in place, a table builds anew instead.
//
// Patching while the trie is read. A change makes exactly one store that a reader can see: the next hop of an
// existing node; the link to a chain of new nodes, whose last one has the next hop; or the link that cuts off
// a chain of nodes, after the store that removed the next hop at its end. Links are stored with release and
// loaded with acquire, so a reader that sees a link sees the nodes behind it as they were made. A node that
// was cut off keeps its links and has no next hop below it, so a reader that is still on it ends with what it
// has met above. Such a node is reused only when no reader of its time is left, and nodes never move, because
// the pool does not grow. So each route is either there or not: a lookup during one change answers as before
// or as after it. If several changes happen during one lookup, it may miss a later one's route and see an
// earlier one's: then the answer is the next hop of some route that covered the address during the lookup, or
// none.
//
// Limits: 2^31 - 1 nodes; all widths, all next hop ids.
// Batch: 16 walks in turn (interleave.hpp); the address is left aligned, so that a step shifts it by one.
//
// Source: common knowledge; E. Fredkin, Trie memory, CACM 3(9), 1960.
//
// Tested by: the suites over the registry, and tests/schemes/binary_trie.
// Read in this order: binary_trie.hpp, entries.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

    // A lower limit of nodes is for tests of what happens when it is reached.
    static constexpr std::size_t most = node_pool<node>::most;

    static expected<fib> build(const routes<A>& table, const build_options& = {},
                               std::size_t most_nodes = most) {
        fib built(most_nodes);
        if (const errc failure = built.fill(table.sorted()); failure != errc::ok)
            return unexpected{failure};
        return built;
    }
    // Makes room for 1/4 more nodes, and for some changes in a small table.
    static expected<fib> build_in_place(const routes<A>& table, const build_options& = {},
                                        std::size_t most_nodes = most) {
        fib built(most_nodes);
        if (const errc failure = built.fill(table.sorted()); failure != errc::ok)
            return unexpected{failure};
        const std::size_t used = built.nodes_.size();
        const std::size_t wanted = std::min(used + used / 4 + 64 * A::bits, most_nodes);
        if (!built.nodes_.reserve(wanted))
            return unexpected{built.nodes_.shortage(wanted)};
        built.retired_.reserve(used / 16 + 64 * A::bits);
        return built;
    }

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        lookup_interleaved<16>(*this, in, out);
    }

    errc apply(const change<A>& c) noexcept {
        const errc done = set(c, [this](std::uint32_t gone) { nodes_.release(gone); });
        if (done == errc::ok)
            bit_trie::compact(nodes_);
        return done;
    }
    errc apply_in_place(const change<A>& c, std::uint64_t version) noexcept {
        if (room() < needs(c))
            return errc::capacity;
        return set(c, [&](std::uint32_t gone) { retired_.push(gone, version); });
    }
    std::size_t room() const noexcept { return std::min(nodes_.room(), retired_.room()); }
    static std::size_t needs(const change<A>& c) noexcept { return c.where.length; }
    void reclaim(std::uint64_t version) noexcept {
        retired_.release_before(version, [this](std::uint32_t gone) { nodes_.release(gone); });
    }

    // A lookup on its way down: the remaining bits, left aligned.
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
        // Never written here, but C++20 has no atomic_ref of a const type.
        node& here = const_cast<node&>(*w.at);
        const auto bit = static_cast<unsigned>(w.rest >> top_bit);
        // From the child to the next hop, which stands after both children.
        (void)read(w.at->child, bit, 3 - bit);
        const next_hop hop = std::atomic_ref(here.hop).load(std::memory_order_relaxed);
        if (hop != next_hop::none)
            w.best = hop;
        const std::uint32_t next = std::atomic_ref(here.child[bit]).load(std::memory_order_acquire);
        if (next == root)
            return false;
        w.rest = static_cast<value>(w.rest << 1);
        w.at = &nodes_[next];
        __builtin_prefetch(w.at);
        return true;
    }

    void visit(node_visitor<A> each) const { visit_below(root, prefix<A>{}, 0, each); }

    // A build numbers each node after the one above it.
    void check(const layout_check& in) const {
        in.require(nodes_.size() > 0, nullptr, "there is no root");
        std::vector<std::uint8_t> depths(nodes_.size());
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            for (const std::uint32_t& child : nodes_[i].child) {
                if (child == root)
                    continue;
                in.require(i < child && child < nodes_.size() && depths[i] < A::bits, &child,
                           "a node leads to none below it");
                depths[child] = std::max<std::uint8_t>(depths[child], depths[i] + 1);
            }
    }

  private:
    explicit fib(std::size_t most_nodes = most) noexcept : nodes_(most_nodes) {}

    void visit_below(std::uint32_t at, const prefix<A>& where, unsigned slot, node_visitor<A> each) const {
        const node& here = nodes_[at];
        each({.first = where.first(),
              .last = where.last(),
              .level = where.length,
              .kind = here.hop == next_hop::none ? "node" : "route",
              .part = "nodes",
              .bytes = sizeof(node),
              .children = bit_trie::children_of(here),
              .offset = std::uint64_t{at} * sizeof(node),
              .slot = slot,
              .first_bit = where.length,
              .bits = where.length < A::bits ? 1u : 0u,
              .contents = [&](node_contents& to) {
                  if (here.hop != next_hop::none)
                      to.answers = {{0, here.hop}};
                  bit_trie::show_children(here, to);
              }});
        for (unsigned bit = 0; bit < 2; ++bit)
            if (here.child[bit] != root) {
                const A half = bit == 0 ? where.first() : where.last();
                visit_below(here.child[bit], prefix<A>::make(half, where.length + 1u), bit, each);
            }
    }

    // The nodes above an address, one for each bit, as far as they exist.
    struct path {
        std::array<std::uint32_t, A::bits + 1> nodes{root};
        unsigned length = 0;
    };

    errc fill(std::span<const route<A>> sorted) noexcept {
        if (nodes_.allocate() != root)
            return nodes_.shortage();
        path way; // to the last route
        A last{};
        for (const route<A>& r : sorted) {
            way.length = std::min<unsigned>(common_length(last, r.where.base), way.length);
            for (; way.length < r.where.length; ++way.length) {
                const std::uint32_t made = nodes_.allocate();
                if (made == nodes_.nil)
                    return nodes_.shortage();
                nodes_[way.nodes[way.length]].child[bit_at(r.where.base, way.length)] = made;
                way.nodes[way.length + 1] = made;
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

    // Makes the missing nodes from the last one upwards, so that one store links them all.
    errc extend(const change<A>& c, const path& way) noexcept {
        std::uint32_t below = root;
        for (unsigned at = c.where.length; at > way.length; --at) {
            const std::uint32_t made = nodes_.allocate();
            if (made == nodes_.nil) {
                const errc reason = nodes_.shortage();
                while (below != root) {
                    const node gone = nodes_[below];
                    nodes_.release(below);
                    below = gone.child[0] | gone.child[1];
                }
                return reason;
            }
            if (at == c.where.length)
                nodes_[made].hop = c.after;
            else
                nodes_[made].child[bit_at(c.where.base, at)] = below;
            below = made;
        }
        store_child(way.nodes[way.length], bit_at(c.where.base, way.length), below);
        return errc::ok;
    }

    // Cuts off the nodes that no route needs, by one store above them.
    template <class Release>
    void prune(A base, const path& way, Release release) noexcept {
        unsigned top = way.length + 1; // the first node of the way to cut off
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
