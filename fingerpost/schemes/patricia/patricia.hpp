// The path-compressed trie as a FIB: nodes only where routes end or part, keys checked on the way down.
//
// A binary trie has long ways on which nothing is decided. Here they are left out: a node knows how many
// bits lie above it, and its key is compared to make up for the bits that were not looked at. The structure
// is rib/path_trie.hpp, the store of the RIB itself; this file only builds one from sorted routes and looks
// up in it.
//
//      route  key | child 0 | child 1 | next hop | length     32 bytes for 128 bits, 20 for 32 bits
//      fork   child 0 | child 1 | stem | length               16 bytes, fewer of these than routes
//
//      2000::/3 --+--> fork 2001:db8::/33 ---0--> 2001:db8::/48
//                 |                      \---1--> 2001:db8:8000::/48
//
// Lookup: one dependent load a node, ended by the first key that does not fit. A match in
// tier1-v6 takes 25 loads on average and 40 at most, an address far from all routes very few: so it shines
// with uniform addresses and nowhere else.
// Memory: at most 48 bytes a route for 128 bits, 36 for 32 bits.
// Update: the same walk, then at most two nodes made or freed. Memory goes back by copying the trie once a
// twelfth of it is unused. Not while it is read: a node's key and length change with its place.
// Limits: 2^31 - 1 routes; all widths, all next hop ids.
// Batch: 16 walks in turn (interleave.hpp).
//
// Source: D. Morrison, PATRICIA, JACM 15(4), 1968; K. Sklower, A tree-based packet routing table for
// Berkeley Unix, 1991. Sklower's walk tests bits only and turns back up when the leaf does not fit;
// checking keys on the way down costs a comparison a node and spares the way back.
#pragma once

#include <cstddef>
#include <span>

#include "fingerpost/fib/parts/interleave.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/rib/path_trie.hpp"

namespace fingerpost::patricia {

template <class A>
class fib {
  public:
    static expected<fib> build(const routes<A>& table, const build_options& = {}) {
        fib built;
        const errc failure = built.trie_.build(table.sorted());
        if (failure != errc::ok)
            return unexpected{failure};
        return built;
    }

    next_hop lookup(A a) const noexcept { return trie_.lookup(a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        lookup_interleaved<16>(trie_, in, out);
    }
    std::size_t memory_bytes() const noexcept { return sizeof *this + trie_.memory_bytes(); }

    errc apply(const change<A>& c) noexcept {
        if (c.before == c.after)
            return errc::ok;
        const auto done = c.after == next_hop::none ? trie_.erase(c.where) : trie_.insert(c.where, c.after);
        if (!done)
            return done.error();
        trie_.compact();
        return errc::ok;
    }

  private:
    path_trie<A> trie_;
};

} // namespace fingerpost::patricia
