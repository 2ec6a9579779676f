// DIR-24-8: a flat array indexed by the first bits of the address, with groups of further entries where
// longer prefixes need more bits.
//
// With 24 and 8 bits, an IPv4 lookup takes one load, or two if the /24 has longer prefixes. The cost is a
// table of 2^24 entries even for a few routes.
//
//      table   [ 2^First entries ]             entry, extended bit clear:  next hop code
//                      |                              extended bit set:    number of a spill group
//                      v
//      spill   [ 2^Rest | 2^Rest | ... ]       entries without extended bit
//
// fib/parts/memory/direct_tables.hpp explains codes and the choice between 16-bit and 32-bit entries.
//
// Lookup: 1 dependent load, 2 in a spill group, 1 more with `values`. The table is too large for most caches,
// but the part that traffic uses often fits. Memory: 32 MiB or 64 MiB for IPv4, plus 512 or 1,024 bytes a
// group. Update: writes all entries that the change affects, up to 2^24 for a default route. A group is made
// when a boundary appears inside an entry, and freed when its entries become equal.
//
// fib/parts/memory/chunked_table.hpp, which calls a spill group a chunk, fills and patches the arrays and
// explains what readers see meanwhile.
//
// Limits: widths up to 32. Batch: with AVX-512, on the CPUs chosen in simd/tuning.cpp, 64 addresses at a time
// and 16 entries with one gather (kernels_avx512.hpp). Otherwise one pass without branches on data, because
// addresses without a spill group load a harmless entry; so the core overlaps the lookups. This pass
// prefetches the table's entries 64 addresses ahead. With gathers, prefetching helps some workloads and hurts
// others.
//
// Source: P. Gupta, S. Lin, N. McKeown, Routing lookups in hardware at memory access speeds, INFOCOM 1998;
// DPDK lib/fib/dir24_8.c (BSD-3; nothing copied).
//
// Tried and slower: blocks of 32 addresses with one pass for the table, one for the spill groups and one for
// the answers: 272 against 385 Mlps on tier1-v4 with matching addresses, 200 against 245 with uniform ones,
// 105 against 117 with 300,000 routes beyond /24 added (2.7 GHz Xeon, one core, best of 7, other work on the
// machine). A branch on the extended bit instead of the harmless load is 2 to 7 % slower.
//
// Tested by: the registry's suites and tests/schemes/dir_24_8. Reading order: dir_24_8.hpp, arrays.hpp,
// kernels.hpp, kernels_avx512.hpp, kernels.cpp, entries.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/memory/direct_tables.hpp"
#include "fingerpost/fib/patchable.hpp"
#include "fingerpost/schemes/dir_24_8/arrays.hpp"
#include "fingerpost/schemes/dir_24_8/kernels.hpp"

namespace fingerpost::dir_24_8 {

template <class A, unsigned First = (A::bits * 3 / 4 > 0 ? A::bits * 3 / 4 : 1),
          unsigned Rest = A::bits - First>
class fib : public laid_out<fib<A, First, Rest>, A> {
    friend laid_out<fib, A>;
    static_assert(A::bits <= 32, "a direct table supports widths of up to 32 bits");
    static_assert(First >= 1 && Rest >= 1 && First + Rest == A::bits);
    static_assert(sizeof(A) == sizeof(std::uint32_t), "as kernels read addresses");

    using tables = direct_tables<A, First, Rest>;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        tables::for_each_array(of.tables_, {"table", "spill", "values", "unused groups"}, visit);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        return with_view([&](const auto& view) { return view.find(read, a); });
    }

