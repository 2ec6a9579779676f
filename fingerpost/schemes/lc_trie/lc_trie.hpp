// LC-trie: a trie over a sorted vector of routes, in which the stride of a node depends on how densely it is
// filled.
//
// Path compression skips bits that do not distinguish routes. Level compression replaces the complete top of
// a subtrie by one node with 2^k children. Both are applied recursively. With a fill factor below one, the
// top need not be complete: a node takes as many bits as possible while half of its children are in use.
//
//      trie      [ first child or entry:32 | branch | skip ]        2^branch children side by side
//                                |  branch is 0
//                                v
//      base      [ string | next hop | chain | length ]             routes that do not cover others, sorted
//                                        |
//                                        v
//      prefixes  [ next hop | next shorter | length ]               routes that cover others
//
// The descent does not compare bits, so at the end the entry's bits are compared with the address. If they
// differ, the answer is the first route of the chain that is not longer than their common bits. The bits of a
// cover are the first bits of the entry, so a chain stores only lengths. An empty child links to the
// neighbouring entry that has the longest cover of the child.
//
// Lookup: one dependent load for each node, one for the entry, and one for each link of the chain. Memory: 8
// bytes a node, 16 bytes (IPv4) or 32 (IPv6) a route of the base vector, 12 a cover. Update: not supported; a
// live table rebuilds the FIB. Limits: 2^32 nodes; all widths and next hop ids. The paper's nodes of four
// bytes had room for 2^20. Batch: 32 lookups advance together (rounds.hpp); with AVX-512, 64 addresses with
// gathers.
//
// Source: S. Nilsson, G. Karlsson, IP-address lookup using LC-tries, IEEE JSAC 17(6), 1999.
//
// Tested by: the registry's suites and tests/schemes/lc_trie. Reading order: lc_trie.hpp, view.hpp,
// builder.hpp, kernels.hpp, kernels_avx512.hpp, kernels.cpp, visit.hpp, entries.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/batches/rounds.hpp"
#include "fingerpost/schemes/lc_trie/builder.hpp"
#include "fingerpost/schemes/lc_trie/kernels.hpp"
#include "fingerpost/schemes/lc_trie/visit.hpp"

namespace fingerpost::lc_trie {

template <class A, unsigned Fill = 50, unsigned Root = 16>
class fib : public laid_out<fib<A, Fill, Root>, A> {
    friend laid_out<fib, A>;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("trie", of.trie_);
        visit("base", of.base_);
        visit("prefixes", of.prefixes_);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        const lc_trie_view<A> in = view();
        auto walk = in.start(a);
        while (in.step(walk, read)) {
        }
        return in.answer(walk, read);
    }

    static expected<fib> build(const routes<A>& table, const build_options& options = {}) {
        const builder<A, Fill, Root> parts(table.sorted());
        fib built;
        if (!store(parts.trie, built.trie_) || !store(parts.base, built.base_) ||
            !store(parts.prefixes, built.prefixes_))
            return unexpected{errc::out_of_memory};
        built.ready(options);
        return built;
    }

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        std::size_t done = 0;
        if (groups_ != nullptr)
            for (; in.size() - done >= group_lanes; done += group_lanes)
                look_up_group(&in[done], &out[done]);
        lookup_in_rounds<32>(view(), in.subspan(done), out.subspan(done));
    }
    void visit(node_visitor<A> each) const { lc_trie::visit(view(), each); }

    // A node has one parent, which a build numbers before it, so one pass counts the bits on each path.
    void check(const layout_check& in) const {
        constexpr std::uint8_t no_way = 255;
        std::vector<std::uint8_t> done(trie_.size(), no_way);
        in.require(!done.empty(), nullptr, "there is no root");
        done[0] = 0;
        for (std::size_t i = 0; i < done.size(); ++i) {
            const trie_node& n = trie_[i];
            const unsigned bits = unsigned{done[i]} + n.skip + n.branch;
            in.require(bits <= A::bits && n.branch < 32, &n, "a node tests bits past the end of an address");
            if (n.branch == 0) {
                in.leads_into(base_, n.at, 1, &n);
                continue;
            }
            in.require(i < n.at, &n, "a node has an invalid child");
            in.leads_into(trie_, n.at, std::size_t{1} << n.branch, &n);
            for (std::size_t child = n.at; child < n.at + (std::size_t{1} << n.branch); ++child) {
                in.require(done[child] == no_way, &n, "two nodes have the same child");
                done[child] = static_cast<std::uint8_t>(bits);
            }
        }
        for (const base_entry<A>& entry : base_.span())
            in.require(entry.length <= A::bits &&
                           (entry.chain == no_prefix || entry.chain < prefixes_.size()),
                       &entry, "an entry has an invalid cover");
        for (const prefix_entry& cover : prefixes_.span())
            in.require(cover.shorter == no_prefix || (cover.shorter < prefixes_.size() &&
                                                      prefixes_[cover.shorter].length < cover.length),
                       &cover, "covers in a list do not get shorter");
    }
    void ready(const build_options& options) noexcept {
        if constexpr (A::bits == 32)
            groups_ = kernels_of(options.isa).ipv4;
        if constexpr (A::bits == 128)
            groups_ = kernels_of(options.isa).ipv6;
    }

  private:
    void look_up_group(const A* in, next_hop* out) const noexcept {
        std::uint64_t left = groups_(view(), in, reinterpret_cast<std::uint32_t*>(out));
        for (; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(left));
            out[lane] = lookup(in[lane]);
        }
    }
    template <class T>
    static bool store(const std::vector<T>& from, aligned_array<T>& to) noexcept {
        auto array = aligned_array<T>::make(from.size());
        if (!array)
            return false;
        to = std::move(*array);
        std::copy(from.begin(), from.end(), to.begin());
        return true;
    }
    lc_trie_view<A> view() const noexcept { return {trie_.data(), base_.data(), prefixes_.data()}; }

    aligned_array<trie_node> trie_;
    aligned_array<base_entry<A>> base_;
    aligned_array<prefix_entry> prefixes_;
    group_kernel<A> groups_ = nullptr; // null if there is no kernel
};

} // namespace fingerpost::lc_trie
