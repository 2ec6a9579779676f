// Lookup steps and structure of such a FIB, for explanations, pictures and depth figures. Tests compare them
// with the kernels.
//
// Arrays may have grown since the FIB last recorded their sizes. So only the sizes of cells, regions and
// those arrays of the front are used that every change records. Of the other arrays, only the address is
// used.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/cells/find.hpp"

namespace fingerpost::cells {

// Visits the steps of fib_view::lookup(). `is_live`: the arrays belong to a FIB that changes, and may have
// grown.
template <class A, class Front>
next_hop trace_lookup(const fib_arrays<A, Front>& from, A a, step_visitor each, bool is_live) {
    std::vector<layout_piece> pieces;
    const auto add = [&](std::string_view part, auto items, bool grows = false, std::size_t offset = 0) {
        pieces.push_back({part, std::as_bytes(items), offset, grows && is_live});
    };
    from.front.each_piece(add);
    for (std::size_t i = 0; i < from.long_level_count; ++i) {
        add(part::long_level_cells[i], from.long_levels[i].cells);
        add(part::long_level_lines[i], from.long_levels[i].lines, true);
    }
    add(part::regions, from.regions);
    add(part::next_hops, from.hops);
    tracing_reads read(std::move(pieces), A::bits, each);
    const next_hop hop = find(read, from, a);
    read.end();
    return hop;
}

// The parts that lookups read, without those that this FIB does not have.
template <class A, class Front>
std::vector<memory_part> parts_of(const fib_arrays<A, Front>& from) {
    std::vector<memory_part> parts;
    const auto add = [&](std::string_view name, std::size_t bytes) { parts.push_back({name, bytes}); };
    from.front.each_part(add);
    for (std::size_t i = 0; i < from.long_level_count; ++i) {
        add(part::long_level_cells[i], from.long_levels[i].cells.size_bytes());
        add(part::long_level_lines[i], from.long_levels[i].lines.size_bytes());
    }
    add(part::regions, from.regions.size_bytes());
    if (!from.hops.empty())
        add(part::next_hops, from.hops.size_bytes());
    return parts;
}
// Includes the other memory of a FIB with a total of `all_bytes`.
template <class A, class Front>
std::vector<memory_part> parts_of(const fib_arrays<A, Front>& from, std::size_t all_bytes) {
    std::vector<memory_part> parts = parts_of(from);
    parts.push_back({part::for_changes, all_bytes - total_bytes(parts)});
    return parts;
}

// A node that has a tree, or a node of a tree.
template <class A>
struct child_node {
    std::uint32_t offset;
    A first;
    A last;
    std::uint64_t slot;
};
// The lines of a tree, and the address bits before its keys.
struct line_array {
    std::string_view part;
    const std::byte* lines;
    unsigned outer;
};

// Visits each node once. The structure is a forest: the nodes of the front, each long-prefix level, and the
// regions have separate roots. Unreachable nodes, free lines and free codes are omitted.
//
//     kind             part                       contents
//     (see the front)
//     cells            tier n cells               children: first nodes of the cells' trees
//     node, leaf       index lines, tier n lines
//     regions          regions                    next hop of each region
template <class A, class Front>
class node_visit {
    using value = typename A::value_type;
    using child = child_node<A>;

  public:
    using address = A;

    node_visit(const fib_arrays<A, Front>& from, node_visitor<A> each) noexcept
        : from_(from), codes_(from.codes()), each_(each) {}

    void run() const {
        from_.front.visit(*this);
        for (std::size_t i = 0; i < from_.long_level_count; ++i)
            visit_long_level(i);
        each_({.first = A::first(),
               .last = A::last(),
               .kind = "regions",
               .part = part::regions,
               .bytes = from_.regions.size_bytes(),
               .contents = [&](node_contents& to) {
                   for (std::uint32_t code = 0; code < codes_.region_count; ++code)
                       add_answer(to, code, hop_of(code));
               }});
    }

