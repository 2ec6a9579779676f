// DXR: a direct table indexed by the first X bits of the address, and sorted ranges for chunks with several
// answers.
//
//      direct   [ 2^X entries ]                      entry:  the code of the answer, or where ranges begin
//                     |
//                     v
//      ranges   [ chunk | chunk | chunk | ... ]      chunk:  ranges by their first address, each with a code
//
// A chunk is all addresses with the same X bits. A range has 32 bits for its start and code, or 16 bits if
// all ranges of the chunk start on /24s and have small codes; format.hpp defines the words. Equal chunks are
// stored once (chunks.hpp).
//
// Lookup: one load from the direct table, then binary search in the chunk: on tier1-v4 1 + 4.5 loads for
// matching addresses and X = 18. In a batch, 64 addresses take each step together with gathers
// (kernels_avx512.hpp), or 16 without AVX-512. Memory: 4 * 2^X bytes, 4 bytes a long range and 2 a short one,
// and 5.3 bytes a chunk for the index of equal chunks. Update: each affected chunk is written to another
// place.
//
// Blocks: FreeBSD's second level. The direct table of 2^20 entries is divided into blocks. Equal blocks are
// stored once, and a table has their 16-bit numbers, which costs one more load. The number of bits that
// choose a block starts at 17 and decreases as long as the total gets smaller. This form is not patched.
//
// Limits: 2^22 - 1 words of ranges; next hops must have different X-bit codes, `none` included; widths up to
// 32. Source: M. Zec, L. Rizzo, M. Mikuc, DXR: towards a billion routing lookups per second in software, CCR
// 42(5), 2012; entry format as in FreeBSD's fib_dxr (BSD-2; nothing copied).
//
// Tested by: the registry's suites and tests/schemes/dxr. Reading order: dxr.hpp, view.hpp, format.hpp,
// blocks.hpp, chunks.hpp, kernels.hpp, kernels_avx512.hpp, kernels.cpp, visit.hpp, entries.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/dxr/blocks.hpp"
#include "fingerpost/schemes/dxr/chunks.hpp"
#include "fingerpost/schemes/dxr/kernels.hpp"
#include "fingerpost/schemes/dxr/view.hpp"
#include "fingerpost/schemes/dxr/visit.hpp"

namespace fingerpost::dxr {

// The published sizes for 32 bits and more. Narrow addresses, which only tests use, get the same fraction of
// their bits.
template <class A, unsigned X32>
inline constexpr unsigned chunk_bits = std::max(A::bits * X32 / 32, 1U);

template <class A, unsigned X32, bool Blocks = false, unsigned X = chunk_bits<A, X32>>
class fib : public laid_out<fib<A, X32, Blocks, X>, A> {
    friend laid_out<fib, A>;
    using view_type = range_view<A, X, Blocks>;
    using form = typename view_type::form;
    using store = chunk_store<A, X>;
    static_assert(sizeof(A) == sizeof(word), "as kernels read addresses");

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        const auto index = of.chunks_.index();
        visit("bits in a block", of.in_block_);
        visit("direct", of.direct_);
        visit("ranges", of.chunks_.pool());
        visit("blocks", of.blocks_);
        visit("next hops", of.codec_);
        visit("chunk index", index);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        return read.answer(codec_.decoder(), view().find(read, a));
    }

