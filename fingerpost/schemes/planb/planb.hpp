// PlanB: the longest match as a predecessor search over elementary intervals in a linearized B+-tree.
//
// Idea. Every route is a range of addresses. The ends of all ranges cut the address space into elementary
// intervals with one answer each, so the longest match is found by finding the interval of an address. The
// ends of the intervals, as keys of 64 bits, or of 32 for IPv4, are the leaves of a complete (Keys + 1)-ary
// tree, stored in one array level by level without pointers. The child of a node is found by arithmetic, a
// node is one cache line, and every lookup takes the same number of steps.
//
//     keys     | root | 9 nodes | 81 nodes | ... | leaf nodes, trimmed after the last used one |
//               8 keys a node, 16 for IPv4 (twice that for 128-byte lines); unused keys are all ones
//     answers  | one code of 2 or 4 bytes for each leaf key                                     |
//
// Lookup: one dependent line a level, then one for the answer: 6 + 1 for a full IPv6 table, 5 + 1 for IPv4.
// In a node the child is the number of keys below the address: one AVX-512 compare and a popcount. A batch
// walks up to 16 addresses down together, unrolled over levels and lanes, so that their loads and compares
// overlap.
//
// End keys. Leaves hold the inclusive *ends* of intervals (the paper has starts). The last real key is all
// ones, like the sentinels, and no key after it is below a sought key, so no address can run into the
// padding. Variant `starts` has the paper's convention, which needs two clamps; the figures are in
// docs/why/decisions/0004-end-keys.md.
//
// Prefixes longer than /64: a 64-bit cell that is cut by one gets an escape code, and its addresses are
// resolved by binary search in a sorted array of full addresses. Tables without such prefixes pay nothing,
// others a compare a batch.
//
// Update: none; a change needs a new build.
// Limits: 38 million intervals, 386 million for IPv4. Paper: Zhang et al., "PlanB: Efficient Software IPv6
// Lookup with Linearized B+-Tree", NSDI 2026.
//
// Tested by: the suites over the registry, and tests/schemes/planb.
// Read in this order: planb.hpp, view.hpp, escapes.hpp, kernels.inl.hpp, kernels.cpp, inspect.hpp,
// entries.{hpp,cpp}.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/halves.hpp"
#include "fingerpost/fib/parts/answers/coded_intervals.hpp"
#include "fingerpost/fib/scheme.hpp"
#include "fingerpost/schemes/planb/escapes.hpp"
#include "fingerpost/schemes/planb/inspect.hpp"
#include "fingerpost/schemes/planb/view.hpp"

namespace fingerpost::planb {

// The steps of the paper's ablation, and further variants that are worth comparing.
enum class search {
    lower_bound, // std::lower_bound over the sorted ends, no tree
    scalar,      // the tree; the node is searched by a plain loop in code without vector instructions
    autovec,     // the same loop; the compiler may vectorise it for the chosen instruction set
    simd,        // intrinsics, one address at a time
    batched,     // intrinsics, many addresses at a time: PlanB
    starts,      // batched, with the paper's start keys
    b_tree,      // each key stored once, inner nodes have answers too, and a lookup may end there; one
                 // address at a time
};

// Fills the tree over sorted keys. `Starts` selects what a separator is: the smallest key of the child after
// it, or the largest key of the child before it.
template <class Key, unsigned Keys, bool Starts>
class tree_builder {
  public:
    static constexpr Key sentinel = std::numeric_limits<Key>::max();

    explicit tree_builder(std::size_t intervals) : intervals_(intervals) {
        while (capacity() < intervals)
            ++levels_;
    }
    unsigned levels() const noexcept { return levels_; }
    std::size_t leaf_offset() const noexcept { return power(levels_) - 1; }
    std::size_t size() const noexcept { return leaf_offset() + (intervals_ + Keys - 1) / Keys * Keys; }

    void fill(std::span<Key> tree, std::span<const Key> keys, Key bias) const {
        std::size_t at = 0;
        for (unsigned level = 0; level < levels_; ++level) {
            const std::size_t span = Keys * power(levels_ - level - 1); // leaf keys under one child
            std::size_t child = 0;
            for (std::size_t node = 0; node < power(level); ++node, ++child)
                for (unsigned k = 0; k < Keys; ++k) {
                    const std::size_t key = ++child * span - (Starts ? 0 : 1);
                    tree[at++] = (key < keys.size() ? keys[key] : sentinel) ^ bias;
                }
        }
        for (Key key : keys)
            tree[at++] = key ^ bias;
        while (at < tree.size())
            tree[at++] = sentinel ^ bias;
    }

  private:
    static std::size_t power(unsigned level) {
        std::size_t result = 1;
        for (unsigned i = 0; i < level; ++i)
            result *= Keys + 1;
        return result;
    }
    std::size_t capacity() const { return Keys * power(levels_); }

