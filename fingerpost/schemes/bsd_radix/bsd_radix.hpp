// Sklower's radix tree of Berkeley Unix: bits are tested on the way down, keys compared at the leaf, and
// masks tried on the way back.
//
// Leaves hold the routes by their keys, the first addresses of their prefixes. An inner node stands where two
// keys part; it holds the number of that bit and no key. Routes of one key and different lengths hang at one
// leaf, the longest first. Inner nodes hold masks: the length l of a route is noted at the topmost node above
// its leaf that tests bit l or one behind it, so all addresses of the route's prefix come through that node.
//
//      inner  child 0 | child 1 | parent | masks | bit, shift          20 bytes
//      leaf   key | parent | next of this key | next hop | length      32 bytes for 128 bits, 20 for 32 bits
//      mask   next | length                                            8 bytes
//
//      bit 2 --0--> leaf ::           /0                      masks at bit 2: /0
//            --1--> bit 32 --0--> leaf 2001:db8::    /48, /32, masks at bit 32: /32
//                          --1--> leaf 2001:db8:8000::  /48
//
// Lookup: down to a leaf, which may be in a wrong sub-tree, as bits that no node tests were skipped. The
// first route of the leaf that fits is the answer. Otherwise back up: at each inner node, for each of its
// masks, the address is cut to that length and sought once more from there; a leaf with exactly this key and
// length is the answer. A mask that is tried costs a walk, so the worst case is a walk for each length of an
// address.
// Update: the way down, then at most an inner node, a leaf and a mask are made or freed; masks move between
// two nodes. Memory goes back by building the tree anew once 1/12 of a pool is unused. Not while it is
// read: masks and children change one after the other.
// Memory: a leaf and at most a mask for each route, an inner node less than there are keys.
// Limits: 2^31 - 1 nodes of each kind; all widths, all next hop ids.
// Batch: 16 walks in turn (interleave.hpp). The way back is part of a walk's last step.
//
// Source: K. Sklower, A tree-based packet routing table for Berkeley Unix, USENIX Winter 1991.
//
// Tested by: the suites over the registry, and tests/schemes/bsd_radix.
// Read in this order: bsd_radix.hpp, changes.inl.hpp, inspect.inl.hpp, entries.{hpp,cpp}.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/node_pool.hpp"
#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/batches/interleave.hpp"
#include "fingerpost/fib/patchable.hpp"

namespace fingerpost::bsd_radix {

template <class A>
class fib {
    using value = typename A::value_type;
    // The number of a node times two, plus one for a leaf.
    using link = std::uint32_t;
    static constexpr std::uint32_t nil = 0xffffffff;

    struct inner {
        link child[2] = {nil, nil};
        std::uint32_t parent = nil;
        std::uint32_t masks = nil; // a list, the longest first
        std::uint8_t bit = 0;
        std::uint8_t shift = 0; // of that bit from the lowest one
    };
    struct leaf {
        value key = 0;
        std::uint32_t parent = nil; // only of the first of its key
        std::uint32_t next = nil;   // a shorter route of the same key
        next_hop hop = next_hop::none;
        std::uint8_t length = 0;
    };
    struct mask {
        std::uint32_t next = nil;
        std::uint8_t length = 0;
    };
    static_assert(sizeof(inner) == 20 && sizeof(mask) == 8);
    static_assert(sizeof(leaf) == (A::bits <= 32 ? 20 : A::bits <= 64 ? 24 : 32));

  public:
    // Fewer nodes of a kind at most are for tests of what happens then.
    static constexpr std::size_t most = node_pool<leaf>::most;

    static expected<fib> build(const routes<A>& table, const build_options& = {},
                               std::size_t most_nodes = most) {
        fib built(most_nodes);
        std::uint32_t last = nil;
        for (const route<A>& r : table.sorted())
            if (const errc failure = built.insert(r, last); failure != errc::ok)
                return unexpected{failure};
        return built;
    }

    next_hop lookup(A a) const noexcept { return find_by_steps(*this, a, plain_reads{}); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        lookup_interleaved<16>(*this, in, out);
    }
    std::size_t memory_bytes() const noexcept { return total_bytes(parts()); }

    errc apply(const change<A>& c) noexcept {
        if (c.after == next_hop::none) {
            erase(c.where);
            compact();
            return errc::ok;
        }
        std::uint32_t from = nil;
        return insert({c.where, c.after}, from);
    }

    // A lookup on its way down.
    struct walk {
        A address;
        link at;
        next_hop best = next_hop::none;
    };
    walk start(A a) const noexcept { return {a, root_}; }
    bool step(walk& w, plain_reads = {}) const noexcept {
        if (w.at == nil)
            return false;
        if (is_leaf(w.at)) {
            w.best = answer_from(w.at >> 1, w.address);
            return false;
        }
        const inner& here = inners_[w.at >> 1];
        w.at = here.child[branch(w.address, here)];
        if (is_leaf(w.at))
            __builtin_prefetch(&leaves_[w.at >> 1]);
        else
            __builtin_prefetch(&inners_[w.at >> 1]);
        return true;
    }

