// The multibit trie with packed nodes and paths (packed_node.hpp), with or without leaf pushing: building,
// lookup and inspection. Only tries with strides in their slots have paths, because the bits after a path
// depend on the node. Without leaf pushing, slots store the length of their route within the node, as in open
// tries, so that slots are equal whatever is above the node.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/batches/rounds.hpp"
#include "fingerpost/fib/parts/multibit/bit_cursor.hpp"
#include "fingerpost/fib/parts/multibit/expanded_slots.hpp"
#include "fingerpost/fib/parts/multibit/multibit_slots.hpp"
#include "fingerpost/fib/parts/multibit/multibit_trie.hpp"
#include "fingerpost/fib/parts/multibit/packed_node.hpp"

namespace fingerpost {

template <class A, class Strides, template <unsigned> class SlotOf = packed_slot>
class packed_trie {
  public:
    using slot = SlotOf<Strides::bits_in_slot>;
    static constexpr bool pushed = sizeof(slot) == 4;
    static constexpr std::size_t most_slots = std::min<std::size_t>(slot::most_slots, std::size_t{1} << 31);

    explicit packed_trie(std::size_t slots_at_most = most_slots) noexcept : most_(slots_at_most) {}

    // Like multibit_trie::build(). The stride is 0 for a vertex below which a path continues.
    template <class StrideOf, class Set>
    errc build(const Strides& strides, std::span<const route<A>> sorted, slot none, StrideOf stride_of,
               Set set);
    void trim() noexcept {}

    // For many tries in one array, each below its own prefix. A walk of a trie begins at the slot that leads
    // to it, which the caller stores.
    struct root {
        unsigned depth = 0; // of the prefix
        slot covered{};     // input: contents for addresses without a route of the trie; output: the slot of
                            // the trie
        std::span<const route<A>> inside{}; // not empty, all longer than the prefix
    };
    // Like build(). Nodes directly below the prefixes have level 1.
    template <class StrideOf, class Set>
    errc build_below(const Strides& strides, std::span<root> roots, StrideOf stride_of, Set set);
    template <class AnswerOf>
    next_hop trace_below(slot from, unsigned depth, A a, step_visitor each, AnswerOf answer_of) const {
        tracing_reads read({{"nodes", std::as_bytes(slots_.span())}}, A::bits, each);
        const next_hop hop = answer_of(find_below(read, from, depth, a));
        read.end();
        return hop;
    }
    template <class AnswerOf>
    void visit_below(slot from, const multibit_place<A>& at, node_visitor<A> each, AnswerOf answer_of) const {
        if (from.has_child())
            visit_child(from, at, each, answer_of);
    }

    struct walk {
        cursor_for<A> rest;
        slot current;
        unsigned level;
        slot best{}; // without leaf pushing: the last slot with a next hop
    };
    walk start(A a) const noexcept { return start(plain_reads{}, a, own_answer); }
    bool step(walk& w) const noexcept {
        unsigned depth = 0;
        return step(w, plain_reads{}, depth, own_answer);
    }
    // Returns the slot where the walk of an address ends or, without leaf pushing, the last one with a next
    // hop. answer_of(slot) returns the next hop so far.
    template <class Read, class AnswerOf>
    slot find(Read&& read, A a, AnswerOf answer_of) const {
        return walk_on(start(read, a, answer_of), read, strides_.root(), answer_of);
    }
    // Starts a walk at a slot from build_below(), or at a slot without a child.
    walk start_below(slot from, unsigned depth, A a) const noexcept {
        walk w{cursor_of(a), from, 0};
        w.rest.skip(depth);
        if (from.has_child()) // otherwise there may be no slots at all
            __builtin_prefetch(slots_.data() + from.child());
        return w;
    }
    template <class Read>
    slot find_below(Read&& read, slot from, unsigned depth, A a) const {
        return walk_on(start_below(from, depth, a), read, depth, own_answer);
    }
    slot find_below(slot from, unsigned depth, A a) const noexcept {
        return find_below(plain_reads{}, from, depth, a);
    }
    static next_hop answer(const walk& w) noexcept { return end_of(w).answer(); }
    void use_kernels_of(simd::isa) noexcept {} // there are no kernels
    void find_all(std::span<const A> in, std::span<next_hop> out) const noexcept {
        lookup_in_rounds<64>(*this, in, out);
    }

