// CP-Trie: a multibit trie with bitmaps of 64 slots. Each bitmap has the number of bits set before it, so
// even with strides above 6 bits a lookup counts the bits of one word only.
//
// The trie takes 16 bits of the address, then 8 on each level. One bitmap marks the slots of a node that have
// a child, another one the leaves; the trie is leaf-pushed, so no slot is both. The number of a child is its
// rank among the child bits: the block's cumulative count plus the bits before it in the block. A leaf's next
// hop is located in the same way.
//
//      children  | root: 1,024 blocks of 64 slots | 4 blocks a node, level by level ...   |  12 bytes a
//      block: leaves    | the same for leaves                                                    |  bitmap,
//      count codes     | next hops of the leaves, in the order of their slots, one to four bytes each |
//
// Lookup: one dependent load for each level, one for the leaf's block and one for its code: 5 + 1 + 1 for a
// /48, at most 15 + 2. In a batch, up to 128 addresses advance together, and each step prefetches for the
// next. The only branch on data tests whether the deepest lookup is done. Memory: 96 bytes a node, and a code
// for every slot that is a leaf. Update: not supported; a live table rebuilds the FIB, with one pass over the
// routes for each level.
//
// Variant `lines` (line_layout) stores both bitmaps of a block and their counts side by side in 32 bytes, so
// the leaf's block is in the cache line that was read last. It also merges equal neighbouring leaves: a
// leaf's bit is then set if it differs from the leaf before it. Slots without a route are leaves too, with
// code 0, which saves the test for them.
//
// Differences from the paper: counts continue across levels, so all levels are one array and a step does not
// depend on its level; next hops are codes of one to four bytes, and 0 is one of them; the trie is not
// patched.
//
// Limits: 2^32 leaves and nodes; all widths and next hop ids. Source: Md. I. Islam, J. I. Khan, CP-Trie:
// Cumulative PopCount based Trie for IPv6 Routing Table Lookup in Software and ASIC, HPSR 2021.
//
// Tested by: the registry's suites and tests/schemes/cp_trie. Reading order: cp_trie.hpp, view.hpp,
// builder.hpp, kernels.inl.hpp, kernels_avx512.hpp, kernels.cpp, visit.hpp, entries.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/multibit/bit_cursor.hpp"
#include "fingerpost/schemes/cp_trie/builder.hpp"
#include "fingerpost/schemes/cp_trie/view.hpp"
#include "fingerpost/schemes/cp_trie/visit.hpp"

namespace fingerpost::cp_trie {

// The published strides. Narrow addresses, which only tests use, get several levels too.
template <class A>
inline constexpr unsigned first_stride = A::bits >= 32 ? 16 : (A::bits + 1) / 2;
template <class A>
inline constexpr unsigned later_stride = A::bits >= 32 ? slot_bits : 2;

template <class A, class Layout = split_layout, unsigned First = first_stride<A>,
          unsigned Stride = later_stride<A>>
class fib : public laid_out<fib<A, Layout, First, Stride>, A> {
    friend laid_out<fib, A>;
    static_assert(First <= 16 && Stride <= slot_bits);
    static constexpr bool has_published_strides = First == 16 && Stride == slot_bits;
    // IPv4 and IPv6 addresses are read in place. Other widths are first spread to 64 bits.
    static constexpr simd::input_form form = A::bits == 128  ? simd::input_form::ipv6
                                             : A::bits == 32 ? simd::input_form::ipv4
                                                             : simd::input_form::key64;
    static_assert(form == simd::input_form::key64 ? First + 6 * Stride >= A::bits : has_published_strides);

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("usual levels", of.view_.usual_levels);
        visit("blocks", of.blocks_);
        visit("codes", of.codes_);
        visit("next hops", of.codec_);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        const auto key = key_of(a);
        const auto* const bytes = reinterpret_cast<const std::byte*>(&key);
        const std::uint32_t place = walk<Layout, form>(view_, read, bytes, root_slot<form>(bytes), 0,
                                                       {First, Stride, codec_.bytes()});
        if (!Layout::has_runs && place == 0) // kernels read the code at 0 instead
            return next_hop::none;
        return read.answer(codec_.decoder(), code_at(view_, read, place, codec_.bytes()) - 1);
    }

