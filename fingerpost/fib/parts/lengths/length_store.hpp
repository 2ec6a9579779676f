// Arrays of a binary search on lengths: building, lookup and inspection.
//
//      lengths    the tree, a node for each length                     length_tree.hpp
//      steps      next step of a search                                length_steps.hpp
//      entries    routes and markers of up to 64 bits, hashed          prefix_table.hpp
//      long entries    routes and markers of more than 64 bits
//      front      results by first bits, in variants that have one     length_front.hpp
//
// An entry stores the longest match of its own bits, so a search that followed a marker keeps that result if
// it finds nothing longer. Length 0 has no entry: its next hop is the result of a search without a match.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/relocate.hpp"
#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/parts/lengths/length_entries.hpp"
#include "fingerpost/fib/parts/lengths/length_front.hpp"
#include "fingerpost/fib/parts/lengths/length_search.hpp"
#include "fingerpost/fib/parts/lengths/length_steps.hpp"

namespace fingerpost {

// Parameters of the search in a table.
template <class A>
struct length_design {
    length_tree<A> tree;      // over all lengths in use except 0
    bool has_origins = false; // true if entries store the lengths of their longer routes; otherwise all are
                              // possible
    front_shape front{};
};

template <class A>
struct length_store {
    using entry_word = length_search::entry_word;
    using answer = length_search::answer;
    using narrow_table = prefix_table<std::uint64_t>;
    using wide_table = prefix_table<u128>;

    // Codes of next hops are below this.
    static constexpr std::uint32_t most_codes = std::uint32_t{1} << answer::code_bits;
    static constexpr unsigned narrow_bits = 64;
    static constexpr bool has_wide = A::bits > narrow_bits;

    length_tree<A> tree;
    bool has_origins = false;
    origin_sets<A> sets;
    length_steps<A> steps;
    struct {
        std::vector<length_search::probed_length> list{};
        std::size_t memory_bytes() const noexcept { return list.capacity() * sizeof list[0]; }
        template <class Place>
        void relocate(Place& place) {
            fingerpost::relocate(list, place);
        }
    } lengths; // derived from the tree, not saved
    narrow_table narrow;
    wide_table wide;
    length_front<A> front;
    next_hop_codec codec;
    std::uint32_t default_code = 0;

    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        narrow_table::for_each_array(of.narrow, "entries", visit);
        wide_table::for_each_array(of.wide, "long entries", visit);
        length_front<A>::for_each_array(of.front, visit);
        visit("lengths", of.tree);
        visit("lengths", of.lengths);
        visit("steps", of.steps);
        visit("origins", of.sets);
        visit("next hops", of.codec);
        visit("default", of.default_code);
    }
    void check(const layout_check& in) {
        narrow.check(in);
        wide.check(in);
        front.check(in);
        steps.check(in, tree);
        in.is_code(codec, default_code, nullptr);
        const auto check_answer = [&](std::uint32_t state, const void* at) {
            in.is_code(codec, answer::code(state), at);
            in.require(answer::origins(state) < steps.rows(), at, "an answer has no steps");
        };
        for_each([&](const prefix<A>& where, const std::uint64_t& word) {
            in.require(where.length <= A::bits, &word, "an entry is too long");
            check_answer(entry_word::answer_of(word), &word);
        });
        for (std::size_t i = 0; i < front.size(); ++i)
            check_answer(front[i], front.data() + i);
        describe_lengths();
    }

    // Throws the exceptions of scheme builders.
    static expected<length_store> build(const routes<A>& table, length_design<A> design,
                                        const build_options& options) {
        length_store store;
        std::vector<next_hop> hops;
        for (const route<A>& r : table.sorted())
            hops.push_back(r.hop);
        store.codec = next_hop_codec::choose_below(hops, most_codes);
        store.tree = std::move(design.tree);
        store.has_origins = design.has_origins;
        if (!table.sorted().empty() && table.sorted()[0].where.length == 0)
            store.default_code = store.codec.encode(table.sorted()[0].hop);
        if (const errc failure = store.add_entries(table.sorted(), options.hash_seed); failure != errc::ok)
            return unexpected{failure};
        if (const errc failure = store.add_front(table.sorted(), design.front); failure != errc::ok)
            return unexpected{failure};
        store.steps = length_steps<A>(store.tree, store.sets);
        store.describe_lengths();
        return store;
    }

    // Number of a set of origins, as stored in entries.
    std::uint32_t origins_number(length_set<A> set) {
        return has_origins || set == 0 ? sets.number_of(set) : 0;
    }
    // Computes the data that the search needs for each length. Must be repeated after a table changes its
    // hash key.
    void describe_lengths() {
        lengths.list.clear();
        for (const auto& node : tree.nodes()) {
            const unsigned bits = node.length;
            const bool is_wide = bits > narrow_bits;
            lengths.list.push_back({.mask = leading_mask<std::uint64_t>(is_wide ? bits - narrow_bits : bits),
                                    .tag = prefix_bucket<std::uint64_t>::tag(bits),
                                    .beside = is_wide ? wide.key().beside(bits) : narrow.key().beside(bits)});
        }
    }

