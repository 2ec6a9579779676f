// Neurotrie, reconstructed: a trie in which each node has its own stride, chosen so that the average depth is
// minimal for a memory budget.
//
// A node with stride s has 2^s slots, in blocks of 64. A slot has a child or an answer, and equal
// neighbouring answers share a leaf. The children of a node are contiguous, and so are its blocks and leaves.
// The rank of a slot's bit gives its child or leaf: a block has two bitmaps and the numbers of children and
// leaves in the blocks before it.
//
//      headers  [ stride 1 | made by 1 | planned 2 | blocks 4 | children 4 | leaves 4 ] ...   for siblings
//                                                       |
//      blocks   [ child 8 | run 8 | children before 4 | runs before 4 ] ...   2^(stride - 6) of them, or 1
//                    |       `--> leaves[leaves + runs before + run bits up to the slot - 1]
//                    `----------> headers[children + children before + child bits before the slot]
//      leaves   [ codes of 2 or 4 bytes ]      code 0: no route, code n + 1: next hop number n
//
// Strides from 1 to 16 are chosen for a whole table (plan.hpp), either by an exact dynamic program or by a
// rule that was learned from it (learned.hpp).
//
// Lookup: two dependent loads for each node (header and block) and one for the leaf, which is the weakness of
// the scheme. Full IPv6 tables have 3.3 nodes on average in 25 bytes a route.
//
// Memory: 16 + sum over nodes of 24 * ceil(2^stride / 64) + 16 * children + 2 or 4 * runs, within the budget.
// If no trie is that small, the budget becomes 1.25 times the least memory, and nodes are shown as "node
// above budget". The learned rule needs 1.06 times the least memory; below that, the exact program is used.
//
// Update: nodes that a range divides are remade with the same stride. New parts below a slot get strides by
// the same rule and price; a node that takes 1.5 times its planned memory gets new strides too. A change
// requests a rebuild if the FIB would exceed the budget, or if its size differs too much from that of a new
// one. Not safe with concurrent readers.
//
// Batch: 64 lookups take half steps together (kernels.inl.hpp).
//
// Limits: 2^31 - 1 headers, 2^31 - 1 blocks, and 2^31 - 1 units of two bytes for leaves.
//
// Source: reconstructed from the public parts of H. Chen et al., Neurotrie: deep reinforcement learning-based
// fast software IPv6 lookup, ICDCS 2022, and Zhu et al., ToN 2024. The field widths, the form of the dynamic
// program and the learned chooser are this project's own.
//
// Tested by: the registry's suites and tests/schemes/neurotrie. Reading order: neurotrie.hpp, view.hpp,
// arrays.{hpp,cpp}, vertices.{hpp,cpp}, plan.{hpp,cpp}, learned_weights.{hpp,cpp}, learned.{hpp,cpp},
// trie.hpp, kernels.inl.hpp, kernels.cpp, visit.hpp, entries.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/parts/multibit/multibit_fib.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/neurotrie/trie.hpp"
#include "fingerpost/schemes/neurotrie/visit.hpp"

namespace fingerpost::neurotrie {

inline constexpr unsigned usual_budget = 25; // bytes a route

template <class A, chooser By = chooser::exact, unsigned BytesPerRoute = usual_budget>
class fib : public laid_out<fib<A, By, BytesPerRoute>, A> {
    static_assert(A::bits <= 64 || A::bits == 128, "kernels read one word or two");

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        node_arrays::for_each_array(of.trie_.arrays(), visit);
        visit("next hops", of.codec_);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        const trie_view view = arrays().view();
        const std::uint32_t number = width_ == leaf_width::two_bytes
                                         ? neurotrie::find<leaf_width::two_bytes>(view, read, cursor_of(a))
                                         : neurotrie::find<leaf_width::four_bytes>(view, read, cursor_of(a));
        return read.answer(codec_.decoder(), number);
    }

