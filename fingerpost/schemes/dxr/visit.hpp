// Shows the chunks of DXR: see fib/inspectable.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
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

    // The direct entries are the root, and its slots are the chunks, even with blocks. A chunk of ranges that
    // several entries share is one node, which covers all addresses from the first entry to the last.
    void visit(node_visitor<A> each) const {
        const std::size_t chunk_count = std::size_t{1} << X;
        const auto entry_of = [&](std::size_t chunk) { return view.direct[view.place(first_of(chunk))]; };
        std::vector<std::uint32_t> last(chunks.range_bytes() / sizeof(word)); // last chunk + 1, for each base
        std::size_t with_ranges = 0;
        for (std::size_t chunk = 0; chunk < chunk_count; ++chunk)
            if (const word entry = entry_of(chunk); !form::is_hit(entry)) {
                std::uint32_t& known = last[form::base_of(entry)];
                with_ranges += known == 0 ? 1 : 0;
                known = static_cast<std::uint32_t>(chunk + 1);
            }
        each({.first = A::first(),
              .last = A::last(),
              .kind = "table",
              .part = "direct",
              .bytes = direct_entries * sizeof(word),
              .children = with_ranges,
              .bits = X,
              .contents = [&](node_contents& to) {
                  for (std::size_t chunk = 0; chunk < chunk_count; ++chunk) {
                      const word entry = entry_of(chunk);
                      add_answer(to, chunk,
                                 form::is_hit(entry) ? hop_of(form::code_of(entry)) : next_hop::none);
                  }
              }});
        for (std::size_t chunk = 0; chunk < chunk_count; ++chunk) {
            const word entry = entry_of(chunk);
            if (form::is_hit(entry) || last[form::base_of(entry)] == 0)
                continue;
            visit_ranges(entry, chunk, last[form::base_of(entry)] - 1, each);
            last[form::base_of(entry)] = 0;
        }
    }

  private:
    static A first_of(std::size_t chunk) noexcept {
        return A{static_cast<typename A::value_type>(chunk << form::rest)};
    }
    next_hop hop_of(word code) const noexcept { return codec.decode(code - 1); }
    void visit_ranges(word entry, std::size_t first, std::size_t last, node_visitor<A> each) const {
        const range_run run = view.run_of(entry);
        each({.first = first_of(first),
              .last = prefix<A>::make(first_of(last), X).last(),
              .level = 1,
              .kind = form::is_short(entry) ? "short ranges"
                      : form::is_xl(entry)  ? "XL ranges"
                                            : "long ranges",
              .part = "ranges",
              .bytes = chunks.words_of(entry).size() * sizeof(word),
              .offset = form::base_of(entry) * sizeof(word),
              .slot = first,
              .first_bit = X,
              .bits = run.wide != 0 ? form::rest : form::short_start,
              .contents = [&](node_contents& to) {
                  to.with = compared::keys;
                  for (std::uint32_t i = 0; i < run.count; ++i) {
                      const word range_word = view.entry_at(run.at + (i << run.wide), run.wide);
                      to.values.push_back(range_word >> (run.wide != 0 ? form::long_code : form::short_code));
                      add_answer(to, i, hop_of(view_type::code_in(range_word, run.wide)));
                  }
                  // The last entry is repeated if the number of short entries is odd.
                  const auto ends = std::span(to.values).last(std::min<std::size_t>(2, run.count));
                  to.padding = ends.size() == 2 && ends[0] == ends[1] ? 1 : 0;
              }});
    }
};

} // namespace fingerpost::dxr
