// The nodes of packed leaves, each visited once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/schemes/packed_leaves/inspection/parts.hpp"
#include "fingerpost/schemes/packed_leaves/lookup.hpp"

namespace fingerpost::packed_leaves::detail {

// The structure as a forest: index or words, each long-prefix level, and the regions have a root of their
// own.
//
//     kind         part               what
//     root codes   index root codes   the codes of cells that the root answers
//     root         index root         children: tables, first nodes of trees, answers
//     table        index pages        the same
//     node, leaf   index lines, tier n lines
//     answer       index pages        neighbouring cells for which entries of one table have the same code; 0
//     bytes words        bitmap words       all 2^19 words are one node; children: answers answers bitmap
//     answers     the codes of one word with boundaries, or of neighbouring words with one code cells tier n
//     cells       all slots of long-prefix level n; children: first nodes of the cells' trees regions regions
//     the next hop of each region
//
// An entry that takes no bits is no node: its target is a child of the table before. A tree that several
// tables lead to is a child of the first, and covers everything from its first to its last cell, also a cell
// between them that has its own code. Unreachable nodes are left out, and free lines, tables and codes.
template <class A>
class structure_visit {
    using value = typename A::value_type;

  public:
    structure_visit(const fib_arrays<A>& from, bool counts_words, node_visitor<A> each) noexcept
        : from_(from), counts_words_(counts_words), each_(each) {}

    void run() {
        if (from_.uses_bitmaps) {
            visit_words();
        } else {
            const table root{from_.root.data(), static_cast<unsigned>(std::countr_zero(from_.root.size())), 0,
                             0, 0};
            tell(A::first(), A::last(), 0, "root codes", part::index_root_codes,
                 from_.root_codes.size_bytes(), 0);
            find_trees(root);
            visit_table(root, 0);
        }
        for (std::size_t i = 0; i < from_.long_level_count; ++i)
            visit_long_level(i);
        tell(A::first(), A::last(), 0, "regions", part::regions, from_.regions.size_bytes(), 0);
    }

  private:
    // Positions are the first 48 bits of an address, as in index_tables.
    static constexpr unsigned position_bits = index_tables::bits;
    struct position_range {
        std::uint64_t first;
        std::uint64_t last;
    };
    // A table of the index: 2^stride entries for the cell of `outer` bits that starts at `first`.
    struct table {
        const std::uint64_t* entries;
        unsigned stride;
        unsigned step; // that reads it; 0 for the root
        unsigned outer;
        std::uint64_t first;
    };
    enum class leads_to : std::uint8_t { table, tree, answer };
    // Neighbouring entries that lead to the same.
    struct entry_run {
        leads_to what;
        std::uint64_t entry; // the last that takes bits, or the one after the last step
        unsigned step;       // that reads the table
        position_range covers;
    };
    struct child {
        std::uint32_t offset;
        A first;
        A last;
    };

    void tell(A first, A last, unsigned level, std::string_view kind, std::string_view part,
              std::uint64_t bytes, std::size_t children) {
        each_({first, last, level, kind, part, bytes, children});
    }

    // Cells may be finer than addresses of few bits, but what differs from the cell before starts with an
    // address.
    static constexpr unsigned padding = A::bits < position_bits ? position_bits - A::bits : 0;
    static constexpr unsigned below_position = A::bits > position_bits ? A::bits - position_bits : 0;
    static A first_of(const position_range& r) noexcept {
        return A{shift_left(static_cast<value>(r.first >> padding), below_position)};
    }
    static A last_of(const position_range& r) noexcept {
        const auto last = static_cast<value>(r.last >> padding);
        return A{static_cast<value>(shift_left(last, below_position) | low_mask<value>(below_position))};
    }

    template <class Each>
    void each_run(const table& t, Each each) const {
        const unsigned below = position_bits - t.outer - t.stride;
        entry_run run{};
        for (std::size_t i = 0; i < std::size_t{1} << t.stride; ++i) {
            const std::uint64_t first = t.first + (std::uint64_t{i} << below);
            const entry_run one =
                follow(t.entries[i], t.step, {first, first + low_mask<std::uint64_t>(below)});
            if (i > 0 && one.what != leads_to::table && one.what == run.what && one.entry == run.entry) {
                run.covers.last = one.covers.last;
                continue;
            }
            if (i > 0)
                each(run);
            run = one;
        }
        each(run);
    }
    static std::uint64_t address_of(const position_range& r) noexcept {
        return r.first << (64 - position_bits);
    }
    entry_run follow(std::uint64_t entry, unsigned step, const position_range& covers) const noexcept {
        for (; step < index_steps && step_entry::shift_of(entry) == step_entry::pass; ++step)
            entry = from_.pages.data()[step_entry::slot(entry, address_of(covers))];
        const leads_to what = step < index_steps           ? leads_to::table
                              : last_entry::is_tree(entry) ? leads_to::tree
                                                           : leads_to::answer;
        return {what, entry, step + 1, covers};
    }
    table table_below(const table& t, const entry_run& run) const noexcept {
        const unsigned outer = t.outer + t.stride;
        return {from_.pages.data() + step_entry::slot(run.entry, address_of(run.covers)),
                stride_of(run.entry, outer), run.step, outer, run.covers.first};
    }

