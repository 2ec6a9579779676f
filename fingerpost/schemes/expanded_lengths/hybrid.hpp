// Hash tables at three lengths, and tries for the lengths between them, as in the paper's form for IPv6.
//
//      entries    32 | 64 | 96         the first bits of each route of at least this length
//      entry      [ key | length, the slot of its trie or an answer ]
//
//     64: hit  ---> 96: hit or miss         the last entry hit has a trie for the next 32 bits,
//         miss ---> 32: hit or miss         8 a node; without a hit, the trie of the first 32 bits is used
//
// The tries are leaf-pushed, and their default is the longest match of the entry's own bits. So the last slot
// that a lookup reads has the answer. The nodes are packed (fib/parts/multibit/packed_node.hpp), because few
// nodes have many different slots. An entry without longer routes stores the answer instead of a trie.
//
// Lookup: two probes, then one load for each of up to four nodes. Memory: 16 bytes an entry of up to 64 bits
// and 32 bytes a longer one, with 3/4 of the slots in use, and the nodes. Update: not supported. Limits: 2^31
// slots. Batch: 32 addresses take each probe together, then each node.
//
// Other widths use 1/4 of their bits, rounded up, instead of 32.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/parts/lengths/hashed_nodes.hpp"
#include "fingerpost/fib/parts/lengths/prefix_table.hpp"
#include "fingerpost/fib/parts/multibit/packed_trie.hpp"

namespace fingerpost::expanded_lengths {

template <class A>
class hybrid {
    using trie = packed_trie<A, strides_by_level<A>>;
    using slot = typename trie::slot;
    static constexpr unsigned quarter = (A::bits + 3) / 4;
    static constexpr unsigned narrow_bits = 64;

  public:
    // Tests pass a lower limit of slots.
    static expected<hybrid> build(const routes<A>& table, const build_options& options = {},
                                  std::size_t most_slots = trie::most_slots) {
        hybrid built(most_slots);
        std::vector<next_hop> hops;
        for (const route<A>& r : table.sorted())
            hops.push_back(r.hop);
        built.codec_ = next_hop_codec::choose_below(hops, slot::child_mark);
        if (const errc failure = built.fill(table.sorted(), options.hash_seed); failure != errc::ok)
            return unexpected{failure};
        return built;
    }

    next_hop lookup(A a) const noexcept {
        const trie_start at = search(a, [](const auto&...) {});
        return answer_of(trie_.find_below(at.from, at.depth, a));
    }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        for (std::size_t at = 0; at < in.size(); at += block)
            lookup_block(in.data() + at, out.data() + at, std::min(block, in.size() - at));
    }
    std::size_t memory_bytes() const noexcept { return total_bytes(parts()); }

    next_hop trace(A a, step_visitor each) const {
        bool reads = false;
        const trie_start at = search(a, [&](const auto& table, auto key, unsigned length, bool is_last) {
            reads = true;
            trace_probe(table, key, length, is_last, each);
        });
        if (!reads && !at.from.has_child() && answer_of(at.from) != next_hop::none)
            each({.part = "object", .at = &short_, .bytes = sizeof short_, .result = outcome::answered});
        return trie_.trace_below(at.from, at.depth, a, each, [this](slot s) { return answer_of(s); });
    }
    std::vector<memory_part> memory_parts() const {
        const auto list = parts();
        return {list.begin(), list.end()};
    }
    // One root is the search. Its children are the trie of the first bits and the entries, each with its
    // trie. The buckets are further roots.
    void visit(node_visitor<A> each) const {
        const auto answer = [this](slot s) { return answer_of(s); };
        std::uint64_t number = 0; // number of the child
        each({.first = A::first(),
              .last = A::last(),
              .kind = "search",
              .part = "object",
              .bytes = sizeof short_,
              .children = narrow_.size() + wide_.size() + (short_.has_child() ? 1 : 0),
              .contents = [&](node_contents& to) { add_answer(to, 0, hop_in(short_, answer)); }});
        trie_.visit_below(short_, {{}, 1, number++}, each, answer);
        const auto show = [&](const prefix<A>& where, slot from, std::string_view part,
                              std::uint64_t offset) {
            const auto contents = [&](node_contents& to) {
                show_key(where, to);
                add_answer(to, 0, hop_in(from, answer));
            };
            auto shown = hashed_entry(where, "entry", part, offset);
            shown.level = 1;
            shown.slot = number++;
            shown.children = from.has_child() ? 1 : 0;
            shown.contents = contents;
            each(shown);
            trie_.visit_below(from, {where, 2, 0}, each, answer);
        };
        narrow_.for_each([&](std::uint64_t key, unsigned length, const std::uint64_t& word) {
            show(prefix<A>::make(from_halves<A>(key, 0), length), slot_of(word), "entries",
                 narrow_.offset_of(word));
        });
        wide_.for_each([&](u128 key, unsigned length, const std::uint64_t& word) {
            const auto first = static_cast<std::uint64_t>(key >> narrow_bits);
            show(prefix<A>::make(from_halves<A>(first, static_cast<std::uint64_t>(key)), length),
                 slot_of(word), "long entries", wide_.offset_of(word));
        });
        visit_buckets<A>(narrow_, "entries", each);
        visit_buckets<A>(wide_, "long entries", each);
    }

