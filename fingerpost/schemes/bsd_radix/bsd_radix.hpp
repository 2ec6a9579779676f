// Sklower's radix tree of Berkeley Unix: it tests bits on the way down, compares the key at the leaf, and
// tries masks on the way back up.
//
// Leaves store the routes. A leaf's key is the first address of its prefix. An inner node is a fork where two
// keys differ first; it stores the number of that bit but not a key. Routes with one key and different
// lengths are a list, the longest first. Inner nodes have lists of masks: the length l of a route is stored
// at the topmost node above its leaf that tests bit l or a later one, so the descent of every address in the
// route's prefix passes that node.
//
//      inner  child 0 | child 1 | parent | masks | bit, shift          20 bytes
//      leaf   key | parent | next of this key | next hop | length      32 bytes for 128 bits, 20 for 32 bits
//      mask   next | length                                            8 bytes
//
//      bit 2 --0--> leaf ::           /0                      masks at bit 2: /0
//            --1--> bit 32 --0--> leaf 2001:db8::    /48, /32, masks at bit 32: /32
//                          --1--> leaf 2001:db8:8000::  /48
//
// Lookup: it descends to a leaf, which may be in the wrong subtree, because bits that no node tests were
// skipped. The leaf's first route that matches is the answer. Otherwise it goes back up. At each inner node
// and for each of its masks, it cuts the address to that length and descends again; a leaf with exactly this
// key and length is the answer. Each mask costs a descent, so the worst case is one descent for every length.
// Update: a descent, after which at most an inner node, a leaf and a mask are created or freed, and masks
// move between two nodes. The tree is copied to return memory once 1/12 of a pool is unused. Not safe with
// concurrent readers: masks and children change one by one. Memory: a leaf and at most one mask for each
// route, and one inner node fewer than there are keys. Limits: 2^31 - 1 nodes of each kind; all widths and
// next hop ids. Batch: 16 descents in turn (interleave.hpp). The way back up is part of the last step.
//
// Source: K. Sklower, A tree-based packet routing table for Berkeley Unix, USENIX Winter 1991.
//
// Tested by: the registry's suites and tests/schemes/bsd_radix. Reading order: bsd_radix.hpp,
// changes.inl.hpp, visit.inl.hpp, entries.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/base/node_pool.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/batches/interleave.hpp"
#include "fingerpost/fib/parts/bit_trie.hpp"
#include "fingerpost/fib/patchable.hpp"

namespace fingerpost::bsd_radix {

using bit_trie::branch;

template <class A>
class fib : public laid_out<fib<A>, A> {
    friend laid_out<fib, A>;
    using value = typename A::value_type;
    // The number of a node times two, plus one for a leaf.
    using link = std::uint32_t;
    static constexpr std::uint32_t nil = 0xffffffff;

    // `unused` makes the padding explicit, because files must not contain padding.
    struct inner {
        link child[2] = {nil, nil};
        std::uint32_t parent = nil;
        std::uint32_t masks = nil; // list, the longest first
        std::uint8_t bit = 0;
        std::uint8_t shift = 0; // position of the bit from the lowest one
        std::uint8_t unused[2] = {};
    };
    struct leaf {
        value key = 0;
        std::uint32_t parent = nil; // set only in the first leaf of a key
        std::uint32_t next = nil;   // a shorter route with the same key
        next_hop hop = next_hop::none;
        std::uint8_t length = 0;
        std::uint8_t unused[3] = {};
    };
    struct mask {
        std::uint32_t next = nil;
        std::uint8_t length = 0;
        std::uint8_t unused[3] = {};
    };
    static_assert(sizeof(inner) == 20 && sizeof(mask) == 8);
    static_assert(sizeof(leaf) == (A::bits <= 32 ? 20 : A::bits <= 64 ? 24 : 32));

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("root", of.root_);
        visit("inner nodes", of.inners_);
        visit("leaves", of.leaves_);
        visit("masks", of.masks_);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        return find_by_steps(*this, a, read);
    }

