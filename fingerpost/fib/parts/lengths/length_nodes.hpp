// Visits the nodes of a binary search on lengths.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/lengths/hashed_nodes.hpp"
#include "fingerpost/fib/parts/lengths/length_store.hpp"

namespace fingerpost {

template <class A>
class length_nodes {
    using entry_word = length_search::entry_word;

  public:
    explicit length_nodes(const length_store<A>& store) noexcept : store_(store), arrays_(store.arrays()) {}

    // The tree has a root, with the lengths below it, and the routes and markers of each length below that.
    // The front and the buckets are additional roots.
    void visit(node_visitor<A> each) const {
        if (store_.tree.size() == 0 && store_.default_code == 0)
            return;
        each({.first = A::first(),
              .last = A::last(),
              .kind = "tree",
              .part = "object",
              .bytes = sizeof store_.default_code,
              .children = store_.tree.size(),
              .contents = [&](node_contents& to) { add_answer(to, 0, hop_of(0)); }});
        std::vector<std::vector<entry>> of_length(A::bits + 1);
        store_.for_each([&](const prefix<A>& where, const std::uint64_t& word) {
            const bool is_wide = where.length > length_store<A>::narrow_bits;
            of_length[where.length].push_back(
                {where, word, is_wide ? store_.wide.offset_of(word) : store_.narrow.offset_of(word)});
        });
        for (std::size_t i = 0; i < store_.tree.size(); ++i)
            visit_length(i, of_length[store_.tree[i].length], each);
        visit_front(each);
        visit_buckets<A>(store_.narrow, "entries", each);
        visit_buckets<A>(store_.wide, "long entries", each);
    }

  private:
    struct entry {
        prefix<A> where;
        std::uint64_t word;
        std::uint64_t offset; // of its bucket
    };
    // A length is probed for all addresses.
    void visit_length(std::size_t number, std::vector<entry>& entries, node_visitor<A> each) const {
        const auto& node = store_.tree[number];
        const auto length_of = [&](std::uint8_t child) {
            return child == length_tree<A>::none ? 0U : unsigned{store_.tree[child].length};
        };
        constexpr std::size_t bytes = sizeof node + sizeof(length_search::probed_length);
        each({.first = A::first(),
              .last = A::last(),
              .level = 1,
              .kind = "length",
              .part = "lengths",
              .bytes = bytes,
              .children = entries.size(),
              .offset = number * bytes,
              .slot = number,
              .bits = node.length,
              .contents = [&](node_contents& to) {
                  to.numbers.push_back({"length", node.length});
                  to.numbers.push_back({"next if missed", length_of(node.left)});
                  to.numbers.push_back({"next if found", length_of(node.right)});
              }});
        const std::string_view part = node.length > length_store<A>::narrow_bits ? "long entries" : "entries";
        std::sort(entries.begin(), entries.end(),
                  [](const entry& a, const entry& b) { return a.where < b.where; });
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const auto& [where, word, offset] = entries[i];
            const auto show = [&, &where = where, &word = word](node_contents& to) {
                show_key(where, to);
                add_answer(to, 0, hop_of(entry_word::answer_of(word)));
                to.numbers.push_back({"length of the answer", entry_word::best_length(word)});
            };
            auto shown = hashed_entry(where, entry_word::is_route(word) ? "route" : "marker", part, offset);
            shown.level = 2;
            shown.slot = i;
            shown.contents = show;
            each(shown);
        }
    }
    // Covers the addresses that read the front.
    void visit_front(node_visitor<A> each) const {
        const auto& front = store_.front;
        if (front.size() == 0)
            return;
        const std::uint64_t first = front.first() << arrays_.front_shift;
        const std::uint64_t last = ((front.first() + front.size()) << arrays_.front_shift) - 1;
        each({.first = from_halves<A>(first, 0),
              .last = from_halves<A>(last, ~std::uint64_t{0}),
              .kind = "front",
              .part = "front",
              .bytes = front.size() * sizeof(std::uint32_t),
              .bits = front.bits(),
              .contents = [&](node_contents& to) {
                  for (std::size_t i = 0; i < front.size(); ++i)
                      add_answer(to, i, hop_of(front.data()[i]));
                  to.numbers.push_back({"first slot", front.first()});
              }});
    }
    next_hop hop_of(std::uint32_t state) const noexcept { return length_search::hop_of(arrays_, state); }

    const length_store<A>& store_;
    length_search::arrays arrays_;
};

} // namespace fingerpost