    // Tests pass other budgets than the type's, and fewer than four bytes for a code.
    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               double bytes_per_route = BytesPerRoute, unsigned widest_code = 4) try {
        fib built;
        built.codec_ = next_hop_codec::choose(table.intervals().hops, 2, {}, widest_code);
        built.bytes_per_route_ = bytes_per_route;
        built.routes_ = table.size();
        std::vector<std::uint32_t> codes;
        codes.reserve(table.intervals().size());
        for (const next_hop hop : table.intervals().hops)
            codes.push_back(built.codec_.encode(hop));
        vertex_list vertices(built.codec_.bytes());
        vertex_reader<A> reader(table.intervals().ends, codes, table.sorted());
        const side top = reader.read(vertices, A::first(), 0);
        const plan chosen = top.is_inner ? plan_for_budget(vertices, By, built.budget()) : plan{};
        built.trie_ = trie<A>(built.codec_.bytes());
        built.trie_.fill(vertices, top, chosen, By);
        built.size_ = multibit::fair_size(built.arrays().memory_bytes() / unit, built.routes_);
        built.ready(options);
        return built;
    } catch (...) {
        return unexpected{reason_of_exception()};
    }

    next_hop lookup(A a) const noexcept {
        const auto kernel = kernels_->single[A::bits > 64 ? 1 : 0][static_cast<std::size_t>(width_)];
        return codec_.decode(kernel(arrays().view(), top64(a), bottom64(a)));
    }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        in_input_form(in, out,
                      [this](simd::input_form form, const void* from, next_hop* to, std::size_t count) {
                          const auto& by_width = kernels_->batch[static_cast<std::size_t>(form)];
                          by_width[static_cast<std::size_t>(width_)](
                              arrays().view(), from, reinterpret_cast<std::uint32_t*>(to), count);
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
            routes_ += c.before == next_hop::none ? 1 : 0;
            routes_ -= c.after == next_hop::none ? 1 : 0;
            size_.count(c.before, c.after);
            return keep_budget();
        });
    }

    void visit(node_visitor<A> each) const { visitor<A>(arrays(), codec_).visit(each); }

    void check(const layout_check& in) {
        in.require(codec_.bytes() >= 2, nullptr, "wrong number of codes");
        trie_.arrays().set_leaf_bytes(codec_.bytes());
        trie_.arrays().template check<A>(in, codec_);
    }
    void ready(const build_options& options) noexcept {
        kernels_ = &kernels_of(options.isa);
        width_ = codec_.bytes() == 2 ? leaf_width::two_bytes : leaf_width::four_bytes;
    }

    // The bytes by the formula above, and the limit for the current routes.
    std::uint64_t planned_bytes() const noexcept { return arrays().planned_bytes(); }
    std::uint64_t budget() const noexcept {
        return static_cast<std::uint64_t>(bytes_per_route_ * static_cast<double>(routes_));
    }
    choice made_by() const noexcept { return trie_.made_by(); }

  private:
    // unit of fair_size, which tolerates 64 units in small tries
    static constexpr std::size_t unit = sizeof(header);

    const node_arrays& arrays() const noexcept { return trie_.arrays(); }

    // Must be called after a change.
    errc keep_budget() {
        if (made_by() != choice::least && planned_bytes() > budget())
            return errc::capacity;
        const std::size_t live = arrays().live_bytes() / unit;
        if (size_.is_outdated_by(live))
            return errc::capacity;
        if (size_.is_exceeded_by(arrays().memory_bytes() / unit)) {
            if (!size_.is_met_by(live))
                return errc::capacity;
            trie_.make_compact();
        }
        return errc::ok;
    }

    trie<A> trie_;
    next_hop_codec codec_;
    multibit::fair_size size_; // size of the arrays
    double bytes_per_route_ = BytesPerRoute;
    std::size_t routes_ = 0;
    const kernel_set* kernels_ = nullptr;
    leaf_width width_ = leaf_width::two_bytes;
};

} // namespace fingerpost::neurotrie
