// Packed leaves: elementary intervals cut at 16 bits, then searched in cache lines that hold keys and answers
// together.
//
// Idea. As in PlanB, the longest match is the interval that an address falls into. Below its first 16 bits an
// address needs few more to be told apart from its neighbours: 8 for an IPv4 table, 32 for an IPv6 one. So a
// key is 1, 2 or 4 bytes instead of 8, and then a cache line has room for the answers as well: 10 keys and 11
// answers of two bytes. The last line of a lookup gives the answer, and everything is half as large.
//
//     top     first byte  -> one of 256 groups; groups with equal contents are stored once
//     group   second byte -> the block's first node, and an addend
//     node    | end | end | ... | end | address of the first child |   14 keys of four bytes: 15 children
//     leaf    | end | end | ... | end | code | code | ... | code |     one line, 10 keys, 11 intervals
//     bitmap  a node and its leaves at once, for keys of one byte: 256 bits and where the answers lie
//
// In a line the slot is the number of keys (inclusive ends) below the address's own key: one vector compare,
// one popcount. In a bitmap it is the number of bits before the key. All blocks of a table have the same
// number of node levels, 3 for a full IPv6 table and a bitmap for IPv4, so the code is straight, unrolled
// over lanes and levels. What the first 16 bits decide alone needs no node: a group of lanes for which this
// is so, as in traffic to nowhere, is done at the root. A single such lane goes along, over nodes without
// keys to a leaf with code 0: the group's addend is its answer, and it is minus one for a lane with a block,
// whose leaf gives its next hop plus one. No lane is ever asked which kind it is.
//
// A batch goes down in stages of up to 64 addresses, and each stage prefetches what the next one reads: a
// lookup's last node and its leaf come from L2, and that wait was a third of the time.
//
// Dependent loads: 2 + levels + 1, of which the root and the upper nodes stay in L1: a full IPv6 table asks
// L2 for one node and one leaf.
//
// Prefixes longer than 16 + 8 * key bytes: the cell (/24, /32 or /48) that such a boundary cuts has the
// escape code. The next tier finds the cell by a hash table and searches the next 32 bits in lines of the
// same form, and so on to /128. The builder takes the shortest keys that leave less than one boundary in 256
// to the next tier.
//
// Update: build anew (patching is part of the live table). Limits: 11 million leaves under one /16.
// Own design; what was tried before it and lost: docs/decisions/.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/coded_intervals.hpp"
#include "fingerpost/fib/escapes.hpp"
#include "fingerpost/fib/packed_bitmaps.hpp"
#include "fingerpost/fib/packed_lines.hpp"
#include "fingerpost/fib/scheme.hpp"

namespace fingerpost {

template <class A>
class packed_leaves {
    static constexpr unsigned root_bits = 16;
    static constexpr std::size_t groups_at_root = 256;

  public:
    static expected<packed_leaves> build(const routes<A>& table, const build_options& options = {}) {
        packed_leaves built;
        built.kernels_ = &options.kernels->packed;
        built.codec_ = answer_codec::choose(table.intervals().hops, 1);
        const std::uint32_t escape = built.codec_.escape();
        auto coded = coded_intervals<A>::make(table.intervals(), built.codec_);
        auto at_root = cut(std::move(coded), 0, root_bits, escape);
        unsigned key_bytes = choose_key_bytes(at_root.finer);
        auto blocks = std::move(at_root.finer);
        std::vector<block_place<A>> places;
        unsigned outer = root_bits;
        do {
            auto parts = cut(std::move(blocks), outer, outer + 8 * key_bytes, escape);
            auto lines = key_bytes == 1 ? pack_bitmaps<A>(parts.whole, outer, built.codec_.bytes(), places)
                                        : pack_lines<A>(parts.whole, outer, key_bytes, built.codec_.bytes(),
                                                        built.kernels_->signed_keys, places);
            if (!lines)
                return unexpected{lines.error()};
            if (outer == root_bits) {
                built.first_ = std::move(*lines);
                if (errc failure = built.fill_root(at_root.whole, places); failure != errc::ok)
                    return unexpected{failure};
            } else {
                built.deeper_.push_back({outer, std::move(*lines), cell_map<A>(places, outer)});
            }
            outer += 8 * key_bytes;
            key_bytes = 4;
            blocks = std::move(parts.finer);
        } while (!blocks.empty());
        built.select_kernel();
        return built;
    }

    next_hop lookup(A a) const noexcept {
        next_hop out;
        lookup(std::span<const A>(&a, 1), std::span<next_hop>(&out, 1));
        return out;
    }

    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if constexpr (A::bits == 128 || A::bits == 32) {
            batch_(view_, in.data(), reinterpret_cast<std::uint32_t*>(out.data()), in.size());
        } else {
            std::array<std::uint64_t, 64> keys;
            for (std::size_t done = 0; done < in.size(); done += keys.size()) {
                const std::size_t count = std::min(keys.size(), in.size() - done);
                for (std::size_t i = 0; i < count; ++i)
                    keys[i] = top64(in[done + i]);
                batch_(view_, keys.data(), reinterpret_cast<std::uint32_t*>(out.data() + done), count);
            }
        }
        if (!deeper_.empty())
            resolve_escapes(in, out, codec_.escape_mark(), [this](A a) { return deep(a); });
        codec_.decode(out.first(in.size()));
    }