    // See fib/layout.hpp. is_answer(slot) requires that a slot without a child has a valid code.
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("nodes", of.slots_);
        visit("strides", of.strides_);
    }
    template <class IsAnswer>
    void check(const layout_check& in, IsAnswer is_answer) const {
        checker(in, is_answer).from_root();
    }
    // Returns a checker. Its from_slot() checks all nodes below a slot.
    template <class IsAnswer>
    auto checker(const layout_check& in, IsAnswer is_answer) const {
        return slot_check<A, slot, Strides, IsAnswer>(in, slots_.span(), strides_, is_answer);
    }
    std::size_t slot_bytes() const noexcept { return slots_.memory_bytes(); }
    template <class AnswerOf>
    void visit(node_visitor<A> each, AnswerOf answer_of) const {
        visit_node({slots_.data(), std::size_t{1} << strides_.root()}, strides_.root(), {}, each, answer_of);
    }

  private:
    using layout = packed_node::layout<sizeof(slot)>;

    struct run {
        std::uint32_t last;
        slot content;
        std::span<const route<A>> longer;
    };
    struct new_node;
    class builder;

    errc take(std::span<const slot> written);
    static constexpr auto own_answer = [](slot s) { return s.answer(); };

    template <class Read, class AnswerOf>
    walk start(Read&& read, A a, AnswerOf answer_of) const {
        walk w{cursor_of(a), {}, 0};
        const std::uint64_t index = w.rest.take(strides_.root());
        take_slot(w, read, index, index);
        tell_slot(w, read, 0, strides_.root(), index, answer_of);
        return w;
    }
    // `depth` is only for inspection.
    template <class Read, class AnswerOf>
    slot walk_on(walk w, Read&& read, unsigned depth, AnswerOf answer_of) const {
        while (step(w, read, depth, answer_of)) {
        }
        return end_of(w);
    }
    template <class Read, class AnswerOf>
    bool step(walk& w, Read&& read, unsigned& depth, AnswerOf answer_of) const {
        if (!w.current.has_child())
            return false;
        if constexpr (slot::may_have_path) {
            // Even without a path, path_of() loads a word to avoid a branch.
            read(slots_.data(), w.current.child(), path_slots(w.current));
            const node_path path = path_of(w.current);
            const std::uint64_t next = w.rest.next();
            const bool leads = path.leads(next);
            if (w.current.has_path())
                read.tell([&](auto& traced) {
                    traced.looks_at(depth, path.length());
                    traced.compares_keys(next >> (64 - path.length()), {path.bits()});
                    if constexpr (!pushed)
                        traced.best = answer_of(w.best);
                });
            if (!leads) {
                if constexpr (pushed)
                    w.current = covered_by_path(w.current);
                return false;
            }
            w.rest.skip(path.length());
            depth += path.length();
        }
        const unsigned stride = strides_.of_child(w.current, ++w.level);
        const std::uint64_t index = w.rest.take(stride);
        const std::size_t offset = offset_of(w.current, index);
        take_slot(w, read, w.current.is_packed() ? node_of(w.current) : offset, offset);
        tell_slot(w, read, depth, stride, index, answer_of);
        depth += stride;
        return w.current.has_child();
    }
    // Reads the slots from `from` to `offset`, and the ends of a packed node, and keeps the last slot.
    template <class Read>
    void take_slot(walk& w, Read&& read, std::size_t from, std::size_t offset) const {
        read(slots_.data(), from, offset + 1 - from);
        w.current = slots_.data()[offset];
        if constexpr (!pushed)
            w.best = better(w.current, w.best);
        __builtin_prefetch(slots_.data() + w.current.child());
    }
    template <class Read, class AnswerOf>
    static void tell_slot(const walk& w, Read&& read, unsigned depth, unsigned stride, std::uint64_t index,
                          AnswerOf answer_of) {
        read.tell([&](auto& traced) {
            traced.looks_at(depth, stride);
            traced.key = index;
            if constexpr (!pushed)
                traced.best = answer_of(w.best);
        });
    }
    static slot end_of(const walk& w) noexcept {
        if constexpr (pushed)
            return w.current;
        else
            return w.best;
    }
    static slot better(slot current, slot best) noexcept {
        if constexpr (pushed)
            return current;
        else
            return current.hop() != next_hop::none ? current : best;
    }
    static std::uint32_t path_slots(slot above) noexcept { return above.has_path() ? layout::head : 0; }
    // Position of the node, after its path.
    static std::uint32_t node_of(slot above) noexcept { return above.child() + path_slots(above); }
    node_path path_of(slot above) const noexcept {
        const auto word = static_cast<std::uint32_t>(slots_.data()[above.child()].word);
        return above.has_path() ? node_path{word} : node_path{};
    }
    slot covered_by_path(slot above) const noexcept { return slots_.data()[above.child() + 1]; }
    std::uint64_t ends_of(std::uint32_t node) const noexcept {
        std::uint64_t ends;
        std::memcpy(&ends, slots_.data() + node, sizeof ends);
        return ends;
    }
    std::size_t offset_of(slot above, std::uint64_t index) const noexcept {
        const std::uint32_t node = node_of(above);
        return above.is_packed() ? node + layout::head + packed_node::count_below(ends_of(node), index)
                                 : node + index;
    }
    template <class AnswerOf>
    void visit_child(slot above, multibit_place<A> at, node_visitor<A> each, AnswerOf answer_of) const;
    template <class AnswerOf>
    void visit_node(std::span<const slot> slots, unsigned stride, const multibit_place<A>& at,
                    node_visitor<A> each, AnswerOf answer_of, std::uint64_t ends = 0) const;

