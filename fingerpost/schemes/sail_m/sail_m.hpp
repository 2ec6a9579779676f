// SAIL_M: the FIBs of several virtual routers in one structure, which is a SAIL_L over the routes of all of
// them.
//
// The FIBs are overlaid: a boundary in one of them is a boundary in all. A slot of the leaf-pushed arrays has
// the number of a row instead of a next hop, and the row has the next hop of each FIB. All FIBs share the
// arrays, and equal rows are stored once.
//
//      root     [ 2^16 slots ]                 slot of 32 bits, top bit clear:  number of a row
//                     |                                         top bit set:    number of a chunk
//      chunks   [ 256 | 256 | ... ]            for each 8 further bits, all lengths in one array
//
//      next hops    [ of each row in FIB 0 ][ of each row in FIB 1 ] ...    `none` without a route
//
// Lookup: as in SAIL_L, 1 to 3 dependent loads for IPv4 and at most 15 for IPv6, and one for the row. In a
// batch, 64 addresses descend together. Memory: 256 KiB, 1 KiB a chunk, and 4 bytes for each FIB and row. As
// a scheme for one table it has one FIB and a row for each next hop. Update: not supported, because a change
// of one FIB may split the rows of all; a live table rebuilds the FIB. Limits: 2^31 chunks and rows; all
// widths and next hop ids.
//
// Source: T. Yang, G. Xie, Y. Li, Q. Fu, A. X. Liu, Q. Li, L. Mathy, Guarantee IP lookup performance with FIB
// explosion, SIGCOMM 2014; reconstructed from a description of its overlay.
//
// Tested by: the registry's suites and tests/schemes/sail_m. Reading order: sail_m.hpp, entries.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/base/hash_index.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/parts/memory/chunked_table.hpp"
#include "fingerpost/fib/parts/multibit/level_view.hpp"

namespace fingerpost::sail_m {

template <class A>
class fib : public laid_out<fib<A>, A> {
    friend laid_out<fib, A>;
    using word = std::uint32_t;
    // The strides of SAIL_L. Narrow addresses, which only tests use, get several levels too.
    static constexpr unsigned first = A::bits >= 32 ? 16 : A::bits % 2 == 0 ? 2 : 1;
    static constexpr unsigned stride = A::bits >= 32 ? 8 : 2;
    using table_type = chunked_table<A, word, first, stride>;
    using view_type = level_view<A, word, first, stride>;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        table_type::for_each_array(of.table_, "root", "chunks", visit);
        visit("next hops", of.hops_);
        visit("unused chunks", of.table_.unused());
        visit("FIBs", of.fibs_);
    }
    // Looks up in FIB 0. A read of a row that has no next hop there is not shown as a separate step.
    template <class Read>
    next_hop find(Read&& read, A a) const {
        const std::uint32_t row = view().find(read, a);
        return hops_of(0).decode(row) == next_hop::none ? next_hop::none : read.answer(hops_of(0), row);
    }

    // The maximum number of rows. A slot has the number of a row plus one.
    static constexpr std::uint32_t most = table_type::most - 1;

    static expected<fib> build(const routes<A>& table, const build_options& = {}) {
        const routes<A>* const pointer = &table;
        return overlay(std::span(&pointer, 1));
    }
    // Makes one structure for at least one table; FIB i is that of table i. Fails with errc::capacity if
    // there are more than `most_rows` different rows. Throws std::bad_alloc and std::length_error.
    static expected<fib> overlay(std::span<const routes<A>* const> tables, std::uint32_t most_rows = most) {
        fib built;
        built.fibs_ = tables.size();
        const auto laid = built.lay_over(tables, most_rows);
        if (!laid)
            return unexpected{laid.error()};
        auto filled = table_type::fill(*laid, table_type::count_chunks(*laid), 0,
                                       [](next_hop row) { return row.id + 1; });
        if (!filled)
            return unexpected{filled.error()};
        built.table_ = std::move(*filled);
        return built;
    }