    void find_trees(const table& t) {
        each_run(t, [&](const entry_run& run) {
            if (run.what == leads_to::table)
                find_trees(table_below(t, run));
            else if (run.what == leads_to::tree)
                trees_.try_emplace(last_entry::tree_of(run.entry), run.covers).first->second.last =
                    run.covers.last;
        });
    }
    void visit_table(const table& t, unsigned level) {
        std::vector<entry_run> children;
        each_run(t, [&](entry_run run) {
            if (run.what == leads_to::tree) {
                const auto tree = trees_.find(last_entry::tree_of(run.entry));
                if (tree == trees_.end())
                    return;
                run.covers = tree->second;
                trees_.erase(tree);
            }
            children.push_back(run);
        });
        const unsigned below = position_bits - t.outer;
        const position_range covers{t.first, t.first + low_mask<std::uint64_t>(below)};
        tell(first_of(covers), last_of(covers), level, level == 0 ? "root" : "table",
             level == 0 ? part::index_root : part::index_pages, sizeof(std::uint64_t) << t.stride,
             children.size());
        for (const entry_run& run : children) {
            const child one{last_entry::tree_of(run.entry), first_of(run.covers), last_of(run.covers)};
            if (run.what == leads_to::table)
                visit_table(table_below(t, run), level + 1);
            else if (run.what == leads_to::tree)
                visit_tree(part::index_lines, from_.lines.data(), one, node_levels, key_begin, level + 1);
            else
                tell(one.first, one.last, level + 1, "answer", part::index_pages, 0, 0);
        }
    }

    // Of a key in a tree over the 32 bits behind the first `outer`.
    static A end_of(A inside, std::uint32_t key, unsigned outer) noexcept {
        const value base = cell_first(inside, outer).value;
        if (outer + key_bits > A::bits)
            return A{static_cast<value>(base | shift_right(key, outer + key_bits - A::bits))};
        const unsigned below = A::bits - outer - key_bits;
        return A{
            static_cast<value>(base | shift_left(static_cast<value>(key), below) | low_mask<value>(below))};
    }
    void visit_tree(std::string_view lines_part, const std::byte* lines, const child& at, unsigned levels,
                    unsigned outer, unsigned level) {
        if (levels == 0)
            return tell(at.first, at.last, level, "leaf", lines_part, line_bytes, 0);
        std::array<child, node_shape::children> children;
        std::size_t count = 0;
        std::uint32_t offset = first_child_of(lines + at.offset);
        const line_keys keys(lines + at.offset, node_shape::keys);
        A first = at.first;
        // Intervals outside the tree's cells are unreachable.
        for (std::size_t i = 0;; ++i, offset += line_bytes) {
            A last = at.last;
            if (i < keys.list().size())
                last = std::min(last, end_of(at.first, static_cast<std::uint32_t>(keys.list()[i]), outer));
            if (last < first)
                continue;
            children[count++] = {offset, first, last};
            if (last == at.last)
                break;
            first = A{static_cast<value>(last.value + 1)};
        }
        tell(at.first, at.last, level, "node", lines_part, line_bytes, count);
        for (std::size_t i = 0; i < count; ++i)
            visit_tree(lines_part, lines, children[i], levels - 1, outer, level + 1);
    }

    void visit_long_level(std::size_t number) {
        const long_level_arrays<A>& level = from_.long_levels[number];
        const unsigned outer = fib_arrays<A>::outer_of(from_.uses_bitmaps, number);
        std::vector<child> cells;
        for (const cell_slot<A>& slot : level.cells)
            if (slot.tree != 0)
                cells.push_back({slot.tree, slot.cell, cell_last(slot.cell, outer)});
        std::sort(cells.begin(), cells.end(),
                  [](const child& a, const child& b) { return a.first < b.first; });
        tell(A::first(), A::last(), 0, "cells", part::long_level_cells[number], level.cells.size_bytes(),
             cells.size());
        for (const child& cell : cells)
            visit_tree(part::long_level_lines[number], level.lines.data(), cell, level.levels, outer, 1);
    }

    void visit_words() {
        struct piece {
            A first;
            A last;
            std::uint32_t start;
            std::uint32_t answers;
        };
        std::vector<piece> pieces;
        // A single answer may also be that of words that others have come to lie between. It counts once.
        std::unordered_set<std::uint32_t> counted;
        for (std::uint32_t i = 0; i < from_.words.size(); ++i) {
            const bitmap_word word =
                from_.versions.empty() ? from_.words[i] : from_.versions.look(from_.words.data(), i);
            const A first{shift_left(static_cast<value>(i), A::bits - word_index_bits)};
            const A last = cell_last(first, word_index_bits);
            const auto ends = static_cast<std::uint32_t>(std::popcount(word.ends()));
            if (ends > 0)
                pieces.push_back({first, last, word.start(), ends + 1});
            else if (!pieces.empty() && pieces.back().start == word.start())
                pieces.back().last = last;
            else
                pieces.push_back({first, last, word.start(), counted.insert(word.start()).second ? 1U : 0U});
        }
        const std::uint64_t bytes = counts_words_ ? from_.words.size_bytes() : 0;
        tell(A::first(), A::last(), 0, "words", part::bitmap_words, bytes, pieces.size());
        for (const piece& one : pieces)
            tell(one.first, one.last, 1, "answers", part::bitmap_answers,
                 counts_words_ ? one.answers * from_.code_bytes : 0, 0);
    }

    const fib_arrays<A>& from_;
    bool counts_words_;
    node_visitor<A> each_;
    std::unordered_map<std::uint32_t, position_range> trees_; // by their first nodes; those not visited yet
};

} // namespace fingerpost::packed_leaves::detail
