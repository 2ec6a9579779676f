// One lookup in packed leaves, step by step. It reads the arrays that kernels read, by code of its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/schemes/packed_leaves/bitmap/code_array.hpp"
#include "fingerpost/schemes/packed_leaves/inspection/parts.hpp"
#include "fingerpost/schemes/packed_leaves/lookup.hpp"

namespace fingerpost::packed_leaves::detail {

template <class A>
class lookup_trace {
  public:
    lookup_trace(const fib_arrays<A>& from, A a, step_visitor each) noexcept
        : from_(from), address_(a), each_(each), codes_(from.codes()) {}

    next_hop run() {
        std::uint32_t code = from_.uses_bitmaps ? bitmap_code() : index_code();
        while (code == codes_.escape && long_levels_begun_ < from_.long_level_count)
            code = long_level_code(long_levels_begun_++);
        const std::uint32_t number = codes_.number_of(code);
        if (code < codes_.region_count)
            tell_region(code, number);
        if (number == next_hop::none.id || from_.hops.empty())
            return {number};
        const next_hop hop = from_.hops[number];
        trace_step step = step_at(part::next_hops, from_.hops.data(), number);
        step.key = number;
        tell(step, outcome::answered);
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
    void tell(trace_step& step, outcome result) {
        step.result = result;
        each_(step);
    }
    // A step that gives a code.
    std::uint32_t tell_code(trace_step& step, std::uint32_t code) {
        const bool is_cut = code == codes_.escape && long_levels_begun_ < from_.long_level_count;
        if (code < codes_.region_count)
            tell(step, outcome::missed);
        else
            tell(step, is_cut ? outcome::goes_on : outcome_of_number());
        return code;
    }
    outcome outcome_of_number() const noexcept {
        return from_.hops.empty() ? outcome::answered : outcome::goes_on;
    }
    void tell_region(std::uint32_t code, std::uint32_t number) {
        trace_step step = step_at(part::regions, from_.regions.data(), code);
        step.key = code;
        tell(step, number == next_hop::none.id ? outcome::answered : outcome_of_number());
    }

    std::uint32_t index_code() {
        const auto root_bits = static_cast<unsigned>(std::countr_zero(from_.root.size()));
        const auto at_root = static_cast<std::size_t>(slice(address_, 0, root_bits));
        trace_step step = step_at(part::index_root_codes, from_.root_codes.data(), at_root);
        set_bits(step, 0, root_bits);
        step.key = at_root;
        if (from_.root_codes[at_root] != no_root_code)
            return tell_code(step, from_.root_codes[at_root]);
        tell(step, outcome::goes_on);
        std::uint64_t entry = from_.root[at_root];
        step = step_at(part::index_root, from_.root.data(), at_root);
        set_bits(step, 0, root_bits);
        step.key = at_root;
        unsigned bits = root_bits;
        for (unsigned i = 0; i < index_steps; ++i) {
            const std::size_t at = step_entry::slot(entry, top64(address_));
            const unsigned stride = stride_of(entry, bits);
            const std::uint64_t cell =
                top64(address_) >> step_entry::shift_of(entry) & low_mask<std::uint64_t>(stride);
            tell(step, outcome::goes_on);
            entry = from_.pages.data()[at];
            step = step_at(part::index_pages, from_.pages.data(), at);
            set_bits(step, bits, stride);
            step.key = cell;
            bits += stride;
        }
        if (!last_entry::is_tree(entry))
            return tell_code(step, last_entry::code_of(entry));
        const std::uint32_t node = last_entry::tree_of(entry);
        tell(step, outcome::goes_on);
        return tree_code(part::index_lines, from_.lines.data(), {node, node_levels, key_begin});
    }

    struct tree {
        std::uint32_t offset; // of its first node
        unsigned levels;      // of nodes, above the leaves
        unsigned outer;       // bits of the address before its keys
    };
    std::uint32_t tree_code(std::string_view lines_part, const std::byte* lines, const tree& at_hand) {
        const unsigned bits = shown_key_bits(A::bits, at_hand.outer);
        const std::uint64_t key = slice(address_, at_hand.outer, bits);
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
            const line_keys keys(lines + offset, node_shape::keys, bits);
            const std::size_t child = keys.below(key);
            trace_step step = step_over(keys);
            tell(step, outcome::goes_on);
            offset = first_child_of(lines + offset) + static_cast<std::uint32_t>(child * line_bytes);
        }
        const leaf_shape shape = leaf_shape_for(from_.code_bytes);
        const line_keys keys(lines + offset, shape.keys, bits);
        const std::size_t at = shape.codes_at + keys.below(key) * from_.code_bytes;
        trace_step step = step_over(keys);
        return tell_code(step, get_code(lines + offset + at, from_.code_bytes));
    }

    std::uint32_t long_level_code(std::size_t number) {
        const long_level_arrays<A>& level = from_.long_levels[number];
        const unsigned outer = fib_arrays<A>::outer_of(from_.uses_bitmaps, number);
        const cell_slots<A> cells(level.cells, outer, level.key);
        const A sought = cell_first(address_, outer);
        const auto number_of = [&](A cell) { return slice(cell, 0, std::min(outer, A::bits)); };
        for (std::size_t at = cells.home(sought);; at = cells.next(at)) {
            const cell_slot<A>& slot = level.cells[at];
            const std::uint64_t there[] = {number_of(slot.cell)};
            trace_step step = step_at(part::long_level_cells[number], level.cells.data(), at);
            set_bits(step, 0, outer);
            step.with = compared::keys;
            step.key = number_of(sought);
            if (slot.tree != 0)
                step.values = there;
            const bool is_found = slot.tree != 0 && slot.cell == sought;
            if (slot.tree != 0 && !is_found) {
                tell(step, outcome::goes_on);
                continue;
            }
            tell(step, is_found ? outcome::goes_on : outcome::missed);
            return tree_code(part::long_level_lines[number], level.lines.data(),
                             {slot.tree, level.levels, outer});
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
        const std::uint64_t ends[] = {shown_ends(word)};
        const bool is_marked = !from_.versions.empty() && word == word_versions::redirect_mark;
        step.with = compared::bitmap;
        step.key = cell % word_cells;
        step.values = ends;
        if (!is_marked)
            step.counted = {0, 1, word.start(), word.intervals_before(cell % word_cells), from_.code_bytes};
        tell(step, outcome::goes_on);
        if (!is_marked)
            return answer_at(word.slot_of(cell % word_cells));

        // The escape code, of all redirect marks.
        step = step_in(part::bitmap_answers, from_.answers.data(), 0, from_.code_bytes);
        tell(step, outcome::goes_on);
        return answer_at(changed_word(number).slot_of(cell % word_cells));
    }
    std::uint32_t answer_at(std::size_t slot) {
        const std::size_t at = slot * from_.code_bytes;
        trace_step step = step_in(part::bitmap_answers, from_.answers.data(), at, from_.code_bytes);
        step.key = slot;
        return tell_code(step, get_code(from_.answers.data() + at, from_.code_bytes));
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
            tell(step, is_same ? outcome::goes_on : outcome::missed);
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
    std::size_t long_levels_begun_ = 0;
};

} // namespace fingerpost::packed_leaves::detail
