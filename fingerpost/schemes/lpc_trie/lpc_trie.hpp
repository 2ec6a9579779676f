// The level- and path-compressed trie of Linux's IPv4 routing (fib_trie). Nodes change their stride as routes
// are added and removed.
//
// A node takes as many bits of the address as fill at least half of its slots. Bits that do not distinguish
// routes are skipped. A leaf has all routes with the same base: 10.0.0.0/8 and 10.0.0.0/16 share one. So the
// leaf of a shorter route may be off the path of an address that the route covers, and the lookup backtracks
// to find it.
//
//      root 10.0.0.0, bits 14 to 16 ]  slot 000 ---> leaf 10.0.0.0    /16, alias /8
//                                      slot 010 ---> leaf 10.1.0.0    /16
//                                      slot 100 ---> tnode 10.2.0.0, bits 26 to 28 ]  8 slots, 4 leaves
//                                      the others are empty
//
// A slot is as wide as a pointer of the Linux kernel. Besides the node's number, it has the position of the
// node's index field and the longest suffix (number of free bits) of a prefix below. So a lookup can prefetch
// the next slot together with the node's key, and it skips slots that cannot match without reading their
// nodes. It does not read the key of a node that skips no bits.
//
// Lookup: for each node on the path, a slot and, if bits are skipped, the key; the two loads are independent.
// A leaf is one load. See docs/schemes/lpc_trie.md for depths. Backtracking mostly reads neighbouring slots.
// Update: a leaf is added or removed; nodes above are doubled, halved or removed (resize.hpp), and suffixes
// are corrected upwards. A node that changes its stride is copied. Memory: 24 bytes and 8 a slot for each
// node (32 for 128 bits), 16 bytes a leaf (32), 12 for each further route of a leaf. The trie is rebuilt once
// 1/12 of this is unused or 1/8 of the leaves were removed. Limits: 2^31 - 1 leaves and 2^31 - 1 words of
// nodes; nodes of at most 2^24 slots; all widths and next hops. Batch: 32 lookups advance together
// (rounds.hpp). IPv4 lookups are short, so they run one after the other; the first two loads of each are
// prefetched 16 and 8 addresses ahead.
//
// Source: S. Nilsson, G. Karlsson, IP-address lookup using LC-tries, IEEE JSAC 17(6), 1999, made dynamic in
// Linux's fib_trie; figures in V. Bernat, IPv4 route lookup on Linux, 2017.
//
// Tested by: the registry's suites and tests/schemes/lpc_trie. Reading order: lpc_trie.hpp, nodes.hpp,
// builder.hpp, walk.hpp, editor.hpp, resize.hpp, visit.hpp, entries.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/batches/rounds.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/lpc_trie/builder.hpp"
#include "fingerpost/schemes/lpc_trie/editor.hpp"
#include "fingerpost/schemes/lpc_trie/visit.hpp"
#include "fingerpost/schemes/lpc_trie/walk.hpp"

namespace fingerpost::lpc_trie {

template <class A>
class fib : public laid_out<fib<A>, A> {
    friend laid_out<fib, A>;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("root", of.nodes_.root);
        visit("tnodes", of.nodes_.tnodes);
        visit("leaves", of.nodes_.leaves);
        visit("aliases", of.nodes_.aliases);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        const walker<A> way(nodes_);
        walk<A> w = way.start(a);
        while (way.step(w, read)) {
        }
        return w.best;
    }

    // Tests pass lower limits of leaves and of words of nodes to reach them.
    static constexpr std::size_t most = nodes<A>::most;