    // Tests pass a lower limit of nodes to reach it.
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

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        lookup_interleaved<16>(*this, in, out);
    }

    errc apply(const change<A>& c) noexcept {
        if (c.after == next_hop::none) {
            erase(c.where);
            compact();
            return errc::ok;
        }
        std::uint32_t from = nil;
        return insert({c.where, c.after}, from);
    }

    // The state of a lookup during its descent.
    struct walk {
        A address;
        link at;
        next_hop best = next_hop::none;
    };
    walk start(A a) const noexcept { return {a, root_}; }
    template <class Read>
    bool step(walk& w, Read&& read) const {
        if (w.at == nil)
            return false;
        if (is_leaf(w.at)) {
            w.best = answer_from(w.at >> 1, w.address, read);
            return false;
        }
        w.at = child_of(w.at, w.address, read);
        if (is_leaf(w.at))
            __builtin_prefetch(&leaves_[w.at >> 1]);
        else
            __builtin_prefetch(&inners_[w.at >> 1]);
        return true;
    }

    void visit(node_visitor<A> each) const {
        if (root_ != nil)
            visit_below(root_, 0, 0, each);
    }

    // Bit numbers increase on the way down and decrease on the way up. Lengths decrease along the lists.
    void check(const layout_check& in) const {
        const auto is_link = [this](link to) {
            return to >> 1 < (is_leaf(to) ? leaves_.size() : inners_.size());
        };
        in.require(root_ == nil || is_link(root_), nullptr, "the root is not a node");
        const auto is_below = [&](const inner& n, link to) {
            return is_link(to) && (is_leaf(to) || n.bit < inners_[to >> 1].bit);
        };
        for (std::size_t i = 0; i < inners_.size(); ++i) {
            const inner& n = inners_[i];
            in.require(n.bit < A::bits && n.shift == A::bits - 1 - n.bit, &n,
                       "a node tests bits past the end of an address");
            in.require(is_below(n, n.child[0]) && is_below(n, n.child[1]), &n, "a node has an invalid child");
            in.require(n.parent == nil || (n.parent < inners_.size() && inners_[n.parent].bit < n.bit), &n,
                       "a node has an invalid parent");
            in.require(n.masks == nil || n.masks < masks_.size(), &n, "a node has an invalid mask");
        }
        for (std::size_t i = 0; i < leaves_.size(); ++i) {
            const std::uint32_t up = leaves_[i].parent;
            in.require(up == nil || up < inners_.size(), &leaves_[i], "a leaf has an invalid parent");
        }
        check_list(in, leaves_);
        check_list(in, masks_);
    }

  private:
    explicit fib(std::size_t most_nodes = most) noexcept
        : inners_(most_nodes), leaves_(most_nodes), masks_(most_nodes) {}

    static bool is_leaf(link l) noexcept { return (l & 1) != 0; }
    static link leaf_link(std::uint32_t i) noexcept { return i << 1 | 1; }
    static link inner_link(std::uint32_t i) noexcept { return i << 1; }

    template <class Pool>
    static void check_list(const layout_check& in, const Pool& of) {
        for (std::size_t i = 0; i < of.size(); ++i)
            in.require(
                of[i].length <= A::bits &&
                    (of[i].next == nil || (of[i].next < of.size() && of[of[i].next].length < of[i].length)),
                &of[i], "lengths in a list do not decrease");
    }

    template <class Read>
    link child_of(link at, A a, Read& read) const {
        const inner& n = read(inners_, at >> 1);
        const unsigned bit = branch(a, n);
        read.tell([&](auto& step) {
            step.looks_at(n.bit, 1);
            step.key = bit;
        });
        return n.child[bit];
    }
    // The leaf to which the bits of an address lead, from `at` down.
    template <class Read = const plain_reads>
    std::uint32_t leaf_below(link at, A a, Read&& read = {}) const {
        while (!is_leaf(at))
            at = child_of(at, a, read);
        return at >> 1;
    }
    template <class Read>
    void read_leaf(std::uint32_t l, A a, bool is_match, Read& read) const {
        const leaf& n = read(leaves_, l);
        read.tell([&](auto& step) {
            step.looks_at(0, n.length);
            step.compares_keys(number_in_step(a), {number_in_step(A{n.key})});
            if (!is_match)
                step.misses();
        });
    }
    template <class Read>
    next_hop answer_from(std::uint32_t first, A a, Read& read) const {
        const unsigned shared = common_length(a, A{leaves_[first].key});
        for (std::uint32_t l = first; l != nil; l = leaves_[l].next) {
            const bool is_match = leaves_[l].length <= shared;
            read_leaf(l, a, is_match, read);
            if (is_match)
                return leaves_[l].hop;
        }
        for (std::uint32_t up = leaves_[first].parent; up != nil; up = inners_[up].parent)
            for (std::uint32_t m = inners_[up].masks; m != nil; m = masks_[m].next) {
                const unsigned length = read(masks_, m).length;
                read.tell([](auto& step) { step.key = 0; });
                const A cut = prefix<A>::make(a, length).base;
                std::uint32_t l = leaf_below(inner_link(up), cut, read);
                while (leaves_[l].length != length && leaves_[l].next != nil)
                    l = leaves_[l].next;
                const bool is_match = leaves_[l].key == cut.value && leaves_[l].length == length;
                read_leaf(l, a, is_match, read);
                if (is_match)
                    return leaves_[l].hop;
            }
        return next_hop::none;
    }

    std::size_t routes_at(link l) const noexcept;
    // A descent does not compare keys, so any address may reach an inner node. Routes with one key are
    // siblings.
    void visit_below(link at, unsigned level, unsigned slot, node_visitor<A> each) const;

    // The slot of this parent that leads towards `key`.
    link& slot_of(std::uint32_t parent, A key) noexcept;
    std::uint32_t& parent_of(link l) noexcept;

    // The topmost node above a leaf that tests bit `length` or a later one, or nil. It stores the mask of a
    // route of this length.
    std::uint32_t place_of_mask(std::uint32_t parent, unsigned length) const noexcept;
    void note(std::uint32_t mask_number, unsigned length, std::uint32_t at) noexcept;
    // Returns false if a new mask is needed but the pool is full.
    bool note_if_above(std::uint32_t parent, unsigned length) noexcept;
    void forget(std::uint32_t parent, unsigned length) noexcept;

    std::uint32_t make_leaf(const route<A>& r) noexcept;

    // Starts at `finger`, which is nil or the first leaf of a key, and sets it to the leaf of the route's
    // key.
    errc insert(const route<A>& r, std::uint32_t& finger) noexcept;
    // Adds a route to an existing key; the longest one comes first.
    errc add_to_key(const route<A>& r, std::uint32_t first, std::uint32_t& finger) noexcept;
    // Adds a key that differs from its neighbours at bit `parting`, below `from`.
    errc add_key(const route<A>& r, link from, unsigned parting, std::uint32_t& finger) noexcept;

    void erase(const prefix<A>& p) noexcept;
    // Removes the node above a removed leaf. Its other child takes its place.
    void erase_key(A key, std::uint32_t fork) noexcept;

    // Rebuilds the tree. Changes nothing if memory is short.
    void compact() noexcept;
    // Cannot fail: the caller has reserved the memory.
    void copy_below(link from, fib& to, std::uint32_t& last) const noexcept;

    link root_ = nil;
    node_pool<inner> inners_;
    node_pool<leaf> leaves_;
    node_pool<mask> masks_;
};

} // namespace fingerpost::bsd_radix

#include "fingerpost/schemes/bsd_radix/changes.inl.hpp"
#include "fingerpost/schemes/bsd_radix/visit.inl.hpp"
