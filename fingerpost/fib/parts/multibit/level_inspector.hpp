// Shows the steps of a lookup in a chunked table of several levels, and its chunks: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/parts/multibit/level_view.hpp"

namespace fingerpost {

// `next_hops` decodes the view's answers.
template <class A, class Word, unsigned First, unsigned Stride>
struct level_inspector {
    using word = Word;
    using entry = chunk_slot<Word>;

    level_view<A, Word, First, Stride> view;
    next_hop_decoder next_hops;

    next_hop trace(A a, step_visitor each) const {
        std::size_t place = view.first_bits(a);
        trace_step now = read("root", view.root, place);
        now.bits = First;
        word slot = entry::load(view.root[place]);
        for (unsigned level = 0; entry::is_chunk(slot); ++level) {
            now.found = entry::number_of(slot);
            each(now);
            place = view.place_below(slot, a, level);
            now = read("chunks", view.chunks, place);
            now.first_bit = First + level * Stride;
            now.bits = Stride;
            slot = entry::load(view.chunks[place]);
        }
        const std::uint32_t number = std::uint32_t{slot} - 1;
        const next_hop hop = next_hops.decode(number);
        if (!next_hops.hops.empty() && hop != next_hop::none) {
            now.found = number;
            each(now);
            now = read("next hops", next_hops.hops.data(), number);
        }
        now.result = outcome::answered;
        now.found = hop.id;
        each(now);
        return hop;
    }

    void visit(node_visitor<A> each) const {
        constexpr std::size_t slots = std::size_t{1} << First;
        each({.first = A::first(),
              .last = A::last(),
              .kind = "root",
              .part = "root",
              .bytes = slots * sizeof(word),
              .children = chunks_in(view.root, slots)});
        visit_below(view.root, slots, prefix<A>{}, 0, each);
    }

  private:
    template <class T>
    static trace_step read(std::string_view part, const T* array, std::size_t place) {
        return {
            .part = part, .at = array + place, .offset = place * sizeof(T), .bytes = sizeof(T), .key = place};
    }
    static std::size_t chunks_in(const word* slots, std::size_t count) {
        return static_cast<std::size_t>(std::count_if(slots, slots + count, entry::is_chunk));
    }
    // Visits the chunks that the slots of the node `of` lead to, each before those below it.
    void visit_below(const word* slots, std::size_t count, prefix<A> of, unsigned level,
                     node_visitor<A> each) const {
        using value = typename A::value_type;
        const unsigned length = First + level * Stride;
        for (std::size_t i = 0; i < count; ++i) {
            if (!entry::is_chunk(slots[i]))
                continue;
            const value bits = shift_left(static_cast<value>(i), A::bits - length);
            const auto where = prefix<A>::make(A{static_cast<value>(of.base.value | bits)}, length);
            constexpr std::size_t size = std::size_t{1} << Stride;
            const word* const below = view.chunks + (std::size_t{entry::number_of(slots[i])} << Stride);
            const bool leads_on = level + 1 < view.levels;
            each({.first = where.first(),
                  .last = where.last(),
                  .level = level + 1,
                  .kind = "chunk",
                  .part = "chunks",
                  .bytes = size * sizeof(word),
                  .children = leads_on ? chunks_in(below, size) : 0});
            if (leads_on)
                visit_below(below, size, where, level + 1, each);
        }
    }
};

} // namespace fingerpost
