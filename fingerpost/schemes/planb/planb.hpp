// PlanB: longest-prefix match as a predecessor search among elementary intervals, in a linearized B+-tree.
//
// Every route is a range of addresses. The ends of all ranges divide the address space into elementary
// intervals, each with one answer, so a lookup finds the interval of an address. The ends of the intervals,
// as keys of 64 bits (32 for IPv4), are the leaves of a complete (Keys + 1)-ary tree. It is stored level by
// level in one array without pointers: the place of a child is computed, a node is one cache line, and every
// lookup takes the same number of steps.
//
//     keys     | root | 9 nodes | 81 nodes | ... | leaf nodes, trimmed after the last used one |
//               8 keys a node, 16 for IPv4 (twice that for 128-byte lines); unused keys are all ones
//     answers  | one code of 2 or 4 bytes for each leaf key                                     |
//
// Lookup: one dependent cache line for each level, then one for the answer: 6 + 1 for a full IPv6 table, 5 +
// 1 for IPv4. The number of keys below the address gives the child: one AVX-512 comparison and a popcount. In
// a batch, up to 16 addresses descend together, unrolled over levels and lanes, so that their loads and
// comparisons overlap.
//
// End keys. Leaves hold the inclusive *ends* of intervals (the paper has starts). The last real key is all
// ones, like the sentinels, and it is never below a sought key, so no address reaches the padding. Variant
// `starts` uses the paper's convention, which needs two clamps; the figures are in
// docs/why/decisions/0004-end-keys.md.
//
// Prefixes longer than /64: a 64-bit cell that such a prefix divides gets an escape code, and its addresses
// are resolved by binary search in a sorted array of full addresses. This costs tables without such prefixes
// nothing, and others one comparison for each block of a batch.
//
// Update: not supported; a live table rebuilds the FIB. Limits: 38 million intervals, 386 million for IPv4.
// Paper: Zhang et al., "PlanB: Efficient Software IPv6 Lookup with Linearized B+-Tree", NSDI 2026.
//
// Tested by: the registry's suites and tests/schemes/planb. Reading order: planb.hpp, view.hpp, escapes.hpp,
// kernels.inl.hpp, kernels.cpp, visit.hpp, entries.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/halves.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/coded_intervals.hpp"
#include "fingerpost/fib/scheme.hpp"
#include "fingerpost/schemes/planb/escapes.hpp"
#include "fingerpost/schemes/planb/view.hpp"
#include "fingerpost/schemes/planb/visit.hpp"

namespace fingerpost::planb {

// The steps of the paper's ablation, and more variants worth comparing.
enum class search {
    lower_bound, // std::lower_bound over the sorted ends, without a tree
    scalar,      // the tree; nodes are searched with a plain loop in scalar code
    autovec,     // the same loop, which the compiler may vectorise for the chosen instruction set
    simd,        // intrinsics, one address at a time
    batched,     // intrinsics, many addresses at a time: PlanB
    starts,      // like `batched`, but with the paper's start keys
    // one address at a time; each key is stored once, inner nodes have answers too, and a lookup may end
    // there
    b_tree,
};

// Fills the tree with sorted keys. With `Starts`, a separator is the smallest key of the child after it;
// otherwise it is the largest key of the child before it.
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

    void fill(std::span<Key> tree, std::span<const Key> keys) const {
        for_each_inner([&](std::size_t at, std::size_t key) {
            tree[at] = simd::stored_key(key < keys.size() ? keys[key] : sentinel);
        });
        std::fill(tree.begin() + static_cast<std::ptrdiff_t>(leaf_offset()), tree.end(),
                  simd::stored_key(sentinel));
        std::transform(keys.begin(), keys.end(), tree.begin() + static_cast<std::ptrdiff_t>(leaf_offset()),
                       simd::stored_key<Key>);
    }
    // Whether the inner nodes of this tree are those that fill() makes from the leaves.
    bool fits(std::span<const Key> tree) const {
        const std::span<const Key> leaves = tree.subspan(leaf_offset());
        bool all_equal = true;
        for_each_inner([&](std::size_t at, std::size_t key) {
            all_equal &= tree[at] == (key < leaves.size() ? leaves[key] : simd::stored_key(sentinel));
        });
        return all_equal;
    }

  private:
    static std::size_t power(unsigned level) {
        std::size_t result = 1;
        for (unsigned i = 0; i < level; ++i)
            result *= Keys + 1;
        return result;
    }
    std::size_t capacity() const { return Keys * power(levels_); }
    // Calls each(position, number of the leaf key) for the keys of inner nodes, in order.
    template <class Each>
    void for_each_inner(Each each) const {
        std::size_t at = 0;
        for (unsigned level = 0; level < levels_; ++level) {
            const std::size_t span = Keys * power(levels_ - level - 1); // number of leaf keys below a child
            std::size_t child = 0;
            for (std::size_t node = 0; node < power(level); ++node, ++child)
                for (unsigned k = 0; k < Keys; ++k)
                    each(at++, ++child * span - (Starts ? 0 : 1));
        }
    }

