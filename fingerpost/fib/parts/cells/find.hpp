// A sequential lookup: the reference for the kernels, and the steps of `explain`.
//
// Kernels read zeros after the last bit of an address. Steps omit them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/cells/cell_parts.hpp"
#include "fingerpost/fib/parts/cells/cell_view.hpp"

namespace fingerpost::cells {

// Looks up in a tree with `levels` levels of nodes, from its first node. Its keys follow the first `outer`
// bits.
template <class Read, class A>
std::uint32_t find_in_tree(Read& read, A a, const std::byte* lines, unsigned code_bytes, std::uint32_t offset,
                           unsigned levels, unsigned outer) {
    const auto key = static_cast<std::uint32_t>(slice(a, outer, key_bits));
    const leaf_shape leaf = leaf_shape_of(code_bytes);
    const std::byte* line = nullptr;
    const auto search = [&](unsigned slots) {
        line = read(lines, offset, line_bytes);
        read.tell([&](auto& step) {
            const unsigned bits = shown_key_bits(A::bits, outer);
            const line_keys keys(line, slots, bits);
            step.looks_at(outer, key_bits);
            step.compares_keys(slice(a, outer, bits), {keys.list().begin(), keys.list().end()});
        });
        return keys_below(line, slots, key);
    };
    for (; levels > 0; --levels) {
        const unsigned child = search(node_shape::keys);
        offset = first_child_of(line) + child * line_bytes;
    }
    const unsigned interval = search(leaf.keys);
    return get_code(line + leaf.codes_at + interval * code_bytes, code_bytes);
}

template <class Read, class A>
std::uint32_t find_in_long_level(Read& read, A a, const long_level_arrays<A>& level, unsigned code_bytes,
                                 unsigned outer) {
    const cell_slots<A> cells(level.cells, outer, level.key);
    const A sought = cell_first(a, outer);
    for (std::size_t at = cells.home(sought);; at = cells.next(at)) {
        const cell_slot<A>& slot = read(level.cells, at);
        const bool is_end = slot.tree == 0 || slot.cell == sought;
        read.tell([&](auto& step) {
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
            return find_in_tree(read, a, level.lines.data(), code_bytes, slot.tree, level.levels, outer);
    }
}

// The answer of an address to which the front gives this code.
template <class Read, class A, class Front>
next_hop answer_of(Read& read, const fib_arrays<A, Front>& in, std::uint32_t code, A a) {
    const code_view codes = in.codes();
    for (std::size_t level = 0; code == codes.escape && level < in.long_level_count; ++level)
        code = find_in_long_level(read, a, in.long_levels[level], in.code_bytes, in.outer_of(level));
    const std::uint32_t number = codes.number_of(code);
    if (code < codes.region_count) {
        read.tell([](auto& step) { step.misses(); });
        (void)read(in.regions, code);
    }
    return read.answer(next_hop_decoder{in.hops}, number);
}
template <class Read, class A, class Front>
next_hop find(Read& read, const fib_arrays<A, Front>& in, A a) {
    return answer_of(read, in, in.front.find(read, a, in.code_bytes), a);
}

} // namespace fingerpost::cells