    std::size_t intervals_;
    unsigned levels_ = 0;
};

template <class A, search Search = search::batched, unsigned Keys = line_keys<key_of<A>>>
class fib {
    using key_type = key_of<A>;
    static constexpr unsigned key_bits = 8 * sizeof(key_type);
    static constexpr bool starts = Search == search::starts;
    static constexpr bool is_flat = Search == search::b_tree;
    static constexpr bool has_tree = Search != search::lower_bound && !is_flat;
    static constexpr bool has_batches = Search == search::batched || starts;
    using kernels = tree_kernels<key_type>;

  public:
    static expected<fib> build(const routes<A>& table, const build_options& options = {}) {
        fib built;
        built.codec_ = next_hop_codec::choose(table.intervals().hops, 2);
        auto coded = coded_intervals<A>::make(table.intervals(), built.codec_);
        auto parts = split_at_depth(std::move(coded), 0, 64, built.codec_.escape());
        built.deep_ = std::move(parts.finer);
        if constexpr (is_flat)
            parts.whole = in_flat_order(std::move(parts.whole));
        if (errc failure = built.fill_tree(parts.whole, options); failure != errc::ok)
            return unexpected{failure};
        if (errc failure = built.fill_answers(parts.whole); failure != errc::ok)
            return unexpected{failure};
        built.view_.keys = built.tree_.data();
        built.view_.answers = built.answers_.data();
        built.view_.last_interval = parts.whole.size() - 1;
        built.view_.nodes = parts.whole.size() / Keys;
        return built;
    }