    // Codes and group numbers stay below this. Tests pass a lower limit for codes to reach it.
    static constexpr std::size_t most = tables::most;
    static_assert((std::size_t{1} << First) / 4 * 5 + 1024 <= most,
                  "a group for each entry, and the room for more of them");

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
        if (const std::size_t done = look_up_groups(in, out); done != 0) {
            in = in.subspan(done);
            out = out.subspan(done);
        }
        with_view([&](const auto& view) { view.lookup(in, out); });
    }

    errc apply(const change<A>& c) noexcept { return tables_.apply(c); }
    errc apply_in_place(const change<A>& c, std::uint64_t version) noexcept {
        return tables_.apply_in_place(c, version);
    }
    std::size_t room() const noexcept { return tables_.room(); }
    // A range starts inside at most one entry and ends inside at most one.
    static std::size_t needs(const change<A>& c) noexcept { return tables::needs(c); }
    void reclaim(std::uint64_t version) noexcept { tables_.reclaim(version); }

    void visit(node_visitor<A> each) const {
        with_view([&](const auto& view) { visit_arrays(view, each); });
    }

    void check(const layout_check& in) { tables_.check(in); }
    void ready(const build_options& options) noexcept {
        if (options.tuning.direct_gathers && tables_.values().empty()) {
            const kernel_set& kernels = kernels_of(options.isa);
            groups_ = tables_.entry_bytes() == 2 ? kernels.two : kernels.four;
        }
    }

  private:
    template <class Room>
    static expected<fib> build_with(const routes<A>& table, const build_options& options, Room room_for,
                                    std::size_t most_codes) try {
        auto new_tables = tables::make(table, room_for, most_codes);
        if (!new_tables)
            return unexpected{new_tables.error()};
        fib built;
        built.tables_ = std::move(*new_tables);
        built.ready(options);
        return built;
    } catch (...) {
        return unexpected{reason_of_exception()};
    }

    // Looks up the addresses that fill whole groups and returns their number. Returns 0 if there is no
    // kernel, or if the kernel's 32-bit indices do not reach the last spill group.
    std::size_t look_up_groups(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if (in.size() < least_group || groups_ == nullptr)
            return 0;
        return tables_.with_store([&](const auto& store) -> std::size_t {
            if (store.chunk_slots() > std::size_t{1} << 31)
                return 0;
            return groups_({store.root(), store.chunks(), Rest},
                           reinterpret_cast<const std::uint32_t*>(in.data()),
                           reinterpret_cast<std::uint32_t*>(out.data()), in.size());
        });
    }

    // Calls use(arrays) with the arrays that a lookup reads.
    template <class Use>
    decltype(auto) with_view(Use use) const {
        return tables_.with_store([&](const auto& store) {
            using word = std::remove_cvref_t<decltype(*store.root())>;
            const next_hop* const values = tables_.values().empty() ? nullptr : tables_.values().data();
            return use(direct_view<A, word, Rest>{store.root(), store.chunks(), values});
        });
    }

    // The table is the root, and its groups are the children.
    template <class Word>
    static void visit_arrays(const direct_view<A, Word, Rest>& in, node_visitor<A> each) {
        constexpr std::size_t entries = std::size_t{1} << First;
        constexpr std::size_t group_entries = std::size_t{1} << Rest;
        const auto leads_to_group = [](Word entry) {
            return (entry & direct_view<A, Word, Rest>::extended) != 0;
        };
        const auto show_answers = [&](const Word* from, std::size_t count, node_contents& to) {
            for (std::size_t i = 0; i < count; ++i)
                add_answer(to, i, leads_to_group(from[i]) ? next_hop::none : in.decode(from[i]));
        };
        const auto groups = std::count_if(in.table, in.table + entries, leads_to_group);
        each({.first = A::first(),
              .last = A::last(),
              .kind = "table",
              .part = "table",
              .bytes = entries * sizeof(Word),
              .children = static_cast<std::size_t>(groups),
              .bits = First,
              .contents = [&](node_contents& to) { show_answers(in.table, entries, to); }});
        for (std::size_t i = 0; i < entries; ++i) {
            if (!leads_to_group(in.table[i]))
                continue;
            const auto where = prefix<A>::make(A{static_cast<std::uint32_t>(i << Rest)}, First);
            const std::size_t group = in.spill_slot(in.table[i], where.first());
            each({.first = where.first(),
                  .last = where.last(),
                  .level = 1,
                  .kind = "group",
                  .part = "spill",
                  .bytes = group_entries * sizeof(Word),
                  .offset = group * sizeof(Word),
                  .slot = i,
                  .first_bit = First,
                  .bits = Rest,
                  .contents = [&](node_contents& to) { show_answers(in.spill + group, group_entries, to); }});
        }
    }

    tables tables_;
    group_kernel groups_ = nullptr; // null if there is no kernel
};

} // namespace fingerpost::dir_24_8
