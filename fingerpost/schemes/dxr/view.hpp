// The arrays of DXR as lookups read them, and the lookups without vectors.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/fib/plain_reads.hpp"
#include "fingerpost/net/address.hpp"
#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/schemes/dxr/format.hpp"

namespace fingerpost::dxr {

// The ranges of a direct entry. The unit is 16 bits: a long entry has two units, a short one has one.
struct range_run {
    std::uint32_t at = 0;    // position of the first entry
    std::uint32_t count = 1; // number of entries
    std::uint32_t wide = 1;  // 1 for long entries, 0 for short ones
};

// With blocks, the first bits choose a block of 2^in_block direct entries.
template <class A, unsigned X, bool Blocks>
struct range_view {
    using form = format<A, X>;
    // Number of lookups that advance together.
    static constexpr std::size_t lanes = 16;

    const std::uint16_t* blocks; // block numbers; null without blocks
    const word* direct;
    const word* ranges; // word 0 is not part of any chunk; lookups without ranges read it
    unsigned in_block;  // number of bits

    static constexpr std::size_t chunk_of(A a) noexcept {
        return static_cast<std::size_t>(a.value >> form::rest);
    }
    template <class Read = const plain_reads>
    std::size_t place(A a, Read&& read = {}) const {
        const std::size_t chunk = chunk_of(a);
        if constexpr (Blocks) {
            const std::size_t number = read(blocks, chunk >> in_block);
            read.tell([&](auto& step) { step.looks_at(0, X - in_block); });
            return number << in_block | (chunk & low_mask<std::size_t>(in_block));
        } else {
            return chunk;
        }
    }
    // The key that entries are compared with. It has the largest code.
    static word key(A a, std::uint32_t wide) noexcept {
        const word start = a.value & low_mask<word>(form::rest);
        return wide != 0 ? start << form::long_code | form::long_mask
                         : start >> form::low << form::short_code | form::short_code_mask;
    }
    // The run of an entry with ranges. For other entries, a run of one entry at 0.
    template <class Read = const plain_reads>
    range_run run_of(word entry, Read&& read = {}) const {
        const word f = form::fragments_of(entry), base = form::base_of(entry);
        if (f == form::xl) [[unlikely]]
            return {(base + 1) * 2, read(ranges, base) + 1, 1};
        const std::uint32_t wide = f < form::shortest ? 1 : 0, hit = f == form::hit ? 1 : 0;
        const std::uint32_t count = wide != 0 ? f + 1 : ((f & form::short_mask) + 1) * 2;
        return {base * 2 * (1 - hit), hit != 0 ? 1 : count, wide};
    }
    // The entry at position `at`. Read without a branch, because the forms alternate unpredictably.
    template <class Read = const plain_reads>
    word entry_at(std::uint32_t at, std::uint32_t wide, Read&& read = {}) const {
        return read(ranges, at >> 1) >> ((at & 1) << 4) & (form::half | (0 - wide));
    }
    static word code_in(word range_word, std::uint32_t wide) noexcept {
        return range_word & (form::short_code_mask | ((0 - wide) & form::long_mask));
    }

    // Returns the code minus one.
    template <class Read>
    std::uint32_t find(Read&& read, A a) const {
        const word entry = read(direct, place(a, read));
        read.tell([&](auto& step) { step.looks_at(X - in_block, in_block); });
        if (form::is_hit(entry))
            return form::code_of(entry) - 1;
        range_run run = run_of(entry, read);
        const word sought = key(a, run.wide);
        while (run.count > 1)
            halve(run, sought, read);
        const word range_word = entry_at(run.at, run.wide, read);
        read.tell([&](auto& step) { tell_start(step, sought, {}, run.wide); });
        return code_in(range_word, run.wide) - 1;
    }

    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        for (std::size_t done = 0; done < in.size(); done += lanes)
            look_up_block(in.data() + done, out.data() + done, std::min(lanes, in.size() - done));
    }

  private:
    // One comparison. A run of one entry does not change.
    template <class Read = const plain_reads>
    void halve(range_run& run, word sought, Read&& read = {}) const {
        const std::uint32_t half = run.count / 2, there = run.at + (half << run.wide);
        const word range_word = entry_at(there, run.wide, read);
        read.tell([&](auto& step) { tell_start(step, sought, {start_of(range_word, run.wide)}, run.wide); });
        // A product is used because compilers may turn `?:` into a branch that is often mispredicted.
        run.at += (range_word <= sought ? 1U : 0U) * (half << run.wide);
        run.count -= half;
    }
    static std::uint64_t start_of(word entry, std::uint32_t wide) noexcept {
        return entry >> (wide != 0 ? form::long_code : form::short_code);
    }
    template <class Step>
    static void tell_start(Step& step, word sought, std::vector<std::uint64_t> starts, std::uint32_t wide) {
        step.looks_at(X, wide != 0 ? form::rest : form::short_start);
        step.compares_keys(start_of(sought, wide), std::move(starts));
    }
    // All lanes halve their ranges until the longest run has one left.
    void look_up_block(const A* in, next_hop* out, std::size_t count) const noexcept {
        std::array<word, lanes> entries, keys;
        std::array<range_run, lanes> runs;
        std::uint32_t longest = 1;
        for (std::size_t i = 0; i < count; ++i)
            entries[i] = direct[place(in[i])];
        for (std::size_t i = 0; i < count; ++i) {
            runs[i] = run_of(entries[i]);
            keys[i] = key(in[i], runs[i].wide);
            longest = std::max(longest, runs[i].count);
        }
        for (unsigned left = static_cast<unsigned>(std::bit_width(longest - 1)); left > 0; --left)
            for (std::size_t i = 0; i < count; ++i)
                halve(runs[i], keys[i]);
        for (std::size_t i = 0; i < count; ++i) {
            const word range_word = code_in(entry_at(runs[i].at, runs[i].wide), runs[i].wide);
            out[i] = next_hop{(form::is_hit(entries[i]) ? form::code_of(entries[i]) : range_word) - 1};
        }
    }
};

} // namespace fingerpost::dxr
