// Shows the steps and the nodes of a binary search on lengths.
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

// The front is one step. Each probed length is another, with as many buckets as it reads; a probe that runs
// past the end of the table counts as two steps. If no length is in use, the next hop of /0 is read, if there
// is one.
template <class A>
class length_inspector {
    using entry_word = length_search::entry_word;

  public:
    explicit length_inspector(const length_store<A>& store) noexcept
        : store_(store), arrays_(store.arrays()) {}

    next_hop trace(A a, step_visitor each) const {
        const length_search::aligned_address at{top64(a), bottom64(a)};
        std::uint32_t found = length_search::begin(arrays_, at.top);
        std::uint8_t length = length_search::first_length(arrays_, found);
        const bool ends = length == length_search::stop;
        const std::uint64_t slot = (at.top >> arrays_.front_shift) - store_.front.first();
        if (slot < store_.front.size())
            each({.part = "front",
                  .at = store_.front.data() + slot,
                  .offset = slot * sizeof(std::uint32_t),
                  .bytes = sizeof(std::uint32_t),
                  .bits = store_.front.bits(),
                  .key = slot,
                  .result = ends ? outcome::answered : outcome::goes_on,
                  .best = hop_of(found)});
        else if (ends && store_.default_code != 0)
            each({.part = "object",
                  .at = &store_.default_code,
                  .bytes = sizeof store_.default_code,
                  .result = outcome::answered,
                  .best = hop_of(found)});
        while (length != length_search::stop) {
            const length_search::probed_length& probed = arrays_.lengths[length];
            if (!probed.is_wide())
                trace_probe(arrays_.narrow, arrays_.narrow_buckets, arrays_.narrow_key, "entries", probed,
                            at.top & probed.mask, found, length, each);
            else if constexpr (A::bits > 64)
                trace_probe(arrays_.wide, arrays_.wide_buckets, arrays_.wide_key, "long entries", probed,
                            length_search::wide_key(probed, at), found, length, each);
        }
        return hop_of(found);
    }

    // The tree is a root, with the lengths below it, and the routes and markers of each length below that.
    // The front and the buckets are further roots.
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
                add_answer(to, 0, hop_of(entry_word::found(word)));
                to.numbers.push_back({"length of the answer", entry_word::best_length(word)});
            };
            auto shown = hashed_entry(where, entry_word::is_route(word) ? "route" : "marker", part, offset);
            shown.level = 2;
            shown.slot = i;
            shown.contents = show;
            each(shown);
        }
    }
    // Covers the addresses that read it.
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
    next_hop hop_of(std::uint32_t found) const noexcept {
        return store_.codec.decode(length_search::code_of(arrays_, found) - 1);
    }

    template <class Key>
    void trace_probe(const prefix_bucket<Key>* buckets, std::uint64_t count, const hash_key& secret,
                     std::string_view part, const length_search::probed_length& probed, Key key,
                     std::uint32_t& found, std::uint8_t& length, step_visitor each) const {
        const std::uint32_t before = found;
        std::vector<std::size_t> read;
        const auto [end, slot] = length_search::probe(buckets, count, secret, probed, key,
                                                      [&](std::size_t at) { read.push_back(at); });
        const bool is_hit = slot < prefix_bucket<Key>::slots;
        if (is_hit)
            found = length_search::entry_word::found(end->words[slot]);
        length = length_search::next_length(arrays_, found, length, is_hit);

        std::vector<std::uint64_t> keys;
        for (std::size_t first = 0; first < read.size();) {
            std::size_t last = first;
            while (last + 1 < read.size() && read[last + 1] == read[last] + 1)
                ++last;
            keys.clear();
            for (std::size_t i = first; i <= last; ++i)
                for (unsigned s = 0; s < prefix_bucket<Key>::slots; ++s)
                    if (buckets[read[i]].length(s) != 0)
                        keys.push_back(first_bits(buckets[read[i]].keys[s]));
            const bool ends = last + 1 == read.size();
            const bool answers = ends && is_hit && length == length_search::stop;
            each({.part = part,
                  .at = buckets + read[first],
                  .offset = read[first] * sizeof(prefix_bucket<Key>),
                  .bytes = static_cast<std::uint32_t>((last - first + 1) * sizeof(prefix_bucket<Key>)),
                  .bits = static_cast<unsigned>(probed.tag >> 56),
                  .with = compared::keys,
                  .key = first_bits(key),
                  .values = keys,
                  .result = answers           ? outcome::answered
                            : ends && !is_hit ? outcome::missed
                                              : outcome::goes_on,
                  .best = hop_of(ends ? found : before)});
            first = last + 1;
        }
    }
    static std::uint64_t first_bits(std::uint64_t key) noexcept { return number(key); }
    static std::uint64_t first_bits(u128 key) noexcept { return static_cast<std::uint64_t>(key >> 64); }
    // The form of number_in_step(): the address itself if it has at most 64 bits.
    static std::uint64_t number(std::uint64_t top) noexcept {
        return A::bits > 64 ? top : shift_right(top, 64 - std::min(A::bits, 64u));
    }

    const length_store<A>& store_;
    length_search::arrays arrays_;
};

} // namespace fingerpost
