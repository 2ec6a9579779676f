// Verifies arrays from a file. With valid arrays, a lookup of any address ends, reads nothing outside the
// arrays, and does not search a hash table for long. It does not verify that results are right for some
// table.
//
// Takes time linear in the size of the arrays, whatever they contain: first marks all nodes and leaves, then
// examines each line once, or once for each level.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/fib/parts/cells/cell_view.hpp"

namespace fingerpost::cells {

struct array_fault {
    const void* at; // in the array, or its start if the array is too short
    const char* reason;
};

// The allowed codes: those of regions, then those of next hops, and the escape if another level follows.
struct code_rule {
    std::uint32_t end; // of regions and next hops, at most the escape
    std::uint32_t escape;
    bool may_escape;

    bool allows(std::uint32_t code) const noexcept { return code < end || (code == escape && may_escape); }
    // Returns the first code of a sequence that is not allowed, or null.
    const std::byte* first_bad(const std::byte* codes, std::size_t count, unsigned bytes) const noexcept {
        return with_word_of(bytes, [&](auto word) -> const std::byte* {
            for (std::size_t i = 0; i < count; ++i)
                if (!allows(get_word<decltype(word)>(codes + i * sizeof word)))
                    return codes + i * sizeof word;
            return nullptr;
        });
    }
};

// Trees in one array of lines. A line is either a node of one level or a leaf, for all nodes that lead to it.
class packed_tree_check {
    static constexpr std::uint8_t unmarked = 0xff;
    static constexpr std::size_t line = line_bytes;

  public:
    // Throws std::bad_alloc.
    packed_tree_check(std::span<const std::byte> lines, unsigned levels)
        : lines_(lines), levels_(levels), marks_(lines.size() / line, unmarked) {}

    // Returns false if the first node of a tree cannot be at this offset.
    bool mark_tree(std::uint32_t offset) noexcept { return mark(offset, 0); }

    std::optional<array_fault> run(unsigned code_bytes, const code_rule& rule) {
        if (!mark_tree(0) || lines_.size() % line != 0 || lines_.size() >> 32 != 0)
            return array_fault{lines_.data(), "lines must be complete, at least one, and less than 4 GB"};
        for (unsigned level = 0; level < levels_; ++level)
            for (std::size_t i = 0; i < marks_.size(); ++i)
                if (marks_[i] == level && !mark_children(i, static_cast<std::uint8_t>(level + 1)))
                    return array_fault{at(i), "a node leads to a line that is not its child"};
        if (const auto bad = check_leaves(code_bytes, rule))
            return bad;
        return check_idle_way(code_bytes);
    }

  private:
    const std::byte* at(std::size_t number) const noexcept { return lines_.data() + number * line; }
    bool mark(std::uint64_t offset, std::uint8_t level) noexcept {
        const std::uint64_t number = offset / line;
        if (offset % line != 0 || number >= marks_.size() ||
            (marks_[number] != unmarked && marks_[number] != level))
            return false;
        marks_[number] = level;
        return true;
    }
    bool mark_children(std::size_t number, std::uint8_t level) noexcept {
        // The number of keys limits the result of a comparison, because all ones are never below a key.
        const unsigned keys = keys_in(at(number), node_shape::keys);
        const std::uint64_t first = first_child_of(at(number));
        for (unsigned child = 0; child <= keys; ++child)
            if (!mark(first + child * line, level))
                return false;
        return true;
    }
    std::optional<array_fault> check_leaves(unsigned code_bytes, const code_rule& rule) const noexcept {
        const leaf_shape shape = leaf_shape_for(code_bytes);
        for (std::size_t i = 0; i < marks_.size(); ++i) {
            if (marks_[i] != levels_)
                continue;
            const std::byte* const codes = at(i) + shape.codes_at;
            if (const auto* bad = rule.first_bad(codes, keys_in(at(i), shape.keys) + 1, code_bytes))
                return array_fault{bad, "a leaf has an invalid code"};
        }
        return std::nullopt;
    }
    // Lanes without a tree walk from the first line, and what they read there is added to their results.
    std::optional<array_fault> check_idle_way(unsigned code_bytes) const noexcept {
        const leaf_shape shape = leaf_shape_for(code_bytes);
        std::uint32_t offset = 0;
        for (unsigned level = 0; level <= levels_; ++level) {
            const std::byte* const bytes = lines_.data() + offset;
            const bool is_leaf = level == levels_;
            if (keys_in(bytes, is_leaf ? shape.keys : node_shape::keys) != 0)
                return array_fault{bytes, "the path of idle lanes has keys"};
            if (is_leaf && get_code(bytes + shape.codes_at, code_bytes) != 0)
                return array_fault{bytes, "the path of idle lanes leads to an answer"};
            offset = first_child_of(bytes);
        }
        return std::nullopt;
    }

