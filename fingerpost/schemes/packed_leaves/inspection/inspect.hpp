// How packed leaves answer and what they consist of, for explanations, pictures and depth figures. It reads
// the arrays that lookups read, by code of its own: kernels stay what they are, and tests compare the two.
//
// Arrays may have grown behind the sizes that a FIB noted when it last looked where they lie. So this file
// takes sizes of root, regions, cells and words, which are then noted anew, and of others the address.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/schemes/packed_leaves/bitmap/code_array.hpp"
#include "fingerpost/schemes/packed_leaves/lookup.hpp"

namespace fingerpost::packed_leaves {

// What memory_parts() lists and steps and nodes refer to.
namespace part {
inline constexpr std::string_view index_root = "index root";
inline constexpr std::string_view index_root_codes = "index root codes";
inline constexpr std::string_view index_pages = "index pages";
inline constexpr std::string_view index_lines = "index lines";
inline constexpr std::string_view bitmap_words = "bitmap words";
inline constexpr std::string_view bitmap_answers = "bitmap answers";
// The two lists of word_versions.hpp, the FIB's own first.
inline constexpr std::string_view changed_words = "changed words";
inline constexpr std::string_view regions = "regions";
inline constexpr std::string_view next_hops = "next hops";
inline constexpr std::array<std::string_view, 3> tier_cells{"tier 1 cells", "tier 2 cells", "tier 3 cells"};
inline constexpr std::array<std::string_view, 3> tier_lines{"tier 1 lines", "tier 2 lines", "tier 3 lines"};
// What only the writer reads, and room that it keeps.
inline constexpr std::string_view for_changes = "for changes";
} // namespace part

namespace detail {

// A line of keys.
class line_keys {
  public:
    line_keys(const std::byte* line, unsigned slots) noexcept {
        for (unsigned i = 0; i < slots; ++i)
            if (const std::uint32_t key = key_at(line, i); key != no_key)
                keys_[count_++] = key;
    }
    std::span<const std::uint64_t> list() const noexcept { return {keys_.data(), count_}; }
    std::size_t below(std::uint32_t key) const noexcept {
        return static_cast<std::size_t>(
            std::count_if(keys_.begin(), keys_.begin() + count_, [key](std::uint64_t k) { return k < key; }));
    }

  private:
    std::array<std::uint64_t, node_shape::keys> keys_{};
    std::uint8_t count_ = 0;
};
static_assert(leaf_shape_for(1).keys <= node_shape::keys);

// How many bits an entry takes of addresses whose first `outer` are taken.
constexpr unsigned stride_of(std::uint64_t entry, unsigned outer) noexcept {
    return step_entry::shift_of(entry) == step_entry::pass ? 0 : 64 - step_entry::shift_of(entry) - outer;
}

// One lookup of one address.
template <class A>
class lookup_trace {
  public:
    lookup_trace(const fib_arrays<A>& from, A a, step_visitor each) noexcept
        : from_(from), address_(a), each_(each), codes_(from.codes()) {}

    next_hop run() {
        std::uint32_t code = from_.uses_bitmaps ? bitmap_code() : index_code();
        while (code == codes_.escape && tiers_begun_ < from_.tier_count)
            code = tier_code(tiers_begun_++);
        const std::uint32_t number = codes_.number_of(code);
        if (code < codes_.region_count)
            tell_region(code, number);
        if (number == next_hop::none.id || from_.hops.empty())
            return {number};
        const next_hop hop = from_.hops[number];
        trace_step step = step_at(part::next_hops, from_.hops.data(), number);
        step.key = number;
        tell(step, outcome::answered, hop.id);
        return hop;
    }

