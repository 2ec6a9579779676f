// The leaf-pushed multibit trie with packed nodes: where the slots of a node are few runs of equal ones, it
// keeps the runs instead.
//
//      plain    [ 2^stride slots ]
//      packed   [ ends of the runs but the last, 8 bytes | a slot for each run ]      at most 44 bytes, one
//      line
//
// A run ends at an index of one byte, so only nodes of up to 8 bits are packed, and only where that is
// smaller. The run of an index is the number of ends below it: one comparison of eight bytes in a word.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/bit_reader.hpp"
#include "fingerpost/fib/parts/expanded_slots.hpp"
#include "fingerpost/fib/parts/multibit_slots.hpp"
#include "fingerpost/fib/parts/rounds.hpp"

namespace fingerpost {

// As pushed_slot, and a child may be packed.
template <unsigned StrideBits>
struct packed_slot {
    static constexpr unsigned place_bits = 30 - StrideBits;
    static constexpr std::size_t most_slots = std::size_t{2} << place_bits;
    static constexpr std::uint32_t child_mark = std::uint32_t{1} << 31;
    static constexpr std::uint32_t packed_mark = std::uint32_t{1} << 30;

    std::uint32_t word = 0;

    bool has_child() const noexcept { return (word & child_mark) != 0; }
    bool is_packed() const noexcept { return (word & packed_mark) != 0; } // of a slot with a child
    std::uint32_t child() const noexcept { return (word & low_mask<std::uint32_t>(place_bits)) * 2; }
    unsigned stride() const noexcept {
        return (word >> place_bits & low_mask<std::uint32_t>(StrideBits)) + 1;
    }
    std::uint32_t code() const noexcept { return word; }

    void set_child(std::uint32_t place, unsigned stride, bool packed) noexcept {
        word = child_mark | (packed ? packed_mark : 0) | place / 2;
        if constexpr (StrideBits > 0)
            word |= (stride - 1) << place_bits;
    }
};

namespace packed_node {

inline constexpr unsigned most_runs = 9;
inline constexpr unsigned widest = 8;
inline constexpr std::uint32_t head = 2; // slots that the ends take

// How many of eight bytes are below `index`.
constexpr unsigned count_below(std::uint64_t ends, std::uint64_t index) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101, tops = ones << 7;
    const std::uint64_t x = ones * index;
    const std::uint64_t low_not_below = (ends | tops) - (x & ~tops); // top bits: the other seven not below
    const std::uint64_t below = ((~ends & x) | (~(ends ^ x) & ~low_not_below)) & tops;
    return static_cast<unsigned>((below >> 7) * ones >> 56);
}

} // namespace packed_node

template <class A, class Strides>
class packed_trie {
  public:
    using slot = packed_slot<Strides::bits_in_slot>;
    static constexpr std::size_t most_slots = std::min<std::size_t>(slot::most_slots, std::size_t{1} << 31);

    explicit packed_trie(std::size_t slots_at_most = most_slots) noexcept : most_(slots_at_most) {}

    // As multibit_trie::build().
    template <class StrideOf, class Set>
    errc build(const Strides& strides, std::span<const route<A>> sorted, slot none, StrideOf stride_of,
               Set set);
    void trim() noexcept {}

    struct walk {
        bit_reader<A> rest;
        slot here;
        unsigned level;
    };
    walk start(A a) const noexcept {
        walk w{bit_reader<A>(a), {}, 0};
        w.here = slots_.data()[w.rest.take(strides_.root())];
        __builtin_prefetch(slots_.data() + w.here.child());
        return w;
    }
    bool step(walk& w) const noexcept {
        if (!w.here.has_child())
            return false;
        const std::uint64_t index = w.rest.take(strides_.of_child(w.here, ++w.level));
        w.here = slots_.data()[place_of(w.here, index)];
        __builtin_prefetch(slots_.data() + w.here.child());
        return w.here.has_child();
    }
    slot find(A a) const noexcept {
        walk w = start(a);
        while (step(w)) {
        }
        return w.here;
    }
    static next_hop answer(const walk& w) noexcept { return {w.here.code() - 1}; }
    void find_codes(std::span<const A> in, std::span<next_hop> out) const noexcept {
        lookup_in_rounds<64>(*this, in, out);
    }

    std::size_t slot_bytes() const noexcept { return slots_.memory_bytes(); }
    template <class AnswerOf>
    next_hop trace(A a, step_visitor each, AnswerOf answer_of) const;
    void visit(node_visitor<A> each) const { visit_below(0, false, strides_.root(), prefix<A>{}, 0, each); }

  private:
    struct run {
        std::uint32_t last;
        slot content;
        std::span<const route<A>> longer;
    };

    std::uint64_t ends_of(std::uint32_t node) const noexcept {
        std::uint64_t ends;
        std::memcpy(&ends, slots_.data() + node, sizeof ends);
        return ends;
    }
    std::size_t place_of(slot above, std::uint64_t index) const noexcept {
        const std::uint32_t node = above.child();
        return above.is_packed() ? node + packed_node::head + packed_node::count_below(ends_of(node), index)
                                 : node + index;
    }
    // Where a node of this many slots may begin; a packed one lies in one cache line.
    static std::size_t place_for(std::size_t used, std::size_t count, bool packed) noexcept {
        constexpr std::size_t line = cache_line_bytes / sizeof(slot);
        const std::size_t even = (used + 1) / 2 * 2;
        return packed && even % line + count > line ? (even + line - 1) / line * line : even;
    }
    void visit_below(std::uint32_t node, bool packed, unsigned stride, const prefix<A>& where, unsigned level,
                     node_visitor<A> each) const;