    // Number of entries.
    std::size_t entries() const noexcept { return narrow_.size() + wide_.size(); }

  private:
    using narrow_bucket = prefix_bucket<std::uint64_t>;
    using wide_bucket = prefix_bucket<u128>;
    // The starting point of a descent through a trie.
    struct trie_start {
        slot from;
        unsigned depth;
    };

    // About the number of cache misses that a core can overlap.
    static constexpr std::size_t block = 32;

    explicit hybrid(std::size_t most_slots) noexcept : trie_(most_slots) {}

    static slot slot_of(std::uint64_t word) noexcept {
        slot result;
        result.word = static_cast<std::uint32_t>(word);
        return result;
    }
    next_hop answer_of(slot s) const noexcept { return codec_.decode(s.answer().id); }

    // Calls with(table, key) for the table that has entries of this length.
    template <class Self, class With>
    static auto with_table(Self& self, A a, unsigned length, With with) {
        if constexpr (A::bits > narrow_bits)
            if (length > narrow_bits)
                return with(self.wide_, (static_cast<u128>(top64(a)) << narrow_bits | bottom64(a)) &
                                            leading_mask<u128>(length));
        return with(self.narrow_, top64(a) & leading_mask<std::uint64_t>(length));
    }
    static constexpr bool exists(unsigned length) noexcept { return length < A::bits; }

    // Calls each(table, key, length, is last) for both probes.
    template <class Each>
    trie_start search(A a, Each each) const {
        trie_start best{short_, 0};
        const auto probe = [&](unsigned length, bool is_last) {
            return exists(length) && with_table(*this, a, length, [&](const auto& table, auto key) {
                       if (table.size() == 0)
                           return false;
                       each(table, key, length, is_last);
                       const std::uint64_t* word = table.find(key, length);
                       if (word != nullptr)
                           best = {slot_of(*word), length};
                       return word != nullptr;
                   });
        };
        probe(probe(2 * quarter, false) ? 3 * quarter : quarter, true);
        return best;
    }

