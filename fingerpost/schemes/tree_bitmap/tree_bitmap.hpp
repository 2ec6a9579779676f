// Tree bitmap: a multibit trie in which a node has one bit for each prefix that ends in it and one for each
// child.
//
// A node covers `Stride` bits of the address. Its internal bitmap has a bit for each prefix that is 0 to
// Stride - 1 bits longer than the node, and its external bitmap has a bit for each child. Routes are not
// expanded or pushed down: a route is one bit and one next hop. The children of a node are contiguous, and
// its next hops are too. So one offset is enough for each of them, and a count of bits selects one.
//
//      initial array   [ 2^k entries: node | next hop ]          k = 0 or up to 16
//                            |
//                            v
//      nodes           [ internal | external | children | results ]     12, 12, 16, 24 or 72 bytes
//                                        |          |
//              children, adjacent    <---+          +---> next hops, adjacent, 4 bytes each
//
// Lookup: in each node, the internal bitmap is ANDed with the bits of all prefixes that cover the slot, and
// if a bit is left, the node is recorded. Then the slot's external bit shows if there is a child. At the end,
// the bits before the longest match of the last recorded node are counted, and one next hop is read. So there
// is one dependent load for the initial array, one for each node and one for the result. With strides of 8, a
// match of 48 bits takes 4 nodes.
//
// End nodes. A node without routes more than a stride longer has no children. Its external bits are routes
// instead, each of which would otherwise need a child. Bit 0 of the internal bitmap, which the heap order
// leaves unused, marks such nodes.
//
// Initial array. Routes shorter than its bits are expanded into it. For changes, each entry also has the
// length of its route, which lookups do not read.
//
// Update: a route sets or clears one bit, and the node's results are copied with one element more or less; so
// are the children if one is added or removed. Blocks are allocated from pools by size. Not safe with
// concurrent readers: bitmap and offset would have to change atomically.
//
// Limits: 2^31 - 1 nodes and routes; addresses of up to 64 bits, and of 128; any next hop id. Batch: with
// AVX-512, eight vectors of lookups in turn (kernels_avx512.hpp); elsewhere 32 lookups advance together
// (rounds.hpp) and prefetch the node of the next step.
//
// Source: W. Eatherton, Z. Dittia, G. Varghese, Tree bitmap: hardware/software IP lookups with incremental
// updates, CCR 34(2), 2004; end nodes are as in treebitmap by hroi (nothing copied).
//
// Tested by: the registry's suites and tests/schemes/tree_bitmap. Reading order: tree_bitmap.hpp, view.hpp,
// trie.hpp, split.hpp, kernels.inl.hpp, kernels_avx512.hpp, split_kernels.inl.hpp, split_avx512.hpp,
// kernels.cpp, visit.hpp, entries.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/multibit/bit_cursor.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/tree_bitmap/trie.hpp"
#include "fingerpost/schemes/tree_bitmap/view.hpp"
#include "fingerpost/schemes/tree_bitmap/visit.hpp"

namespace fingerpost::tree_bitmap {

// Number of bits of the initial array. It is 0 for narrow addresses and small tables; otherwise it leaves a
// multiple of the stride up to the length of most routes.
template <class A, unsigned Stride>
constexpr unsigned initial_bits_for(std::size_t routes) noexcept {
    if (A::bits < 32 || routes < (std::size_t{1} << 14))
        return 0;
    constexpr unsigned usual = A::bits == 32 ? 24 : 48;
    const unsigned most = routes < (std::size_t{1} << 16) ? 14 : 16;
    return most - (Stride - (usual - most) % Stride) % Stride;
}

namespace detail {

template <class A>
next_hop look_up(const stride_kernels& kernels, const trie_view& view, A a) noexcept {
    return kernels.single[A::bits > 64](view, top64(a), bottom64(a));
}
template <class A>
void look_up_all(const stride_kernels& kernels, const trie_view& view, std::span<const A> in,
                 std::span<next_hop> out) noexcept {
    in_input_form(in, out, [&](auto form, const void* from, next_hop* to, std::size_t count) {
        kernels.batch[static_cast<std::size_t>(form)](view, from, to, count);
    });
}

// The first read of a lookup.
template <class Read, class A>
initial_entry find_initial(Read&& read, const aligned_array<initial_entry>& initial, unsigned bits, A a) {
    const initial_entry entry = read(initial, slice(a, 0, bits));
    read.tell([&](auto& step) {
        step.looks_at(0, bits);
        step.best = entry.hop;
    });
    return entry;
}
// Number of bits that choose an entry, if these are the entries of a file.
template <class A>
unsigned initial_bits_of(const layout_check& in, const aligned_array<initial_entry>& initial) {
    const auto bits = static_cast<unsigned>(std::bit_width(initial.size())) - 1;
    in.require(std::has_single_bit(initial.size()) && bits < A::bits, nullptr,
               "the initial array has a wrong size");
    return bits;
}

} // namespace detail

template <class A, unsigned Stride>
class fib : public laid_out<fib<A, Stride>, A> {
    friend laid_out<fib, A>;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("initial array", of.initial_);
        visit("lengths", of.lengths_);
        trie<A, Stride>::for_each_array(of.trie_, visit);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        const initial_entry entry = detail::find_initial(read, initial_, initial_bits_, a);
        return entry.node == no_node ? entry.hop : trie_.find(read, entry.node, initial_bits_, a, entry.hop);
    }

    // Needs no affected ranges, because a route is one bit.
    static constexpr unsigned min_length_with_ranges = A::bits + 1;
    static constexpr std::size_t most = trie<A, Stride>::most;

