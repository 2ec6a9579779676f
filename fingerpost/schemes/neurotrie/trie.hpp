// The trie: builds it from the vertices of a table and a plan of strides, and changes it node by node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fingerpost/net/address.hpp"
#include "fingerpost/rib/change.hpp"
#include "fingerpost/schemes/neurotrie/arrays.hpp"
#include "fingerpost/schemes/neurotrie/plan.hpp"
#include "fingerpost/schemes/neurotrie/vertices.hpp"

namespace fingerpost::neurotrie {

// The region of addresses that a node covers, divided into slots.
template <class A>
struct region {
    using value = typename A::value_type;

    A first{};
    unsigned depth = 0;  // number of bits before the node
    unsigned stride = 0; // stride of the node

    unsigned border() const noexcept { return depth + stride; }
    std::uint32_t slots() const noexcept { return std::uint32_t{1} << stride; }
    A first_of(std::uint32_t slot) const noexcept {
        return A{static_cast<value>(first.value | shift_left(value{slot}, A::bits - border()))};
    }
    A last_of(std::uint32_t slot) const noexcept {
        return A{static_cast<value>(first_of(slot).value | low_mask<value>(A::bits - border()))};
    }
    A last() const noexcept { return last_of(slots() - 1); }
    // The slot of an address, or the first or last slot for an address before or after the region.
    std::uint32_t slot_of(A a) const noexcept {
        return static_cast<std::uint32_t>(slice(std::clamp(a, first, last()), depth, stride));
    }
    // The region of the child in a slot.
    region below(std::uint32_t slot, unsigned its_stride) const noexcept {
        return {first_of(slot), border(), its_stride};
    }
};

template <class A>
class trie {
    using ranges = std::span<const address_range<A>>;
    using where = region<A>;

  public:
    explicit trie(unsigned leaf_bytes = 2) noexcept : arrays_(leaf_bytes) {}

    // Builds the trie from the vertices of a table, the side that is the root, and the strides. `later` is
    // the chooser for changes. Throws std::bad_alloc, and std::length_error if numbers for nodes or leaves
    // run out.
    void fill(const vertex_list& vertices, const side& top, const plan& by, chooser later) {
        chooser_ = later;
        price_ = by.price;
        if (top.is_inner) {
            arrays_.set_root(make_content(vertices, by, top.number).below);
        } else {
            const pieces single{{0, leaf_with(top.number)}};
            arrays_.set_root(arrays_.make_node(single, header{}));
        }
        arrays_ = arrays_.copied();
    }
    // Writes `code` to the ranges. Throws like fill().
    void patch(ranges to_change, std::uint32_t code) {
        if (to_change.empty())
            return;
        const header root = arrays_.root();
        const content result = patched_node(root, {A::first(), 0, root.stride}, to_change, code);
        if (result.is_node)
            arrays_.set_root(result.below);
        else
            arrays_.set_root(arrays_.make_node({{0, result}}, header{}));
    }
    void make_compact() { arrays_ = arrays_.copied(); }

    const node_arrays& arrays() const noexcept { return arrays_; }
    node_arrays& arrays() noexcept { return arrays_; }
    choice made_by() const noexcept { return static_cast<choice>(arrays_.root().made_by); }

  private:
    static constexpr std::uint32_t planned_unit = 16;

    // Makes the node of a vertex, and all nodes below it, by a plan.
    content make_content(const vertex_list& vertices, const plan& by, std::uint32_t number) {
        const vertex& v = vertices[number];
        const unsigned stride = by.strides[number];
        pieces parts;
        vertices.for_each_slot(
            v, stride,
            [&](std::uint32_t slot, std::uint32_t child) {
                parts.push_back({slot, make_content(vertices, by, child)});
            },
            [&](std::uint32_t slot, std::uint32_t, std::uint32_t code) {
                parts.push_back({slot, leaf_with(code)});
            });
        header like;
        like.stride = static_cast<std::uint8_t>(stride);
        like.made_by = static_cast<std::uint8_t>(by.made_by);
        like.planned = planned(vertices.bytes(v)[stride - 1]);
        return arrays_.make(parts, like);
    }
    static std::uint16_t planned(std::uint32_t bytes) noexcept {
        constexpr std::uint32_t most = std::numeric_limits<std::uint16_t>::max();
        return static_cast<std::uint16_t>(std::min(bytes / planned_unit, most));
    }
    // Plans and makes the content for addresses from `first`, whose answers are given as intervals, at the
    // price of the whole trie.
    content planned_anew(A first, unsigned depth, const std::vector<A>& ends,
                         const std::vector<std::uint32_t>& codes) {
        vertex_list vertices(arrays_.leaf_bytes());
        const side top = vertex_reader<A>(ends, codes, {}).read(vertices, first, depth);
        if (!top.is_inner)
            return leaf_with(top.number);
        return make_content(vertices, plan_at_price(vertices, chooser_, price_), top.number);
    }

    // Collects intervals and merges neighbours with the same answer.
    struct answers {
        std::vector<A> ends;
        std::vector<std::uint32_t> codes;