    struct lane {
        std::size_t home; // first bucket of the probe
        unsigned length;
        trie_start best;
    };
    void ask(lane& state, A a) const noexcept {
        if (!exists(state.length))
            return;
        with_table(*this, a, state.length, [&](const auto& table, auto key) {
            state.home = table.bucket_count() == 0 ? 0 : table.home(key, state.length);
            __builtin_prefetch(table.buckets() + state.home);
        });
    }
    // Probes, and returns whether there is an entry.
    bool look(lane& state, A a) const noexcept {
        return exists(state.length) && with_table(*this, a, state.length, [&](const auto& table, auto key) {
                   if (table.size() == 0)
                       return false;
                   const std::uint64_t* word = table.find_from(state.home, key, state.length);
                   if (word != nullptr)
                       state.best = {slot_of(*word), state.length};
                   return word != nullptr;
               });
    }
    void lookup_block(const A* in, next_hop* out, std::size_t count) const noexcept {
        std::array<lane, block> lanes;
        std::array<typename trie::walk, block> walks;
        std::array<std::uint8_t, block> going;
        for (std::size_t i = 0; i < count; ++i) {
            lanes[i].best = {short_, 0};
            lanes[i].length = 2 * quarter;
            ask(lanes[i], in[i]);
        }
        for (std::size_t i = 0; i < count; ++i) {
            lanes[i].length = look(lanes[i], in[i]) ? 3 * quarter : quarter;
            ask(lanes[i], in[i]);
        }
        for (std::size_t i = 0; i < count; ++i) {
            look(lanes[i], in[i]);
            walks[i] = trie_.start_below(lanes[i].best.from, lanes[i].best.depth, in[i]);
            going[i] = static_cast<std::uint8_t>(i);
        }
        for (std::size_t left = count; left > 0;) {
            std::size_t still = 0;
            for (std::size_t i = 0; i < left; ++i) {
                const std::uint8_t which = going[i];
                const bool goes_on = trie_.step(walks[which]);
                going[still] = which;
                still += goes_on ? 1 : 0;
            }
            left = still;
        }
        for (std::size_t i = 0; i < count; ++i)
            out[i] = answer_of(walks[i].current);
    }

    std::array<memory_part, 5> parts() const noexcept {
        return {{{"entries", narrow_.memory_bytes()},
                 {"long entries", wide_.memory_bytes()},
                 {"nodes", trie_.slot_bytes()},
                 {"next hops", codec_.memory_bytes()},
                 {"object", sizeof *this}}};
    }

    class builder;
    errc fill(std::span<const route<A>> sorted, std::optional<std::uint64_t> seed);
    template <class Key>
    void trace_probe(const prefix_table<Key>& table, Key key, unsigned length, bool is_last,
                     step_visitor each) const;

    trie trie_;
    slot short_; // root of the trie of the first bits, or the answer of all addresses without an entry
    prefix_table<std::uint64_t> narrow_;
    prefix_table<u128> wide_;
    next_hop_codec codec_;
};

// Reports a step for each bucket that a probe reads.
template <class A>
template <class Key>
void hybrid<A>::trace_probe(const prefix_table<Key>& table, Key key, unsigned length, bool is_last,
                            step_visitor each) const {
    const auto first_bits = [](Key k) {
        constexpr unsigned below = sizeof(Key) * 8 - 64;
        const auto top = static_cast<std::uint64_t>(k >> below);
        return A::bits > 64 ? top : shift_right(top, 64 - std::min(A::bits, 64u));
    };
    std::vector<std::uint64_t> keys;
    for (std::size_t at = table.home(key, length);; at = table.after(at)) {
        const auto& bucket = table.buckets()[at];
        const unsigned which = bucket.slot_of(key, length);
        const bool is_hit = which < bucket.slots, goes_on = !is_hit && bucket.is_passed();
        const slot leads_to = is_hit ? slot_of(bucket.words[which]) : slot{};
        const bool answers = is_last && is_hit && !leads_to.has_child();
        keys.clear();
        for (unsigned i = 0; i < bucket.slots; ++i)
            if (bucket.length(i) != 0)
                keys.push_back(first_bits(bucket.keys[i]));
        each({.part = length > narrow_bits ? "long entries" : "entries",
              .at = &bucket,
              .offset = at * sizeof bucket,
              .bytes = sizeof bucket,
              .bits = length,
              .with = compared::keys,
              .key = first_bits(key),
              .values = keys,
              .result = answers             ? outcome::answered
                        : is_hit || goes_on ? outcome::goes_on
                                            : outcome::missed});
        if (!goes_on)
            return;
    }
}

// The entries and tries of a table before they are hashed.
template <class A>
class hybrid<A>::builder {
  public:
    struct entry {
        prefix<A> where;
        slot from;        // an answer until the entry's trie is built
        std::size_t trie; // number of its trie, or no_trie
    };
    static constexpr std::size_t no_trie = ~std::size_t{0};

