// Poptrie: a leaf-pushed trie with six bits a level, in which counting bits gives the children and leaves of
// a node.
//
// A node with 64 slots has two bitmaps and two offsets. Its children are contiguous in one array, and its
// leaves in another. The number of bits set up to a slot identifies the slot's child or leaf. Neighbouring
// slots with the same next hop share a leaf: `leafvec` has a bit at the start of such a run, and a run
// continues across slots with children.
//
//      direct   [ 2^s entries of 4 bytes ]     top bit set: the code of a next hop; clear: number of a node
//                        |
//                        v
//      nodes    [ leafvec 8 | vector 8 | base0 4 | base1 4 ]  ...  children of a node adjacent
//                                 |         |         `--> nodes[base1 + (bits of vector from 0 to v) - 1]
//                                 |         `------------> leaves[base0 + (bits of leafvec from 0 to v) - 1]
//                                 `-- bit v: slot v has a child
//      leaves   [ codes of 2 or 4 bytes ]      code 0: no route, code n + 1: next hop number n
//
// Lookup: 1 dependent load for the direct table, one for each six bits after it, and one for the leaf: 7 for
// a /48 with s = 18. If the address ends within the six bits of a step, the missing bits read as zeros, and
// slots with other values are unused.
//
// Memory: 24 * nodes + 2 or 4 * leaves + 4 * 2^s bytes. A node exists only where addresses have different
// answers: the trie is built from elementary intervals, in which equal neighbours are already merged. This
// replaces the paper's route aggregation; fewer routes with the same answers (rib/aggregate.hpp) would give
// the same trie.
//
// Update: nodes that a range divides are expanded to slots and packed again, from the bottom up. Only their
// blocks change. When much of the arrays is unused, everything is copied into new ones. Not safe with
// concurrent readers.
//
// Batch: with AVX-512 and at least 32 addresses, vectors of eight lookups in turn (kernels_avx512.hpp).
// Otherwise blocks of up to 128 lookups that advance together (kernels.inl.hpp).
//
// Limits: 2^31 - 1 nodes, and 2^31 - 1 two-byte units of leaves.
//
// Source: H. Asai, Y. Ohara, Poptrie: a compressed trie with population count for fast and scalable software
// IP routing table lookup, SIGCOMM 2015. Written from a description, not from their code. Slower
// alternatives: gathers with AVX2, and branches on finished lookups; see docs/why/experiments/lookups.md.
//
// Tested by: the registry's suites and tests/schemes/poptrie. Reading order: poptrie.hpp, view.hpp,
// slots.hpp, trie.hpp, kernels.inl.hpp, kernels_avx512.hpp, kernels.cpp, entries.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/multibit/bit_cursor.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/poptrie/trie.hpp"

namespace fingerpost::poptrie {

// The paper's s for widths that have this many bits, otherwise half of the width.
template <class A>
constexpr unsigned direct_bits_of(unsigned bits) noexcept {
    return bits < A::bits ? bits : A::bits / 2;
}

template <class A, unsigned Direct, class Node = node>
class fib : public laid_out<fib<A, Direct, Node>, A> {
    friend laid_out<fib, A>;
    static constexpr unsigned direct_bits = direct_bits_of<A>(Direct);
    static_assert(A::bits <= 64 || A::bits == 128, "kernels read one word or two");

    using trie_type = trie<A, Node, direct_bits>;
    using geometry = slot_geometry<A>;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        trie_type::for_each_array(of.trie_, visit);
        visit("next hops", of.codec_);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        const u128 key = u128{top64(a)} << 64 | bottom64(a);
        const std::uint32_t number =
            width_ == leaf_width::two_bytes
                ? poptrie::find<Node, leaf_width::two_bytes>(trie_.view(), read, key)
                : poptrie::find<Node, leaf_width::four_bytes>(trie_.view(), read, key);
        return read.answer(codec_.decoder(), number);
    }

