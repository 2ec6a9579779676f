// Multibit tries by controlled prefix expansion: building, lookup, checks and inspection. Schemes differ in
// the slot (multibit_slots.hpp) and in how a walk finds the stride of a node.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/memory/block_pool.hpp"
#include "fingerpost/fib/parts/multibit/bit_cursor.hpp"
#include "fingerpost/fib/parts/multibit/expanded_slots.hpp"
#include "fingerpost/fib/parts/multibit/multibit_kernels.hpp"
#include "fingerpost/fib/parts/multibit/multibit_slots.hpp"
#include "fingerpost/fib/parts/multibit/packed_node.hpp"

namespace fingerpost {

// All nodes of a level have the same stride. The levels cover all bits of an address.
template <class A>
struct strides_by_level {
    static constexpr unsigned bits_in_slot = 0;
    std::array<std::uint8_t, A::bits + 1> by_level{};

    unsigned root() const noexcept { return by_level[0]; }
    template <class Slot>
    unsigned of_child(Slot, unsigned level) const noexcept {
        return by_level[level];
    }
};
// The slot above a node contains its stride, from 1 to 16. The root's stride is stored separately.
struct strides_by_slot {
    static constexpr unsigned bits_in_slot = 4;
    std::uint8_t of_root = 1;

    unsigned root() const noexcept { return of_root; }
    template <class Slot>
    unsigned of_child(Slot slot, unsigned) const noexcept {
        return slot.stride();
    }
};

// Position of a node for inspection: its prefix, its level, and the slot of the parent that leads to it.
template <class A>
struct multibit_place {
    prefix<A> where{};
    unsigned level = 0;
    std::uint64_t slot = 0;
};
// Number of the node's bits that exist in addresses. Lookups read zeros past their last bit.
template <class A>
constexpr unsigned shown_bits(const prefix<A>& where, unsigned stride) noexcept {
    return std::min(stride, A::bits - where.length);
}
// Next hop in the slot itself, or none in a leaf-pushed slot with a child.
template <class Slot, class AnswerOf>
next_hop hop_in(Slot s, AnswerOf answer_of) {
    if constexpr (sizeof(Slot) == 4)
        return s.has_child() ? next_hop::none : answer_of(s);
    else
        return s.hop();
}
// Describes a node with these slots for visitors, without its bytes and contents.
template <class A, class Slot>
structure_node<A> multibit_node(const multibit_place<A>& at, std::string_view kind,
                                std::span<const Slot> slots, unsigned stride) {
    const auto leads_on = [](Slot s) { return s.has_child(); };
    return {.first = at.where.first(),
            .last = at.where.last(),
            .level = at.level,
            .kind = kind,
            .part = "nodes",
            .children = static_cast<std::size_t>(std::count_if(slots.begin(), slots.end(), leads_on)),
            .slot = at.slot,
            .first_bit = at.where.length,
            .bits = shown_bits(at.where, stride)};
}

inline constexpr std::uint32_t longest_node = std::uint32_t{1} << 24;

// Checks the slots of a trie from a file: walks of all addresses end and read nothing outside the slots, and
// every slot where a walk may end satisfies is_answer(slot). Nodes do not overlap, so each slot is examined
// at most once.
template <class A, class Slot, class Strides, class IsAnswer>
class slot_check {
  public:
    slot_check(const layout_check& in, std::span<const Slot> slots, const Strides& strides,
               IsAnswer is_answer)
        : in_(in), slots_(slots), strides_(strides), is_answer_(is_answer) {}

    // The root is the first node and is not packed.
    void from_root() {
        const unsigned stride = strides_.root();
        in_.require(stride >= 1 && stride <= widest_stride, nullptr, "the root has no stride");
        add(0, std::size_t{1} << stride, stride, 1, nullptr);
        rest();
    }
    // Checks all nodes below a slot that is stored elsewhere. Its prefix has `depth` bits.
    void from_slot(Slot above, unsigned depth) {
        check_slot(above, depth, 1, nullptr);
        rest();
    }

  private:
    using layout = packed_node::layout<sizeof(Slot)>;
    static constexpr unsigned widest_stride = std::bit_width(longest_node) - 1;
    // A node to check, with everything below it.
    struct node {
        std::size_t first;
        std::size_t count;
        unsigned depth;
        unsigned level;
    };

