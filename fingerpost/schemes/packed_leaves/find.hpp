// A lookup in packed leaves, one read after the other: what the kernels must answer, and the steps of
// `explain`.
//
// Kernels read zeros behind the last bit of an address; steps do not show them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fingerpost/fib/layout.hpp"
#include "fingerpost/schemes/packed_leaves/bitmap/code_array.hpp"
#include "fingerpost/schemes/packed_leaves/inspection/parts.hpp"
#include "fingerpost/schemes/packed_leaves/lookup.hpp"

namespace fingerpost::packed_leaves {

template <class A, class Read>
class finder {
  public:
    finder(const fib_arrays<A>& in, Read& read, A a) noexcept : in_(in), read_(read), address_(a) {}

    next_hop run() {
        const code_view codes = in_.codes();
        std::uint32_t code = in_.uses_bitmaps ? bitmap_code() : index_code();
        for (std::size_t level = 0; code == codes.escape && level < in_.long_level_count; ++level)
            code = long_level_code(level);
        const std::uint32_t number = codes.number_of(code);
        if (code < codes.region_count) {
            read_.tell([](auto& step) { step.misses(); });
            (void)read_(in_.regions, code);
        }
        return read_.answer(next_hop_decoder{in_.hops}, number);
    }

  private:
    std::uint32_t index_code() {
        const auto root_bits = static_cast<unsigned>(std::countr_zero(in_.root.size()));
        const auto first = static_cast<std::size_t>(slice(address_, 0, root_bits));
        const auto looks = [&](unsigned from, unsigned count, std::uint64_t key) {
            read_.tell([=](auto& step) {
                step.looks_at(from, count);
                step.key = key;
            });
        };
        const std::uint32_t root_code = read_(in_.root_codes, first);
        looks(0, root_bits, first);
        if (root_code != no_root_code)
            return root_code;
        std::uint64_t entry = read_(in_.root, first);
        looks(0, root_bits, first);
        unsigned bits = root_bits;
        for (unsigned i = 0; i < index_steps; ++i) {
            const unsigned shift = step_entry::shift_of(entry), stride = detail::stride_of(entry, bits);
            entry = read_(in_.pages.data(), step_entry::slot(entry, top64(address_)));
            looks(bits, stride, top64(address_) >> shift & low_mask<std::uint64_t>(stride));
            bits += stride;
        }
        if (!last_entry::is_tree(entry))
            return last_entry::code_of(entry);
        return tree_code(in_.lines.data(), last_entry::tree_of(entry), node_levels, key_begin);
    }

    // From the first node of a tree with so many levels of nodes; its keys follow the first `outer` bits.
    std::uint32_t tree_code(const std::byte* lines, std::uint32_t offset, unsigned levels, unsigned outer) {
        const auto key = static_cast<std::uint32_t>(slice(address_, outer, key_bits));
        const leaf_shape leaf = leaf_shape_for(in_.code_bytes);
        for (;; --levels) {
            const std::byte* const line = read_(lines, offset, line_bytes);
            const unsigned slots = levels > 0 ? node_shape::keys : leaf.keys;
            unsigned below = 0;
            while (below < slots && key_at(line, below) < key)
                ++below;
            read_.tell([&](auto& step) {
                const unsigned bits = detail::shown_key_bits(A::bits, outer);
                const detail::line_keys keys(line, slots, bits);
                step.looks_at(outer, key_bits);
                step.compares_keys(slice(address_, outer, bits), {keys.list().begin(), keys.list().end()});
            });
            if (levels == 0)
                return get_code(line + leaf.codes_at + below * in_.code_bytes, in_.code_bytes);
            offset = first_child_of(line) + below * line_bytes;
        }
    }

    std::uint32_t long_level_code(std::size_t number) {
        const long_level_arrays<A>& level = in_.long_levels[number];
        const unsigned outer = fib_arrays<A>::outer_of(in_.uses_bitmaps, number);
        const cell_slots<A> cells(level.cells, outer, level.key);
        const A sought = cell_first(address_, outer);
        for (std::size_t at = cells.home(sought);; at = cells.next(at)) {
            const cell_slot<A>& slot = read_(level.cells, at);
            const bool is_end = slot.tree == 0 || slot.cell == sought;
            read_.tell([&](auto& step) {
                const unsigned bits = std::min(outer, A::bits);
                std::vector<std::uint64_t> there;
                if (slot.tree != 0)
                    there.push_back(slice(slot.cell, 0, bits));
                step.looks_at(0, bits);
                step.compares_keys(slice(sought, 0, bits), std::move(there));
                if (slot.tree == 0)
                    step.misses();
            });
            if (is_end)
                return tree_code(level.lines.data(), slot.tree, level.levels, outer);
        }
    }

    // Where a word says that its cell is cut, or where it is a redirect mark, lookups that know versions read
    // word and answer a second time. The same bytes are one step here.
    std::uint32_t bitmap_code() {
        const auto cell = static_cast<std::uint32_t>(slice(address_, 0, cell_bits));
        const std::uint32_t number = cell / word_cells;
        const bitmap_word& there = read_(in_.words, number);
        const bitmap_word word = in_.versions.empty() ? there : word_versions::load(in_.words.data(), number);
        const bool is_marked = !in_.versions.empty() && word == word_versions::redirect_mark;
        read_.tell([&](auto& step) {
            step.looks_at(0, cell_bits);
            step.tests_bitmaps(cell % word_cells, {detail::shown_ends(word)});
            if (!is_marked)
                step.counted = {0, 1, word.start(), word.intervals_before(cell % word_cells), in_.code_bytes};
        });
        if (!is_marked)
            return answer_at(word.slot_of(cell % word_cells));
        (void)read_(in_.answers.data(), 0, in_.code_bytes); // the escape code, of all redirect marks
        return answer_at(changed_word(number).slot_of(cell % word_cells));
    }
    std::uint32_t answer_at(std::size_t slot) {
        const std::byte* const code = read_(in_.answers.data(), slot * in_.code_bytes, in_.code_bytes);
        read_.tell([=](auto& step) { step.key = slot; });
        return get_code(code, in_.code_bytes);
    }
    bitmap_word changed_word(std::uint32_t number) {
        const word_log::one* const made = find_change(*in_.versions.own, number);
        return made != nullptr ? made->after : find_change(*in_.versions.other, number)->before;
    }
    const word_log::one* find_change(const word_log& log, std::uint32_t number) {
        const word_log::one* found = nullptr;
        const auto compare = [&](std::uint32_t position) {
            const word_log::one& there = read_(log.list(), position);
            read_.tell([&](auto& step) {
                step.looks_at(0, word_index_bits);
                step.compares_keys(number, {there.number});
                if (there.number != number)
                    step.misses();
            });
            found = there.number == number ? &there : nullptr;
            return found != nullptr;
        };
        (void)log.index().find(log.index().key().hash(number), compare);
        return found;
    }

    const fib_arrays<A>& in_;
    Read& read_;
    A address_;
};

} // namespace fingerpost::packed_leaves