    std::span<const std::byte> lines_;
    unsigned levels_;
    std::vector<std::uint8_t> marks_;
};

// `numbers` is the limit for numbers of next hops.
inline std::optional<array_fault> check_regions(std::span<const std::uint32_t> answers, std::uint32_t escape,
                                                std::size_t numbers) {
    if (answers.size() <= least_regions || answers.size() - 1 >= escape || answers.back() != 0)
        return array_fault{answers.data(), "there are too few or too many regions, or no 0 follows them"};
    for (const std::uint32_t& number : answers.first(answers.size() - 1))
        if (number != next_hop::none.id && number >= numbers)
            return array_fault{&number, "a region has an invalid number"};
    return std::nullopt;
}

// The author of the file knows the hash key. So this checks that every cell is found within few probes.
template <class A>
std::optional<array_fault> check_cells(const long_level_arrays<A>& level, unsigned outer) {
    constexpr std::uint64_t most_slots = std::uint64_t{1} << 32;
    if (!std::has_single_bit(level.cells.size()) || level.cells.size() < 2 || level.cells.size() > most_slots)
        return array_fault{level.cells.data(), "the slots of a tier must be a power of two"};
    std::size_t used = 0;
    for (const cell_slot<A>& slot : level.cells)
        used += slot.tree != 0;
    if (used > level.cells.size() / 2)
        return array_fault{level.cells.data(), "more than half of the slots of a tier are in use"};
    if (cell_slots<A>::longest_run(level.cells) > cell_slots<A>::most_run(level.cells.size()))
        return array_fault{level.cells.data(), "too many consecutive slots of a tier are in use"};
    // No search is longer than a run, so this is linear too.
    const cell_slots<A> cells(level.cells, outer, level.key);
    for (const cell_slot<A>& slot : level.cells)
        if (slot.tree != 0 &&
            (slot.cell != cell_first(slot.cell, outer) ||
             cells.slot_of(slot.cell) != static_cast<std::size_t>(&slot - level.cells.data())))
            return array_fault{&slot, "a cell of a tier is not where its key leads"};
    return std::nullopt;
}

template <class A>
std::optional<array_fault> check_long_level(const long_level_arrays<A>& level, unsigned outer,
                                            unsigned code_bytes, const code_rule& rule) {
    constexpr unsigned most_levels = 8; // 16^8 leaves are as many as there are keys
    if (level.levels < 1 || level.levels > most_levels)
        return array_fault{level.lines.data(), "trees of a tier have 1 to 8 levels of nodes"};
    if (const auto fault = check_cells(level, outer))
        return fault;
    packed_tree_check trees(level.lines, level.levels);
    for (const cell_slot<A>& slot : level.cells)
        if (!trees.mark_tree(slot.tree))
            return array_fault{&slot, "a slot of a tier does not lead to a tree"};
    return trees.run(code_bytes, rule);
}

// Returns nothing if all arrays are valid. They must be aligned for their types, lines to a cache line.
// Throws std::bad_alloc.
template <class A, class Front>
std::optional<array_fault> validate(const fib_arrays<A, Front>& parts) {
    const unsigned bytes = parts.code_bytes;
    if (bytes != 1 && bytes != 2 && bytes != 4)
        return array_fault{nullptr, "answers have one, two or four bytes"};
    if (parts.long_level_count > parts.long_levels.size() ||
        (parts.long_level_count > 0 && parts.outer_of(parts.long_level_count - 1) >= A::bits))
        return array_fault{nullptr, "there are too many tiers for the width of addresses"};
    const std::uint32_t escape = next_hop_codec::escape_of(bytes);
    // Without a list, a number is allowed if its code is below the escape.
    const bool has_list = !parts.hops.empty();
    if (const auto fault = check_regions(parts.regions, escape, has_list ? parts.hops.size() : escape))
        return fault;
    const auto regions = to_u32(parts.regions.size() - 1, "regions");
    if (parts.hops.size() > escape - regions)
        return array_fault{parts.hops.data(), "there are more next hops than codes"};
    code_rule rule{has_list ? to_u32(regions + parts.hops.size(), "codes") : escape, escape,
                   parts.long_level_count > 0};
    std::optional<array_fault> fault = parts.front.check(bytes, rule);
    for (std::size_t i = 0; i < parts.long_level_count && !fault; ++i) {
        rule.may_escape = i + 1 < parts.long_level_count;
        fault = check_long_level<A>(parts.long_levels[i], parts.outer_of(i), bytes, rule);
    }
    return fault;
}

} // namespace fingerpost::cells