    next_hop trace(A a, step_visitor each) const;
    std::vector<memory_part> memory_parts() const {
        const auto all = parts();
        return {all.begin(), all.end()};
    }
    void visit(node_visitor<A> each) const {
        if (root_ != nil)
            visit_below(root_, 0, 0, each);
    }

  private:
    explicit fib(std::size_t most_nodes) noexcept
        : inners_(most_nodes), leaves_(most_nodes), masks_(most_nodes) {}

    static bool is_leaf(link l) noexcept { return (l & 1) != 0; }
    static link leaf_link(std::uint32_t i) noexcept { return i << 1 | 1; }
    static link inner_link(std::uint32_t i) noexcept { return i << 1; }
    static unsigned branch(A a, const inner& n) noexcept {
        return static_cast<unsigned>(a.value >> n.shift) & 1;
    }

    std::array<memory_part, 4> parts() const noexcept {
        const std::size_t nodes = inners_.node_bytes() + leaves_.node_bytes() + masks_.node_bytes();
        const std::size_t lists =
            inners_.memory_bytes() + leaves_.memory_bytes() + masks_.memory_bytes() - nodes;
        return {{{"inner nodes", inners_.node_bytes()},
                 {"leaves", leaves_.node_bytes()},
                 {"masks", masks_.node_bytes()},
                 {"object", sizeof *this + lists}}};
    }

    // From here on down, by bits alone.
    std::uint32_t leaf_below(link at, A a) const noexcept {
        while (!is_leaf(at))
            at = inners_[at >> 1].child[branch(a, inners_[at >> 1])];
        return at >> 1;
    }
    next_hop answer_from(std::uint32_t first, A a) const noexcept {
        const unsigned shared = common_length(a, A{leaves_[first].key});
        for (std::uint32_t l = first; l != nil; l = leaves_[l].next)
            if (leaves_[l].length <= shared)
                return leaves_[l].hop;
        for (std::uint32_t up = leaves_[first].parent; up != nil; up = inners_[up].parent)
            for (std::uint32_t m = inners_[up].masks; m != nil; m = masks_[m].next) {
                const unsigned length = masks_[m].length;
                const A cut = prefix<A>::make(a, length).base;
                std::uint32_t l = leaf_below(inner_link(up), cut);
                if (leaves_[l].key != cut.value)
                    continue;
                while (leaves_[l].length != length && leaves_[l].next != nil)
                    l = leaves_[l].next;
                if (leaves_[l].length == length)
                    return leaves_[l].hop;
            }
        return next_hop::none;
    }

    trace_step inner_step(std::uint32_t i, A a) const;
    // Compares a leaf with the address; true when the route of this length fits.
    bool tell_leaf(std::uint32_t i, A a, unsigned length, step_visitor each) const;

    std::size_t routes_at(link l) const noexcept;
    // A walk compares nothing, so any address may come to an inner node. Routes of one key stand side by
    // side.
    void visit_below(link at, unsigned level, unsigned slot, node_visitor<A> each) const;

    // The slot that leads to a node below this parent.
    link& slot_of(std::uint32_t parent, A key) noexcept;
    std::uint32_t& parent_of(link l) noexcept;

    // The topmost node above a leaf that tests bit `length` or one behind it; nil without one. A route of
    // this length is noted there.
    std::uint32_t place_of_mask(std::uint32_t parent, unsigned length) const noexcept;
    void note(std::uint32_t made, unsigned length, std::uint32_t at) noexcept;
    // False without a node for it.
    bool note_if_above(std::uint32_t parent, unsigned length) noexcept;
    void forget(std::uint32_t parent, unsigned length) noexcept;

    std::uint32_t make_leaf(const route<A>& r) noexcept;

    // Begins at `finger`, a leaf that is the first of its key, or nil, and leaves it at the route's key.
    errc insert(const route<A>& r, std::uint32_t& finger) noexcept;
    // One more route of a key that is there; the longest one comes first.
    errc add_to_key(const route<A>& r, std::uint32_t first, std::uint32_t& finger) noexcept;
    // A key that parts from its neighbours at bit `parting`, below `from`.
    errc add_key(const route<A>& r, link from, unsigned parting, std::uint32_t& finger) noexcept;

    void erase(const prefix<A>& p) noexcept;
    // Takes out the node above a leaf that has gone; what is on its other side takes its place.
    void erase_key(A key, std::uint32_t fork) noexcept;

    // Builds the tree anew; without memory for that, all stays.
    void compact() noexcept;
    // Room is there, so nothing fails.
    void copy_below(link from, fib& to, std::uint32_t& last) const noexcept;

    link root_ = nil;
    node_pool<inner> inners_;
    node_pool<leaf> leaves_;
    node_pool<mask> masks_;
};

} // namespace fingerpost::bsd_radix

#include "fingerpost/schemes/bsd_radix/changes.inl.hpp"
#include "fingerpost/schemes/bsd_radix/inspect.inl.hpp"