    Strides strides_;
    aligned_array<slot> slots_;
    std::size_t most_;
};

template <class A, class Strides>
template <class StrideOf, class Set>
errc packed_trie<A, Strides>::build(const Strides& strides, std::span<const route<A>> sorted, slot none,
                                    StrideOf stride_of, Set set) {
    struct node {
        std::size_t above;
        unsigned depth;
        unsigned level;
        slot covered;
        std::span<const route<A>> inside;
    };
    strides_ = strides;
    slot_expander<A> expander;
    std::vector<slot> made;
    std::vector<run> runs;
    std::vector<node> nodes{{0, 0, 0, none, sorted}};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const node now = nodes[i];
        const unsigned stride = i == 0 ? strides_.root() : stride_of(now.inside, now.depth, now.level);
        runs.clear();
        expander.expand(now.inside, now.depth, stride, [&](const slot_run<A>& r) {
            slot content = now.covered;
            if (r.best != nullptr)
                set(content, *r.best, now.depth);
            const std::uint32_t last = r.first + r.count - 1;
            const bool joins = !runs.empty() && r.longer.empty() && runs.back().longer.empty() &&
                               runs.back().content.word == content.word;
            if (joins)
                runs.back().last = last;
            else
                runs.push_back({last, content, r.longer});
        });
        const std::size_t plain = std::size_t{1} << stride, small = packed_node::head + runs.size();
        const bool packed =
            i > 0 && stride <= packed_node::widest && runs.size() <= packed_node::most_runs && small < plain;
        const std::size_t place = place_for(made.size(), small, packed);
        const std::size_t end = place + (packed ? small : plain);
        if (end > most_)
            return errc::capacity;
        made.resize(end);
        if (i > 0)
            made[now.above].set_child(static_cast<std::uint32_t>(place), stride, packed);
        if (packed) {
            std::uint64_t ends = ~std::uint64_t{0};
            for (std::size_t r = 0; r + 1 < runs.size(); ++r)
                ends ^= static_cast<std::uint64_t>(0xff ^ runs[r].last) << (8 * r);
            std::memcpy(static_cast<void*>(&made[place]), &ends, sizeof ends);
        }
        std::uint32_t first = 0;
        for (std::size_t r = 0; r < runs.size(); ++r) {
            const std::size_t at = place + (packed ? packed_node::head + r : first);
            const std::size_t count = packed ? 1 : runs[r].last + 1 - first;
            std::fill_n(made.begin() + static_cast<std::ptrdiff_t>(at), count, runs[r].content);
            first = runs[r].last + 1;
            if (!runs[r].longer.empty())
                nodes.push_back({at, now.depth + stride, now.level + 1, runs[r].content, runs[r].longer});
        }
    }
    auto array = aligned_array<slot>::make(made.size());
    if (!array)
        return array.error();
    slots_ = std::move(*array);
    std::copy(made.begin(), made.end(), slots_.begin());
    return errc::ok;
}

template <class A, class Strides>
template <class AnswerOf>
next_hop packed_trie<A, Strides>::trace(A a, step_visitor each, AnswerOf answer_of) const {
    unsigned depth = 0, stride = strides_.root();
    std::size_t from = slice(a, 0, stride), place = from; // what is read of a node
    for (unsigned level = 1;; ++level) {
        const slot here = slots_.data()[place];
        each({.part = "nodes",
              .at = slots_.data() + from,
              .offset = from * sizeof(slot),
              .bytes = static_cast<std::uint32_t>((place + 1 - from) * sizeof(slot)),
              .first_bit = depth,
              .bits = std::min(stride, A::bits - depth),
              .key = slice(a, depth, stride),
              .result = here.has_child() ? outcome::goes_on : outcome::answered,
              .found = here.has_child() ? here.child() : answer_of(here).id});
        if (!here.has_child())
            return answer_of(here);
        depth += stride;
        stride = strides_.of_child(here, level);
        place = place_of(here, slice(a, depth, stride));
        from = here.is_packed() ? here.child() : place;
    }
}

template <class A, class Strides>
void packed_trie<A, Strides>::visit_below(std::uint32_t node, bool packed, unsigned stride,
                                          const prefix<A>& where, unsigned level,
                                          node_visitor<A> each) const {
    const std::uint64_t ends = packed ? ends_of(node) : 0;
    const std::uint32_t head = packed ? packed_node::head : 0;
    const std::uint32_t count =
        packed ? packed_node::count_below(ends, 0xff) + 1 : std::uint32_t{1} << stride;
    const std::span<const slot> here(slots_.data() + node + head, count);
    const auto leads_on = [](slot s) { return s.has_child(); };
    each({.first = where.first(),
          .last = where.last(),
          .level = level,
          .kind = packed ? "packed" : "node",
          .part = "nodes",
          .bytes = here.size_bytes() + head * sizeof(slot),
          .children = static_cast<std::size_t>(std::count_if(here.begin(), here.end(), leads_on))});
    const unsigned border = where.length + stride;
    for (std::size_t i = 0; i < here.size(); ++i) {
        if (!here[i].has_child())
            continue;
        using value = typename A::value_type;
        // The run of a child is one index long.
        const std::uint64_t last = (std::uint64_t{1} << stride) - 1;
        const std::uint64_t index = !packed ? i : i + 1 < count ? ends >> (8 * i) & 0xff : last;
        const value bits = shift_left(static_cast<value>(index), A::bits - border);
        const auto below = prefix<A>::make(A{static_cast<value>(where.base.value | bits)}, border);
        visit_below(here[i].child(), here[i].is_packed(), strides_.of_child(here[i], level + 1), below,
                    level + 1, each);
    }
}

} // namespace fingerpost
