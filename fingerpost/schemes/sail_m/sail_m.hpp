// SAIL_M: the FIBs of several virtual routers in one structure, SAIL_L over the routes of all of them.
//
// The FIBs are laid over each other: where one of them changes its answer, all get a boundary. A slot of the
// leaf-pushed arrays then holds no next hop but the number of a row, which has the next hop of each FIB. The
// arrays are walked once, whichever FIB is asked, and rows that are equal are one.
//
//      root     [ 2^16 slots ]                 slot of 32 bits, top bit clear:  number of a row
//                     |                                         top bit set:    number of a chunk
//      chunks   [ 256 | 256 | ... ]            for each 8 bits more, all lengths in one array
//
//      rows     [ FIB 0 | FIB 1 | ... ][ FIB 0 | FIB 1 | ... ] ...       a next hop each, none for no route
//
// Lookup: as in SAIL_L, 1 to 3 dependent loads for IPv4 and 15 at most for IPv6, and one for the row. A batch
// takes 32 addresses from level to level together.
// Memory: 256 KiB, 1 KiB a chunk, and 4 bytes for each FIB and row. As a scheme of one table it has one FIB,
// and a row for each next hop.
// Update: none; a change of one FIB may split the rows of all, so it means a new build.
// Limits: 2^31 chunks and rows; all widths, all next hop ids.
//
// Source: T. Yang, G. Xie, Y. Li, Q. Fu, A. X. Liu, Q. Li, L. Mathy, Guarantee IP lookup performance with FIB
// explosion, SIGCOMM 2014; reconstructed from a description of its overlay.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/base/hash_index.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/chunked_table.hpp"
#include "fingerpost/fib/scheme.hpp"

namespace fingerpost::sail_m {

template <class A>
class fib {
    using word = std::uint32_t;
    using slot = chunk_slot<word>;
    // As in SAIL_L: narrow addresses, which only tests use, get several levels too.
    static constexpr unsigned first = A::bits >= 32 ? 16 : A::bits % 2 == 0 ? 2 : 1;
    static constexpr unsigned stride = A::bits >= 32 ? 8 : 2;
    using table_type = chunked_table<A, word, first, stride>;

  public:
    static constexpr std::uint32_t most = table_type::most;

    static expected<fib> build(const routes<A>& table, const build_options& = {}) {
        const routes<A>* const one = &table;
        return overlay(std::span(&one, 1));
    }
    // One structure for these tables, at least one; FIB i is that of table i. errc::capacity when there are
    // more than `most_rows` different rows. Throws std::bad_alloc and std::length_error.
    static expected<fib> overlay(std::span<const routes<A>* const> tables, std::uint32_t most_rows = most) {
        fib built;
        built.fibs_ = tables.size();
        const auto laid = built.lay_over(tables, most_rows);
        if (!laid)
            return unexpected{laid.error()};
        auto filled =
            table_type::fill(*laid, table_type::count_chunks(*laid), 0, [](next_hop row) { return row.id; });
        if (!filled)
            return unexpected{filled.error()};
        built.table_ = std::move(*filled);
        return built;
    }

    std::size_t fibs() const noexcept { return fibs_; }
    std::size_t rows() const noexcept { return rows_.size() / fibs_; }
    // In FIB `which`, below fibs().
    next_hop lookup(std::size_t which, A a) const noexcept {
        return rows_[std::size_t{row_of(a)} * fibs_ + which];
    }
    void lookup(std::size_t which, std::span<const A> in, std::span<next_hop> out) const noexcept {
        for (std::size_t from = 0; from < in.size(); from += block)
            look_up_block(which, in.subspan(from, std::min(block, in.size() - from)), out.subspan(from));
    }