  private:
    static trace_step step_in(std::string_view part, const std::byte* array, std::size_t offset,
                              std::size_t bytes) noexcept {
        trace_step step;
        step.part = part;
        step.at = array + offset;
        step.offset = offset;
        step.bytes = static_cast<std::uint32_t>(bytes);
        return step;
    }
    // Reads one item of an array.
    template <class T>
    static trace_step step_at(std::string_view part, const T* array, std::size_t i) noexcept {
        return step_in(part, reinterpret_cast<const std::byte*>(array), i * sizeof(T), sizeof(T));
    }
    // Kernels read zeros behind the last bit of an address; steps do not show them.
    static void set_bits(trace_step& step, unsigned first, unsigned count) noexcept {
        step.first_bit = std::min(first, A::bits);
        step.bits = std::min(count, A::bits - step.first_bit);
    }
    static void set_node(trace_step& step, std::string_view kind, unsigned level) noexcept {
        step.kind = kind;
        step.level = level;
    }
    void tell(trace_step& step, outcome result, std::uint64_t found) {
        step.result = result;
        step.found = found;
        each_(step);
    }
    // A step that gives a code: found is the number that it stands for, or the region.
    std::uint32_t tell_code(trace_step& step, std::uint32_t code) {
        const bool is_cut = code == codes_.escape && tiers_begun_ < from_.tier_count;
        if (code < codes_.region_count)
            tell(step, outcome::missed, code);
        else
            tell(step, is_cut ? outcome::goes_on : outcome_of_number(), code - codes_.region_count);
        return code;
    }
    outcome outcome_of_number() const noexcept {
        return from_.hops.empty() ? outcome::answered : outcome::goes_on;
    }
    void tell_region(std::uint32_t code, std::uint32_t number) {
        trace_step step = step_at(part::regions, from_.regions.data(), code);
        set_node(step, "regions", 0);
        step.key = code;
        tell(step, number == next_hop::none.id ? outcome::answered : outcome_of_number(), number);
    }

    std::uint32_t index_code() {
        const auto root_bits = static_cast<unsigned>(std::countr_zero(from_.root.size()));
        const auto at_root = static_cast<std::size_t>(slice(address_, 0, root_bits));
        trace_step step = step_at(part::index_root_codes, from_.root_codes.data(), at_root);
        set_bits(step, 0, root_bits);
        set_node(step, "root codes", 0);
        step.key = at_root;
        if (from_.root_codes[at_root] != no_root_code)
            return tell_code(step, from_.root_codes[at_root]);
        tell(step, outcome::goes_on, at_root);
        std::uint64_t entry = from_.root[at_root];
        step = step_at(part::index_root, from_.root.data(), at_root);
        set_bits(step, 0, root_bits);
        set_node(step, "root", 0);
        step.key = at_root;
        unsigned bits = root_bits;
        unsigned level = 1;
        for (unsigned i = 0; i < index_steps; ++i) {
            const std::size_t at = step_entry::place(entry, top64(address_));
            const unsigned stride = stride_of(entry, bits);
            const std::uint64_t cell =
                top64(address_) >> step_entry::shift_of(entry) & low_mask<std::uint64_t>(stride);
            tell(step, outcome::goes_on, at - cell);
            entry = from_.pages.data()[at];
            step = step_at(part::index_pages, from_.pages.data(), at);
            set_bits(step, bits, stride);
            step.key = cell;
            bits += stride;
            // What takes no bits is no node.
            if (stride != 0)
                set_node(step, "table", level++);
        }
        if (!last_entry::is_tree(entry))
            return tell_code(step, last_entry::code_of(entry));
        const std::uint32_t node = last_entry::tree_of(entry);
        tell(step, outcome::goes_on, node / line_bytes);
        return tree_code(part::index_lines, from_.lines.data(), {node, node_levels, key_begin, level});
    }

    struct tree {
        std::uint32_t offset; // of its first node
        unsigned levels;      // of nodes, above the leaves
        unsigned outer;       // bits of the address before its keys
        unsigned level;       // of its first node
    };
    std::uint32_t tree_code(std::string_view lines_part, const std::byte* lines, const tree& at_hand) {
        const auto key = static_cast<std::uint32_t>(slice(address_, at_hand.outer, key_bits));
        std::uint32_t offset = at_hand.offset;
        const auto step_over = [&](const line_keys& keys) {
            trace_step step = step_in(lines_part, lines, offset, line_bytes);
            set_bits(step, at_hand.outer, key_bits);
            step.with = compared::keys;
            step.key = key;
            step.values = keys.list();
            return step;
        };
        for (unsigned i = 0; i < at_hand.levels; ++i) {
            const line_keys keys(lines + offset, node_shape::keys);
            const std::size_t child = keys.below(key);
            trace_step step = step_over(keys);
            set_node(step, "node", at_hand.level + i);
            tell(step, outcome::goes_on, child);
            offset = first_child_of(lines + offset) + static_cast<std::uint32_t>(child * line_bytes);
        }
        const leaf_shape shape = leaf_shape_for(from_.answer_bytes);
        const line_keys keys(lines + offset, shape.keys);
        const std::size_t at = shape.answers_at + keys.below(key) * from_.answer_bytes;
        trace_step step = step_over(keys);
        set_node(step, "leaf", at_hand.level + at_hand.levels);
        return tell_code(step, get_code(lines + offset + at, from_.answer_bytes));
    }

