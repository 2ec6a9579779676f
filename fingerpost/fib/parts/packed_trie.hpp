// The leaf-pushed multibit trie with packed nodes and paths (packed_node.hpp): how it is built, walked and
// shown. Only tries whose slots tell strides have paths, as the bits that come after one depend on the node.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/bit_cursor.hpp"
#include "fingerpost/fib/parts/expanded_slots.hpp"
#include "fingerpost/fib/parts/multibit_slots.hpp"
#include "fingerpost/fib/parts/multibit_trie.hpp"
#include "fingerpost/fib/parts/packed_node.hpp"
#include "fingerpost/fib/parts/rounds.hpp"

namespace fingerpost {

template <class A, class Strides>
class packed_trie {
  public:
    using slot = packed_slot<Strides::bits_in_slot>;
    static constexpr std::size_t most_slots = std::min<std::size_t>(slot::most_slots, std::size_t{1} << 31);

    explicit packed_trie(std::size_t slots_at_most = most_slots) noexcept : most_(slots_at_most) {}

    // As multibit_trie::build(); a stride of 0 is of a vertex below which a path goes on.
    template <class StrideOf, class Set>
    errc build(const Strides& strides, std::span<const route<A>> sorted, slot none, StrideOf stride_of,
               Set set);
    void trim() noexcept {}

    struct walk {
        cursor_for<A> rest;
        slot here;
        unsigned level;
    };
    walk start(A a) const noexcept {
        walk w{cursor_of(a), {}, 0};
        w.here = slots_.data()[w.rest.take(strides_.root())];
        __builtin_prefetch(slots_.data() + w.here.child());
        return w;
    }
    bool step(walk& w) const noexcept {
        if (!w.here.has_child())
            return false;
        if constexpr (slot::may_have_path) {
            const node_path path = path_of(w.here);
            if (!path.leads(w.rest.next())) {
                w.here = covered_by_path(w.here);
                return false;
            }
            w.rest.skip(path.length());
        }
        const std::uint64_t index = w.rest.take(strides_.of_child(w.here, ++w.level));
        w.here = slots_.data()[offset_of(w.here, index)];
        __builtin_prefetch(slots_.data() + w.here.child());
        return w.here.has_child();
    }
    slot find(A a) const noexcept {
        walk w = start(a);
        while (step(w)) {
        }
        return w.here;
    }
    static next_hop answer(const walk& w) noexcept { return w.here.answer(); }
    void use_kernels_of(simd::isa) noexcept {} // there are none
    void find_all(std::span<const A> in, std::span<next_hop> out) const noexcept {
        lookup_in_rounds<64>(*this, in, out);
    }

    std::size_t slot_bytes() const noexcept { return slots_.memory_bytes(); }
    template <class AnswerOf>
    next_hop trace(A a, step_visitor each, AnswerOf answer_of) const;
    void visit(node_visitor<A> each) const {
        visit_node({slots_.data(), std::size_t{1} << strides_.root()}, strides_.root(), prefix<A>{}, 0, each);
    }

  private:
    struct run {
        std::uint32_t last;
        slot content;
        std::span<const route<A>> longer;
    };
    struct new_node;
    class builder;

    static std::uint32_t path_slots(slot above) noexcept { return above.has_path() ? node_path::head : 0; }
    // Where the node begins, behind its path.
    static std::uint32_t node_of(slot above) noexcept { return above.child() + path_slots(above); }
    // Without a path one of no bits; the word is read all the same, for it takes no branch.
    node_path path_of(slot above) const noexcept {
        const std::uint32_t word = slots_.data()[above.child()].word;
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
        return above.is_packed() ? node + packed_node::head + packed_node::count_below(ends_of(node), index)
                                 : node + index;
    }
    void visit_child(slot above, const prefix<A>& where, unsigned level, node_visitor<A> each) const;
    void visit_node(std::span<const slot> here, unsigned stride, const prefix<A>& where, unsigned level,
                    node_visitor<A> each, std::uint64_t ends = 0) const;

    Strides strides_;
    aligned_array<slot> slots_;
    std::size_t most_;
};

// A node that is still to be written, or, behind its path, is written now.
template <class A, class Strides>
struct packed_trie<A, Strides>::new_node {
    std::size_t above;
    unsigned depth;
    unsigned level;
    slot covered;
    std::span<const route<A>> inside;
    node_path path{};
    unsigned stride = 0;
};

template <class A, class Strides>
class packed_trie<A, Strides>::builder {
  public:
    builder(std::size_t most, slot none, std::span<const route<A>> sorted)
        : most_(most), nodes_{{0, 0, 0, none, sorted}} {}