    // Tests pass fewer than four bytes for a code to make codes run out.
    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               unsigned widest_code = 4) try {
        fib built;
        built.codec_ = next_hop_codec::choose(table.intervals().hops, 2, {}, widest_code);
        built.trie_.fill(table.intervals(), built.codec_);
        built.ready(options);
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

    errc apply(const change<A>& c) noexcept {
        return or_reason([&] {
            if (c.before == c.after)
                return errc::ok;
            const next_hop hop = c.answer();
            if (!codec_.can_encode(hop) && !codec_.add(hop))
                return errc::capacity;
            trie_.patch(c.affected_ranges, codec_.encode(hop));
            return errc::ok;
        });
    }

    void visit(node_visitor<A> each) const {
        const trie_view view = trie_.view();
        const std::span direct(view.direct, std::size_t{1} << direct_bits);
        const auto is_node = [](std::uint32_t entry) { return (entry & direct_leaf) == 0; };
        each({.first = A::first(),
              .last = A::last(),
              .kind = "direct",
              .part = "direct",
              .bytes = direct.size_bytes(),
              .children = static_cast<std::size_t>(std::count_if(direct.begin(), direct.end(), is_node)),
              .bits = direct_bits,
              .contents = [&](node_contents& to) {
                  for (std::size_t i = 0; i < direct.size(); ++i)
                      add_answer(to, i,
                                 is_node(direct[i]) ? next_hop::none : hop_of(direct[i] & ~direct_leaf));
              }});
        const geometry top{A::first(), 0, direct_bits};
        for (unsigned i = 0; i < direct.size(); ++i)
            if (is_node(direct[i]))
                visit_node(direct[i], {top.first_of(i), direct_bits, stride}, 1, i, each);
    }

    void check(const layout_check& in) {
        in.require(codec_.bytes() >= 2, nullptr, "wrong number of codes");
        trie_.set_leaf_bytes(codec_.bytes());
        trie_.check(in, codec_);
    }
    void ready(const build_options& options) noexcept {
        width_ = codec_.bytes() == 2 ? leaf_width::two_bytes : leaf_width::four_bytes;
        kernels_ = &kernels_for_nodes<Node>(kernels_of(options.isa));
    }

  private:
    next_hop hop_of(std::uint32_t code) const noexcept { return codec_.decode(code - 1); }
    void visit_node(std::uint32_t at, const geometry& where, unsigned level, unsigned slot,
                    node_visitor<A> each) const {
        const trie_view view = trie_.view();
        const Node& n = static_cast<const Node*>(view.nodes)[at];
        const A first = where.first_of(0), last = where.last_of(where.end() - where.slots_alike());
        const std::uint32_t leaf_bytes = trie_.leaf_bytes(n);
        each({.first = first,
              .last = last,
              .level = level,
              .kind = "node",
              .part = "nodes",
              .bytes = sizeof(Node),
              .children = trie_type::child_count(n) + std::size_t{leaf_bytes > 0},
              .offset = std::uint64_t{at} * sizeof(Node),
              .slot = slot,
              .first_bit = where.length(),
              .bits = where.border() - where.length(),
              .contents = [&](node_contents& to) {
                  to.with = compared::bitmap;
                  to.bitmaps = {{"children"}};
                  to.values = {n.vector};
                  if constexpr (Node::has_runs) {
                      to.bitmaps.push_back({"run starts"});
                      to.values.push_back(n.leafvec);
                  }
                  to.numbers = {{"base0 (leaves)", n.base0}, {"base1 (children)", n.base1}};
              }});
        if (leaf_bytes > 0)
            each({.first = first,
                  .last = last,
                  .level = level + 1,
                  .kind = "leaves",
                  .part = "leaves",
                  .bytes = leaf_bytes,
                  .offset = std::uint64_t{n.base0} * sizeof *view.leaves,
                  .contents = [&](node_contents& to) {
                      for (unsigned i = 0; i < trie_type::leaf_count(n); ++i)
                          add_answer(to, i, hop_of(trie_.code_at(n, i)));
                  }});
        std::uint32_t child = n.base1;
        for (std::uint64_t left = n.vector; left != 0; left &= left - 1) {
            const auto bit = static_cast<unsigned>(std::countr_zero(left));
            visit_node(child++, {where.first_of(bit), where.border(), stride}, level + 1, bit, each);
        }
    }
    void batch(simd::input_form form, const void* addresses, std::uint32_t* out,
               std::size_t count) const noexcept {
        const auto& by_width = kernels_->batch[static_cast<std::size_t>(form)];
        by_width[static_cast<std::size_t>(width_)](trie_.view(), addresses, out, count);
    }

    trie_type trie_;
    next_hop_codec codec_;
    const node_kernels* kernels_ = nullptr;
    leaf_width width_ = leaf_width::two_bytes;
};

} // namespace fingerpost::poptrie