    // Tests pass a lower limit to reach it.
    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               std::size_t most_nodes = most) {
        fib built(most_nodes);
        built.ready(options);
        errc failure = built.make_initial(initial_bits_for<A, Stride>(table.size()));
        if (failure == errc::ok)
            failure = built.fill(table.sorted());
        if (failure != errc::ok)
            return unexpected{failure};
        return built;
    }

    next_hop lookup(A a) const noexcept { return detail::look_up(*kernels_, view(), a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        detail::look_up_all(*kernels_, view(), in, out);
    }

    errc apply(const change<A>& c) noexcept {
        if (c.before == c.after)
            return errc::ok;
        const errc done = c.where.length < initial_bits_ ? set_short(c) : set_long(c);
        if (done != errc::ok)
            return done;
        // A smaller table has a smaller initial array, which requires a rebuild.
        if (initial_bits_for<A, Stride>(short_count_ + trie_.route_count()) < initial_bits_)
            return errc::capacity;
        if (trie_.sparse())
            compact();
        return errc::ok;
    }

    void visit(node_visitor<A> each) const {
        tree_bitmap::visit<A, Stride>(trie_, initial_.span(), initial_bits_, each);
    }
    void check(const layout_check& in) {
        initial_bits_ = detail::initial_bits_of<A>(in, initial_);
        trie_.check(in, initial_.span(), initial_bits_);
    }
    void ready(const build_options& options) noexcept { kernels_ = &choose(kernels_of(options.isa)); }

    unsigned initial_bits() const noexcept { return initial_bits_; }

    // The arrays from which a FIB of split nodes is made.
    std::span<const initial_entry> initial() const noexcept { return initial_.span(); }
    const trie<A, Stride>& nodes() const noexcept { return trie_; }

  private:
    explicit fib(std::size_t most_nodes = most) noexcept : trie_(most_nodes) {}

    static const stride_kernels& choose(const kernel_set& set) noexcept {
        if constexpr (Stride == 3)
            return set.three;
        else if constexpr (Stride == 4)
            return set.four;
        else if constexpr (Stride == 5)
            return set.five;
        else if constexpr (Stride == 6)
            return set.six;
        else
            return set.eight;
    }

    trie_view view() const noexcept {
        return {initial_.data(), initial_bits_, trie_.nodes(), trie_.results()};
    }

    errc make_initial(unsigned bits) noexcept {
        auto entries = aligned_array<initial_entry>::make(std::size_t{1} << bits);
        auto lengths = aligned_array<std::uint8_t>::make(std::size_t{1} << bits);
        if (!entries || !lengths)
            return errc::out_of_memory;
        initial_ = std::move(*entries);
        lengths_ = std::move(*lengths);
        initial_bits_ = bits;
        std::fill(initial_.begin(), initial_.end(), initial_entry{});
        return errc::ok;
    }
    // The entries that a prefix covers, or the entry that contains it.
    std::pair<std::size_t, std::size_t> entries_of(const prefix<A>& where) const noexcept {
        const auto number = [&](A a) { return static_cast<std::size_t>(slice(a, 0, initial_bits_)); };
        return {number(where.first()), number(where.last())};
    }

    errc fill(std::span<const route<A>> sorted) noexcept {
        for (std::size_t i = 0; i < sorted.size();) {
            const route<A>& r = sorted[i];
            if (r.where.length < initial_bits_) {
                take_over(r.where, r.hop);
                ++short_count_;
                ++i;
                continue;
            }
            std::size_t end = i;
            const std::size_t entry = entries_of(r.where).first;
            while (end < sorted.size() && entries_of(sorted[end].where).first == entry)
                ++end;
            const errc failure =
                trie_.add_root(sorted.subspan(i, end - i), initial_bits_, initial_[entry].node);
            if (failure != errc::ok)
                return failure;
            i = end;
        }
        if (!trie_.is_tight())
            compact();
        return errc::ok;
    }

    // Gives a short route the entries that are not covered by a longer short route.
    void take_over(const prefix<A>& where, next_hop hop) noexcept {
        const auto [first, last] = entries_of(where);
        for (std::size_t i = first; i <= last; ++i)
            if (lengths_[i] <= where.length) {
                initial_[i].hop = hop;
                lengths_[i] = where.length;
            }
    }
    errc set_short(const change<A>& c) noexcept {
        if (c.after != next_hop::none) {
            short_count_ += c.before == next_hop::none ? 1u : 0u;
            take_over(c.where, c.after);
            return errc::ok;
        }
        --short_count_;
        const auto [first, last] = entries_of(c.where);
        for (std::size_t i = first; i <= last; ++i)
            if (lengths_[i] == c.where.length) {
                initial_[i].hop = c.cover;
                lengths_[i] = c.cover_length;
            }
        return errc::ok;
    }
    errc set_long(const change<A>& c) noexcept {
        std::uint32_t& root = initial_[entries_of(c.where).first].node;
        return c.after != next_hop::none ? trie_.announce(root, initial_bits_, c.where, c.after)
                                         : trie_.withdraw(root, initial_bits_, c.where);
    }

    // Copies all nodes and results in the order of build(), without slack. Does nothing if memory is short.
    void compact() noexcept {
        trie<A, Stride> copy;
        if (!copy.reserve_like(trie_))
            return;
        for (initial_entry& entry : initial_.span())
            if (entry.node != no_node)
                entry.node = trie_.copy_to(copy, entry.node);
        trie_ = std::move(copy);
    }

    const stride_kernels* kernels_ = nullptr;
    aligned_array<initial_entry> initial_;
    aligned_array<std::uint8_t> lengths_; // lengths of the routes that the entries' next hops come from
    unsigned initial_bits_ = 0;
    std::size_t short_count_ = 0;
    trie<A, Stride> trie_;
};

} // namespace fingerpost::tree_bitmap