    // Calls with(table, key) for the table of prefixes of this length.
    template <class Self, class F>
    static auto with_table(Self& self, const prefix<A>& where, F with) {
        if constexpr (has_wide)
            if (where.length > narrow_bits)
                return with(self.wide, static_cast<u128>(top64(where.base)) << 64 | bottom64(where.base));
        return with(self.narrow, top64(where.base));
    }
    const std::uint64_t* find(const prefix<A>& where) const noexcept {
        return with_table(*this, where, [&](const auto& table, auto key) -> const std::uint64_t* {
            return table.find(key, where.length);
        });
    }
    std::uint64_t* find(const prefix<A>& where) noexcept {
        return with_table(*this, where, [&](auto& table, auto key) -> std::uint64_t* {
            return table.find(key, where.length);
        });
    }
    errc insert(const prefix<A>& where, std::uint64_t word) noexcept {
        return with_table(*this, where,
                          [&](auto& table, auto key) { return table.insert(key, where.length, word); });
    }
    void erase(const prefix<A>& where) noexcept {
        with_table(*this, where, [&](auto& table, auto key) { return table.erase(key, where.length); });
    }
    static prefix<A> prefix_of(std::uint64_t key, unsigned length) noexcept {
        return {from_halves<A>(key, 0), static_cast<std::uint8_t>(length)};
    }
    static prefix<A> prefix_of(u128 key, unsigned length) noexcept {
        return {from_halves<A>(static_cast<std::uint64_t>(key >> 64), static_cast<std::uint64_t>(key)),
                static_cast<std::uint8_t>(length)};
    }
    // Calls each(prefix, word) for all entries, where `word` points into the table.
    template <class F>
    void for_each(F each) const {
        const auto of_table = [&](auto key, unsigned length, const std::uint64_t& word) {
            each(prefix_of(key, length), word);
        };
        narrow.for_each(of_table);
        wide.for_each(of_table);
    }

    FINGERPOST_INLINE length_search::arrays arrays() const noexcept {
        return {.narrow = narrow.buckets(),
                .narrow_buckets = narrow.bucket_count(),
                .wide = wide.buckets(),
                .wide_buckets = wide.bucket_count(),
                .narrow_key = narrow.key(),
                .wide_key = wide.key(),
                .lengths = lengths.list.data(),
                .steps = steps.data(),
                .row_bytes = steps.row_bytes(),
                .start = steps.row_bytes() - 2,
                .front = front.data(),
                .front_first = front.first(),
                .front_size = front.size(),
                .front_shift = narrow_bits - std::max(front.bits(), 1u),
                .default_code = default_code,
                .hops = codec.decoder()};
    }
    std::size_t entries() const noexcept { return narrow.size() + wide.size(); }

  private:
    errc add_entries(std::span<const route<A>> sorted, std::optional<std::uint64_t> seed) {
        std::array<std::size_t, 2> counts{};
        for_each_length_entry(
            sorted, tree, [&](const length_entry<A>& e) { ++counts[e.where.length > narrow_bits ? 1 : 0]; });
        auto first = narrow_table::make(counts[0], seed);
        auto second = wide_table::make(counts[1], seed);
        if (!first || !second)
            return errc::out_of_memory;
        narrow = std::move(*first);
        wide = std::move(*second);
        errc failure = errc::ok;
        for_each_length_entry(sorted, tree, [&](const length_entry<A>& e) {
            if (failure != errc::ok)
                return;
            const std::uint32_t state = answer::make(codec.encode(e.best), origins_number(e.origins));
            failure = insert(e.where, entry_word::make(state, e.best_length, e.users, e.is_route));
        });
        return failure;
    }
    errc add_front(std::span<const route<A>> sorted, front_shape shape) {
        if (shape.bits == 0)
            return errc::ok;
        auto built = length_front<A>::make(shape, sorted, sets.number_of(0));
        if (!built)
            return built.error();
        front = std::move(*built);
        std::size_t slot = front.size();
        length_set<A> longer = 0;
        const auto note = [&] {
            if (slot < front.size())
                front.set_origins(slot, origins_number(longer));
        };
        // Covers precede the prefixes that they cover.
        for (const route<A>& r : sorted) {
            const auto slots = front.slots_of(r.where);
            if (r.where.length <= front.bits()) {
                if (r.where.length > 0)
                    front.set_code(slots, codec.encode(r.hop));
                continue;
            }
            if (slots.first == slots.end)
                continue;
            if (slots.first != slot) {
                note();
                slot = slots.first;
                longer = 0;
            }
            longer |= set_of_length<A>(r.where.length);
        }
        note();
        return errc::ok;
    }
};

} // namespace fingerpost
