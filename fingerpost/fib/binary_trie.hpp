// The unibit trie: one node for every bit of every prefix. The scheme that every other one improves on.
//
// An address is read bit by bit from the top; each bit chooses one of two children, and the last next hop
// met on the way down is the answer. It is here as the plainest of all structures and as a yardstick.
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
// Lookup: one dependent load a bit of the longest match, and more while longer prefixes lead on: 49 for a
// /48, 44 on average for matches in tier1-v6, at most bits + 1. The nodes near the root stay in the cache,
// those below mostly do not.
// Memory: 12 bytes a node; 4.7 nodes a route in tier1-v6, 2.3 in tier1-v4, 17 in uniformly random IPv6.
// Update: in place, at most `length` nodes made or freed.
// Limits: none; all widths, all next hop ids.
// Batch: 16 walks in turn (interleave.hpp), the address kept left-aligned so that a step shifts it by one.
//
// Source: common knowledge; E. Fredkin, Trie memory, CACM 3(9), 1960.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/base/node_pool.hpp"
#include "fingerpost/fib/interleave.hpp"
#include "fingerpost/fib/scheme.hpp"

namespace fingerpost {

template <class A>
class binary_trie {
    using value = typename A::value_type;
    static constexpr unsigned spare_bits = sizeof(value) * 8 - A::bits;
    static constexpr unsigned top_bit = sizeof(value) * 8 - 1;
    // No node has the root as its child, so its number says that there is no child.
    static constexpr std::uint32_t root = 0;

    struct node {
        std::uint32_t child[2] = {root, root};
        next_hop hop = next_hop::none;
    };
    static_assert(sizeof(node) == 12);

  public:
    static expected<binary_trie> build(const routes<A>& table, const build_options& = {}) {
        binary_trie built;
        if (built.nodes_.allocate() != root)
            return unexpected{errc::out_of_memory};
        std::array<std::uint32_t, A::bits + 1> way{root}; // the nodes above the last route, one a bit
        A last{};
        unsigned known = 0; // how much of `way` holds for `last`
        for (const route<A>& r : table.sorted()) {
            unsigned length = std::min<unsigned>(common_length(last, r.where.base), known);
            for (; length < r.where.length; ++length) {
                const std::uint32_t made = built.nodes_.allocate();
                if (made == built.nodes_.nil)
                    return unexpected{errc::out_of_memory};
                built.nodes_[way[length]].child[bit_at(r.where.base, length)] = made;
                way[length + 1] = made;
            }
            built.nodes_[way[length]].hop = r.hop;
            last = r.where.base;
            known = length;
        }
        return built;
    }

    next_hop lookup(A a) const noexcept {
        walk w = start(a);
        while (step(w)) {
        }
        return w.best;
    }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        lookup_interleaved<16>(*this, in, out);
    }
    std::size_t memory_bytes() const noexcept { return sizeof *this + nodes_.memory_bytes(); }

    // A lookup on its way down: the bits still to come, left-aligned.
    struct walk {
        value rest;
        const node* at;
        next_hop best;
    };
    walk start(A a) const noexcept {
        return {static_cast<value>(a.value << spare_bits), &nodes_[root], next_hop::none};
    }
    bool step(walk& w) const noexcept {
        const node& here = *w.at;
        if (here.hop != next_hop::none)
            w.best = here.hop;
        const std::uint32_t next = here.child[static_cast<unsigned>(w.rest >> top_bit)];
        if (next == root)
            return false;
        w.rest = static_cast<value>(w.rest << 1);
        w.at = &nodes_[next];
        __builtin_prefetch(w.at);
        return true;
    }

  private:
    node_pool<node> nodes_;
};

} // namespace fingerpost
