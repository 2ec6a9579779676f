// Shows the steps of a lookup in DXR, and its chunks: see fib/inspectable.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/schemes/dxr/chunks.hpp"
#include "fingerpost/schemes/dxr/view.hpp"

namespace fingerpost::dxr {

template <class A, unsigned X, bool Blocks>
struct inspector {
    using view_type = range_view<A, X, Blocks>;
    using form = typename view_type::form;

    view_type view;
    const chunk_store<A, X>& chunks;
    const next_hop_codec& codec;
    std::size_t direct_entries;

    next_hop trace(A a, step_visitor each) const {
        const std::size_t chunk = view_type::chunk_of(a);
        if constexpr (Blocks) {
            trace_step now = read("blocks", view.blocks, chunk >> view.in_block);
            now.bits = X - view.in_block;
            now.found = view.blocks[chunk >> view.in_block];
            each(now);
        }
        const std::size_t place = view.place(a);
        const word entry = view.direct[place];
        trace_step now = read("direct", view.direct, place);
        now.first_bit = X - view.in_block;
        now.bits = view.in_block;
        if (form::is_hit(entry))
            return answer(now, form::code_of(entry), each);
        now.found = form::base_of(entry);
        each(now);
        range_run run = view.run_of(entry);
        if (form::is_xl(entry)) {
            now = read("ranges", view.ranges, form::base_of(entry));
            now.found = run.count;
            each(now);
        }
        const word sought = view_type::key(a, run.wide);
        const auto compare = [&](std::uint32_t at) {
            trace_step step = read("ranges", view.ranges, at / 2);
            step.first_bit = X;
            step.bits = run.wide != 0 ? form::rest : form::short_start;
            step.with = compared::keys;
            step.key = sought >> (run.wide != 0 ? form::long_code : form::short_code);
            return step;
        };
        while (run.count > 1) {
            const std::uint32_t half = run.count / 2, there = run.at + (half << run.wide);
            const word found = view.entry_at(there, run.wide);
            const std::uint64_t start = found >> (run.wide != 0 ? form::long_code : form::short_code);
            trace_step step = compare(there);
            step.values = {&start, 1};
            step.found = found <= sought ? 1 : 0;
            each(step);
            run.at = found <= sought ? there : run.at;
            run.count -= half;
        }
        return answer(compare(run.at), view_type::code_in(view.entry_at(run.at, run.wide), run.wide), each);
    }

    // The direct entries are the root. A chunk that several entries share counts once.
    void visit(node_visitor<A> each) const {
        const std::size_t all = std::size_t{1} << X;
        const auto entry_of = [&](std::size_t chunk) { return view.direct[view.place(first_of(chunk))]; };
        std::size_t with_ranges = 0;
        for (std::size_t chunk = 0; chunk < all; ++chunk)
            with_ranges += form::is_hit(entry_of(chunk)) ? 0 : 1;
        each({.first = A::first(),
              .last = A::last(),
              .kind = "table",
              .part = "direct",
              .bytes = direct_entries * sizeof(word),
              .children = with_ranges});
        std::vector<bool> seen(chunks.range_bytes() / sizeof(word));
        for (std::size_t chunk = 0; chunk < all; ++chunk) {
            const word entry = entry_of(chunk);
            if (form::is_hit(entry))
                continue;
            const auto where = prefix<A>::make(first_of(chunk), X);
            auto known = seen[form::base_of(entry)];
            each({.first = where.first(),
                  .last = where.last(),
                  .level = 1,
                  .kind = form::is_short(entry) ? "short"
                          : form::is_xl(entry)  ? "XL"
                                                : "long",
                  .part = "ranges",
                  .bytes = known ? 0 : chunks.words_of(entry).size() * sizeof(word)});
            known = true;
        }
    }

  private:
    static A first_of(std::size_t chunk) noexcept {
        return A{static_cast<typename A::value_type>(chunk << form::rest)};
    }
    template <class T>
    static trace_step read(std::string_view part, const T* array, std::size_t slot) {
        return {.part = part,
                .at = array + slot,
                .offset = slot * sizeof *array,
                .bytes = sizeof *array,
                .key = slot};
    }
    next_hop answer(trace_step last, word code, step_visitor each) const {
        const next_hop hop = codec.decode(code - 1);
        if (const auto listed = codec.decoder().hops; !listed.empty() && hop != next_hop::none) {
            last.found = code - 1;
            each(last);
            last = read("next hops", listed.data(), code - 1);
        }
        last.result = outcome::answered;
        last.found = hop.id;
        each(last);
        return hop;
    }
};

} // namespace fingerpost::dxr