    void rest() {
        while (!nodes_.empty()) {
            const node n = nodes_.back();
            nodes_.pop_back();
            for (const Slot& s : slots_.subspan(n.first, n.count))
                check_slot(s, n.depth, n.level, &s);
        }
    }
    void check_slot(Slot above, unsigned depth, unsigned level, const void* at) {
        if (!above.has_child())
            return is_answer_(above, at);
        std::size_t first = above.child();
        if constexpr (requires { above.has_path(); }) {
            if (above.has_path()) {
                in_.leads_into(slots_, first, layout::head, at);
                const node_path path{static_cast<std::uint32_t>(slots_[first].word)};
                in_.require(path.word << 1 != 0, &slots_[first], "a path has no bits");
                if constexpr (layout::head > 1) {
                    in_.require(!slots_[first + 1].has_child(), &slots_[first], "a path leads to two nodes");
                    is_answer_(slots_[first + 1], &slots_[first + 1]);
                }
                seen_ += layout::head;
                first += layout::head;
                depth += path.length();
            }
        }
        in_.require(depth < A::bits, at, "a node tests bits past the end of an address");
        const unsigned stride = strides_.of_child(above, level);
        in_.require(stride >= 1 && stride <= widest_stride, at, "a node has no stride");
        std::size_t count = std::size_t{1} << stride;
        if constexpr (requires { above.is_packed(); }) {
            if (above.is_packed()) {
                in_.require(stride <= packed_node::widest, at, "a packed node has too many bits");
                in_.leads_into(slots_, first, layout::head, at);
                std::uint64_t ends;
                std::memcpy(&ends, &slots_[first], sizeof ends);
                count = packed_node::count_below(ends, 0xff) + 1;
                seen_ += layout::head;
                first += layout::head;
            }
        }
        add(first, count, depth + stride, level + 1, at);
    }
    void add(std::size_t first, std::size_t count, unsigned depth, unsigned level, const void* at) {
        in_.leads_into(slots_, first, count, at);
        seen_ += count;
        in_.require(seen_ <= slots_.size(), at, "nodes overlap");
        nodes_.push_back({first, count, depth, level});
    }

    const layout_check& in_;
    std::span<const Slot> slots_;
    const Strides& strides_;
    IsAnswer is_answer_;
    std::size_t seen_ = 0; // number of slots
    std::vector<node> nodes_;
};

template <class A, template <unsigned> class SlotOf, class Strides>
class multibit_trie {
  public:
    using slot = SlotOf<Strides::bits_in_slot>;
    using pool = block_pool<slot, longest_node, powers_of_two<slot, longest_node>>;
    static constexpr bool pushed = sizeof(slot) == 4;
    static constexpr std::size_t most_slots = std::min<std::size_t>(pool::most, slot::most_slots);

    // Tests pass a lower limit.
    explicit multibit_trie(std::size_t slots_at_most = most_slots) noexcept : slots_(slots_at_most) {}

    // `sorted` has no route of length 0. stride_of(first route, depth, level) chooses the stride of a node.
    // set(slot, route, depth) stores the best route of a slot. Throws std::bad_alloc.
    template <class StrideOf, class Set>
    errc build(const Strides& strides, std::span<const route<A>> sorted, slot none, StrideOf stride_of,
               Set set);

    // State of a lookup in progress.
    struct walk {
        cursor_for<A> rest;
        const slot* at;
        slot best; // of open slots: the last one with a next hop
        unsigned level;
    };
    walk start(A a) const noexcept {
        walk w{cursor_of(a), slots_.data(), {}, 0};
        w.at += w.rest.take(strides_.root());
        __builtin_prefetch(w.at);
        return w;
    }
    template <class Read>
    bool step(walk& w, Read&& read) const {
        const slot current = read(w.at, 0);
        w.best = better(current, w.best);
        if (!current.has_child())
            return false;
        w.at = slots_.data() + current.child() + w.rest.take(strides_.of_child(current, ++w.level));
        __builtin_prefetch(w.at);
        return true;
    }
    // Returns the slot where the walk of an address ends or, with open slots, the last one with a next hop.
    // answer_of(slot) returns the next hop so far.
    slot find(A a) const noexcept {
        return find(plain_reads{}, a, [](slot s) { return s.answer(); });
    }
    template <class Read, class AnswerOf>
    slot find(Read&& read, A a, AnswerOf answer_of) const {
        walk w = start(a);
        unsigned depth = 0, stride = strides_.root();
        for (bool goes_on = true; goes_on;) {
            const slot* const at = w.at;
            goes_on = step(w, read);
            read.tell([&](auto& traced) {
                traced.looks_at(depth, stride);
                traced.key = slice(a, depth, stride);
                if constexpr (!pushed)
                    traced.best = answer_of(w.best);
            });
            depth += stride;
            stride = goes_on ? strides_.of_child(*at, w.level) : 0;
        }
        return w.best;
    }

    // Looks up many addresses and calls use(index, slot) for each. The lookups of a block step together
    // without a branch, and a finished lookup reads its last slot again. The few deep ones, and all bits past
    // the 64th, are walked singly. Larger blocks overlap their cache misses better.
    template <class Use>
    void find_each(std::span<const A> in, Use use) const noexcept {
        const std::size_t done = find_blocks<128>(in, 0, use);
        for (std::size_t i = find_blocks<16>(in, done, use); i < in.size(); ++i)
            use(i, find(in[i]));
    }

