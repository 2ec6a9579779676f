// DIR-24-8 extended to 128 bits: an array for the first 24 bits, then groups of 256 entries for 8 bits each.
//
//      root     [ 2^24 entries ]              entry, extended bit clear:  next hop code
//                     |                              extended bit set:    number of a group
//                     v
//      groups   [ 256 | 256 | 256 | ... ]     groups of all levels; those of the last one have codes only
//
// DPDK's rte_lpm6 and rte_fib6 have this structure. Answers are pushed down to the entries where lookups end.
// fib/parts/memory/direct_tables.hpp explains codes and the choice between 16-bit and 32-bit entries, as in
// DIR-24-8. fib/parts/memory/chunked_table.hpp, which calls a group a chunk, fills and patches the arrays,
// reuses freed groups, and explains what readers see meanwhile.
//
// Lookup: 1 dependent load, and one for each further 8 bits of the routes near the address: 4 for an IPv6
// /48, at most 14; one more if next hop ids are 2,147,483,647 and above. In a batch, 64 addresses descend
// together; with AVX-512, gathers are used (kernels_avx512.hpp). Memory: 32 or 64 MiB, and 516 or 1,028 bytes
// a group, of which 4 are for the list of unused ones. Update: writes all entries that the change affects,
// 2^24 for a default route.
//
// Limits: 2^31 groups and codes; IPv6 only, because for 32 bits this is DIR-24-8. Source: DPDK lib/fib/trie.c
// and lib/lpm/rte_lpm6.c (BSD-3; nothing copied).
//
// Tested by: the registry's suites and tests/schemes/trie_24_8. Reading order: trie_24_8.hpp, kernels.hpp,
// kernels_avx512.hpp, kernels.cpp, entries.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/memory/direct_tables.hpp"
#include "fingerpost/fib/parts/multibit/level_view.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/trie_24_8/kernels.hpp"

namespace fingerpost::trie_24_8 {

// The strides of DPDK for 64 bits and more. Narrow addresses, which only tests use, get several levels too.
template <class A>
inline constexpr unsigned group_bits = A::bits >= 64 ? 8 : 2;
template <class A>
inline constexpr unsigned first_bits = A::bits >= 64      ? 24
                                       : A::bits % 2 == 0 ? 2
                                                          : 1;

template <class A, unsigned First = first_bits<A>, unsigned Stride = group_bits<A>>
class fib : public laid_out<fib<A, First, Stride>, A> {
    friend laid_out<fib, A>;
    using tables = direct_tables<A, First, Stride>;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        tables::for_each_array(of.tables_, {"root", "chunks", "next hops", "unused chunks"}, visit);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        return read.answer(next_hops(), with_view([&](const auto& view) { return view.find(read, a); }));
    }

    // Codes and group numbers stay below this. Tests pass a lower limit for codes to reach it.
    static constexpr std::size_t most = tables::most;

    static expected<fib> build(const routes<A>& table, const build_options& options = {},
                               std::size_t most_codes = most) {
        return build_with(
            table, options, [](std::size_t) { return std::size_t{0}; }, most_codes);
    }
    // Reserves room for 1/4 more groups, or for a few if the table has none.
    static expected<fib> build_in_place(const routes<A>& table, const build_options& options = {}) {
        return build_with(
            table, options, [](std::size_t groups) { return groups / 4 + 1024; }, most);
    }

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        const std::size_t done = look_up_groups(in, out);
        with_view([&](const auto& view) { view.lookup(in.subspan(done), out.subspan(done)); });
        next_hops().decode(out.first(in.size()));
    }

    errc apply(const change<A>& c) noexcept { return tables_.apply(c); }
    errc apply_in_place(const change<A>& c, std::uint64_t version) noexcept {
        return tables_.apply_in_place(c, version);
    }
    std::size_t room() const noexcept { return tables_.room(); }
    static std::size_t needs(const change<A>& c) noexcept { return tables::needs(c); }
    void reclaim(std::uint64_t version) noexcept { tables_.reclaim(version); }

    void visit(node_visitor<A> each) const {
        with_view([&](const auto& view) { view.visit(next_hops(), each); });
    }

    void check(const layout_check& in) { tables_.check(in); }
    void ready(const build_options& options) noexcept {
        const kernel_set& kernels = kernels_of(options.isa);
        if constexpr (A::bits == 128)
            groups_ = tables_.entry_bytes() == 2 ? kernels.two : kernels.four;
    }

  private:
    template <class Room>
    static expected<fib> build_with(const routes<A>& table, const build_options& options, Room room_for,
                                    std::size_t most_codes) {
        auto new_tables = tables::make(table, room_for, most_codes);
        if (!new_tables)
            return unexpected{new_tables.error()};
        fib built;
        built.tables_ = std::move(*new_tables);
        built.ready(options);
        return built;
    }
    // Looks up the addresses that fill whole groups and returns their number. Returns 0 if there is no
    // kernel, or if the kernel's 32-bit indices do not reach the last group of entries.
    std::size_t look_up_groups(std::span<const A> in, std::span<next_hop> out) const noexcept {
        return tables_.with_store([&](const auto& store) -> std::size_t {
            if (groups_ == nullptr || store.chunk_slots() > std::size_t{1} << 31)
                return 0;
            return groups_(store.root(), store.chunks(), in.data(),
                           reinterpret_cast<std::uint32_t*>(out.data()), in.size());
        });
    }
    // Code 0, the first of the values, means `none` and has no number.
    next_hop_decoder next_hops() const noexcept {
        return {tables_.values().empty() ? tables_.values() : tables_.values().subspan(1)};
    }
    // Calls use(arrays) with the arrays that a lookup reads.
    template <class Use>
    decltype(auto) with_view(Use use) const {
        return tables_.with_store([&](const auto& store) {
            using word = std::remove_cvref_t<decltype(*store.root())>;
            return use(level_view<A, word, First, Stride>{store.root(), store.chunks()});
        });
    }

    tables tables_;
    group_kernel groups_ = nullptr; // null if there is no kernel
};

} // namespace fingerpost::trie_24_8