    builder(std::span<const route<A>> sorted, const next_hop_codec& codec) : codec_(codec) {
        for (const route<A>& r : sorted)
            if (r.where.length > 0)
                between_[(r.where.length - 1) / quarter].push_back(r);
        const bool has_default = !sorted.empty() && sorted[0].where.length == 0;
        add({}, has_default ? sorted[0].hop : next_hop::none, 0);
        for (const route<A>& r : sorted)
            add_entries(r);
    }

    std::vector<entry> entries; // the first one has no bits
    std::vector<typename trie::root> tries;

  private:
    void add_entries(const route<A>& r) {
        while (!covers_.empty() && !covers_.back().where.covers(r.where))
            covers_.pop_back();
        covers_.push_back(r);
        for (unsigned number = 1; number < 4; ++number) {
            const unsigned length = number * quarter;
            if (r.where.length < length || !exists(length))
                return;
            const auto where = prefix<A>::make(r.where.base, length);
            if (has_last_[number] && last_[number] == where)
                continue;
            has_last_[number] = true;
            last_[number] = where;
            next_hop best = next_hop::none;
            for (const route<A>& cover : covers_)
                if (cover.where.length <= length)
                    best = cover.hop;
            add(where, best, number);
        }
    }
    // Adds an entry, and the trie with the longer routes below it.
    void add(const prefix<A>& where, next_hop best, unsigned number) {
        const std::vector<route<A>>& candidates = between_[number];
        const std::size_t first = next_[number];
        std::size_t end = first;
        while (end < candidates.size() && where.covers(candidates[end].where))
            ++end;
        next_[number] = end;
        entry e{where, slot_of(codec_.encode(best)), no_trie};
        if (end > first) {
            e.trie = tries.size();
            tries.push_back({where.length, e.from, std::span(candidates).subspan(first, end - first)});
        }
        entries.push_back(e);
    }

    const next_hop_codec& codec_;
    std::array<std::vector<route<A>>, 4> between_; // routes between the hashed lengths
    std::array<std::size_t, 4> next_{};
    std::array<prefix<A>, 4> last_{}; // last entry of each hashed length
    std::array<bool, 4> has_last_{};
    std::vector<route<A>> covers_; // covers of the current route and the route itself
};

template <class A>
errc hybrid<A>::fill(std::span<const route<A>> sorted, std::optional<std::uint64_t> seed) {
    builder plan(sorted, codec_);
    strides_by_level<A> strides;
    strides.by_level.fill((quarter + 3) / 4);
    const auto stride_of = [&](const auto&, unsigned, unsigned level, bool = false) {
        return unsigned{strides.by_level[level]};
    };
    const auto set = [this](slot& s, const route<A>& r, unsigned) { s.word = codec_.encode(r.hop); };
    const errc failure = trie_.build_below(strides, std::span(plan.tries), stride_of, set);
    if (failure != errc::ok)
        return failure;
    std::array<std::size_t, 2> counts{};
    for (auto& e : plan.entries) {
        if (e.trie != builder::no_trie)
            e.from = plan.tries[e.trie].covered;
        ++counts[e.where.length > narrow_bits ? 1 : 0];
    }
    auto narrow = prefix_table<std::uint64_t>::make(counts[0], seed);
    auto wide = prefix_table<u128>::make(counts[1], seed);
    if (!narrow || !wide)
        return errc::out_of_memory;
    narrow_ = std::move(*narrow);
    wide_ = std::move(*wide);
    short_ = plan.entries.front().from;
    for (const auto& e : std::span(plan.entries).subspan(1)) {
        const errc insert_failure =
            with_table(*this, e.where.base, e.where.length,
                       [&](auto& table, auto key) { return table.insert(key, e.where.length, e.from.word); });
        if (insert_failure != errc::ok)
            return insert_failure;
    }
    return errc::ok;
}

} // namespace fingerpost::expanded_lengths