    std::uint32_t tier_code(std::size_t number) {
        const tier_arrays<A>& tier = from_.tiers[number];
        const unsigned outer = fib_arrays<A>::outer_of(from_.uses_bitmaps, number);
        const cell_slots<A> cells(tier.cells, outer, tier.key);
        const A sought = cell_first(address_, outer);
        // The last 64 bits of a longer one.
        const auto number_of = [&](A cell) {
            return static_cast<std::uint64_t>(shift_right(cell.value, A::bits - outer));
        };
        for (std::size_t at = cells.home(sought);; at = cells.next(at)) {
            const cell_slot<A>& slot = tier.cells[at];
            const std::uint64_t there[] = {number_of(slot.cell)};
            trace_step step = step_at(part::tier_cells[number], tier.cells.data(), at);
            set_bits(step, 0, outer);
            set_node(step, "cells", 0);
            step.with = compared::keys;
            step.key = number_of(sought);
            if (slot.tree != 0)
                step.values = there;
            const bool is_found = slot.tree != 0 && slot.cell == sought;
            if (slot.tree != 0 && !is_found) {
                tell(step, outcome::goes_on, cells.next(at));
                continue;
            }
            tell(step, is_found ? outcome::goes_on : outcome::missed, slot.tree / line_bytes);
            return tree_code(part::tier_lines[number], tier.lines.data(), {slot.tree, tier.levels, outer, 1});
        }
    }

    // Where a word says that its cell is cut, or where it is a redirect mark, lookups that know versions read
    // word and answer a second time. The same bytes are one step here.
    std::uint32_t bitmap_code() {
        const auto cell = static_cast<std::uint32_t>(slice(address_, 0, cell_bits));
        const std::uint32_t number = cell / word_cells;
        const bitmap_word word =
            from_.versions.empty() ? from_.words[number] : word_versions::load(from_.words.data(), number);
        trace_step step = step_at(part::bitmap_words, from_.words.data(), number);
        set_bits(step, 0, cell_bits);
        set_node(step, "words", 0);
        const std::uint64_t ends[] = {word.ends()};
        step.with = compared::bitmap;
        step.key = cell % word_cells;
        step.values = ends;
        tell(step, outcome::goes_on, word.slot_of(cell % word_cells));
        if (from_.versions.empty() || word != word_versions::redirect_mark)
            return answer_at(word.slot_of(cell % word_cells));

        // The escape code, of all redirect marks.
        const std::uint32_t first = get_code(from_.answers.data(), from_.answer_bytes);
        step = step_in(part::bitmap_answers, from_.answers.data(), 0, from_.answer_bytes);
        tell(step, outcome::goes_on, first - codes_.region_count);
        return answer_at(changed_word(number).slot_of(cell % word_cells));
    }
    std::uint32_t answer_at(std::size_t slot) {
        const std::size_t at = slot * from_.answer_bytes;
        trace_step step = step_in(part::bitmap_answers, from_.answers.data(), at, from_.answer_bytes);
        set_node(step, "answers", 1);
        step.key = slot;
        return tell_code(step, get_code(from_.answers.data() + at, from_.answer_bytes));
    }
    bitmap_word changed_word(std::uint32_t number) {
        const word_log& own = *from_.versions.own;
        if (const word_log::one* const made = find_change(own, number, 0))
            return made->after;
        return find_change(*from_.versions.other, number, own.memory_bytes())->before;
    }
    // The words of a list that a search compares, each with the slot that leads to it. `start` is where the
    // list lies within the part.
    const word_log::one* find_change(const word_log& log, std::uint32_t number, std::size_t start) {
        const word_log::one* found = nullptr;
        const auto compare = [&](std::uint32_t position) {
            const word_log::one& there = log.list()[position];
            const std::uint64_t numbers[] = {there.number};
            trace_step step = step_at(part::changed_words, log.list().data(), position);
            step.offset += start;
            set_bits(step, 0, word_index_bits);
            step.with = compared::keys;
            step.key = number;
            step.values = numbers;
            const bool is_same = there.number == number;
            tell(step, is_same ? outcome::goes_on : outcome::missed, position);
            if (is_same)
                found = &there;
            return is_same;
        };
        (void)log.index().find(log.index().key().hash(number), compare);
        return found;
    }