    // Codes stay below most_codes, and the number of words of ranges is at most most_words. Tests pass lower
    // limits to reach them.
    static constexpr word most_codes = form::codes;
    static constexpr std::size_t most_words = store::most;

    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               word codes = most_codes, std::size_t words = most_words) {
        const interval_list<A>& intervals = table.intervals();
        const hash_key key = options.hash_seed ? hash_key(*options.hash_seed) : hash_key::random();
        fib built;
        built.codec_ = next_hop_codec::choose_below(intervals.hops, codes);
        built.chunks_ = store(key, words);
        if (const errc failure = built.fill(intervals); failure != errc::ok)
            return unexpected{failure};
        if constexpr (Blocks) {
            auto cut = block_table::make(built.direct_.span(), key, X);
            if (!cut)
                return unexpected{cut.error()};
            built.blocks_ = std::move(cut->numbers);
            built.direct_ = std::move(cut->entries);
            built.in_block_ = cut->in_block;
            built.chunks_.forget_index();
        }
        built.ready(options);
        return built;
    }

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        const std::size_t done = groups_ == nullptr
                                     ? 0
                                     : groups_({blocks_.data(), direct_.data(), chunks_.words(), in_block_},
                                               reinterpret_cast<const std::uint32_t*>(in.data()),
                                               reinterpret_cast<std::uint32_t*>(out.data()), in.size());
        view().lookup(in.subspan(done), out.subspan(done));
        codec_.decode(out.first(in.size()));
    }

    // The affected ranges ascend, so those of one chunk are adjacent.
    errc apply(const change<A>& c)
        requires(!Blocks)
    {
        const next_hop hop = c.answer();
        if (!codec_.can_encode(hop) && !codec_.add(hop))
            return errc::capacity;
        const word code = codec_.encode(hop);
        open_chunk current;
        for (const address_range<A>& r : c.affected_ranges) {
            const std::size_t last = view_type::chunk_of(r.last);
            for (std::size_t chunk = view_type::chunk_of(r.first); chunk <= last; ++chunk) {
                const word from = chunk == view_type::chunk_of(r.first) ? offset(r.first) : 0;
                const word to = chunk == last ? offset(r.last) : offset(A::last());
                if (from == 0 && to == offset(A::last())) {
                    chunks_.release(direct_[chunk]);
                    direct_[chunk] = form::answer_entry(code);
                    continue;
                }
                if (chunk != current.chunk) {
                    if (const errc failure = close(current); failure != errc::ok)
                        return failure;
                    current.chunk = chunk;
                    chunks_.read(direct_[chunk], current.ranges);
                }
                overwrite(current.ranges, from, to, code);
            }
        }
        if (const errc failure = close(current); failure != errc::ok)
            return failure;
        if (chunks_.sparse())
            chunks_.compact(direct_.span());
        return errc::ok;
    }

    void visit(node_visitor<A> each) const {
        inspector<A, X, Blocks>{view(), chunks_, codec_, direct_.size()}.visit(each);
    }

    void check(const layout_check& in) const {
        in.require(Blocks ? in_block_ <= X : in_block_ == X, &in_block_, "blocks have a wrong size");
        if constexpr (Blocks) {
            in.require(blocks_.size() == ((std::size_t{1} << (X - in_block_)) + 1) / 2 * 2, nullptr,
                       "wrong number of blocks");
            for (const std::uint16_t& number : blocks_.span())
                in.leads_into(direct_, std::size_t{number} << in_block_, std::size_t{1} << in_block_,
                              &number);
        } else {
            in.require(direct_.size() == std::size_t{1} << X, nullptr, "the direct table has a wrong size");
        }
        chunks_.check(in, codec_, direct_.span());
    }
    void ready(const build_options& options) noexcept {
        if constexpr (A::bits == 32)
            groups_ = kernel_of(kernels_of(options.isa));
    }

  private:
    // A chunk whose ranges are being changed.
    struct open_chunk {
        std::size_t chunk = std::numeric_limits<std::size_t>::max();
        std::vector<chunk_range> ranges{};
    };

    static word offset(A a) noexcept { return a.value & low_mask<word>(form::rest); }

    errc fill(const interval_list<A>& intervals) {
        auto direct = aligned_array<word>::make(std::size_t{1} << X);
        if (!direct)
            return direct.error();
        direct_ = std::move(*direct);
        if (const errc failure = chunks_.begin(); failure != errc::ok)
            return failure;
        std::vector<chunk_range> ranges;
        std::size_t i = 0;
        for (std::size_t chunk = 0; chunk < direct_.size(); ++chunk) {
            ranges.assign(1, {0, codec_.encode(intervals.hops[i])});
            while (view_type::chunk_of(intervals.ends[i]) == chunk) {
                const word end = offset(intervals.ends[i++]);
                if (end == offset(A::last()))
                    break;
                ranges.push_back({end + 1, codec_.encode(intervals.hops[i])});
            }
            const auto entry = chunks_.add(ranges);
            if (!entry)
                return entry.error();
            direct_[chunk] = *entry;
        }
        chunks_.trim();
        return errc::ok;
    }
    errc close(open_chunk& current) {
        if (current.ranges.empty())
            return errc::ok;
        word& entry = direct_[current.chunk];
        chunks_.release(entry);
        const auto new_entry = chunks_.add(current.ranges);
        if (!new_entry)
            return new_entry.error();
        entry = *new_entry;
        current.ranges.clear();
        return errc::ok;
    }
    // Writes `code` to the addresses from..to of a chunk. Neighbouring ranges keep different codes.
    static void overwrite(std::vector<chunk_range>& ranges, word from, word to, word code) {
        const auto starts_before = [](const chunk_range& r, word at) { return r.start < at; };
        auto first = std::lower_bound(ranges.begin(), ranges.end(), from, starts_before);
        auto end = std::lower_bound(first, ranges.end(), to + 1, starts_before);
        const bool reaches_end = to == offset(A::last());
        const word after = (end - 1)->code; // code of the range with `to`
        std::array<chunk_range, 2> in_place;
        std::size_t count = 0;
        if (first == ranges.begin() || (first - 1)->code != code)
            in_place[count++] = {from, code};
        if (!reaches_end && (end == ranges.end() || end->start != to + 1)) {
            if (after != code)
                in_place[count++] = {to + 1, after};
        } else if (end != ranges.end() && end->code == code) {
            ++end;
        }
        const auto at = ranges.erase(first, end);
        ranges.insert(at, in_place.begin(), in_place.begin() + static_cast<std::ptrdiff_t>(count));
    }

    static group_kernel kernel_of(const kernel_set& set) noexcept {
        if constexpr (Blocks)
            return set.bits_20_in_blocks;
        else
            return X == 16 ? set.bits_16 : X == 18 ? set.bits_18 : set.bits_20;
    }
    view_type view() const noexcept { return {blocks_.data(), direct_.data(), chunks_.words(), in_block_}; }

    aligned_array<std::uint16_t> blocks_;
    aligned_array<word> direct_;
    store chunks_;
    next_hop_codec codec_;
    unsigned in_block_ = X;
    group_kernel groups_ = nullptr; // null if there is no kernel
};

} // namespace fingerpost::dxr