    Strides strides_;
    aligned_array<slot> slots_;
    std::size_t most_;
};

template <class A, class Strides, template <unsigned> class SlotOf>
template <class AnswerOf>
void packed_trie<A, Strides, SlotOf>::visit_child(slot above, multibit_place<A> at, node_visitor<A> each,
                                                  AnswerOf answer_of) const {
    if (above.has_path()) {
        const node_path path = path_of(above);
        each({.first = at.where.first(),
              .last = at.where.last(),
              .level = at.level,
              .kind = "path",
              .part = "nodes",
              .bytes = layout::head * sizeof(slot),
              .children = 1,
              .offset = std::uint64_t{above.child()} * sizeof(slot),
              .slot = at.slot,
              .first_bit = at.where.length,
              .bits = path.length(),
              .contents = [&](node_contents& to) {
                  to.with = compared::keys;
                  to.values.push_back(path.bits());
                  add_answer(to, 0, next_hop::none);
                  if constexpr (pushed)
                      add_answer(to, 1, answer_of(covered_by_path(above))); // off the path
              }});
        at = {prefix_of_slot(at.where, path.bits(), path.length()), at.level + 1, 0};
    }
    const unsigned stride = strides_.of_child(above, at.level);
    const std::uint32_t node = node_of(above);
    if (!above.is_packed())
        return visit_node({slots_.data() + node, std::size_t{1} << stride}, stride, at, each, answer_of);
    const std::uint64_t ends = ends_of(node);
    const std::size_t runs = packed_node::count_below(ends, 0xff) + 1;
    visit_node({slots_.data() + node + layout::head, runs}, stride, at, each, answer_of, ends);
}

template <class A, class Strides, template <unsigned> class SlotOf>
template <class AnswerOf>
void packed_trie<A, Strides, SlotOf>::visit_node(std::span<const slot> slots, unsigned stride,
                                                 const multibit_place<A>& at, node_visitor<A> each,
                                                 AnswerOf answer_of, std::uint64_t ends) const {
    const bool packed = slots.size() >> stride == 0;
    const std::size_t head = packed ? layout::head * sizeof(slot) : 0;
    structure_node<A> shown = multibit_node(at, packed ? "packed node" : "node", slots, stride);
    const unsigned cut = stride - shown.bits;
    // Last slot of run i.
    const auto end_of_run = [&](std::size_t i) {
        return i + 1 < slots.size() ? ends >> (8 * i) & 0xff : (std::uint64_t{1} << stride) - 1;
    };
    const auto show = [&](node_contents& to) {
        for (std::size_t i = 0; packed && i + 1 < slots.size(); ++i)
            to.values.push_back(end_of_run(i) >> cut);
        to.with = to.values.empty() ? compared::nothing : compared::keys;
        const unsigned step = packed ? 0 : cut;
        for (std::size_t i = 0; i < slots.size() >> step; ++i)
            add_answer(to, i, hop_in(slots[i << step], answer_of));
    };
    shown.bytes = slots.size_bytes() + head;
    shown.offset = static_cast<std::uint64_t>(slots.data() - slots_.data()) * sizeof(slot) - head;
    shown.contents = show;
    each(shown);
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (!slots[i].has_child())
            continue;
        // The run of a child has one index.
        const std::uint64_t index = packed ? end_of_run(i) : i;
        visit_child(slots[i], {prefix_of_slot(at.where, index, stride), at.level + 1, packed ? i : i >> cut},
                    each, answer_of);
    }
}

} // namespace fingerpost

#include "fingerpost/fib/parts/multibit/packed_trie_build.inl.hpp"