    std::size_t intervals_;
    unsigned levels_ = 0;
};

template <class A, search Search = search::batched, unsigned Keys = line_keys<key_of<A>>>
class fib : public laid_out<fib<A, Search, Keys>, A> {
    friend laid_out<fib, A>;
    using key_type = key_of<A>;
    static constexpr unsigned key_bits = 8 * sizeof(key_type);
    static constexpr bool starts = Search == search::starts;
    static constexpr bool is_flat = Search == search::b_tree;
    static constexpr bool has_tree = Search != search::lower_bound && !is_flat;
    static constexpr bool has_batches = Search == search::batched || starts;
    using kernels = tree_kernels<key_type>;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit(Search == search::lower_bound ? "ends" : "keys", of.tree_);
        visit("answers", of.answers_);
        visit("next hops", of.codec_);
        visit("finer ends", of.deep_.ends);
        visit("finer codes", of.deep_.codes);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        return answer_in(read, interval_of(read, key_for(a)), a);
    }
    // The answer of an address in this interval.
    template <class Read>
    next_hop answer_in(Read&& read, std::uint64_t interval, A a) const {
        std::uint32_t code = read_code(view_, read, interval);
        if (code == codec_.escape()) {
            const std::size_t at =
                search_sorted(read, deep_.ends.data(), deep_.size(), a, A::bits, number_in_step<A::bits>);
            code = read(deep_.codes, at);
        }
        return read.answer(codec_.decoder(), code - 1);
    }

    const tree_view<key_type>& tree() const noexcept { return view_; }

    static expected<fib> build(const routes<A>& table, const build_options& options = {}) {
        fib built;
        built.codec_ = next_hop_codec::choose(table.intervals().hops, 2);
        auto coded = coded_intervals<A>::make(table.intervals(), built.codec_);
        auto parts = split_at_depth(std::move(coded), 0, 64, built.codec_.escape());
        built.deep_ = std::move(parts.finer);
        if constexpr (is_flat)
            parts.whole = in_flat_order(std::move(parts.whole));
        if (errc failure = built.fill_tree(parts.whole); failure != errc::ok)
            return unexpected{failure};
        if (errc failure = built.fill_answers(parts.whole); failure != errc::ok)
            return unexpected{failure};
        built.ready(options);
        return built;
    }

    next_hop lookup(A a) const noexcept {
        if constexpr (Search == search::lower_bound)
            return find(plain_reads{}, a);
        const std::uint32_t number = interval_code(key_for(a));
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
    // Required by fib/halves.hpp. The keys of the tree are the first halves.
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) const noexcept
        requires(has_batches && A::bits > 64)
    {
        kernel_for(simd::input_form::key64)(view_, first.data(), reinterpret_cast<std::uint32_t*>(out.data()),
                                            first.size());
        finish(out.first(first.size()),
               [=](std::size_t i) { return from_halves<A>(first[i], low_at(low, i)); });
    }

    void visit(node_visitor<A> each) const { shape().visit(each); }

    // Every search ends at a leaf, because inner keys equal keys of leaves and no key is above the last end.
    void check(const layout_check& in) {
        const std::size_t intervals = codec_.bytes() == 0 ? 0 : answers_.size() / codec_.bytes();
        in.require(codec_.bytes() >= 2 && intervals > 0 && answers_.size() == intervals * codec_.bytes(),
                   answers_.data(), "wrong number of answers");
        const builder tree(intervals);
        const std::size_t keys = has_tree ? tree.size() : intervals;
        in.require(tree_.size() == keys && (!is_flat || intervals % Keys == 0), tree_.data(),
                   "wrong number of keys");
        if constexpr (has_tree)
            in.require(tree.levels() <= most_levels<Keys> && tree.fits(tree_.span()), tree_.data(),
                       "an inner key is not a key of a leaf");
        make_view();
        const auto nodes = shape();
        in.require(starts || is_flat || nodes.key_at(nodes.leaf_offset() + intervals - 1) == nodes.all_ones,
                   tree_.data(), "the last interval ends before the last address");
        bool ascend = true;
        key_type before = 0;
        const auto follow = [&](std::size_t position) {
            ascend &= before <= nodes.key_at(position);
            before = nodes.key_at(position);
        };
        if constexpr (is_flat)
            for_each_flat_position<Keys>(intervals / Keys, follow);
        else
            for (std::size_t i = nodes.leaf_offset(); i < tree_.size(); ++i)
                follow(i);
        in.require(starts || before == nodes.all_ones, tree_.data(), "the last key is not the largest");
        in.require(ascend, tree_.data(), "keys are not in ascending order");
        in.require(deep_.ends.size() == deep_.codes.size(), nullptr, "wrong number of finer codes");
        for (std::size_t i = 0; i < intervals; ++i) {
            const std::uint32_t code = read_code(view_, plain_reads{}, i);
            const auto last = [&] { return is_flat ? nodes.address_of(nodes.key_at(i)) : nodes.last_of(i); };
            if (code != codec_.escape() || deep_.empty() || deep_.ends.back() < last())
                in.is_code(codec_, code, answers_.data() + i * codec_.bytes());
        }
        for (const std::uint32_t code : deep_.codes)
            in.is_code(codec_, code, nullptr);
    }
    void ready(const build_options& options) {
        make_view();
        // The ablation's scalar variant uses scalar code on every machine.
        kernels_ = &choose(kernels_of(Search == search::scalar ? simd::isa::scalar : options.isa));
        if constexpr (has_tree)
            walk_ = &kernels_->walks[view_.levels];
    }

  private:
    using builder = tree_builder<key_type, Keys, starts>;

    structure<A, has_tree || is_flat ? Keys : 0, starts, is_flat> shape() const noexcept {
        return {.stored = tree_.span(), .tree = view_, .codec = codec_, .finer = deep_};
    }
    void make_view() noexcept {
        const std::size_t intervals = answers_.size() / codec_.bytes();
        const builder tree(intervals);
        view_ = {.keys = tree_.data(),
                 .answers = answers_.data(),
                 .leaf_offset = tree.leaf_offset(),
                 .last_interval = intervals - 1,
                 .nodes = intervals / Keys,
                 .levels = tree.levels(),
                 .width = codec_.bytes() == 2 ? answer_width::two_bytes : answer_width::four_bytes};
    }
    template <class Read>
    std::uint64_t interval_of(Read&& read, key_type key) const {
        if constexpr (Search == search::lower_bound)
            return search_sorted(read, tree_.data(), tree_.size(), key, 64, number_of<A>);
        else if constexpr (is_flat)
            return find_in_flat<A, Keys>(view_, read, key);
        else
            return find_in_tree<A, Keys, starts>(view_, read, view_.levels, key);
    }
    static const kernels& choose(const kernel_set& set) noexcept {
        const kernels_over<key_type>& of_width = set.over<key_type>();
        if constexpr (Keys == line_keys<key_type>)
            return starts ? of_width.starts : of_width.ends;
        else
            return of_width.wide;
    }

    // The inclusive end of an interval as a key. Narrow addresses are padded with ones.
    static key_type end_key(A end) noexcept {
        return key_for(end) | low_mask<key_type>(A::bits < key_bits ? key_bits - A::bits : 0);
    }

    errc fill_tree(const coded_intervals<A>& intervals) {
        std::vector<key_type> sorted(intervals.size());
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            if constexpr (starts)
                sorted[i] = i == 0 ? 0 : end_key(intervals.ends[i - 1]) + 1;
            else
                sorted[i] = end_key(intervals.ends[i]);
        }
        const builder tree(sorted.size());
        if (has_tree && tree.levels() > most_levels<Keys>)
            return errc::capacity;
        auto memory = aligned_array<key_type>::make(has_tree ? tree.size() : sorted.size());
        if (!memory)
            return memory.error();
        tree_ = std::move(*memory);
        if constexpr (has_tree)
            tree.fill(tree_.span(), sorted);
        else
            std::transform(sorted.begin(), sorted.end(), tree_.begin(),
                           [](key_type key) { return is_flat ? simd::stored_key(key) : key; });
        return errc::ok;
    }

    // The intervals in the order of the flat tree. The last one is repeated until the nodes are full.
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
        for (std::size_t i = 0; i < intervals.size(); ++i) {
            const std::uint32_t code = intervals.codes[i];
            if (codec_.bytes() == 2)
                reinterpret_cast<std::uint16_t*>(answers_.data())[i] = static_cast<std::uint16_t>(code);
            else
                reinterpret_cast<std::uint32_t*>(answers_.data())[i] = code;
        }
        return errc::ok;
    }

    // The code minus one of an address in a cell with an escape code.
    std::uint32_t deep(A a) const noexcept {
        const auto at = std::lower_bound(deep_.ends.begin(), deep_.ends.end(), a);
        return deep_.codes[static_cast<std::size_t>(at - deep_.ends.begin())] - 1;
    }

    // The code minus one of the interval that contains `key`.
    std::uint32_t interval_code(key_type key) const noexcept {
        if constexpr (is_flat) {
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
            // Addresses of other widths are converted to keys in chunks that stay in the cache.
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

    // Converts the numbers written by kernels to next hops. address_at(i) returns a whole address.
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
    coded_intervals<A> deep_; // intervals inside 64-bit cells that longer prefixes divide
};

} // namespace fingerpost::planb