    // Writes the next hops of open slots, or the codes of pushed slots minus one.
    void find_all(std::span<const A> in, std::span<next_hop> out) const noexcept {
        const std::size_t done = kernel_ == nullptr ? 0 : find_by_kernel(in, out);
        find_each(in.subspan(done), [out, done](std::size_t i, slot s) { out[done + i] = s.answer(); });
    }
    void use_kernels_of(simd::isa which) noexcept {
        const multibit::kernel_set& kernels = multibit::kernels_of(which);
        const multibit::kernels_of_slot& of_slot = pushed ? kernels.pushed : kernels.open;
        if constexpr (A::bits == 32)
            kernel_ = of_slot.ipv4[own_strides];
        else if constexpr (A::bits == 128)
            kernel_ = of_slot.ipv6[own_strides];
    }

    const Strides& strides() const noexcept { return strides_; }
    // For tries that will not change soon.
    void trim() noexcept { slots_.trim(); }

    // See fib/layout.hpp. is_answer(slot) requires that a slot without a child has a valid code.
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        std::conditional_t<std::is_const_v<Self>, const multibit_trie, multibit_trie>& base = of;
        visit("nodes", base.slots_);
        visit("strides", base.strides_);
    }
    template <class IsAnswer>
    void check(const layout_check& in, IsAnswer is_answer) const {
        const std::span<const slot> slots(slots_.data(), slots_.size());
        slot_check<A, slot, Strides, IsAnswer>(in, slots, strides_, is_answer).from_root();
    }
    // answer_of(slot) returns the next hop where a walk ends.
    template <class AnswerOf>
    void visit(node_visitor<A> each, AnswerOf answer_of) const {
        visit_below(0, strides_.root(), {}, each, answer_of);
    }

  protected:
    // Chooses between the last slot and the best one before.
    static slot better(slot current, slot best) noexcept {
        if constexpr (pushed)
            return current;
        else
            return current.hop() != next_hop::none ? current : best;
    }

    // Returns the number of addresses that it has looked up.
    std::size_t find_by_kernel(std::span<const A> in, std::span<next_hop> out) const noexcept {
        multibit::trie_view view{.slots = slots_.data(), .root = strides_.root()};
        if constexpr (!own_strides)
            view.by_level = strides_.by_level.data();
        std::array<std::uint16_t, multibit::batch_most> left;
        const std::size_t end = in.size() / multibit::batch_unit * multibit::batch_unit;
        for (std::size_t done = 0; done < end; done += multibit::batch_most) {
            const std::size_t count = std::min(multibit::batch_most, end - done);
            auto* const words = reinterpret_cast<std::uint32_t*>(out.data() + done);
            const std::size_t unfinished = kernel_(view, in.data() + done, words, count, left.data());
            for (std::size_t i = 0; i < unfinished; ++i)
                out[done + left[i]] = find(in[done + left[i]]).answer();
        }
        return end;
    }