    // Used by fronts.
    node_visitor<A> each() const noexcept { return each_; }
    unsigned code_bytes() const noexcept { return from_.code_bytes; }
    next_hop hop_of(std::uint32_t code) const noexcept { return cells::hop_of(from_.hops, codes_, code); }
    void visit_tree(const line_array& in, const child& at, unsigned levels, unsigned level) const {
        const std::byte* const line = in.lines + at.offset;
        const unsigned bits = shown_key_bits(A::bits, in.outer);
        const leaf_shape leaf = leaf_shape_for(from_.code_bytes);
        const line_keys keys(line, levels > 0 ? node_shape::keys : leaf.keys, bits);
        std::array<child, node_shape::children> children;
        std::size_t count = 0;
        A first = at.first;
        // Intervals outside the cells of the tree are unreachable.
        for (std::uint32_t i = 0; levels > 0; ++i) {
            A last = at.last;
            if (i < keys.list().size())
                last = std::min(last, end_of(at.first, keys.list()[i], in.outer));
            if (last < first)
                continue;
            children[count++] = {first_child_of(line) + i * line_bytes, first, last, i};
            if (last == at.last)
                break;
            first = A{static_cast<value>(last.value + 1)};
        }
        const auto show = [&](node_contents& to) {
            to.values.assign(keys.list().begin(), keys.list().end());
            to.with = to.values.empty() ? compared::nothing : compared::keys;
            if (levels > 0)
                to.numbers.push_back({"first child", first_child_of(line) / line_bytes});
            for (std::size_t i = 0; levels == 0 && i <= keys.list().size(); ++i) {
                const std::byte* const code = line + leaf.codes_at + i * from_.code_bytes;
                add_answer(to, i, hop_of(get_code(code, from_.code_bytes)));
            }
        };
        each_({.first = at.first,
               .last = at.last,
               .level = level,
               .kind = levels > 0 ? "node" : "leaf",
               .part = in.part,
               .bytes = line_bytes,
               .children = count,
               .offset = at.offset,
               .slot = at.slot,
               .first_bit = std::min(in.outer, A::bits),
               .bits = bits,
               .contents = show});
        for (std::size_t i = 0; i < count; ++i)
            visit_tree(in, children[i], levels - 1, level + 1);
    }

  private:
    // Last address for a key in a tree over the 32 bits after the first `outer`.
    static A end_of(A inside, std::uint64_t key, unsigned outer) noexcept {
        const unsigned below = A::bits - std::min(outer, A::bits) - shown_key_bits(A::bits, outer);
        return A{static_cast<value>(cell_first(inside, outer).value |
                                    shift_left(static_cast<value>(key), below) | low_mask<value>(below))};
    }
    void visit_long_level(std::size_t number) const {
        const long_level_arrays<A>& level = from_.long_levels[number];
        const unsigned outer = from_.outer_of(number);
        const unsigned bits = std::min(outer, A::bits);
        std::vector<child> cells;
        for (const cell_slot<A>& slot : level.cells)
            if (slot.tree != 0)
                cells.push_back({slot.tree, slot.cell, cell_last(slot.cell, outer), 0});
        std::sort(cells.begin(), cells.end(),
                  [](const child& a, const child& b) { return a.first < b.first; });
        each_({.first = A::first(),
               .last = A::last(),
               .kind = "cells",
               .part = part::long_level_cells[number],
               .bytes = level.cells.size_bytes(),
               .children = cells.size(),
               .bits = bits,
               .contents = [&](node_contents& to) {
                   to.with = cells.empty() ? compared::nothing : compared::keys;
                   for (const child& cell : cells)
                       to.values.push_back(slice(cell.first, 0, bits));
               }});
        for (std::size_t i = 0; i < cells.size(); ++i) {
            cells[i].slot = i;
            visit_tree({part::long_level_lines[number], level.lines.data(), outer}, cells[i], level.levels,
                       1);
        }
    }

    const fib_arrays<A, Front>& from_;
    code_view codes_;
    node_visitor<A> each_;
};

template <class A, class Front>
void visit_nodes(const fib_arrays<A, Front>& from, node_visitor<A> each) {
    node_visit<A, Front>(from, each).run();
}

} // namespace fingerpost::cells