    template <class StrideOf, class Set>
    errc write_all(unsigned root, StrideOf stride_of, Set set) {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            new_node now = nodes_[i];
            if (i == 0)
                now.stride = root;
            else
                follow_path(now, stride_of);
            find_runs(now, set);
            if (!write(now))
                return errc::capacity;
        }
        return errc::ok;
    }
    const std::vector<slot>& written() const noexcept { return made_; }

  private:
    template <class StrideOf>
    static void follow_path(new_node& now, StrideOf stride_of) {
        const unsigned begin = now.depth;
        now.stride = stride_of(now.inside, now.depth, now.level);
        while (now.stride == 0 && now.depth - begin < node_path::longest)
            now.stride = stride_of(now.inside, ++now.depth, now.level);
        if (now.stride == 0) // the path is longer than a word: a node of one bit, and another path
            now.stride = 1;
        if (now.depth > begin)
            now.path = node_path::of(slice(now.inside.front().where.base, begin, now.depth - begin),
                                     now.depth - begin);
    }
    template <class Set>
    void find_runs(const new_node& now, Set& set) {
        runs_.clear();
        expander_.expand(now.inside, now.depth, now.stride, [&](const slot_run<A>& r) {
            slot content = now.covered;
            if (r.best != nullptr)
                set(content, *r.best, now.depth);
            const std::uint32_t last = r.first + r.count - 1;
            const bool joins = !runs_.empty() && r.longer.empty() && runs_.back().longer.empty() &&
                               runs_.back().content.word == content.word;
            if (joins)
                runs_.back().last = last;
            else
                runs_.push_back({last, content, r.longer});
        });
    }
    // Where a node of this many slots begins, an even number of them. A packed one lies in one cache line:
    // what is left of a line in front of it serves a later one that is small enough.
    std::size_t offset_for(std::size_t count, bool packed) {
        if (!packed) {
            const std::size_t offset = made_.size();
            made_.resize(offset + count);
            return offset;
        }
        std::size_t length = count;
        while (length < line && gaps_[length].empty())
            length += 2;
        std::size_t offset = made_.size();
        if (length < line) {
            offset = gaps_[length].back();
            gaps_[length].pop_back();
            if (length > count)
                gaps_[length - count].push_back(offset + count);
        } else if (const std::size_t left = line - offset % line; left < count) {
            gaps_[left].push_back(offset);
            offset += left;
        }
        made_.resize(std::max(made_.size(), offset + count));
        return offset;
    }
    bool write(const new_node& now) {
        const std::size_t path = now.path.length() > 0 ? node_path::head : 0;
        const std::size_t plain = std::size_t{1} << now.stride, small = packed_node::head + runs_.size();
        const bool is_root = made_.empty();
        const bool packed = !is_root && now.stride <= packed_node::widest &&
                            runs_.size() <= packed_node::most_runs && small < plain;
        const std::size_t size = path + (packed ? small : plain);
        const std::size_t offset = offset_for((size + 1) / 2 * 2, packed);
        if (made_.size() > most_)
            return false;
        if (!is_root)
            made_[now.above].set_child(static_cast<std::uint32_t>(offset), now.stride,
                                       (packed ? slot::packed_mark : 0) | (path > 0 ? slot::path_mark : 0));
        if (path > 0) {
            made_[offset].word = now.path.word;
            made_[offset + 1] = now.covered;
        }
        write_runs(now, offset + path, packed);
        return true;
    }
    void write_runs(const new_node& now, std::size_t node, bool packed) {
        if (packed) {
            std::uint64_t ends = ~std::uint64_t{0};
            for (std::size_t r = 0; r + 1 < runs_.size(); ++r)
                ends ^= static_cast<std::uint64_t>(0xff ^ runs_[r].last) << (8 * r);
            std::memcpy(static_cast<void*>(&made_[node]), &ends, sizeof ends);
        }
        std::uint32_t first = 0;
        for (std::size_t r = 0; r < runs_.size(); ++r) {
            const std::size_t at = node + (packed ? packed_node::head + r : first);
            const std::size_t count = packed ? 1 : runs_[r].last + 1 - first;
            std::fill_n(made_.begin() + static_cast<std::ptrdiff_t>(at), count, runs_[r].content);
            first = runs_[r].last + 1;
            if (!runs_[r].longer.empty())
                nodes_.push_back(
                    {at, now.depth + now.stride, now.level + 1, runs_[r].content, runs_[r].longer});
        }
    }

