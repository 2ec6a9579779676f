// SAIL_L: an array for the first 16 bits of the address, and chunks of 256 slots for each 8 bits after them.
// Every answer is pushed down to the slot where lookups end.
//
// SAIL splits a lookup into finding the length of the longest match and finding its next hop, and it splits
// prefixes at a pivot length. In form L, for fast lookups, all prefixes are pushed to the lengths 16, 24 and
// 32, so that one slot gives both: it has a next hop, or the number of a chunk for the next length. For IPv6,
// the lengths continue to 128 in steps of 8.
//
//      16 bits   [ 2^16 slots ]               slot of 32 bits, top bit clear:  next hop code
//                      |                                       top bit set:    number of a chunk
//      8 bits    [ 256 | 256 | ... ]
//                      |                      one array has the chunks of all lengths
//      8 bits    [ 256 | 256 | ... ]
//
// The paper's slots have 16 bits, but 32,767 chunks are too few today. Code 0 is "no route", so "chunk number
// 0" and "no route" differ in the top bit only.
//
// Lookup: 1 to 3 dependent loads for IPv4, 5 for an IPv6 /48, at most 15; one more if next hop ids are
// 2,147,483,647 and above. In a batch, 64 addresses descend together without a branch on the content of
// slots; with AVX-512, gathers are used. Memory: 256 KiB and 1 KiB a chunk, plus 4 bytes for the list of
// unused ones. Update: writes all slots that the change affects, and makes or frees chunks
// (fib/parts/memory/chunked_table.hpp, which also explains what readers see while the FIB is patched).
//
// Limits: 2^31 chunks and codes; all widths. Source: T. Yang, G. Xie, Y. Li, Q. Fu, A. X. Liu, Q. Li, L.
// Mathy, Guarantee IP lookup performance with FIB explosion, SIGCOMM 2014. Other work compares SAIL_L with
// these lengths for IPv6.
//
// Tested by: the registry's suites and tests/schemes/sail_l. Reading order: sail_l.hpp, kernels.hpp,
// kernels_avx512.hpp, kernels.cpp, entries.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/parts/memory/chunked_table.hpp"
#include "fingerpost/fib/parts/multibit/level_view.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/sail_l/kernels.hpp"

namespace fingerpost::sail_l {

// The published strides for 32 bits and more. Narrow addresses, which only tests use, get several levels too.
template <class A>
inline constexpr unsigned chunk_bits = A::bits >= 32 ? 8 : 2;
template <class A>
inline constexpr unsigned first_bits = A::bits >= 32      ? 16
                                       : A::bits % 2 == 0 ? 2
                                                          : 1;

template <class A, unsigned First = first_bits<A>, unsigned Stride = chunk_bits<A>>
class fib : public laid_out<fib<A, First, Stride>, A> {
    friend laid_out<fib, A>;
    using table_type = chunked_table<A, word, First, Stride>;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        table_type::for_each_array(of.table_, "root", "chunks", visit);
        visit("next hops", of.codec_);
        visit("unused chunks", of.table_.unused());
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        return read.answer(codec_.decoder(), view().find(read, a));
    }

    // Codes and chunk numbers stay below this. Tests pass a lower limit for codes to reach it.
    static constexpr std::uint32_t most = table_type::most;

    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               std::uint32_t most_codes = most) {
        return build_with(
            table, options, [](std::size_t) { return std::size_t{0}; }, most_codes);
    }
    // Reserves room for 1/4 more chunks, or for a few if the table has none.
    static expected<fib> build_in_place(const routes<A>& table, const build_options& options = {}) {
        return build_with(
            table, options, [](std::size_t chunks) { return chunks / 4 + 1024; }, most);
    }

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        const std::size_t done = look_up_groups(in, out);
        view().lookup(in.subspan(done), out.subspan(done));
        codec_.decode(out.first(in.size()));
    }

    // A next hop without a code gets one if codes are indices of a list.
    errc apply(const change<A>& c) {
        const next_hop hop = c.answer();
        if (!codec_.can_encode(hop) && !codec_.add(hop))
            return errc::capacity;
        return table_.patch(c.affected_ranges, codec_.encode(hop));
    }
    // Readers use the list of next hops too, so it must not change.
    errc apply_in_place(const change<A>& c, std::uint64_t version) noexcept {
        if (!codec_.can_encode(c.answer()))
            return errc::capacity;
        return table_.patch_in_place(c.affected_ranges, codec_.encode(c.answer()), version);
    }
    std::size_t room() const noexcept { return table_.room(); }
    static std::size_t needs(const change<A>& c) noexcept { return table_type::needs(c); }
    void reclaim(std::uint64_t version) noexcept { table_.reclaim(version); }

    void visit(node_visitor<A> each) const { view().visit(codec_.decoder(), each); }

    void check(const layout_check& in) const {
        table_.check(in, [&](word code, const void* at) { in.is_code(codec_, code, at); });
    }
    void ready(const build_options& options) noexcept {
        const kernel_set& kernels = kernels_of(options.isa);
        if constexpr (A::bits == 32 || A::bits == 128)
            groups_ = A::bits == 32 ? kernels.ipv4 : kernels.ipv6;
    }

  private:
    template <class Room>
    static expected<fib> build_with(const routes<A>& table, const build_options& options, Room room_for,
                                    std::uint32_t most_codes) {
        const interval_list<A>& intervals = table.intervals();
        fib built;
        built.codec_ = next_hop_codec::choose_below(intervals.hops, most_codes);
        const std::size_t chunks = table_type::count_chunks(intervals);
        auto filled = table_type::fill(intervals, chunks, room_for(chunks),
                                       [&](next_hop hop) { return built.codec_.encode(hop); });
        if (!filled)
            return unexpected{filled.error()};
        built.table_ = std::move(*filled);
        built.ready(options);
        return built;
    }
    // Looks up the addresses that fill whole groups, including those that the kernel leaves unfinished, and
    // returns their number. Returns 0 if there is no kernel, or if the kernel's 32-bit indices do not reach
    // the last chunk.
    std::size_t look_up_groups(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if (groups_ == nullptr || table_.chunk_slots() > std::size_t{1} << 31)
            return 0;
        const std::size_t done = groups_(table_.root(), table_.chunks(), in.data(),
                                         reinterpret_cast<std::uint32_t*>(out.data()), in.size());
        if constexpr (A::bits > 64)
            for (std::size_t i = 0; i < done; ++i)
                if (chunk_slot<word>::is_chunk(out[i].id + 1)) [[unlikely]]
                    out[i].id = view().find(plain_reads{}, in[i]);
        return done;
    }
    level_view<A, word, First, Stride> view() const noexcept { return {table_.root(), table_.chunks()}; }

    table_type table_;
    next_hop_codec codec_;
    group_kernel groups_ = nullptr; // null if there is no kernel
};

} // namespace fingerpost::sail_l
