// Shows the steps of a lookup in a chunked table of several levels, and its chunks: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
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
            each(now);
            now = read("next hops", next_hops.hops.data(), number);
        }
        now.result = outcome::answered;
        each(now);
        return hop;
    }

    void visit(node_visitor<A> each) const {
        visit_table({.kind = "root", .part = "root", .bits = First}, view.root, prefix<A>{}, each);
    }

  private:
    template <class T>
    static trace_step read(std::string_view part, const T* array, std::size_t place) {
        return {
            .part = part, .at = array + place, .offset = place * sizeof(T), .bytes = sizeof(T), .key = place};
    }
    // Visits the table that a node is, and the chunks below it.
    void visit_table(structure_node<A> node, const word* slots, const prefix<A>& where,
                     node_visitor<A> each) const {
        using value = typename A::value_type;
        const std::size_t count = std::size_t{1} << node.bits;
        const auto show = [&](node_contents& to) {
            for (std::size_t i = 0; i < count; ++i)
                add_answer(to, i,
                           entry::is_chunk(slots[i]) ? next_hop::none
                                                     : next_hops.decode(std::uint32_t{slots[i]} - 1));
        };
        node.first = where.first();
        node.last = where.last();
        node.bytes = count * sizeof(word);
        node.children = static_cast<std::size_t>(std::count_if(slots, slots + count, entry::is_chunk));
        node.contents = show;
        each(node);
        const unsigned depth = node.first_bit + node.bits;
        for (std::size_t i = 0; i < count; ++i) {
            if (!entry::is_chunk(slots[i]))
                continue;
            const value bits = shift_left(static_cast<value>(i), A::bits - depth);
            const std::size_t chunk = std::size_t{entry::number_of(slots[i])} << Stride;
            visit_table({.level = node.level + 1,
                         .kind = "chunk",
                         .part = "chunks",
                         .offset = chunk * sizeof(word),
                         .slot = i,
                         .first_bit = depth,
                         .bits = Stride},
                        view.chunks + chunk,
                        prefix<A>::make(A{static_cast<value>(where.base.value | bits)}, depth), each);
        }
    }
};

} // namespace fingerpost
