// Poptrie: a leaf-pushed trie of six bits a level whose nodes find children and leaves by counting bits.
//
// A node with 64 slots has two bitmaps and two offsets. Its children lie side by side in one array, its
// leaves in another. The number of bits set up to a slot tells which child or leaf belongs to it.
// Neighbouring slots with the same next hop share a leaf: `leafvec` has a bit where such a run begins, and a
// run continues across slots that lead to children.
//
//      direct   [ 2^s entries of 4 bytes ]     top bit set: the code of a next hop; clear: number of a node
//                        |
//                        v
//      nodes    [ leafvec 8 | vector 8 | base0 4 | base1 4 ]  ...  children of a node side by side
//                                 |         |         `--> nodes[base1 + bits of vector up to v - 1]
//                                 |         `------------> leaves[base0 + bits of leafvec up to v - 1]
//                                 `-- bit v: slot v leads to a child
//      leaves   [ codes of 2 or 4 bytes ]      code 0: no route, code n + 1: next hop number n
//
// Lookup: 1 dependent load for the direct table, one for each six bits behind it, one for the leaf: 7 for a
// /48 with s = 18. If the address ends inside a chunk, the missing bits read as zeros, and the slots with
// other values are unused.
//
// Memory: 24 * nodes + 2 or 4 * leaves + 4 * 2^s bytes. A node exists only where addresses differ in their
// answer, whatever the routes are: the trie is built from elementary intervals, in which equal neighbours are
// merged already. This does the work of the paper's route aggregation. Fewer routes with the same answers
// (rib/aggregate.hpp) would give the same trie.
//
// Update: the nodes that a range cuts are taken apart into slots and packed again, from the bottom up. Only
// their blocks change. Not while it is read.
//
// Batch: with AVX-512 vectors of eight lookups in turn (kernels_avx512.hpp), else blocks of 128 lookups that
// go down together (kernels.inl.hpp).
//
// Limits: 2^31 - 1 nodes, and as many units of two bytes for leaves.
//
// Source: H. Asai, Y. Ohara, Poptrie: a compressed trie with population count for fast and scalable software
// IP routing table lookup, SIGCOMM 2015. Written from a description, not from their code. Tried and slower:
// gathers, and branches on which lookups have ended; see docs/why/experiments/trie-batches.md.
//
// Tested by: the suites over the registry, and tests/schemes/poptrie.
// Read in this order: poptrie.hpp, view.hpp, slots.hpp, trie.hpp, kernels.inl.hpp, kernels_avx512.hpp,
// kernels.cpp, inspect.hpp, entries.{hpp,cpp}.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/fib/parts/multibit/bit_cursor.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/poptrie/inspect.hpp"
#include "fingerpost/schemes/poptrie/trie.hpp"

namespace fingerpost::poptrie {

// The paper's s for widths that have this many bits, else half the width.
template <class A>
constexpr unsigned direct_bits_of(unsigned wanted) noexcept {
    return wanted < A::bits ? wanted : A::bits / 2;
}

template <class A, unsigned Direct, class Node = node>
class fib {
    static constexpr unsigned direct_bits = direct_bits_of<A>(Direct);
    static_assert(A::bits <= 64 || A::bits == 128, "kernels read one word or two");

  public:
    // Fewer than four bytes for a code are for tests of what happens when codes run out.
    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               unsigned widest_code = 4) try {
        fib built;
        built.codec_ = next_hop_codec::choose(table.intervals().hops, 2, {}, widest_code);
        built.trie_.fill(table.intervals(), built.codec_);
        built.width_ = built.codec_.bytes() == 2 ? leaf_width::two_bytes : leaf_width::four_bytes;
        built.kernels_ = &kernels_for_nodes<Node>(kernels_of(options.isa));
        return built;
    } catch (...) {
        return unexpected{reason_of_exception()};
    }

    next_hop lookup(A a) const noexcept {
        const auto kernel = kernels_->single[static_cast<std::size_t>(width_)];
        return codec_.decode(kernel(trie_.view(), top64(a), bottom64(a)));
    }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        in_input_form(in, out,
                      [this](simd::input_form form, const void* from, next_hop* to, std::size_t count) {
                          batch(form, from, reinterpret_cast<std::uint32_t*>(to), count);
                      });
        codec_.decode(out.first(in.size()));
    }
    std::size_t memory_bytes() const noexcept { return total_bytes(parts()); }

    errc apply(const change<A>& c) noexcept {
        return or_reason([&] {
            if (c.before == c.after)
                return errc::ok;
            const next_hop now = c.answer();
            if (!codec_.can_encode(now) && !codec_.add(now))
                return errc::capacity;
            trie_.patch(c.affected_ranges, codec_.encode(now));
            return errc::ok;
        });
    }

    next_hop trace(A a, step_visitor each) const { return inspect().trace(a, each); }
    std::vector<memory_part> memory_parts() const {
        const auto all = parts();
        return {all.begin(), all.end()};
    }
    void visit(node_visitor<A> each) const { inspect().visit(each); }

  private:
    inspector<A, Node, direct_bits> inspect() const noexcept { return {trie_, codec_}; }
    std::array<memory_part, 5> parts() const noexcept {
        return {{{"direct", trie_.direct_bytes()},
                 {"nodes", trie_.node_bytes()},
                 {"leaves", trie_.leaf_bytes()},
                 {"next hops", codec_.memory_bytes()},
                 {"object", sizeof *this}}};
    }
    void batch(simd::input_form form, const void* addresses, std::uint32_t* out,
               std::size_t count) const noexcept {
        const auto& by_width = kernels_->batch[static_cast<std::size_t>(form)];
        by_width[static_cast<std::size_t>(width_)](trie_.view(), addresses, out, count);
    }

    trie<A, Node, direct_bits> trie_;
    next_hop_codec codec_;
    const node_kernels* kernels_ = nullptr;
    leaf_width width_ = leaf_width::two_bytes;
};

} // namespace fingerpost::poptrie