    const fib_arrays<A>& from_;
    A address_;
    step_visitor each_;
    code_view codes_;
    std::size_t tiers_begun_ = 0;
};

// The structure as a forest: index or words, each tier, and the regions have a root of their own.
//
//     root codes    index root codes the codes of cells that the root answers
//     root          index root       children: tables, trees' first nodes, answers
//     table         index pages      the same
//     node, leaf    index lines, tier n lines
//     answer        index pages      neighbouring cells that entries of one table answer alike; no bytes of
//     its own words         bitmap words     all of them are one node, for there are 2^19; children: answers
//     answers       bitmap answers   of one word with boundaries, or of neighbouring words that share one
//     answer cells         tier n cells     all slots of a tier are one node; children: the first nodes of
//     the cells' trees
//     regions       regions          what each region answers
//
// An entry that takes no bits is no node: what it leads to is a child of the table before. A tree that
// several tables lead to is a child of the first, and covers what lies between its first and its last cell,
// also where a cell between them has an answer of its own. Nodes that no address comes to are left out, as
// are lines, tables and answers that are free.
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
        for (std::size_t i = 0; i < from_.tier_count; ++i)
            visit_tier(i);
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
            entry = from_.pages.data()[step_entry::place(entry, address_of(covers))];
        const leads_to what = step < index_steps           ? leads_to::table
                              : last_entry::is_tree(entry) ? leads_to::tree
                                                           : leads_to::answer;
        return {what, entry, step + 1, covers};
    }
    table table_below(const table& t, const entry_run& run) const noexcept {
        const unsigned outer = t.outer + t.stride;
        return {from_.pages.data() + step_entry::place(run.entry, address_of(run.covers)),
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
        // What ends before the tree's first cell or starts behind its last, nothing leads to.
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

    void visit_tier(std::size_t number) {
        const tier_arrays<A>& tier = from_.tiers[number];
        const unsigned outer = fib_arrays<A>::outer_of(from_.uses_bitmaps, number);
        std::vector<child> cells;
        for (const cell_slot<A>& slot : tier.cells)
            if (slot.tree != 0)
                cells.push_back({slot.tree, slot.cell, cell_last(slot.cell, outer)});
        std::sort(cells.begin(), cells.end(),
                  [](const child& a, const child& b) { return a.first < b.first; });
        tell(A::first(), A::last(), 0, "cells", part::tier_cells[number], tier.cells.size_bytes(),
             cells.size());
        for (const child& cell : cells)
            visit_tree(part::tier_lines[number], tier.lines.data(), cell, tier.levels, outer, 1);
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
                 counts_words_ ? one.answers * from_.answer_bytes : 0, 0);
    }

    const fib_arrays<A>& from_;
    bool counts_words_;
    node_visitor<A> each_;
    std::unordered_map<std::uint32_t, position_range> trees_; // by their first nodes; those not visited yet
};

} // namespace detail

// As fib_view::lookup(), step by step.
template <class A>
next_hop trace_lookup(const fib_arrays<A>& from, A a, step_visitor each) {
    return detail::lookup_trace<A>(from, a, each).run();
}

// `counts_words`: of two FIBs that share words these count for one, see fib::memory_bytes().
template <class A>
void visit_structure(const fib_arrays<A>& from, bool counts_words, node_visitor<A> each) {
    detail::structure_visit<A>(from, counts_words, each).run();
}

// What lookups read of `all_bytes`, and what is left. Parts that this FIB has not are left out.
template <class A>
std::vector<memory_part> parts_of(const fib_arrays<A>& from, bool counts_words = true) {
    std::vector<memory_part> parts;
    const auto add = [&](std::string_view name, std::size_t bytes) { parts.push_back({name, bytes}); };
    if (from.uses_bitmaps) {
        add(part::bitmap_words, counts_words ? from.words.size_bytes() : 0);
        add(part::bitmap_answers, counts_words ? from.answers.size_bytes() : 0);
        if (!from.versions.empty())
            add(part::changed_words,
                counts_words ? from.versions.own->memory_bytes() + from.versions.other->memory_bytes() : 0);
    } else {
        add(part::index_root, from.root.size_bytes());
        add(part::index_root_codes, from.root_codes.size_bytes());
        add(part::index_pages, from.pages.size_bytes());
        add(part::index_lines, from.lines.size_bytes());
    }
    for (std::size_t i = 0; i < from.tier_count; ++i) {
        add(part::tier_cells[i], from.tiers[i].cells.size_bytes());
        add(part::tier_lines[i], from.tiers[i].lines.size_bytes());
    }
    add(part::regions, from.regions.size_bytes());
    if (!from.hops.empty())
        add(part::next_hops, from.hops.size_bytes());
    return parts;
}
// With what a FIB of so many bytes has besides.
template <class A>
std::vector<memory_part> parts_of(const fib_arrays<A>& from, bool counts_words, std::size_t all_bytes) {
    std::vector<memory_part> parts = parts_of(from, counts_words);
    parts.push_back({part::for_changes, all_bytes - total_bytes(parts)});
    return parts;
}

} // namespace fingerpost::packed_leaves
