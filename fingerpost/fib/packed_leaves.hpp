// Packed leaves: an index by the first bits, then small trees whose cache lines hold keys and answers
// together.
//
// Idea. As in PlanB, the longest match is the interval that an address falls into. Three table steps lead an
// address to a tree of at most some thousand intervals, two nodes and a leaf deep. In there 32 bits tell an
// address from its neighbours, so a key has 4 bytes instead of 8, and then a cache line has room for the
// answers as well: 10 keys and 11 answers of two bytes. The last line of a lookup gives the answer, and
// everything is half as large.
//
//     root    first bits -> entry        2^8 to 2^16 entries
//     table   next bits  -> entry        as many bits as the entry before says
//     table   next bits  -> the tree of the cell, or the answer at once
//     node    | end | end | ... | end | place of the first child |       15 keys: 16 children
//     node    the same
//     leaf    | end | end | ... | end | code | code | ... | code |       one line, 10 keys, 11 intervals
//
// Every step is the same code for every address: an entry that takes no bits passes an address on. AVX-512
// makes the three table steps for 16 addresses at once, with gathers. In a line the slot is the number of
// keys (inclusive ends) below the address's own: one vector compare, one popcount. A group of lanes that the
// tables answer, as in traffic to nowhere, is done there; a single such lane goes along over lines without
// keys to a leaf with code 0, which adds nothing to its answer. No lane is ever asked which kind it is.
//
// A batch goes down in stages of up to 64 addresses, and each stage prefetches what the next one reads.
//
// A large IPv4 table is not searched but counted: fib/ranked_cells.hpp, two dependent loads.
//
// Dependent loads: 3 + 2 + 1, of which the tables and the upper nodes stay in L1 or L2: a full IPv6 table
// asks L2 for one node and one leaf.
//
// Prefixes longer than /48, /24 in the counted form: the cell that such a boundary cuts has the escape code.
// The next tier finds the cell by a hash table and searches the next 32 bits in a tree of the same lines, and
// so on to /128.
//
// Update: build anew (patching is part of the live table). Limits: 4 GB of lines, 2^26 index entries.
// Own design; what was tried before it and lost: docs/decisions/.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/coded_intervals.hpp"
#include "fingerpost/fib/packed_index.hpp"
#include "fingerpost/fib/packed_lines.hpp"
#include "fingerpost/fib/ranked_cells.hpp"
#include "fingerpost/fib/scheme.hpp"

namespace fingerpost {

template <class A>
class packed_leaves {
    // From so many intervals on an IPv4 table is counted: below, its trees are smaller than 2^19 words and
    // stay in L2.
    static constexpr std::size_t ranked_from = std::size_t{1} << 17;
    static constexpr bool can_rank = A::bits == 32;

  public:
    static expected<packed_leaves> build(const routes<A>& table, const build_options& options = {}) {
        packed_leaves built;
        built.kernels_ = &options.kernels->packed;
        built.codec_ = answer_codec::choose(table.intervals().hops, 1);
        built.is_ranked_ = can_rank && table.intervals().size() >= ranked_from;
        auto coded = coded_intervals<A>::make(table.intervals(), built.codec_);
        unsigned outer = built.is_ranked_ ? simd::ranked_cell_bits : index_builder::bits;
        auto parts = cut(std::move(coded), 0, outer, built.codec_.escape());
        errc failure = built.is_ranked_ ? built.rank(parts.whole) : built.index(parts.whole);
        for (; failure == errc::ok && !parts.finer.empty(); outer += simd::packed_key_bits) {
            parts = cut(std::move(parts.finer), outer, outer + simd::packed_key_bits, built.codec_.escape());
            failure = built.add_tier(parts.whole, outer);
        }
        if (failure != errc::ok)
            return unexpected{failure};
        return built;
    }

    next_hop lookup(A a) const noexcept {
        next_hop out;
        lookup(std::span<const A>(&a, 1), std::span<next_hop>(&out, 1));
        return out;
    }

    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        auto* const numbers = reinterpret_cast<std::uint32_t*>(out.data());
        const simd::packed_escapes escapes{codec_.escape(), this, &resolve};
        if (is_ranked_) {
            kernels_->ranked[width()](ranked_.view(), escapes, in.data(), numbers, in.size());
        } else if constexpr (is_plain) {
            batch_(view_, escapes, in.data(), numbers, in.size());
        } else {
            lookup_keys(in, numbers);
        }
        codec_.decode(out.first(in.size()));
    }

    std::size_t memory_bytes() const noexcept {
        std::size_t bytes =
            index_.memory_bytes() + lines_.memory_bytes() + ranked_.memory_bytes() + codec_.memory_bytes();
        for (const auto& tier : tiers_)
            bytes += tier.memory_bytes();
        return bytes;
    }