    static expected<fib> build(const routes<A>& table, const build_options& options = {}) {
        fib built;
        std::vector<next_hop> hops;
        hops.reserve(table.size());
        for (const route<A>& r : table.sorted())
            hops.push_back(r.hop);
        built.codec_ = next_hop_codec::choose(hops, 1);
        built.ready(options);
        block_builder<A, First, Stride> builder(built.codec_, Layout::has_runs);
        if (const errc failure = built.fill(builder.build(table.sorted())); failure != errc::ok)
            return unexpected{failure};
        return built;
    }

    next_hop lookup(A a) const noexcept {
        const auto kernel = kernels_->single[place_of(form)][width_place(codec_.bytes())];
        const auto key = key_of(a);
        return codec_.decode(kernel(view_, &key));
    }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        const auto kernel = kernels_->batch[place_of(form)][width_place(codec_.bytes())];
        const auto run = [&](simd::input_form, const void* from, next_hop* to, std::size_t count) {
            kernel(view_, from, reinterpret_cast<std::uint32_t*>(to), count);
        };
        in_input_form(in, out, run, spread);
        codec_.decode(out.first(in.size()));
    }

    void visit(node_visitor<A> each) const { inspector_type{view_, codec_}.visit(each); }

    // A build numbers each node after its parent.
    void check(const layout_check& in) {
        const std::size_t blocks = blocks_.size() / inspector_type::bytes_of_block;
        in.require(blocks >= inspector_type::root_blocks &&
                       blocks * inspector_type::bytes_of_block == blocks_.size(),
                   nullptr, "wrong number of blocks");
        set_view(blocks);
        const std::size_t codes = codes_.size() / codec_.bytes();
        in.require(codes * codec_.bytes() == codes_.size() && codes > 0, nullptr, "wrong number of codes");
        for (std::size_t i = 0; i < codes; ++i)
            in.is_code(codec_, code_at(view_, plain_reads{}, i, codec_.bytes()), &codes_[i * codec_.bytes()]);
        std::vector<std::uint8_t> levels(blocks / node_blocks);
        for (std::size_t i = 0; i < blocks; ++i) {
            const void* const at = view_.blocks + i * Layout::block_bytes;
            const std::uint64_t children = Layout::children(view_, i), leaves = Layout::leaves(view_, i);
            const unsigned level = i < inspector_type::root_blocks ? 0 : levels[i / node_blocks];
            std::size_t child = Layout::child_before(view_, i);
            const std::size_t least = std::max<std::size_t>(i, inspector_type::root_blocks - 1) / node_blocks;
            in.require(children == 0 || (least <= child && level < levels_of<form>), at,
                       "a block has an invalid child");
            for (int left = std::popcount(children); left > 0; --left) {
                in.leads_into(levels, ++child, 1, at);
                levels[child] = std::max(levels[child], static_cast<std::uint8_t>(level + 1));
            }
            // The first slot without a child must have a code; then all slots after it have one too. `- 1`
            // makes the number of codes wrap around if there are none.
            const auto first = static_cast<unsigned>(Layout::has_runs ? std::countr_one(children) : 0);
            const auto count = static_cast<unsigned>(std::popcount(leaves));
            const unsigned skipped = Layout::has_runs ? rank_through(leaves, first % block_slots) : 0;
            const std::uint32_t code = Layout::leaf_before(view_, i) + skipped;
            in.require((Layout::has_runs ? first == block_slots : leaves == 0) ||
                           std::size_t{code} + (count - skipped) < codes,
                       at, "a slot has no code");
        }
    }
    void ready(const build_options& options) noexcept {
        set_view(blocks_.size() / inspector_type::bytes_of_block);
        kernels_ = &choose(kernels_of(options.isa));
    }

  private:
    using inspector_type = inspector<A, Layout, First, Stride>;

    static const layout_kernels& choose(const kernel_set& set) noexcept {
        return Layout::has_runs ? set.lines : set.split;
    }

    // Writes the root's slot to the first 16 bits, and the slot of each level below to the next eight.
    static std::uint64_t spread(A a) noexcept {
        if constexpr (has_published_strides) {
            return top64(a);
        } else {
            std::uint64_t key = slice(a, 0, First) << 48;
            unsigned shift = 48;
            for (unsigned from = First; from < A::bits; from += Stride)
                key |= slice(a, from, Stride) << (shift -= slot_bits);
            return key;
        }
    }

    // An address in the form that kernels read.
    static auto key_of(A a) noexcept {
        if constexpr (form == simd::input_form::key64)
            return spread(a);
        else
            return a;
    }

    errc fill(const built_blocks& built) {
        auto blocks = aligned_array<std::byte>::make(built.children.size() * inspector_type::bytes_of_block);
        auto codes = aligned_array<std::byte>::make(built.codes.size() * codec_.bytes());
        if (!blocks || !codes)
            return errc::out_of_memory;
        blocks_ = std::move(*blocks);
        codes_ = std::move(*codes);
        fill_blocks(built);
        if (codec_.bytes() == 1)
            fill_codes<std::uint8_t>(built.codes);
        else if (codec_.bytes() == 2)
            fill_codes<std::uint16_t>(built.codes);
        else
            fill_codes<std::uint32_t>(built.codes);
        view_.usual_levels = usual_levels(built.level_nodes);
        set_view(built.children.size());
        return errc::ok;
    }
    void set_view(std::size_t blocks) noexcept {
        view_.blocks = blocks_.data();
        view_.leaf_blocks = Layout::has_runs ? nullptr : blocks_.data() + blocks * Layout::block_bytes;
        view_.codes = codes_.data();
    }
    // Counts start at one if a rank is added to them.
    void fill_blocks(const built_blocks& built) {
        std::size_t nodes = block_builder<A, First, Stride>::root_nodes - 1;
        std::size_t leaves = 0;
        for (std::size_t i = 0; i < built.children.size(); ++i) {
            const std::uint64_t both[] = {built.children[i], built.leaves[i]};
            const std::uint32_t before[] = {to_u32(nodes, "nodes"), to_u32(leaves, "leaves")};
            if constexpr (Layout::has_runs) {
                const paired_bitmaps pair{both[0], before[0], before[1] - 1, both[1], 0};
                put(i, pair);
            } else {
                for (std::size_t b = 0; b < 2; ++b) {
                    counted_bitmap block{{}, before[b]};
                    std::memcpy(block.bits, &both[b], sizeof both[b]);
                    put(i + b * built.children.size(), block);
                }
            }
            nodes += static_cast<std::size_t>(std::popcount(both[0]));
            leaves += static_cast<std::size_t>(std::popcount(both[1]));
        }
    }
    template <class Block>
    void put(std::size_t place, const Block& block) noexcept {
        std::memcpy(blocks_.data() + place * sizeof block, &block, sizeof block);
    }
    template <class Code>
    void fill_codes(std::span<const std::uint32_t> codes) noexcept {
        std::transform(codes.begin(), codes.end(), reinterpret_cast<Code*>(codes_.data()),
                       [](std::uint32_t code) { return static_cast<Code>(code); });
    }
    // The last level with more than 1/50 of all nodes.
    static unsigned usual_levels(std::span<const std::size_t> level_nodes) noexcept {
        std::size_t total = 0;
        for (const std::size_t nodes : level_nodes)
            total += nodes;
        std::size_t usual = level_nodes.size();
        while (usual > 0 && level_nodes[usual - 1] * 50 <= total)
            --usual;
        return static_cast<unsigned>(usual);
    }

    aligned_array<std::byte> blocks_;
    aligned_array<std::byte> codes_;
    trie_view view_;
    const layout_kernels* kernels_ = nullptr;
    next_hop_codec codec_;
};

} // namespace fingerpost::cp_trie