    std::size_t memory_bytes() const noexcept {
        std::size_t bytes =
            top_.memory_bytes() + root_.memory_bytes() + first_.memory_bytes() + codec_.memory_bytes();
        for (const tier& t : deeper_)
            bytes += t.lines.memory_bytes() + t.cells.memory_bytes();
        return bytes;
    }

  private:
    struct tier {
        unsigned outer; // its cells are those of so many bits
        packed_lines lines;
        cell_map<A> cells;
    };

    // The shortest keys that leave at most one boundary in 256 to the slower next tier. Four bytes where none
    // does.
    static unsigned choose_key_bytes(const coded_intervals<A>& blocks) {
        for (unsigned bytes : {1u, 2u}) {
            if (root_bits + 8 * bytes >= A::bits)
                return bytes;
            const std::size_t finer =
                static_cast<std::size_t>(std::count_if(blocks.ends.begin(), blocks.ends.end(), [&](A end) {
                    return end != cell_last(end, root_bits + 8 * bytes);
                }));
            if (finer <= blocks.size() / 256)
                return bytes;
        }
        return 4;
    }

    // Which of the 2^16 root entries an address belongs to.
    static std::size_t entry_of(A a) noexcept { return static_cast<std::size_t>(slice(a, 0, root_bits)); }
    static std::size_t last_entry_of(A end) noexcept {
        constexpr unsigned missing = A::bits < root_bits ? root_bits - A::bits : 0;
        return entry_of(end) | low_mask<std::size_t>(missing);
    }

    errc fill_root(const coded_intervals<A>& at_root, std::span<const block_place<A>> places) {
        std::vector<simd::packed_group> groups(groups_at_root);
        std::size_t next = 0;
        for (std::size_t i = 0; i < at_root.size(); ++i)
            for (const std::size_t end = last_entry_of(at_root.ends[i]); next <= end; ++next)
                set_entry(groups, next, first_.done(), at_root.codes[i] - 1);
        for (const auto& place : places)
            set_entry(groups, entry_of(place.cell), place.node, ~std::uint32_t{0});
        return share_groups(groups);
    }
    static void set_entry(std::span<simd::packed_group> groups, std::size_t entry, const std::byte* node,
                          std::uint32_t addend) noexcept {
        groups[entry / 256].node[entry % 256] = node;
        groups[entry / 256].addend[entry % 256] = addend;
    }

    // Groups with equal contents, most of an IPv6 root, are kept once.
    errc share_groups(std::span<const simd::packed_group> groups) {
        std::map<std::string_view, std::size_t> seen;
        std::vector<std::size_t> kept;
        std::vector<std::size_t> group_of;
        for (std::size_t i = 0; i < groups.size(); ++i) {
            const std::string_view contents(reinterpret_cast<const char*>(&groups[i]), sizeof groups[i]);
            const auto [at, is_new] = seen.try_emplace(contents, kept.size());
            if (is_new)
                kept.push_back(i);
            group_of.push_back(at->second);
        }
        auto root = aligned_array<simd::packed_group>::make(kept.size());
        auto top = aligned_array<const simd::packed_group*>::make(groups.size());
        if (!root || !top)
            return errc::out_of_memory;
        for (std::size_t k = 0; k < kept.size(); ++k)
            (*root)[k] = groups[kept[k]];
        for (std::size_t i = 0; i < groups.size(); ++i)
            (*top)[i] = &(*root)[group_of[i]];
        root_ = std::move(*root);
        top_ = std::move(*top);
        return errc::ok;
    }

    void select_kernel() noexcept {
        constexpr auto form = A::bits == 128  ? simd::input_form::ipv6
                              : A::bits == 32 ? simd::input_form::ipv4
                                              : simd::input_form::key64;
        view_.groups = top_.data();
        batch_ = kernels_->batch[static_cast<std::size_t>(form)][std::countr_zero(first_.key_bytes)]
                                [std::countr_zero(codec_.bytes())][first_.levels - 1];
    }

    // An address whose cell was escaped, tier after tier: the code minus one.
    std::uint32_t deep(A a) const noexcept {
        std::uint32_t number = codec_.escape_mark();
        for (const tier& t : deeper_) {
            const auto walk = kernels_->walk[std::countr_zero(codec_.bytes())][t.lines.levels - 1];
            number = walk(t.cells.find(a), static_cast<std::uint32_t>(slice(a, t.outer, 32)));
            if (number != codec_.escape_mark())
                break;
        }
        return number;
    }

    const simd::packed_kernels* kernels_ = nullptr;
    simd::packed_batch batch_ = nullptr;
    simd::packed_view view_;
    aligned_array<const simd::packed_group*> top_;
    aligned_array<simd::packed_group> root_;
    packed_lines first_;
    std::vector<tier> deeper_;
    answer_codec codec_;
};

} // namespace fingerpost
