// The three arrays: building from intervals, and changes of ranges.
//
// Builds and changes use one operation, which packs a node from the contents of its 64 slots. If all slots
// have the same leaf, it returns the leaf instead of a node. So the form of a trie depends only on its
// answers, not on its history.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/parts/memory/block_pool.hpp"
#include "fingerpost/rib/intervals.hpp"
#include "fingerpost/schemes/poptrie/slots.hpp"

namespace fingerpost::poptrie {

template <class A, class Node, unsigned DirectBits>
class trie {
    static_assert(DirectBits < A::bits);
    using value = typename A::value_type;
    using slots = slot_array<Node>;
    using slot_content = content<Node>;
    using geometry = slot_geometry<A>;
    using node_array = block_pool<Node, slot_count>;
    using leaf_array = block_pool<std::uint16_t, 2 * slot_count>; // a leaf is one or two of these

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("direct", of.direct_);
        visit("nodes", of.nodes_);
        visit("leaves", of.leaves_);
    }
    // Called after the arrays were read from a file.
    void set_leaf_bytes(unsigned bytes) noexcept { leaf_units_ = bytes / 2; }

    // Throws std::bad_alloc, and std::length_error if there are more nodes or leaves than numbers for them.
    void fill(const interval_list<A>& intervals, const next_hop_codec& codec) {
        leaf_units_ = codec.bytes() / 2;
        auto new_direct = aligned_array<std::uint32_t>::make(std::size_t{1} << DirectBits);
        if (!new_direct)
            throw std::bad_alloc();
        direct_ = std::move(*new_direct);
        interval_reader from{intervals, codec};
        const geometry top = whole();
        for (unsigned slot = 0; slot < top.end(); ++slot)
            direct_[slot] = entry_of(read_slot(from, top, slot));
        copy_into_exact_arrays();
    }
    // Writes `code` to the ranges. Throws like fill().
    void patch(std::span<const address_range<A>> ranges, std::uint32_t code) {
        whole().for_each_reached(ranges, [&](unsigned slot, std::span<const address_range<A>> reaching) {
            const slot_content old = content_of(direct_[slot]);
            const slot_content result = patched(old, whole(), slot, reaching, code);
            put_entry(direct_[slot], result);
        });
        if (nodes_.sparse() || leaves_.sparse())
            (void)or_reason([this] { // best effort: memory may be short
                copy_into_exact_arrays();
                return errc::ok;
            });
    }

    trie_view view() const noexcept { return {direct_.data(), nodes_.data(), leaves_.data(), DirectBits}; }
    std::uint32_t code_at(const Node& in, unsigned number) const noexcept {
        if (leaf_units_ == 1)
            return *leaves_.at(in.base0 + number);
        std::uint32_t code;
        std::memcpy(&code, leaves_.at(in.base0 + 2 * number), sizeof code);
        return code;
    }
    static std::uint32_t child_count(const Node& in) noexcept {
        return static_cast<std::uint32_t>(std::popcount(in.vector));
    }
    static std::uint32_t leaf_count(const Node& in) noexcept {
        return static_cast<std::uint32_t>(std::popcount(runs_of(in)));
    }
    // The bytes of a node's leaves in their array.
    std::uint32_t leaf_bytes(const Node& in) const noexcept {
        return leaf_array::rounded(leaf_count(in) * leaf_units_) * 2;
    }

    // Required by fib/layout.hpp. FIBs are saved as built, before any change, so the children of a node come
    // after it, and one pass finds the levels.
    void check(const layout_check& in, const next_hop_codec& codec) const {
        in.require(direct_.size() == std::size_t{1} << DirectBits, nullptr,
                   "the direct table has a wrong size");
        std::vector<std::uint8_t> positions(nodes_.size());
        for (const std::uint32_t& entry : direct_.span()) {
            if ((entry & direct_leaf) != 0) {
                in.is_code(codec, entry & ~direct_leaf, &entry);
                continue;
            }
            in.leads_into(nodes_, entry, 1, &entry);
            positions[entry] = DirectBits;
        }
        for (std::uint32_t i = 0; i < nodes_.size(); ++i)
            check_node(in, codec, i, positions);
    }

  private:
    // Reads the intervals in order. The current one contains the next address.
    struct interval_reader {
        const interval_list<A>& list;
        const next_hop_codec& codec;
        std::size_t at = 0;
        std::uint32_t code = codec.encode(list.hops[0]);

        void pass() {
            if (++at < list.size())
                code = codec.encode(list.hops[at]);
        }
    };