    next_hop lookup(A a) const noexcept { return lookup(0, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept { lookup(0, in, out); }
    std::size_t memory_bytes() const noexcept { return total_bytes(parts()); }

    next_hop trace(A a, step_visitor each) const {
        word now = 0;
        for (unsigned level = 0; level <= table_type::levels; ++level) {
            const std::size_t place = level == 0 ? first_bits(a) : place_below(now, a, level - 1);
            const word* const at = &(level == 0 ? table_.root() : table_.chunks())[place];
            now = *at;
            each({.part = level == 0 ? "root" : "chunks",
                  .at = at,
                  .offset = place * sizeof *at,
                  .bytes = sizeof *at,
                  .first_bit = level == 0 ? 0 : first + (level - 1) * stride,
                  .bits = level == 0 ? first : stride,
                  .key = level == 0 ? place : place % table_type::chunk_size,
                  .found = slot::number_of(now)});
            if (!slot::is_chunk(now))
                break;
        }
        const std::size_t place = std::size_t{now} * fibs_;
        const next_hop found = rows_[place];
        each({.part = "rows",
              .at = &rows_[place],
              .offset = place * sizeof found,
              .bytes = sizeof found,
              .key = now,
              .result = found == next_hop::none ? outcome::missed : outcome::answered,
              .found = found.id});
        return found;
    }
    std::vector<memory_part> memory_parts() const {
        const auto all = parts();
        return {all.begin(), all.end()};
    }
    void visit(node_visitor<A> each) const {
        visit_slots(table_.root(), std::size_t{1} << first, prefix<A>{}, first, 0, each);
    }

  private:
    static constexpr std::size_t block = 32;

    std::array<memory_part, 5> parts() const noexcept {
        return {{{"root", table_.root_bytes()},
                 {"chunks", table_.chunk_bytes()},
                 {"rows", rows_.capacity() * sizeof(next_hop)},
                 {"unused chunks", table_.unused_list_bytes()},
                 {"object", sizeof *this}}};
    }

    static std::size_t first_bits(A a) noexcept { return static_cast<std::size_t>(slice(a, 0, first)); }
    static std::size_t place_below(word chunk, A a, unsigned level) noexcept {
        return std::size_t{slot::number_of(chunk)} << stride |
               static_cast<std::size_t>(slice(a, first + level * stride, stride));
    }
    word row_of(A a) const noexcept {
        word now = table_.root()[first_bits(a)];
        for (unsigned level = 0; slot::is_chunk(now); ++level)
            now = table_.chunks()[place_below(now, a, level)];
        return now;
    }
    // A lane that has its row reads the first slot of all in the steps of the others, and keeps what it has.
    void look_up_block(std::size_t which, std::span<const A> in, std::span<next_hop> out) const noexcept {
        std::array<word, block> now;
        std::array<std::size_t, block> place;
        word any = 0;
        for (std::size_t i = 0; i < in.size(); ++i)
            any |= now[i] = table_.root()[first_bits(in[i])];
        for (unsigned level = 0; slot::is_chunk(any); ++level) {
            for (std::size_t i = 0; i < in.size(); ++i) {
                place[i] = place_below(now[i], in[i], level) & slot::mask_of_chunk(now[i]);
                __builtin_prefetch(&table_.chunks()[place[i]]);
            }
            any = 0;
            for (std::size_t i = 0; i < in.size(); ++i) {
                const word below = table_.chunks()[place[i]];
                now[i] = slot::is_chunk(now[i]) ? below : now[i];
                any |= now[i];
            }
        }
        for (std::size_t i = 0; i < in.size(); ++i)
            out[i] = rows_[std::size_t{now[i]} * fibs_ + which];
    }

    // The intervals of all tables laid over each other, with numbers of rows for next hops.
    expected<interval_list<A>> lay_over(std::span<const routes<A>* const> tables, std::uint32_t most_rows) {
        interval_list<A> laid;
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
            const next_hop number{number_of(row, known)};
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
        rows_.shrink_to_fit();
        return laid;
    }
    // Of a row, which is added when it is new.
    std::uint32_t number_of(const std::vector<next_hop>& row, hash_index& known) {
        const auto hash_of = [this](const hash_key& key, const next_hop* from) {
            return key.hash(std::string_view(reinterpret_cast<const char*>(from), fibs_ * sizeof *from));
        };
        const auto same = [&](std::uint32_t position) {
            return std::equal(row.begin(), row.end(),
                              rows_.begin() + static_cast<std::ptrdiff_t>(position * fibs_));
        };
        known.grow(rows(), [&](const hash_key& key, std::uint32_t position) {
            return hash_of(key, rows_.data() + std::size_t{position} * fibs_);
        });
        std::uint32_t& position = known.slot(hash_of(known.key(), row.data()), same);
        if (position == hash_index::none) {
            position = to_u32(rows(), "rows of next hops");
            rows_.insert(rows_.end(), row.begin(), row.end());
        }
        return position;
    }

    void visit_slots(const word* slots, std::size_t count, const prefix<A>& where, unsigned bits,
                     unsigned level, node_visitor<A> each) const {
        using value = typename A::value_type;
        each({.first = where.first(),
              .last = where.last(),
              .level = level,
              .kind = level == 0 ? "root" : "chunk",
              .part = level == 0 ? "root" : "chunks",
              .bytes = count * sizeof(word),
              .children = static_cast<std::size_t>(std::count_if(slots, slots + count, slot::is_chunk))});
        for (std::size_t i = 0; i < count; ++i) {
            if (!slot::is_chunk(slots[i]))
                continue;
            const unsigned length = where.length + bits;
            const value lower = shift_left(static_cast<value>(i), A::bits - length);
            visit_slots(table_.chunks() + (std::size_t{slot::number_of(slots[i])} << stride),
                        table_type::chunk_size,
                        prefix<A>::make(A{static_cast<value>(where.base.value | lower)}, length), stride,
                        level + 1, each);
        }
    }

    table_type table_;
    std::vector<next_hop> rows_;
    std::size_t fibs_ = 1;
};

} // namespace fingerpost::sail_m
