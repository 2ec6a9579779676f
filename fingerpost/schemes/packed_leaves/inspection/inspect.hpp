// How packed leaves answer and what they consist of, for explanations, pictures and depth figures. Tests
// compare it with the kernels.
//
// Arrays may have grown since the FIB last noted their sizes. So only the sizes of root, regions, cells and
// words are used, which every change notes again; of the other arrays only the address.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "fingerpost/schemes/packed_leaves/find.hpp"
#include "fingerpost/schemes/packed_leaves/inspection/structure.hpp"

namespace fingerpost::packed_leaves {

// `is_live`: the arrays are those of a FIB that changes, and may have grown since.
template <class A>
std::vector<layout_piece> pieces_of_arrays(const fib_arrays<A>& from, bool is_live) {
    std::vector<layout_piece> all;
    const auto add = [&](std::string_view part, auto items, bool grows = false) {
        all.push_back({part, std::as_bytes(items), 0, grows});
    };
    add(part::bitmap_words, from.words);
    add(part::bitmap_answers, from.answers, is_live);
    if (!from.versions.empty()) {
        add(part::changed_words, from.versions.own->list());
        all.push_back({part::changed_words, std::as_bytes(from.versions.other->list()),
                       from.versions.own->memory_bytes(), is_live});
    }
    add(part::index_root, from.root);
    add(part::index_root_codes, from.root_codes);
    add(part::index_pages, from.pages, is_live);
    add(part::index_lines, from.lines, is_live);
    for (std::size_t i = 0; i < from.long_level_count; ++i) {
        add(part::long_level_cells[i], from.long_levels[i].cells);
        add(part::long_level_lines[i], from.long_levels[i].lines, is_live);
    }
    add(part::regions, from.regions);
    add(part::next_hops, from.hops);
    return all;
}

// As fib_view::lookup(), step by step.
template <class A>
next_hop trace_lookup(const fib_arrays<A>& from, A a, step_visitor each, bool is_live) {
    tracing_reads read(pieces_of_arrays(from, is_live), A::bits, each);
    const next_hop found = finder<A, tracing_reads>(from, read, a).run();
    read.end();
    return found;
}

// `counts_words`: two FIBs may share words, which then count for one of them; see fib::memory_bytes().
template <class A>
void visit_structure(const fib_arrays<A>& from, bool counts_words, node_visitor<A> each) {
    detail::structure_visit<A>(from, counts_words, each).run();
}

// The parts of `all_bytes` that lookups read, and the rest. Parts that this FIB does not have are left out.
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
    for (std::size_t i = 0; i < from.long_level_count; ++i) {
        add(part::long_level_cells[i], from.long_levels[i].cells.size_bytes());
        add(part::long_level_lines[i], from.long_levels[i].lines.size_bytes());
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