    void check_node(const layout_check& in, const next_hop_codec& codec, std::uint32_t number,
                    std::vector<std::uint8_t>& positions) const {
        const Node& n = *nodes_.at(number);
        const std::uint32_t children = child_count(n), leaves = leaf_count(n);
        const unsigned next = positions[number] + stride;
        in.require(children == 0 || (n.base1 > number && next < A::bits), &n, "a node has an invalid child");
        in.leads_into(nodes_, n.base1, children, &n);
        for (std::uint32_t i = 0; i < children; ++i)
            positions[n.base1 + i] = std::max(positions[n.base1 + i], static_cast<std::uint8_t>(next));
        in.require(n.vector == ~std::uint64_t{0} || std::countr_zero(runs_of(n)) <= std::countr_one(n.vector),
                   &n, "a slot has no leaf");
        in.require(leaf_units_ == 1 || n.base0 % 2 == 0, &n, "leaves are at an odd place");
        in.leads_into(leaves_, n.base0, std::size_t{leaves} * leaf_units_, &n);
        for (unsigned i = 0; i < leaves; ++i)
            in.is_code(codec, code_at(n, i), leaves_.at(n.base0 + i * leaf_units_));
    }

    static geometry whole() noexcept { return {A::first(), 0, DirectBits}; }

    slot_content read_slot(interval_reader& from, const geometry& in, unsigned slot) {
        const A last = in.last_of(slot), end = from.list.ends[from.at];
        if (end < last)
            return packed(read_slots(from, {in.first_of(slot), in.border(), stride}), nullptr);
        const auto leaf = leaf_of<Node>(from.code);
        if (end == last)
            from.pass();
        return leaf;
    }
    slots read_slots(interval_reader& from, const geometry& in) {
        slots contents;
        for (unsigned slot = 0; slot < in.end(); slot += in.slots_alike())
            contents.set(slot, in.slots_alike(), read_slot(from, in, slot));
        return contents;
    }

    // Returns the new content of a slot; `old` is its current content.
    slot_content patched(const slot_content& old, const geometry& in, unsigned slot,
                         std::span<const address_range<A>> ranges, std::uint32_t code) {
        const bool is_whole = !(in.first_of(slot) < ranges[0].first) && !(ranges[0].last < in.last_of(slot));
        if (is_whole) {
            if (old.is_node)
                release_all(old.below);
            return leaf_of<Node>(code);
        }
        if (!old.is_node && old.code == code)
            return old;
        slots contents = taken_apart(old);
        const geometry inside{in.first_of(slot), in.border(), stride};
        inside.for_each_reached(ranges, [&](unsigned at, std::span<const address_range<A>> reaching) {
            contents.set(at, inside.slots_alike(), patched(contents.at(at), inside, at, reaching, code));
        });
        return packed(contents, old.is_node ? &old.below : nullptr);
    }
    slots taken_apart(const slot_content& from) const {
        slots contents;
        if (!from.is_node) {
            contents.codes.fill(from.code);
            return contents;
        }
        contents.vector = from.below.vector;
        const Node* child = nodes_.at(from.below.base1);
        std::uint64_t runs = runs_of(from.below);
        unsigned number = 0; // number of runs so far
        std::uint32_t code = 0;
        for (unsigned slot = 0; slot < slot_count; ++slot, runs >>= 1) {
            if ((runs & 1) != 0)
                code = code_at(from.below, number++);
            if ((contents.vector >> slot & 1) != 0)
                contents.below[slot] = *child++;
            else
                contents.codes[slot] = code;
        }
        return contents;
    }

    // Packs these slots into a node, or returns the leaf that all of them have. Takes over the blocks of
    // `old`.
    slot_content packed(const slots& contents, const Node* old) {
        const std::uint64_t runs = contents.runs();
        if (contents.vector == 0 && std::has_single_bit(runs)) {
            if (old != nullptr)
                release_blocks(*old);
            return leaf_of<Node>(contents.codes[0]);
        }
        Node n{};
        n.vector = contents.vector;
        if constexpr (Node::has_runs)
            n.leafvec = runs;
        take_blocks(n, old);
        Node* child = nodes_.at(n.base1);
        std::uint64_t run_starts = runs_of(n);
        unsigned number = 0;
        for (unsigned slot = 0; slot < slot_count; ++slot, run_starts >>= 1) {
            if ((contents.vector >> slot & 1) != 0)
                *child++ = contents.below[slot];
            if ((run_starts & 1) != 0)
                set_code(n, number++, contents.codes[slot]);
        }
        return node_of(n);
    }
    void set_code(const Node& in, unsigned number, std::uint32_t code) noexcept {
        if (leaf_units_ == 1)
            *leaves_.at(in.base0 + number) = static_cast<std::uint16_t>(code);
        else
            std::memcpy(leaves_.at(in.base0 + 2 * number), &code, sizeof code);
    }