    static constexpr bool own_strides = Strides::bits_in_slot > 0;
    template <unsigned Lanes>
    struct block {
        std::array<std::uint64_t, Lanes> bits; // first bits of the address
        std::array<std::uint32_t, Lanes> offset;
        std::array<slot, Lanes> best; // open slots only
        std::array<std::uint8_t, own_strides ? Lanes : 1>
            depth; // of the node below; common to all, or one for each
    };
    template <unsigned Lanes, class Use>
    std::size_t find_blocks(std::span<const A> in, std::size_t from, Use use) const noexcept {
        for (; from + Lanes <= in.size(); from += Lanes)
            find_block<Lanes>(in.data() + from, [&](std::size_t i, slot s) { use(from + i, s); });
        return from;
    }
    template <unsigned Lanes, class Use>
    void find_block(const A* in, Use use) const noexcept {
        block<Lanes> lookups;
        lookups.depth.fill(static_cast<std::uint8_t>(strides_.root()));
        for (unsigned i = 0; i < Lanes; ++i) {
            lookups.bits[i] = top64(in[i]);
            lookups.offset[i] = static_cast<std::uint32_t>(lookups.bits[i] >> (64 - strides_.root()));
            lookups.best[i] = {};
            __builtin_prefetch(slots_.at(lookups.offset[i]));
        }
        unsigned level = 1;
        for (unsigned going = Lanes; going > Lanes / 8;)
            going = step_together(lookups, level);
        for (unsigned i = 0; i < Lanes; ++i)
            use(i,
                finish(in[i], lookups.offset[i], lookups.best[i], lookups.depth[own_strides ? i : 0], level));
    }
    // Returns the number of lookups that continue. The others have ended, or need bits that the block does
    // not have.
    template <unsigned Lanes>
    unsigned step_together(block<Lanes>& lookups, unsigned& level) const noexcept {
        unsigned shared = 0;
        if constexpr (!own_strides) {
            shared = strides_.by_level[level];
            if (shared == 0 || lookups.depth[0] + shared > 64)
                return 0;
        }
        unsigned going = 0;
        for (unsigned i = 0; i < Lanes; ++i) {
            const slot current = *slots_.at(lookups.offset[i]);
            if constexpr (!pushed)
                lookups.best[i] = better(current, lookups.best[i]);
            const unsigned stride = own_strides ? strides_.of_child(current, 0) : shared;
            const unsigned depth = lookups.depth[own_strides ? i : 0];
            const std::uint64_t index = lookups.bits[i] << (depth & 63) >> (64 - stride);
            bool goes_on = current.has_child();
            if constexpr (own_strides) {
                goes_on = goes_on & (depth + stride <= 64);
                lookups.depth[i] = static_cast<std::uint8_t>(depth + (goes_on ? stride : 0));
            }
            const auto next = static_cast<std::uint32_t>(current.child() + index);
            lookups.offset[i] = goes_on ? next : lookups.offset[i];
            __builtin_prefetch(slots_.at(lookups.offset[i]));
            going += goes_on ? 1 : 0;
        }
        ++level;
        if constexpr (!own_strides)
            lookups.depth[0] = static_cast<std::uint8_t>(lookups.depth[0] + shared);
        return going;
    }
    slot finish(A a, std::uint32_t offset, slot best, unsigned depth, unsigned level) const noexcept {
        const slot current = *slots_.at(offset);
        if (!current.has_child())
            return better(current, best);
        walk w{cursor_of(A{shift_left(a.value, depth)}), slots_.at(offset), best, level - 1};
        while (step(w, plain_reads{})) {
        }
        return w.best;
    }
    template <class AnswerOf>
    void visit_below(std::uint32_t node, unsigned stride, const multibit_place<A>& at, node_visitor<A> each,
                     AnswerOf answer_of) const;

    multibit::batch_kernel kernel_ = nullptr; // null if there is none
    Strides strides_;
    pool slots_;
};

template <class A, template <unsigned> class SlotOf, class Strides>
template <class StrideOf, class Set>
errc multibit_trie<A, SlotOf, Strides>::build(const Strides& strides, std::span<const route<A>> sorted,
                                              slot none, StrideOf stride_of, Set set) {
    struct node {
        std::uint32_t above; // the slot of its parent
        unsigned depth;
        unsigned level;
        slot covered; // contents of its slots without a route
        std::span<const route<A>> inside;
    };
    strides_ = strides;
    slot_expander<A> expander;
    std::vector<node> nodes{{0, 0, 0, none, sorted}}; // level by level
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const node n = nodes[i];
        const unsigned stride = i == 0 ? strides_.root() : stride_of(n.inside, n.depth, n.level);
        const std::uint32_t offset = slots_.allocate(std::uint32_t{1} << stride);
        if (offset == slots_.nil)
            return slots_.shortage(std::uint32_t{1} << stride);
        if (i > 0)
            slots_.at(n.above)->set_child(offset, stride);
        slot* const first = slots_.at(offset);
        expander.expand(n.inside, n.depth, stride, [&](const slot_run<A>& run) {
            slot content = n.covered;
            if (run.best != nullptr)
                set(content, *run.best, n.depth);
            std::fill_n(first + run.first, run.count, content);
            if (!run.longer.empty())
                nodes.push_back(
                    {offset + run.first, n.depth + stride, n.level + 1, pushed ? content : none, run.longer});
        });
    }
    return errc::ok;
}

template <class A, template <unsigned> class SlotOf, class Strides>
template <class AnswerOf>
void multibit_trie<A, SlotOf, Strides>::visit_below(std::uint32_t node, unsigned stride,
                                                    const multibit_place<A>& at, node_visitor<A> each,
                                                    AnswerOf answer_of) const {
    const std::span<const slot> slots(slots_.at(node), std::size_t{1} << stride);
    structure_node<A> shown = multibit_node(at, "node", slots, stride);
    const unsigned cut = stride - shown.bits;
    const auto show = [&](node_contents& to) {
        for (std::size_t i = 0; i < slots.size() >> cut; ++i)
            add_answer(to, i, hop_in(slots[i << cut], answer_of));
    };
    shown.bytes = slots.size_bytes();
    shown.offset = std::uint64_t{node} * sizeof(slot);
    shown.contents = show;
    each(shown);
    for (std::size_t i = 0; i < slots.size(); ++i)
        if (slots[i].has_child())
            visit_below(slots[i].child(), strides_.of_child(slots[i], at.level + 1),
                        {prefix_of_slot(at.where, i, stride), at.level + 1, i >> cut}, each, answer_of);
}

} // namespace fingerpost
