// The stride-8 trie that Go users know as bart: two bitsets of 256 bits a node, and compressed paths.
//
// A node covers one octet of the address. Each route that ends inside the octet is a bit of the node's prefix
// bitset, in the heap order of an allotment routing table. Routes are not allotted: an AND with the bits of
// all prefixes that cover the octet leaves the matches, and the highest bit is the longest match. A second
// bitset has a bit for each child. The next hops are in one array and the children in another, both in bit
// order, so a bit's rank is its index. A route that is alone below an octet needs no node. It is a leaf,
// which stores its whole prefix, or a fringe, which ends with the octet and so needs no comparison.
//
//      node      [ prefixes 256 bits | children 256 bits | first, ranks | hops, ranks ]     80 bytes
//                                                           |              |
//      children  [ node, leaf or fringe | its next hop ] <--+              |                 8 bytes
//      hops      [ next hop of each prefix bit ] <-------------------------+                 4 bytes
//      leaves    [ prefix ]                   24 bytes, 16 for addresses of up to 64 bits
//
// Ranks are the numbers of bits before each word of a bitset. With them, a lookup counts the bits of one word
// only.
//
// Lookup: down from node to node by the child bits, two dependent loads a level, to a leaf, a fringe or an
// octet without a child. A fringe, or a leaf that matches, is the answer. Otherwise the prefixes of the nodes
// on the path are tested, the deepest first. A match of 48 bits takes up to 6 nodes, fewer if it is alone.
// Update: a bit is set or cleared, and the array of next hops or children is copied with one element more or
// less. A leaf is pushed down when its octet gets another route, and a node with one remaining route becomes
// a leaf again. Not safe with concurrent readers: bitset and offset would have to change atomically.
//
// Limits: 2^31 - 1 nodes, children and next hops, 2^31 - 2 leaves; addresses of up to 64 bits, and of 128;
// all next hop ids.
//
// Batch: with AVX-512, eight vectors of lookups in turn (kernels_avx512.hpp). Elsewhere 16 lookups advance
// together (rounds.hpp), and each step prefetches for the next.
//
// Source: K. Gaissmaier, bart, github.com/gaissmai/bart (MIT; nothing copied), after D. Knuth's allotment
// routing table in Y. Hariguchi's form.
//
// Tested by: the registry's suites and tests/schemes/bart. Reading order: bart.hpp, view.hpp, trie.hpp,
// kernels.inl.hpp, kernels_avx512.hpp, kernels.cpp, visit.hpp, entries.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/multibit/bit_cursor.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/bart/trie.hpp"
#include "fingerpost/schemes/bart/view.hpp"
#include "fingerpost/schemes/bart/visit.hpp"

namespace fingerpost::bart {

template <class A>
class fib : public laid_out<fib<A>, A> {
    friend laid_out<fib, A>;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        trie<A>::for_each_array(of.trie_, visit);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        return trie_.find(read, a);
    }

    // Needs no affected ranges, because each route is stored in one place.
    static constexpr unsigned min_length_with_ranges = A::bits + 1;
    static constexpr std::size_t most = trie<A>::most;

    // Tests pass a lower limit to reach it.
    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               std::size_t most_nodes = most) {
        fib built(most_nodes);
        built.ready(options);
        if (const errc failure = built.trie_.build(table.sorted()); failure != errc::ok)
            return unexpected{failure};
        return built;
    }

    next_hop lookup(A a) const noexcept {
        return kernels_->single[A::bits > 64](trie_.view(), top64(a), bottom64(a));
    }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        in_input_form(in, out, [this](auto form, const void* from, next_hop* to, std::size_t count) {
            kernels_->batch[static_cast<std::size_t>(form)](trie_.view(), from, to, count);
        });
    }

    errc apply(const change<A>& c) noexcept {
        if (c.before == c.after)
            return errc::ok;
        const errc done =
            c.after == next_hop::none ? trie_.withdraw(c.where) : trie_.announce(c.where, c.after);
        if (done == errc::ok && trie_.sparse())
            trie_.compact();
        return done;
    }

    void visit(node_visitor<A> each) const { visitor<A>(trie_, each).visit(trie_.root(), prefix<A>{}, 0, 0); }

    void check(const layout_check& in) const { trie_.check(in); }
    void ready(const build_options& options) noexcept { kernels_ = &kernels_of(options.isa); }

  private:
    explicit fib(std::size_t most_nodes = most) noexcept : trie_(most_nodes) {}

    const kernel_set* kernels_ = nullptr;
    trie<A> trie_;
};

} // namespace fingerpost::bart
