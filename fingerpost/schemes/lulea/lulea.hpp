// Lulea: a three-level trie of bit masks, of which few values are possible, so that it fits into the cache.
//
// The binary trie is made full: each vertex has two children or none, and the leaves have next hops. It is
// cut at depths 16, 24 and 32. For each of the 2^16 positions of the first cut, a bit is set if a leaf or a
// subtree starts there. Such a position is a head and has a pointer. The pointer for any position is that of
// the last head at or before it. A full tree allows only 677 masks of 16 bits. So 10 bits identify a mask,
// and a shared table has the number of heads before each position of each mask; no bits are counted.
//
//      codewords  [ row:10 | offset:6 ] x 4,096   offset: pointers of the masks before it, in its group of 4
//      bases      [ pointers before the group ] x 1,024
//      maptable   [ 16 x 4 bits ] x 677           heads before each position of each mask
//      pointers   [ kind:2 | next hop code or chunk:30 ]
//                            |
//                            v   chunks of 256 positions: levels 2 and 3
//      sparse     8 heads as bytes | 8 pointers                       up to 8 heads
//      dense      16 codewords | pointers                             up to 64 heads
//      very dense 16 codewords | 4 bases | pointers                   up to 256 heads
//
// Two sibling leaves with the same next hop are merged, which keeps the tree full.
//
// A mask with at most one head is a part of one leaf. If the leaf's next hop code is below 22,208, the
// codeword stores it (with values above the rows), and the lookup ends there. A larger code takes a pointer
// and the last row of the table, which is all zero.
//
// Lookup: 3 dependent loads a level (codeword and base, table, pointer), at most 9; 2 in a sparse chunk.
// Memory: 10 KiB, 5.3 KiB for the table, 4 bytes a head, and the chunks; the table is counted although all
// FIBs share it. Update: not supported; a live table rebuilds the FIB. Limits: widths up to 32. Pointers have
// 32 bits instead of the paper's 16, which allows 2^30 chunks and 2^30 next hops. Batch: 64 lookups level by
// level, first those in dense chunks and then those in sparse ones, without branches on data.
//
// Source: M. Degermark, A. Brodnik, S. Carlsson, S. Pink, Small forwarding tables for fast routing lookups,
// SIGCOMM 1997.
//
// Tested by: the registry's suites and tests/schemes/lulea. Reading order: lulea.hpp, view.hpp, masks.hpp,
// codewords.hpp, chunks.hpp, visit.hpp, entries.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/schemes/lulea/visit.hpp"

namespace fingerpost::lulea {

// The second and the third level have `Next` bits each. All three levels have codewords of 16 positions. If a
// level has fewer than 4 bits, some positions are unused.
template <class A, unsigned Next = (A::bits / (A::bits == 32 ? 4 : 3)), unsigned First = A::bits - 2 * Next>
class fib : public laid_out<fib<A, Next, First>, A> {
    friend laid_out<fib, A>;
    static_assert(A::bits <= 32 && Next >= 1 && Next <= 8 && First >= 1 && First <= 16 &&
                  First + 2 * Next == A::bits);
    using view_type = lulea_view<A, First, Next>;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit(codewords_part, of.codewords_);
        visit(bases_part, of.bases_);
        visit(pointers_part, of.pointers_);
        visit("maptable", maptable);
        visit("sparse chunks", of.sparse_);
        visit("dense chunks", of.dense_);
        visit("next hops", of.codec_);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        return view().find(read, a);
    }

    static expected<fib> build(const routes<A>& table, const build_options& = {}) {
        fib built;
        const interval_list<A>& intervals = table.intervals();
        built.codec_ = next_hop_codec::choose_below(intervals.hops, std::uint32_t{1} << tag_shift);
        builder parts(intervals, built.codec_);
        const coded_masks first = parts.run();
        const bool stored =
            store<std::uint16_t>(first.codewords, built.codewords_) &&
            store<std::uint16_t>(first.bases, built.bases_) &&
            // At least one, as the target of harmless loads.
            store<std::uint32_t>(first.pointers, built.pointers_, 1) &&
            store<sparse_chunk>(parts.chunks.sparse, built.sparse_) &&
            store<std::uint32_t>(parts.chunks.words, built.dense_, parts.chunks.words.size() + padding_words);
        if (!stored)
            return unexpected{errc::out_of_memory};
        return built;
    }

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept { view().lookup(in, out); }

    void visit(node_visitor<A> each) const {
        const auto parts = this->memory_parts();
        lulea::visit(view(), {parts[0], parts[1], parts[3], parts[2]}, each);
    }

    void check(const layout_check& in) const {
        in.require(codewords_.size() == view_type::first_masks &&
                       bases_.size() >= count_groups(view_type::first_masks) && pointers_.size() > 0,
                   nullptr, "the first level has a wrong size");
        checked_chunks checked{std::vector<std::uint8_t>(sparse_.size()),
                               std::vector<std::uint8_t>(dense_.size())};
        for (std::uint32_t i = 0; i < view_type::first_masks; ++i)
            check_mask(in, view().first_level(), i, pointers_.size());
        for (const std::uint32_t& pointer : pointers_.span())
            check_pointer(in, pointer, 1, &pointer, checked);
    }

  private:
    // Walks through the intervals in order and down the full tree, whose leaves are the intervals.
    class builder {
      public:
        builder(const interval_list<A>& intervals, const next_hop_codec& codec)
            : intervals_(intervals), codec_(codec) {}