    std::size_t fibs() const noexcept { return fibs_; }
    std::size_t rows() const noexcept { return hops_.size() / fibs_; }
    // `which` must be below fibs().
    next_hop lookup(std::size_t which, A a) const noexcept {
        return hops_of(which).decode(view().find(plain_reads{}, a));
    }
    void lookup(std::size_t which, std::span<const A> in, std::span<next_hop> out) const noexcept {
        view().lookup(in, out);
        hops_of(which).decode(out.first(in.size()));
    }

    next_hop lookup(A a) const noexcept { return lookup(0, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept { lookup(0, in, out); }

    void visit(node_visitor<A> each) const { view().visit(hops_of(0), each); }

    void check(const layout_check& in) const {
        in.require(fibs_ > 0 && hops_.size() % fibs_ == 0, nullptr, "FIBs have different numbers of rows");
        table_.check(in, [&](word code, const void* at) {
            in.require(code <= rows(), at, "a slot has an invalid row number");
        });
    }

  private:
    view_type view() const noexcept { return {table_.root(), table_.chunks()}; }
    // The next hops of one FIB, by row.
    next_hop_decoder hops_of(std::size_t which) const noexcept {
        return {{hops_.data() + which * rows(), rows()}};
    }

    // Overlays the intervals of all tables. The result has row numbers for next hops.
    expected<interval_list<A>> lay_over(std::span<const routes<A>* const> tables, std::uint32_t most_rows) {
        interval_list<A> laid;
        std::vector<next_hop> row_hops; // all rows, concatenated
        hash_index known;
        std::vector<std::size_t> at(fibs_);
        std::vector<next_hop> row(fibs_);
        for (bool goes_on = true; goes_on;) {
            A end = A::last();
            for (std::size_t f = 0; f < fibs_; ++f) {
                const interval_list<A>& of = tables[f]->intervals();
                row[f] = of.hops[at[f]];
                end = std::min(end, of.ends[at[f]]);
            }
            const next_hop number{number_of(row, row_hops, known)};
            if (number.id >= most_rows)
                return unexpected{errc::capacity};
            if (!laid.hops.empty() && laid.hops.back() == number) {
                laid.ends.back() = end;
            } else {
                laid.ends.push_back(end);
                laid.hops.push_back(number);
            }
            for (std::size_t f = 0; f < fibs_; ++f)
                at[f] += tables[f]->intervals().ends[at[f]] == end ? 1 : 0;
            goes_on = end != A::last();
        }
        hops_.reserve(row_hops.size());
        for (std::size_t f = 0; f < fibs_; ++f)
            for (std::size_t i = f; i < row_hops.size(); i += fibs_)
                hops_.push_back(row_hops[i]);
        return laid;
    }
    // The number of a row, which is added if it is new.
    static std::uint32_t number_of(const std::vector<next_hop>& row, std::vector<next_hop>& row_hops,
                                   hash_index& known) {
        const std::size_t rows = row_hops.size() / row.size();
        const auto hash_of = [&](const hash_key& key, const next_hop* from) {
            return key.hash(std::string_view(reinterpret_cast<const char*>(from), row.size() * sizeof *from));
        };
        const auto row_at = [&](std::uint32_t position) { return row_hops.data() + position * row.size(); };
        const auto same = [&](std::uint32_t position) {
            return std::equal(row.begin(), row.end(), row_at(position));
        };
        known.grow(rows, [&](const hash_key& key, std::uint32_t position) {
            return hash_of(key, row_at(position));
        });
        std::uint32_t& position = known.slot(hash_of(known.key(), row.data()), same);
        if (position == hash_index::none) {
            position = to_u32(rows, "rows of next hops");
            row_hops.insert(row_hops.end(), row.begin(), row.end());
        }
        return position;
    }

    table_type table_;
    std::vector<next_hop> hops_; // next hops of all rows, FIB by FIB
    std::size_t fibs_ = 1;
};

} // namespace fingerpost::sail_m