    // Allocates blocks for a node's children and leaves, or uses those of `old` if they have the same size.
    void take_blocks(Node& n, const Node* old) {
        const std::uint32_t children = child_count(n), leaves = leaf_count(n) * leaf_units_;
        const std::uint32_t had_children = old != nullptr ? child_count(*old) : 0;
        const std::uint32_t had_leaves = old != nullptr ? leaf_count(*old) * leaf_units_ : 0;
        n.base1 = old != nullptr ? replace(nodes_, old->base1, had_children, children)
                                 : replace(nodes_, 0, 0, children);
        n.base0 = old != nullptr ? replace(leaves_, old->base0, had_leaves, leaves)
                                 : replace(leaves_, 0, 0, leaves);
    }
    template <class Pool>
    static std::uint32_t replace(Pool& pool, std::uint32_t block, std::uint32_t had, std::uint32_t new_size) {
        if (had == new_size)
            return block;
        if (had > 0)
            pool.release(block, had);
        return new_size > 0 ? allocated(pool, new_size) : 0;
    }
    template <class Pool>
    static std::uint32_t allocated(Pool& pool, std::uint32_t count) {
        const std::uint32_t got = pool.allocate(count);
        if (got == Pool::nil)
            fail(pool.shortage(count));
        return got;
    }
    [[noreturn]] static void fail(errc why) {
        if (why == errc::capacity)
            throw std::length_error("nodes or leaves of a Poptrie");
        throw std::bad_alloc();
    }
    void release_blocks(const Node& old) noexcept {
        if (old.vector != 0)
            nodes_.release(old.base1, child_count(old));
        if (runs_of(old) != 0)
            leaves_.release(old.base0, leaf_count(old) * leaf_units_);
    }
    void release_all(const Node& old) noexcept {
        for (std::uint32_t i = 0; i < child_count(old); ++i)
            release_all(Node{*nodes_.at(old.base1 + i)});
        release_blocks(old);
    }

    // An entry of the direct table has 31 bits for a code. A larger code gets a node with one leaf.
    std::uint32_t entry_of(const slot_content& result) {
        if (!result.is_node && result.code < direct_leaf)
            return result.code | direct_leaf;
        const Node below = result.is_node ? result.below : one_leaf(result.code);
        const std::uint32_t at = allocated(nodes_, 1);
        *nodes_.at(at) = below;
        return at;
    }
    Node one_leaf(std::uint32_t code) {
        Node n{};
        if constexpr (Node::has_runs)
            n.leafvec = 1;
        take_blocks(n, nullptr);
        for (unsigned i = 0; i < leaf_count(n); ++i)
            set_code(n, i, code);
        return n;
    }
    slot_content content_of(std::uint32_t entry) const noexcept {
        return (entry & direct_leaf) != 0 ? leaf_of<Node>(entry & ~direct_leaf) : node_of(*nodes_.at(entry));
    }
    void put_entry(std::uint32_t& entry, const slot_content& result) {
        const bool had_node = (entry & direct_leaf) == 0;
        if (had_node && result.is_node) {
            *nodes_.at(entry) = result.below;
            return;
        }
        if (had_node)
            nodes_.release(entry, 1);
        entry = entry_of(result);
    }

    // Copies all blocks, each node's before those of its children, into arrays without free elements.
    void copy_into_exact_arrays() {
        node_array nodes;
        leaf_array leaves;
        if (!nodes.reserve(nodes_.live_elements()))
            fail(nodes.shortage(nodes_.live_elements()));
        if (!leaves.reserve(leaves_.live_elements()))
            fail(leaves.shortage(leaves_.live_elements()));
        auto direct = aligned_array<std::uint32_t>::make(direct_.size());
        if (!direct)
            throw std::bad_alloc();
        for (std::size_t i = 0; i < direct_.size(); ++i) {
            const std::uint32_t entry = direct_[i];
            (*direct)[i] = entry;
            if ((entry & direct_leaf) != 0)
                continue;
            (*direct)[i] = allocated(nodes, 1);
            copy(*nodes_.at(entry), (*direct)[i], nodes, leaves);
        }
        direct_ = std::move(*direct);
        nodes_ = std::move(nodes);
        leaves_ = std::move(leaves);
    }
    void copy(const Node& from, std::uint32_t to, node_array& nodes, leaf_array& leaves) const {
        Node copied = from;
        const std::uint32_t units = leaf_count(from) * leaf_units_, children = child_count(from);
        if (units > 0) {
            copied.base0 = allocated(leaves, units);
            std::copy_n(leaves_.at(from.base0), units, leaves.at(copied.base0));
        }
        if (children > 0)
            copied.base1 = allocated(nodes, children);
        *nodes.at(to) = copied;
        for (std::uint32_t i = 0; i < children; ++i)
            copy(*nodes_.at(from.base1 + i), copied.base1 + i, nodes, leaves);
    }

    aligned_array<std::uint32_t> direct_;
    node_array nodes_;
    leaf_array leaves_;
    unsigned leaf_units_ = 1;
};

} // namespace fingerpost::poptrie