  private:
    // Kernels read addresses of these widths as they are; of others they are given the first 64 bits.
    static constexpr bool is_plain = A::bits == 128 || A::bits == 32;

    void lookup_keys(std::span<const A> in, std::uint32_t* numbers) const noexcept {
        // What resolve gets is a place among the keys, which tells the address.
        struct block {
            const packed_leaves* self;
            const A* addresses;
            std::array<std::uint64_t, 64> keys;
        } now{this, nullptr, {}};
        const auto resolve_block = [](const void* self, const void* keys, std::uint32_t* out,
                                      std::size_t count) noexcept {
            const auto* b = static_cast<const block*>(self);
            const std::ptrdiff_t first = static_cast<const std::uint64_t*>(keys) - b->keys.data();
            resolve(b->self, b->addresses + first, out, count);
        };
        const simd::packed_escapes escapes{codec_.escape(), &now, resolve_block};
        for (std::size_t done = 0; done < in.size(); done += now.keys.size()) {
            const std::size_t count = std::min(now.keys.size(), in.size() - done);
            now.addresses = in.data() + done;
            for (std::size_t i = 0; i < count; ++i)
                now.keys[i] = top64(in[done + i]);
            batch_(view_, escapes, now.keys.data(), numbers + done, count);
        }
    }

    // The kernels' tables by answer width.
    std::size_t width() const noexcept { return static_cast<std::size_t>(std::countr_zero(codec_.bytes())); }

    errc index(const coded_intervals<A>& intervals) {
        std::vector<std::uint64_t> ends;
        ends.reserve(intervals.size());
        for (const A end : intervals.ends)
            ends.push_back(top64(end) >> (64 - index_builder::bits) | missing_bits);
        line_writer writer(codec_.bytes(), simd::packed_levels, intervals.size());
        auto index = index_builder(ends, intervals.codes, writer).build();
        if (!index)
            return index.error();
        auto lines = writer.finish();
        if (!lines)
            return lines.error();
        index_ = std::move(*index);
        lines_ = std::move(*lines);
        view_ = {index_.root.data(), index_.pages.data(), lines_.data(), 32 - index_.root_bits};
        constexpr auto form = A::bits == 128  ? simd::input_form::ipv6
                              : A::bits == 32 ? simd::input_form::ipv4
                                              : simd::input_form::key64;
        batch_ = kernels_->batch[static_cast<std::size_t>(form)][width()];
        return errc::ok;
    }
    errc rank(const coded_intervals<A>& intervals) {
        auto ranked = ranked_cells::make(intervals, codec_.bytes());
        if (!ranked)
            return ranked.error();
        ranked_ = std::move(*ranked);
        return errc::ok;
    }
    errc add_tier(const coded_intervals<A>& intervals, unsigned outer) {
        auto tier = packed_tier<A>::make(intervals, outer, codec_.bytes());
        if (!tier)
            return tier.error();
        tiers_.push_back(std::move(*tier));
        return errc::ok;
    }

    // Looks up in full what a kernel left with the escape mark. Where all of a batch is, as among host
    // routes, each asks for the line that it needs first before any of them waits.
    static void resolve(const void* self, const void* addresses, std::uint32_t* numbers,
                        std::size_t count) noexcept {
        const auto& s = *static_cast<const packed_leaves*>(self);
        const auto* in = static_cast<const A*>(addresses);
        const std::uint32_t mark = s.codec_.escape_mark();
        for (const auto& tier : s.tiers_) {
            for (std::size_t i = 0; i < count; ++i)
                if (numbers[i] == mark)
                    tier.prefetch(in[i]);
            bool any = false;
            for (std::size_t i = 0; i < count; ++i)
                if (numbers[i] == mark) {
                    numbers[i] = tier.find(in[i], s.kernels_->walk[s.width()]);
                    any |= numbers[i] == mark;
                }
            if (!any)
                break;
        }
    }

    // The last address of a cell has ones where addresses of this width have no bits.
    static constexpr std::uint64_t missing_bits =
        low_mask<std::uint64_t>(A::bits < index_builder::bits ? index_builder::bits - A::bits : 0);

    const simd::packed_kernels* kernels_ = nullptr;
    simd::packed_batch batch_ = nullptr;
    simd::packed_view view_;
    packed_index index_;
    aligned_array<std::byte> lines_;
    bool is_ranked_ = false;
    ranked_cells ranked_;
    std::vector<packed_tier<A>> tiers_;
    answer_codec codec_;
};

} // namespace fingerpost
