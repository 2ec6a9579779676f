// Shows the steps of a lookup in a direct table, and its arrays: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/schemes/dir_24_8/arrays.hpp"

namespace fingerpost::dir_24_8 {

template <class A, class Word, unsigned Rest>
next_hop trace(const direct_view<A, Word, Rest>& in, A a, step_visitor each) {
    using view = direct_view<A, Word, Rest>;
    constexpr unsigned first_bits = A::bits - Rest;
    const auto read = [&](std::string_view part, const auto* array, std::size_t slot) {
        return trace_step{.part = part,
                          .at = array + slot,
                          .offset = slot * sizeof *array,
                          .bytes = sizeof *array,
                          .key = slot,
                          .result = outcome::answered};
    };
    const std::size_t slot = a.value >> Rest;
    Word entry = view::load(in.table[slot], std::memory_order_acquire);
    trace_step now = read("table", in.table, slot);
    now.bits = first_bits;
    if ((entry & view::extended) != 0) {
        now.result = outcome::goes_on;
        each(now);
        const std::size_t spilled = view::spill_slot(entry, a);
        entry = view::load(in.spill[spilled], std::memory_order_relaxed);
        now = read("spill", in.spill, spilled);
        now.first_bit = first_bits;
        now.bits = Rest;
    }
    if (in.values != nullptr) {
        now.result = outcome::goes_on;
        each(now);
        now = read("values", in.values, entry);
    }
    each(now);
    return in.decode(entry);
}

// The table is the root, with its groups below it.
template <class A, class Word, unsigned Rest>
void visit(const direct_view<A, Word, Rest>& in, node_visitor<A> each) {
    constexpr std::size_t entries = std::size_t{1} << (A::bits - Rest);
    constexpr std::size_t group_entries = std::size_t{1} << Rest;
    const auto leads_to_group = [](Word entry) {
        return (entry & direct_view<A, Word, Rest>::extended) != 0;
    };
    const auto show_answers = [&](const Word* from, std::size_t count, node_contents& to) {
        for (std::size_t i = 0; i < count; ++i)
            add_answer(to, i, leads_to_group(from[i]) ? next_hop::none : in.decode(from[i]));
    };
    const auto groups = std::count_if(in.table, in.table + entries, leads_to_group);
    each({.first = A::first(),
          .last = A::last(),
          .kind = "table",
          .part = "table",
          .bytes = entries * sizeof(Word),
          .children = static_cast<std::size_t>(groups),
          .bits = A::bits - Rest,
          .contents = [&](node_contents& to) { show_answers(in.table, entries, to); }});
    for (std::size_t i = 0; i < entries; ++i) {
        if (!leads_to_group(in.table[i]))
            continue;
        const auto where = prefix<A>::make(A{static_cast<std::uint32_t>(i << Rest)}, A::bits - Rest);
        const std::size_t group = in.spill_slot(in.table[i], where.first());
        each({.first = where.first(),
              .last = where.last(),
              .level = 1,
              .kind = "group",
              .part = "spill",
              .bytes = group_entries * sizeof(Word),
              .offset = group * sizeof(Word),
              .slot = i,
              .first_bit = A::bits - Rest,
              .bits = Rest,
              .contents = [&](node_contents& to) { show_answers(in.spill + group, group_entries, to); }});
    }
}

} // namespace fingerpost::dir_24_8