        void add(A end, std::uint32_t code) {
            if (!codes.empty() && codes.back() == code) {
                ends.back() = end;
                return;
            }
            ends.push_back(end);
            codes.push_back(code);
        }
    };
    void collect(const pieces& from, const where& at, answers& to) const {
        for (std::size_t i = 0; i < from.size(); ++i) {
            const std::uint32_t slot = from[i].slot;
            if (from[i].has.is_node) {
                const header& below = from[i].has.below;
                collect(arrays_.taken_apart(below), at.below(slot, below.stride), to);
            } else {
                to.add(at.last_of(end_of(from, i, at) - 1), from[i].has.code);
            }
        }
    }
    static std::uint32_t end_of(const pieces& in, std::size_t i, const where& at) noexcept {
        return i + 1 < in.size() ? in[i + 1].slot : at.slots();
    }

    // Returns the new content of a slot that the ranges cover partially; `old` is its current content.
    content patched(const content& old, A first, unsigned depth, ranges to_change, std::uint32_t code) {
        if (old.is_node)
            return patched_node(old.below, {first, depth, old.below.stride}, to_change, code);
        if (old.code == code)
            return old;
        using value = typename A::value_type;
        const A last{static_cast<value>(first.value | low_mask<value>(A::bits - depth))};
        answers collected;
        A next = first;
        for (const address_range<A>& range : to_change) {
            if (next < range.first)
                collected.add(A{static_cast<value>(range.first.value - 1)}, old.code);
            collected.add(std::min(range.last, last), code);
            next = A{static_cast<value>(range.last.value + 1)};
        }
        if (to_change.back().last < last)
            collected.add(last, old.code);
        return planned_anew(first, depth, collected.ends, collected.codes);
    }
    content patched_node(const header& old, const where& at, ranges to_change, std::uint32_t code) {
        const std::uint32_t first = at.slot_of(to_change.front().first);
        const bool in_one_slot = first == at.slot_of(to_change.back().last);
        const block& in = arrays_.block_at(old.blocks + first / block_slots);
        const unsigned bit = first % block_slots;
        if (in_one_slot && (in.child >> bit & 1) != 0 && !covers(to_change.front(), at, first)) {
            const std::uint32_t child = old.children + in.children_before + rank_before(in.child, bit);
            const header below = arrays_.at(child);
            const content result = patched_node(below, at.below(first, below.stride), to_change, code);
            if (result.is_node) {
                arrays_.at(child) = result.below;
                return node_with(old);
            }
            pieces parts = arrays_.taken_apart(old);
            const auto part = std::lower_bound(parts.begin(), parts.end(), first,
                                               [](const piece& p, std::uint32_t s) { return p.slot < s; });
            part->has = result;
            return arrays_.replace(old, parts);
        }
        const content result = arrays_.replace(old, edited(arrays_.taken_apart(old), at, to_change, code));
        return result.is_node && at.depth > 0 ? kept_near_plan(result.below, at) : result;
    }
    static bool covers(const address_range<A>& range, const where& at, std::uint32_t slot) noexcept {
        return !(at.first_of(slot) < range.first) && !(range.last < at.last_of(slot));
    }
    // If a node takes 1.5 times its planned memory, chooses new strides for it and for all nodes below it.
    content kept_near_plan(const header& node, const where& at) {
        const std::uint64_t units = arrays_.bytes_of(node) / planned_unit;
        if (2 * units <= 3 * std::uint64_t{node.planned})
            return node_with(node);
        answers collected;
        collect(arrays_.taken_apart(node), at, collected);
        arrays_.release_all(node);
        return planned_anew(at.first, at.depth, collected.ends, collected.codes);
    }

    // Returns the pieces of a node after a change.
    pieces edited(const pieces& old, const where& at, ranges to_change, std::uint32_t code) {
        pieces result;
        result.reserve(old.size() + 2 * to_change.size());
        for (std::size_t i = 0; i < old.size(); ++i) {
            const content& has = old[i].has;
            const std::uint32_t end = end_of(old, i, at);
            for (std::uint32_t slot = old[i].slot; slot < end;) {
                drop_before(to_change, at.first_of(slot));
                if (to_change.empty() || at.last_of(end - 1) < to_change.front().first) {
                    result.push_back({slot, has});
                    break;
                }
                const address_range<A>& range = to_change.front();
                const std::uint32_t reached = std::max(slot, at.slot_of(range.first));
                if (slot < reached)
                    result.push_back({slot, has}); // a leaf, because nodes have one slot
                if (covers(range, at, reached)) {
                    const std::uint32_t last = at.slot_of(range.last);
                    slot = std::min(end, range.last < at.last_of(last) ? last : last + 1);
                    if (has.is_node)
                        arrays_.release_all(has.below);
                    result.push_back({reached, leaf_with(code)});
                } else {
                    const ranges inside = reaching(to_change, at.last_of(reached));
                    result.push_back(
                        {reached, patched(has, at.first_of(reached), at.border(), inside, code)});
                    slot = reached + 1;
                }
            }
        }
        return result;
    }
    static void drop_before(ranges& from, A first) noexcept {
        while (!from.empty() && from.front().last < first)
            from = from.subspan(1);
    }
    static ranges reaching(ranges from, A last) noexcept {
        std::size_t count = 0;
        while (count < from.size() && !(last < from[count].first))
            ++count;
        return from.first(count);
    }

    node_arrays arrays_;
    chooser chooser_ = chooser::exact;
    double price_ = plan::usual_price;
};

} // namespace fingerpost::neurotrie
