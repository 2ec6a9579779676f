// Shows the steps of a lookup in bitmaps for lengths, and their arrays: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/fib/parts/answers/answer_runs.hpp"

namespace fingerpost {

template <class A, unsigned Step>
next_hop length_bitmaps<A, Step>::trace(A a, step_visitor each) const {
    const auto read = [](std::string_view part, const auto* array, std::size_t place, unsigned first_bit,
                         unsigned bits) {
        return trace_step{.part = part,
                          .at = array + place,
                          .offset = place * sizeof *array,
                          .bytes = sizeof *array,
                          .first_bit = first_bit,
                          .bits = bits,
                          .key = place};
    };
    const std::uint32_t cell = levels::cell_of(a);
    const std::size_t found = levels::find(bitmap_.data(), cell);
    for (unsigned i = 0; i < levels::count; ++i) {
        const std::size_t place = levels::place(i, cell);
        trace_step probe = read("bitmap", bitmap_.data(), place / 64, 0, levels::lengths[i]);
        probe.key = place;
        probe.result = place == found ? outcome::goes_on : outcome::missed;
        each(probe);
        if (place == found)
            break;
    }
    if (found == levels::slots)
        return next_hop::none;
    trace_step now = read("entries", entries_.data(), found, 0, levels::pivot);
    const entry* const at = code_at(entries_[found], &entries_[found], a);
    if (leads_to_chunk(entries_[found])) {
        each(now);
        const auto place = static_cast<std::size_t>(at - chunks_.data());
        now = read("chunks", chunks_.data(), place, levels::pivot, levels::rest);
    }
    const std::span<const next_hop> listed = codec_.decoder().hops;
    if (const entry code = *at & code_mask; !listed.empty() && code != 0) {
        each(now);
        now = read("next hops", listed.data(), code - 1, 0, 0);
    }
    now.result = outcome::answered;
    each(now);
    return decode(*at);
}

// Each level has a bitmap and an array of entries; chunks lie below the pivot's entries. The bitmaps of the
// shortest levels share one word, which counts for the first of them.
template <class A, unsigned Step>
void length_bitmaps<A, Step>::visit(node_visitor<A> each) const {
    std::vector<std::pair<std::uint32_t, entry>> chunks; // by their cells
    for_each_chunk([&](entry chunk, std::uint32_t cell) { chunks.emplace_back(cell, chunk); });
    std::sort(chunks.begin(), chunks.end());
    const auto show_answers = [&](const entry* from, std::size_t count, node_contents& to) {
        for (std::size_t i = 0; i < count; ++i)
            add_answer(to, i, leads_to_chunk(from[i]) ? next_hop::none : decode(from[i]));
    };
    const auto visit_chunk = [&](std::uint32_t cell, entry chunk) {
        const auto where = prefix<A>::make(A{cell << levels::rest}, levels::pivot);
        const entry* const words_of = chunks_.at(chunk);
        each({.first = where.first(),
              .last = where.last(),
              .level = 1,
              .kind = "chunk",
              .part = "chunks",
              .bytes = chunk_words * sizeof(entry),
              .offset = chunk * sizeof(entry),
              .slot = cell,
              .first_bit = levels::pivot,
              .bits = levels::rest,
              .contents = [&](node_contents& to) {
                  show_answers(words_of + head_words, chunk_words - head_words, to);
                  to.numbers.push_back({"routes", words_of[routes_word]});
              }});
    };
    for (unsigned i = 0; i < levels::count; ++i) {
        const std::size_t begin = levels::begins[i], slots = std::size_t{1} << levels::lengths[i];
        const std::size_t words = slots >= 64 ? slots / 64 : begin % 64 == 0 ? 1 : 0;
        each({.first = A::first(),
              .last = A::last(),
              .kind = "bitmap",
              .part = "bitmap",
              .bytes = words * sizeof bitmap_[0],
              .offset = words > 0 ? begin / 8 : 0,
              .bits = levels::lengths[i],
              .contents = [&](node_contents& to) {
                  to.with = compared::bitmap;
                  to.bitmaps = {{"prefixes"}};
                  const std::uint64_t mask = low_mask<std::uint64_t>(slots < 64 ? unsigned(slots) : 64);
                  for (std::size_t at = begin; at < begin + slots; at += 64)
                      to.values.push_back(bitmap_[at / 64] >> (at % 64) & mask);
              }});
        each({.first = A::first(),
              .last = A::last(),
              .kind = "array",
              .part = "entries",
              .bytes = slots * sizeof(entry),
              .children = i == 0 ? chunks.size() : 0,
              .offset = begin * sizeof(entry),
              .bits = levels::lengths[i],
              .contents = [&](node_contents& to) { show_answers(&entries_[begin], slots, to); }});
        if (i == 0)
            for (const auto& [cell, chunk] : chunks)
                visit_chunk(cell, chunk);
    }
}

} // namespace fingerpost