    next_hop lookup(A a) const noexcept {
        const std::uint32_t number = one(key_for(a));
        return codec_.decode(number == codec_.escape_mark() ? deep(a) : number);
    }

    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if constexpr (!has_batches) {
            lookup_each(*this, in, out);
        } else {
            batch(in, reinterpret_cast<std::uint32_t*>(out.data()));
            finish(out.first(in.size()), [in](std::size_t i) { return in[i]; });
        }
    }
    // As in fib/halves.hpp: the keys of the tree are first halves.
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) const noexcept
        requires(has_batches && A::bits > 64)
    {
        kernel_for(simd::input_form::key64)(view_, first.data(), reinterpret_cast<std::uint32_t*>(out.data()),
                                            first.size());
        finish(out.first(first.size()),
               [=](std::size_t i) { return from_halves<A>(first[i], low_at(low, i)); });
    }

    std::size_t memory_bytes() const noexcept { return total_bytes(inspect().parts()); }

    next_hop trace(A a, step_visitor each) const { return inspect().trace(a, each); }
    std::vector<memory_part> memory_parts() const {
        const auto all = inspect().parts();
        return {all.begin(), all.end()};
    }
    void visit(node_visitor<A> each) const { inspect().visit(each); }

  private:
    inspector<A, has_tree || is_flat ? Keys : 0, starts, is_flat> inspect() const noexcept {
        return {.stored = tree_.span(),
                .bias = has_tree || is_flat ? kernels_->key_bias : key_type{0},
                .tree = view_,
                .codec = codec_,
                .finer = deep_};
    }
    static const kernels& choose(const kernel_set& all) noexcept {
        const kernels_over<key_type>& of_width = all.over<key_type>();
        if constexpr (Keys == line_keys<key_type>)
            return starts ? of_width.starts : of_width.ends;
        else
            return of_width.wide;
    }

    // The inclusive end of an interval as a key; narrow addresses are padded with ones.
    static key_type end_key(A end) noexcept {
        return key_for(end) | low_mask<key_type>(A::bits < key_bits ? key_bits - A::bits : 0);
    }

    errc fill_tree(const coded_intervals<A>& intervals, const build_options& options) {
        // The ablation's scalar step uses scalar code on every machine.
        const simd::isa isa = Search == search::scalar ? simd::isa::scalar : options.isa;
        kernels_ = &choose(kernels_of(isa));
        std::vector<key_type> sorted(intervals.size());
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            if constexpr (starts)
                sorted[i] = i == 0 ? 0 : end_key(intervals.ends[i - 1]) + 1;
            else
                sorted[i] = end_key(intervals.ends[i]);
        }
        const tree_builder<key_type, Keys, starts> builder(sorted.size());
        if (has_tree && builder.levels() > most_levels<Keys>)
            return errc::capacity;
        view_.levels = builder.levels();
        view_.leaf_offset = builder.leaf_offset();
        if constexpr (has_tree)
            walk_ = &kernels_->walks[builder.levels()];
        auto memory = aligned_array<key_type>::make(has_tree ? builder.size() : sorted.size());
        if (!memory)
            return memory.error();
        tree_ = std::move(*memory);
        if constexpr (has_tree)
            builder.fill(tree_.span(), sorted, kernels_->key_bias);
        else
            std::transform(sorted.begin(), sorted.end(), tree_.begin(), [this](key_type key) {
                return static_cast<key_type>(is_flat ? key ^ kernels_->key_bias : key);
            });
        return errc::ok;
    }

    // The intervals in the order of the flat tree, with the last one repeated until the nodes are full.
    static coded_intervals<A> in_flat_order(coded_intervals<A> intervals) {
        while (intervals.size() % Keys != 0)
            intervals.push(A::last(), intervals.codes.back());
        coded_intervals<A> ordered = intervals;
        std::size_t next = 0;
        auto place = [&](std::size_t position) {
            ordered.ends[position] = intervals.ends[next];
            ordered.codes[position] = intervals.codes[next++];
        };
        for_each_flat_position<Keys>(intervals.size() / Keys, place);
        return ordered;
    }

    errc fill_answers(const coded_intervals<A>& intervals) {
        auto memory = aligned_array<std::byte>::make(intervals.size() * codec_.bytes());
        if (!memory)
            return memory.error();
        answers_ = std::move(*memory);
        view_.width = codec_.bytes() == 2 ? answer_width::two_bytes : answer_width::four_bytes;
        for (std::size_t i = 0; i < intervals.size(); ++i) {
            const std::uint32_t code = intervals.codes[i];
            if (view_.width == answer_width::two_bytes)
                reinterpret_cast<std::uint16_t*>(answers_.data())[i] = static_cast<std::uint16_t>(code);
            else
                reinterpret_cast<std::uint32_t*>(answers_.data())[i] = code;
        }
        return errc::ok;
    }

    // The code minus one for an address of a cell with an escape code.
    std::uint32_t deep(A a) const noexcept {
        const auto at = std::lower_bound(deep_.ends.begin(), deep_.ends.end(), a);
        return deep_.codes[static_cast<std::size_t>(at - deep_.ends.begin())] - 1;
    }

    // The code minus one of the interval that contains `key`.
    std::uint32_t one(key_type key) const noexcept {
        if constexpr (Search == search::lower_bound) {
            const key_type* at = std::lower_bound(tree_.data(), tree_.data() + tree_.size(), key);
            const auto i = static_cast<std::size_t>(at - tree_.data());
            return view_.width == answer_width::two_bytes
                       ? reinterpret_cast<const std::uint16_t*>(answers_.data())[i] - 1u
                       : reinterpret_cast<const std::uint32_t*>(answers_.data())[i] - 1u;
        } else if constexpr (is_flat) {
            return kernels_->flat(view_, key);
        } else if constexpr (Search == search::scalar || Search == search::autovec) {
            return walk_->plain_loop(view_, key);
        } else {
            return walk_->single(view_, key);
        }
    }

    batch_kernel<key_type> kernel_for(simd::input_form form) const noexcept {
        return walk_->batch[form == simd::input_form::ipv6 ? 1 : 0];
    }
    void batch(std::span<const A> in, std::uint32_t* out) const noexcept {
        if constexpr (A::bits == 128) {
            kernel_for(simd::input_form::ipv6)(view_, in.data(), out, in.size());
        } else if constexpr (A::bits == 32) {
            kernel_for(simd::input_form::ipv4)(view_, in.data(), out, in.size());
        } else {
            // Addresses of other widths are first extended to keys, in pieces that stay in the cache.
            const auto kernel = kernel_for(key_bits == 32 ? simd::input_form::ipv4 : simd::input_form::key64);
            std::array<key_type, 64> keys;
            for (std::size_t done = 0; done < in.size(); done += keys.size()) {
                const std::size_t count = std::min(keys.size(), in.size() - done);
                for (std::size_t i = 0; i < count; ++i)
                    keys[i] = key_for(in[done + i]);
                kernel(view_, keys.data(), out + done, count);
            }
        }
    }

    // Turns the numbers that kernels have written into next hops; address_at(i) returns a whole address.
    template <class At>
    void finish(std::span<next_hop> out, At address_at) const noexcept {
        if (!deep_.empty())
            resolve_escapes(out, codec_.escape_mark(), [&](std::size_t i) { return deep(address_at(i)); });
        codec_.decode(out);
    }

    aligned_array<key_type> tree_;
    aligned_array<std::byte> answers_;
    tree_view<key_type> view_;
    const kernels* kernels_ = nullptr;
    const walk_kernels<key_type>* walk_ = nullptr;
    next_hop_codec codec_;
    coded_intervals<A> deep_; // inside the 64-bit cells that a longer prefix cuts
};

} // namespace fingerpost::planb
