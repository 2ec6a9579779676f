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
// two nodes. Memory goes back by building the tree anew once a twelfth of a pool is unused. Not while it is
// read: masks and children change one after the other.
// Memory: a leaf and at most a mask for each route, an inner node less than there are keys.
// Limits: 2^31 - 1 nodes of each kind; all widths, all next hop ids.
// Batch: 16 walks in turn (interleave.hpp). The way back is part of a walk's last step.
//
// Source: K. Sklower, A tree-based packet routing table for Berkeley Unix, USENIX Winter 1991.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
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

    next_hop lookup(A a) const noexcept { return lookup_alone(*this, a); }
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
    bool step(walk& w) const noexcept {
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

    next_hop trace(A a, step_visitor each) const {
        if (root_ == nil)
            return next_hop::none;
        link at = root_;
        for (unsigned level = 0; !is_leaf(at); ++level) {
            each(inner_step(at >> 1, a, level));
            at = inners_[at >> 1].child[branch(a, inners_[at >> 1])];
        }
        const auto first = at >> 1;
        for (std::uint32_t l = first; l != nil; l = leaves_[l].next)
            if (tell_leaf(l, a, leaves_[l].length, each))
                return leaves_[l].hop;
        for (std::uint32_t up = leaves_[first].parent; up != nil; up = inners_[up].parent)
            for (std::uint32_t m = inners_[up].masks; m != nil; m = masks_[m].next) {
                const unsigned length = masks_[m].length;
                each({.part = "masks",
                      .at = &masks_[m],
                      .offset = std::uint64_t{m} * sizeof(mask),
                      .bytes = sizeof(mask),
                      .found = length});
                const A cut = prefix<A>::make(a, length).base;
                link below = up << 1;
                for (; !is_leaf(below); below = inners_[below >> 1].child[branch(cut, inners_[below >> 1])])
                    each(inner_step(below >> 1, cut, 0));
                std::uint32_t l = below >> 1;
                while (leaves_[l].length != length && leaves_[l].next != nil)
                    l = leaves_[l].next;
                if (tell_leaf(l, a, length, each))
                    return leaves_[l].hop;
            }
        return next_hop::none;
    }
    std::vector<memory_part> memory_parts() const {
        const auto all = parts();
        return {all.begin(), all.end()};
    }
    void visit(node_visitor<A> each) const {
        if (root_ != nil)
            visit_below(root_, 0, each);
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

    trace_step inner_step(std::uint32_t i, A a, unsigned level) const {
        const inner& here = inners_[i];
        const unsigned bit = branch(a, here);
        return {.part = "inner nodes",
                .at = &here,
                .offset = std::uint64_t{i} * sizeof(inner),
                .bytes = sizeof(inner),
                .first_bit = here.bit,
                .bits = 1,
                .key = bit,
                .found = here.child[bit],
                .kind = "node",
                .level = level};
    }
    // Compares a leaf with the address; true when the route of this length fits.
    bool tell_leaf(std::uint32_t i, A a, unsigned length, step_visitor each) const {
        const leaf& here = leaves_[i];
        const bool fit = here.length == length && prefix<A>::make(a, length).base.value == here.key;
        const std::uint64_t key = number_in_step(A{here.key});
        each({.part = "leaves",
              .at = &here,
              .offset = std::uint64_t{i} * sizeof(leaf),
              .bytes = sizeof(leaf),
              .bits = here.length,
              .with = compared::keys,
              .key = number_in_step(a),
              .values = std::span(&key, 1),
              .result = fit ? outcome::answered : outcome::missed,
              .found = fit ? here.hop.id : 0});
        return fit;
    }

    std::size_t routes_at(link l) const noexcept {
        std::size_t count = is_leaf(l) ? 0 : 1;
        for (std::uint32_t i = is_leaf(l) ? l >> 1 : nil; i != nil; i = leaves_[i].next)
            ++count;
        return count;
    }
    // A walk compares nothing, so any address may come to an inner node. Routes of one key stand side by
    // side.
    void visit_below(link at, unsigned level, node_visitor<A> each) const {
        if (is_leaf(at)) {
            for (std::uint32_t i = at >> 1; i != nil; i = leaves_[i].next) {
                const auto where = prefix<A>::make(A{leaves_[i].key}, leaves_[i].length);
                each({.first = where.first(),
                      .last = where.last(),
                      .level = level,
                      .kind = "leaf",
                      .part = "leaves",
                      .bytes = sizeof(leaf)});
            }
            return;
        }
        const inner& here = inners_[at >> 1];
        std::size_t masks = 0;
        for (std::uint32_t m = here.masks; m != nil; m = masks_[m].next)
            ++masks;
        each({.first = A::first(),
              .last = A::last(),
              .level = level,
              .kind = "node",
              .part = "inner nodes",
              .bytes = sizeof(inner),
              .children = routes_at(here.child[0]) + routes_at(here.child[1]) + masks});
        for (std::uint32_t m = here.masks; m != nil; m = masks_[m].next) {
            const A key{leaves_[leaf_below(at, A::first())].key};
            const auto where = prefix<A>::make(key, masks_[m].length);
            each({.first = where.first(),
                  .last = where.last(),
                  .level = level + 1,
                  .kind = "mask",
                  .part = "masks",
                  .bytes = sizeof(mask)});
        }
        for (const link child : here.child)
            visit_below(child, level + 1, each);
    }

    // The slot that leads to a node below this parent.
    link& slot_of(std::uint32_t parent, A key) noexcept {
        return parent == nil ? root_ : inners_[parent].child[branch(key, inners_[parent])];
    }
    std::uint32_t& parent_of(link l) noexcept {
        return is_leaf(l) ? leaves_[l >> 1].parent : inners_[l >> 1].parent;
    }

    // The topmost node above a leaf that tests bit `length` or one behind it; nil without one. A route of
    // this length is noted there.
    std::uint32_t place_of_mask(std::uint32_t parent, unsigned length) const noexcept {
        if (parent == nil || inners_[parent].bit < length)
            return nil;
        while (inners_[parent].parent != nil && inners_[inners_[parent].parent].bit >= length)
            parent = inners_[parent].parent;
        return parent;
    }
    void note(std::uint32_t made, unsigned length, std::uint32_t at) noexcept {
        std::uint32_t* place = &inners_[at].masks;
        while (*place != nil && masks_[*place].length > length)
            place = &masks_[*place].next;
        masks_[made] = {*place, static_cast<std::uint8_t>(length)};
        *place = made;
    }
    // False without a node for it.
    bool note_if_above(std::uint32_t parent, unsigned length) noexcept {
        const std::uint32_t at = place_of_mask(parent, length);
        if (at == nil)
            return true;
        const std::uint32_t made = masks_.allocate();
        if (made == nil)
            return false;
        note(made, length, at);
        return true;
    }
    void forget(std::uint32_t parent, unsigned length) noexcept {
        const std::uint32_t at = place_of_mask(parent, length);
        if (at == nil)
            return;
        std::uint32_t* place = &inners_[at].masks;
        while (masks_[*place].length != length)
            place = &masks_[*place].next;
        const std::uint32_t gone = *place;
        *place = masks_[gone].next;
        masks_.release(gone);
    }

    std::uint32_t make_leaf(const route<A>& r) noexcept {
        const std::uint32_t made = leaves_.allocate();
        if (made != nil) {
            leaves_[made].key = r.where.base.value;
            leaves_[made].hop = r.hop;
            leaves_[made].length = r.where.length;
        }
        return made;
    }

    // Begins at `finger`, a leaf that is the first of its key, or nil, and leaves it at the route's key.
    errc insert(const route<A>& r, std::uint32_t& finger) noexcept {
        const A key = r.where.base;
        if (root_ == nil) {
            const std::uint32_t made = make_leaf(r);
            if (made == nil)
                return leaves_.shortage();
            root_ = leaf_link(made);
            finger = made;
            return errc::ok;
        }
        link from = root_;
        if (finger != nil) {
            const unsigned shared = common_length(key, A{leaves_[finger].key});
            from = leaf_link(finger);
            for (std::uint32_t up = leaves_[finger].parent; up != nil; up = inners_[up].parent) {
                from = inner_link(up);
                if (inners_[up].bit <= shared)
                    break;
            }
        }
        const std::uint32_t near = leaf_below(from, key);
        const unsigned parting = common_length(key, A{leaves_[near].key});
        if (parting == A::bits)
            return add_to_key(r, near, finger);
        return add_key(r, from, parting, finger);
    }
    // One more route of a key that is there; the longest one comes first.
    errc add_to_key(const route<A>& r, std::uint32_t first, std::uint32_t& finger) noexcept {
        finger = first;
        std::uint32_t before = nil;
        std::uint32_t at = first;
        for (; at != nil && leaves_[at].length > r.where.length; at = leaves_[at].next)
            before = at;
        if (at != nil && leaves_[at].length == r.where.length) {
            leaves_[at].hop = r.hop;
            return errc::ok;
        }
        const std::uint32_t made = make_leaf(r);
        if (made == nil)
            return leaves_.shortage();
        const std::uint32_t parent = leaves_[first].parent;
        leaves_[made].next = at;
        if (before != nil) {
            leaves_[before].next = made;
        } else {
            leaves_[made].parent = parent;
            slot_of(parent, r.where.base) = leaf_link(made);
            finger = made;
        }
        return note_if_above(parent, r.where.length) ? errc::ok : masks_.shortage();
    }
    // A key that parts from its neighbours at bit `parting`, below `from`.
    errc add_key(const route<A>& r, link from, unsigned parting, std::uint32_t& finger) noexcept {
        const A key = r.where.base;
        const std::uint32_t made = make_leaf(r);
        const std::uint32_t fork = inners_.allocate();
        if (made == nil || fork == nil)
            return made == nil ? leaves_.shortage() : inners_.shortage();
        finger = made;
        link below = from;
        while (!is_leaf(below) && inners_[below >> 1].bit < parting)
            below = inners_[below >> 1].child[branch(key, inners_[below >> 1])];
        const std::uint32_t above = parent_of(below);
        inner& here = inners_[fork];
        here.bit = static_cast<std::uint8_t>(parting);
        here.shift = static_cast<std::uint8_t>(A::bits - 1 - parting);
        here.parent = above;
        const unsigned side = branch(key, here);
        here.child[side] = leaf_link(made);
        here.child[1 - side] = below;
        slot_of(above, key) = inner_link(fork);
        parent_of(below) = fork;
        leaves_[made].parent = fork;
        if (!is_leaf(below)) {
            // What the fork is now the topmost node for: the shorter ones, at the end of the list.
            std::uint32_t* place = &inners_[below >> 1].masks;
            while (*place != nil && masks_[*place].length > parting)
                place = &masks_[*place].next;
            here.masks = std::exchange(*place, nil);
        } else {
            for (std::uint32_t l = below >> 1; l != nil; l = leaves_[l].next)
                if (place_of_mask(fork, leaves_[l].length) == fork && !note_if_above(fork, leaves_[l].length))
                    return masks_.shortage();
        }
        return note_if_above(fork, r.where.length) ? errc::ok : masks_.shortage();
    }

    void erase(const prefix<A>& p) noexcept {
        if (root_ == nil)
            return;
        const std::uint32_t first = leaf_below(root_, p.base);
        if (leaves_[first].key != p.base.value)
            return;
        std::uint32_t before = nil;
        std::uint32_t at = first;
        for (; at != nil && leaves_[at].length != p.length; at = leaves_[at].next)
            before = at;
        if (at == nil)
            return;
        const std::uint32_t parent = leaves_[first].parent;
        const std::uint32_t next = leaves_[at].next;
        forget(parent, p.length);
        leaves_.release(at);
        if (before != nil) {
            leaves_[before].next = next;
        } else if (next != nil) {
            leaves_[next].parent = parent;
            slot_of(parent, p.base) = leaf_link(next);
        } else {
            erase_key(p.base, parent);
        }
    }
    // Takes out the node above a leaf that has gone; what is on its other side takes its place.
    void erase_key(A key, std::uint32_t fork) noexcept {
        if (fork == nil) {
            root_ = nil;
            return;
        }
        const inner gone = inners_[fork];
        const link stays = gone.child[1 - branch(key, gone)];
        slot_of(gone.parent, key) = stays;
        parent_of(stays) = gone.parent;
        if (is_leaf(stays)) {
            for (std::uint32_t m = gone.masks; m != nil;) {
                const std::uint32_t next = masks_[m].next;
                masks_.release(m);
                m = next;
            }
        } else {
            std::uint32_t* place = &inners_[stays >> 1].masks;
            while (*place != nil)
                place = &masks_[*place].next;
            *place = gone.masks;
        }
        inners_.release(fork);
    }

    // Builds the tree anew; without memory for that, all stays.
    void compact() noexcept {
        if (!inners_.sparse() && !leaves_.sparse() && !masks_.sparse())
            return;
        fib fresh(leaves_.most_nodes());
        if (!fresh.inners_.reserve(inners_.size()) || !fresh.leaves_.reserve(leaves_.size()) ||
            !fresh.masks_.reserve(masks_.size()))
            return;
        std::uint32_t last = nil;
        if (root_ != nil)
            copy_below(root_, fresh, last);
        *this = std::move(fresh);
    }
    // Room is there, so nothing fails.
    void copy_below(link from, fib& to, std::uint32_t& last) const noexcept {
        if (is_leaf(from)) {
            for (std::uint32_t l = from >> 1; l != nil; l = leaves_[l].next)
                (void)to.insert({{A{leaves_[l].key}, leaves_[l].length}, leaves_[l].hop}, last);
            return;
        }
        for (const link child : inners_[from >> 1].child)
            copy_below(child, to, last);
    }

    link root_ = nil;
    node_pool<inner> inners_;
    node_pool<leaf> leaves_;
    node_pool<mask> masks_;
};

} // namespace fingerpost::bsd_radix