    static constexpr std::size_t line = cache_line_bytes / sizeof(slot);

    std::size_t most_;
    std::array<std::vector<std::size_t>, line + 1> gaps_; // by length
    std::vector<new_node> nodes_;
    std::vector<slot> made_;
    std::vector<run> runs_;
    slot_expander<A> expander_;
};

template <class A, class Strides>
template <class StrideOf, class Set>
errc packed_trie<A, Strides>::build(const Strides& strides, std::span<const route<A>> sorted, slot none,
                                    StrideOf stride_of, Set set) {
    strides_ = strides;
    builder all(most_, none, sorted);
    if (const errc failure = all.write_all(strides_.root(), stride_of, set); failure != errc::ok)
        return failure;
    auto array = aligned_array<slot>::make(all.written().size());
    if (!array)
        return array.error();
    slots_ = std::move(*array);
    std::copy(all.written().begin(), all.written().end(), slots_.begin());
    return errc::ok;
}

template <class A, class Strides>
template <class AnswerOf>
next_hop packed_trie<A, Strides>::trace(A a, step_visitor each, AnswerOf answer_of) const {
    unsigned depth = 0, stride = strides_.root();
    std::size_t from = slice(a, 0, stride), offset = from; // what is read of a node
    const auto tell = [&](trace_step step, slot here) {
        step.at = slots_.data() + from;
        step.offset = from * sizeof(slot);
        step.bytes = static_cast<std::uint32_t>((offset + 1 - from) * sizeof(slot));
        step.first_bit = depth;
        step.result = here.has_child() ? outcome::goes_on : outcome::answered;
        step.found = here.has_child() ? here.child() : answer_of(here).id;
        each(step);
    };
    for (unsigned level = 1;; ++level) {
        const slot here = slots_.data()[offset];
        tell({.part = "nodes", .bits = std::min(stride, A::bits - depth), .key = slice(a, depth, stride)},
             here);
        if (!here.has_child())
            return answer_of(here);
        depth += stride;
        if (here.has_path()) {
            const node_path path = path_of(here);
            const std::uint64_t bits = path.bits(), key = slice(a, depth, path.length());
            from = here.child();
            offset = from + 1;
            const slot next = key == bits ? here : covered_by_path(here);
            tell({.part = "nodes",
                  .bits = path.length(),
                  .with = compared::keys,
                  .key = key,
                  .values = {&bits, 1}},
                 next);
            if (key != bits)
                return answer_of(next);
            depth += path.length();
        }
        stride = strides_.of_child(here, level);
        offset = offset_of(here, slice(a, depth, stride));
        from = here.is_packed() ? node_of(here) : offset;
    }
}

template <class A, class Strides>
void packed_trie<A, Strides>::visit_child(slot above, const prefix<A>& where, unsigned level,
                                          node_visitor<A> each) const {
    prefix<A> below = where;
    if (above.has_path()) {
        each({.first = where.first(),
              .last = where.last(),
              .level = level++,
              .kind = "path",
              .part = "nodes",
              .bytes = node_path::head * sizeof(slot),
              .children = 1});
        const node_path path = path_of(above);
        below = prefix_of_slot(where, path.bits(), path.length());
    }
    const unsigned stride = strides_.of_child(above, level);
    const std::uint32_t node = node_of(above);
    if (!above.is_packed())
        return visit_node({slots_.data() + node, std::size_t{1} << stride}, stride, below, level, each);
    const std::uint64_t ends = ends_of(node);
    const std::size_t runs = packed_node::count_below(ends, 0xff) + 1;
    visit_node({slots_.data() + node + packed_node::head, runs}, stride, below, level, each, ends);
}

template <class A, class Strides>
void packed_trie<A, Strides>::visit_node(std::span<const slot> here, unsigned stride, const prefix<A>& where,
                                         unsigned level, node_visitor<A> each, std::uint64_t ends) const {
    const bool packed = here.size() >> stride == 0;
    const std::size_t head = packed ? packed_node::head * sizeof(slot) : 0;
    each(multibit_node(where, level, packed ? "packed" : "node", here, here.size_bytes() + head));
    const std::uint64_t last = (std::uint64_t{1} << stride) - 1;
    for (std::size_t i = 0; i < here.size(); ++i) {
        if (!here[i].has_child())
            continue;
        // The run of a child is one index long.
        const std::uint64_t index = !packed ? i : i + 1 < here.size() ? ends >> (8 * i) & 0xff : last;
        visit_child(here[i], prefix_of_slot(where, index, stride), level + 1, each);
    }
}

} // namespace fingerpost