    static expected<fib> build(const routes<A>& table, const build_options& = {},
                               std::size_t most_nodes = most) {
        fib built(most_nodes);
        if (const errc failure = builder<A>(built.nodes_).fill(table.sorted()); failure != errc::ok)
            return unexpected{failure};
        return built;
    }

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        const walker<A> way(nodes_);
        if constexpr (A::bits > 32)
            return lookup_in_rounds<32>(way, in, out);
        const auto ask = [&](std::size_t i) {
            if (i + 2 * ahead < in.size())
                way.ask_for_slot(in[i + 2 * ahead]);
            if (i + ahead < in.size())
                way.ask_below(in[i + ahead]);
        };
        for (std::size_t i = 0; i < std::min(2 * ahead, in.size()); ++i)
            way.ask_for_slot(in[i]);
        for (std::size_t i = 0; i < std::min(ahead, in.size()); ++i)
            way.ask_below(in[i]);
        for (std::size_t i = 0; i < in.size(); ++i) {
            ask(i);
            out[i] = lookup(in[i]);
        }
    }

    errc apply(const change<A>& c) noexcept {
        editor<A> now(nodes_);
        if (c.after != next_hop::none)
            return now.insert(c.where, c.after);
        bool leaf_goes = false;
        const errc done = now.erase(c.where, leaf_goes);
        gone_ += leaf_goes ? 1 : 0;
        if (done == errc::ok)
            compact();
        return done;
    }

    void visit(node_visitor<A> each) const { lpc_trie::visit(nodes_, each); }

    void check(const layout_check& in) const {
        std::vector<bool> is_used(nodes_.tnodes.size());
        check_below(in, nodes_.root, nil, {.pos = A::bits}, 0, is_used);
    }

  private:
    // The first two loads of a lookup are prefetched 2 * ahead and `ahead` addresses before it.
    static constexpr std::size_t ahead = 8;

    explicit fib(std::size_t most_nodes = most) noexcept : nodes_(most_nodes) {}

    // `index` is the index of the slot in the parent, and `above` is the parent's header. Backtracking does
    // not compare keys, so the keys on a path must agree.
    void check_below(const layout_check& in, const slot& at, std::uint32_t parent, const header<A>& above,
                     std::uint32_t index, std::vector<bool>& is_used) const {
        const void* const where = parent == nil ? nullptr : nodes_.slot_at(parent, index);
        if (!at.there())
            return;
        in.require(at.suffix <= A::bits, where, "a suffix is too long");
        if (at.is_leaf()) {
            in.leads_into(nodes_.leaves, at.offset, 1, where);
            check_leaf(in, nodes_.leaves[at.offset]);
            return;
        }
        const unsigned end = at.pos + at.bits;
        in.require(at.bits <= nodes<A>::most_bits && end <= above.pos &&
                       (at.to != way::follows || end == above.pos),
                   where, "a node tests bits that its parent has already used");
        const std::uint32_t words = nodes<A>::words_of(at.bits);
        in.leads_into(nodes_.tnodes, at.offset, words, where);
        for (std::size_t i = at.offset; i < at.offset + words; ++i) {
            in.require(!is_used[i], where, "nodes overlap");
            is_used[i] = true;
        }
        const header<A> h = nodes_.head_of(at.offset);
        in.require(h.parent == parent && h.pos == at.pos && h.bits == at.bits &&
                       (h.key & low_mask<typename A::value_type>(end)) == 0 &&
                       shift_right(static_cast<typename A::value_type>(h.key ^ above.key), above.pos) ==
                           index,
                   nodes_.tnodes.at(at.offset), "a node does not match its slot");
        for (std::uint32_t i = 0; i < h.slots(); ++i)
            check_below(in, nodes_.child(at.offset, i), at.offset, h, i, is_used);
    }
    void check_leaf(const layout_check& in, const typename nodes<A>::leaf& here) const {
        in.require(here.suffix <= A::bits, &here, "a suffix is too long");
        unsigned suffix = here.suffix;
        for (std::uint32_t i = here.next; i != nil; i = nodes_.aliases[i].next) {
            in.leads_into(nodes_.aliases, i, 1, &here);
            in.require(suffix < nodes_.aliases[i].suffix && nodes_.aliases[i].suffix <= A::bits, &here,
                       "a suffix in a list is not longer than the one before it");
            suffix = nodes_.aliases[i].suffix;
        }
    }

    // Rebuilds the trie from its own routes if that makes it smaller, which is so if blocks are unused, or if
    // nodes have lost leaves but are not yet empty enough to be halved. Does nothing if memory is short.
    void compact() noexcept {
        const bool unused = nodes_.tnodes.sparse() || nodes_.leaves.sparse() || nodes_.aliases.sparse();
        if (!unused && gone_ <= nodes_.leaves.size() / 8 + 64)
            return;
        (void)or_reason([&] {
            nodes<A> copy(nodes_.leaves.most_nodes());
            const errc done = builder<A>(copy).fill(sorted_routes(nodes_));
            if (done == errc::ok) {
                nodes_.swap(copy);
                gone_ = 0;
            }
            return done;
        });
    }

    nodes<A> nodes_;
    std::size_t gone_ = 0; // leaves removed since the trie was built
};

} // namespace fingerpost::lpc_trie