        coded_masks run() {
            collect(0, A::first(), 0);
            return encode_masks(heads_[0], view_type::first_masks, true);
        }

        chunk_lists chunks;

      private:
        static constexpr std::array<unsigned, 3> borders{First, First + Next, A::bits};

        // Collects the heads of the block of addresses that starts at `first`, inside interval `at_`.
        void collect(unsigned level, A first, unsigned length) {
            const A last = prefix<A>::make(first, length).last();
            if (!(intervals_.ends[at_] < last)) {
                add(level, first, codec_.encode(intervals_.hops[at_]));
                at_ += intervals_.ends[at_] == last ? 1 : 0;
                return;
            }
            if (length == borders[level]) {
                heads_[level + 1].clear();
                split(level + 1, first, length);
                add(level, first, chunks.add(heads_[level + 1], view_type::shape));
                return;
            }
            split(level, first, length);
        }
        void split(unsigned level, A first, unsigned length) {
            const auto half = typename A::value_type{1} << (A::bits - length - 1);
            collect(level, first, length + 1);
            collect(level, A{static_cast<typename A::value_type>(first.value + half)}, length + 1);
        }
        void add(unsigned level, A first, std::uint32_t pointer) {
            const std::uint32_t position = level == 0 ? view_type::first_position(first)
                                                      : view_type::next_position(first, borders[level - 1]);
            heads_[level].push_back({position, pointer});
        }

        const interval_list<A>& intervals_;
        const next_hop_codec& codec_;
        std::size_t at_ = 0;
        std::array<std::vector<head>, 3> heads_; // heads of the unfinished node on each level
    };

    template <class T>
    static bool store(const std::vector<T>& from, aligned_array<T>& to, std::size_t least = 0) noexcept {
        auto array = aligned_array<T>::make(std::max(from.size(), least));
        if (!array)
            return false;
        to = std::move(*array);
        std::copy(from.begin(), from.end(), to.begin());
        return true;
    }
    template <class T>
    static const std::byte* bytes_of(const aligned_array<T>& array) noexcept {
        return reinterpret_cast<const std::byte*>(array.data());
    }

    view_type view() const noexcept {
        return {.codewords = bytes_of(codewords_),
                .bases = bytes_of(bases_),
                .pointers = bytes_of(pointers_),
                .sparse = sparse_.data(),
                .dense = bytes_of(dense_),
                .decoder = codec_.decoder()};
    }
    // How each chunk was checked: a bit for each kind and level.
    struct checked_chunks {
        std::vector<std::uint8_t> sparse;
        std::vector<std::uint8_t> dense; // indexed by first word
    };
    // `level` is the level of a chunk below the pointer; there are two.
    void check_pointer(const layout_check& in, std::uint32_t pointer, unsigned level, const void* at,
                       checked_chunks& checked) const {
        const kind k = kind_of(pointer);
        if (k == kind::next_hop)
            return in.is_code(codec_, pointer, at);
        in.require(level < 3, at, "there is a chunk below the last level");
        std::vector<std::uint8_t>& known = k == kind::sparse ? checked.sparse : checked.dense;
        const std::size_t index = index_of(pointer);
        in.leads_into(known, index, 1, at);
        const auto bit = static_cast<std::uint8_t>(1u << (static_cast<unsigned>(k) + 4 * (level - 1)));
        if ((known[index] & bit) != 0)
            return;
        known[index] |= bit;
        if (k == kind::sparse) {
            in.require(sparse_[index].heads[0] == 0, &sparse_[index], "a chunk does not begin with a head");
            for (const std::uint32_t& below : sparse_[index].pointers)
                check_pointer(in, below, level + 1, &below, checked);
        } else {
            check_dense(in, pointer, level, checked);
        }
    }
    void check_dense(const layout_check& in, std::uint32_t pointer, unsigned level,
                     checked_chunks& checked) const {
        const std::size_t index = index_of(pointer);
        const std::uint32_t* const at = &dense_[index];
        const std::size_t before = view_type::shape.pointers_at(kind_of(pointer) == kind::very_dense) / 4;
        // Batches read a base and the first pointer even if there is none.
        in.leads_into(dense_, index, std::max(before + 1, view_type::shape.pointers_at(true) / 4), at);
        const masks_view masks = view().dense_chunk(pointer);
        for (std::uint32_t i = 0; i < view_type::shape.masks; ++i) {
            check_mask(in, masks, i, dense_.size() - index - before);
            for (std::uint32_t position = i * mask_bits; position < (i + 1) * mask_bits; ++position)
                check_pointer(in, masks.pointer_at(position), level + 1, at, checked);
        }
    }
    void check_mask(const layout_check& in, const masks_view& masks, std::uint32_t number,
                    std::size_t pointers) const {
        const std::uint32_t last = number * mask_bits + mask_bits - 1, codeword = masks.codeword_at(last);
        if (codeword >= first_direct)
            in.is_code(codec_, codeword - first_direct, masks.codewords);
        else
            in.require(masks.place(codeword, last) < pointers, masks.codewords, "a mask has no pointer");
    }

    aligned_array<std::uint16_t> codewords_;
    aligned_array<std::uint16_t> bases_;
    aligned_array<std::uint32_t> pointers_;
    aligned_array<sparse_chunk> sparse_;
    aligned_array<std::uint32_t> dense_;
    next_hop_codec codec_;
};

} // namespace fingerpost::lulea
