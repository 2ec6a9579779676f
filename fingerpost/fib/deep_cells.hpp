// The few /64 blocks that a boundary finer than /64 cuts, for schemes whose keys are 64 bits.
//
// A 64-bit key names a cell, the addresses that share their first 64 bits. Cells that lie inside one
// elementary interval need nothing more; the others ("deep" ones, 0.1 % of the cells of a full table) become
// an interval of their own, answered by an escape, and their inner intervals are kept here, sorted, with full
// addresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/fib/answer_codec.hpp"
#include "fingerpost/rib/intervals.hpp"

namespace fingerpost {

// Intervals over 64-bit keys: the inclusive ends, strictly increasing, the last all ones, and their codes.
struct key_intervals {
    std::vector<std::uint64_t> ends;
    std::vector<std::uint32_t> codes;

    std::size_t size() const noexcept { return ends.size(); }
};

template <class A>
class deep_cells {
  public:
    // Cuts the address space into key intervals, deep cells escaped, and keeps what is inside those.
    static key_intervals split(const interval_list<A>& intervals, const answer_codec& codec,
                               deep_cells& deep) {
        key_intervals keys;
        keys.ends.reserve(intervals.size());
        keys.codes.reserve(intervals.size());
        deep.mark_ = codec.escape() - 1;
        for (std::size_t i = 0; i < intervals.size(); ++i)
            deep.add(keys, intervals.ends[i], codec.encode(intervals.hops[i]), codec.escape());
        return keys;
    }

    bool empty() const noexcept { return ends_.empty(); }
    // Only for an address of a deep cell: code minus one, as the kernels write it.
    std::uint32_t lookup(A a) const noexcept {
        const auto at = std::lower_bound(ends_.begin(), ends_.end(), a);
        return codes_[static_cast<std::size_t>(at - ends_.begin())] - 1;
    }
    bool is_mark(std::uint32_t number) const noexcept { return number == mark_; }

    // Replaces every escape mark in `out`. Escapes are rare: a block without one costs a vectorised compare.
    void resolve(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if (empty())
            return;
        constexpr std::size_t block = 16;
        std::size_t i = 0;
        for (; i + block <= in.size(); i += block) {
            bool any = false;
            for (std::size_t k = 0; k < block; ++k)
                any |= out[i + k].id == mark_;
            if (any) [[unlikely]]
                resolve_each(in, out, i, i + block);
        }
        resolve_each(in, out, i, in.size());
    }
    std::size_t memory_bytes() const noexcept { return ends_.size() * (sizeof(A) + sizeof(std::uint32_t)); }

  private:
    void resolve_each(std::span<const A> in, std::span<next_hop> out, std::size_t from,
                      std::size_t to) const noexcept {
        for (std::size_t i = from; i < to; ++i)
            if (out[i].id == mark_)
                out[i].id = lookup(in[i]);
    }
    // One interval, in order. What it has of a cell that an earlier one left unfinished goes into that deep
    // cell; whole cells become a key interval; a last cell that it does not fill is opened as a deep one.
    void add(key_intervals& keys, A end, std::uint32_t code, std::uint32_t escape) {
        const std::uint64_t cell = top64(end);
        const bool ends_inside = bottom64(end) != bottom64(A::last());
        if (open_) {
            const bool same_cell = keys.ends.back() == cell;
            push(same_cell ? end : cell_end(keys.ends.back()), code);
            open_ = same_cell && ends_inside;
            if (same_cell)
                return;
        }
        if (!ends_inside)
            return append(keys, cell_key(end), code);
        const bool whole_cells_before = cell != 0 && (keys.ends.empty() || keys.ends.back() != cell - 1);
        if (whole_cells_before)
            append(keys, cell - 1, code);
        append(keys, cell, escape);
        push(end, code);
        open_ = true;
    }
    static std::uint64_t cell_key(A end) noexcept {
        // Narrow addresses are padded with ones: an inclusive end must cover all that the padding leaves
        // open.
        if constexpr (A::bits < 64)
            return top64(end) | low_mask<std::uint64_t>(64 - A::bits);
        else
            return top64(end);
    }
    static A cell_end(std::uint64_t cell) noexcept {
        if constexpr (A::bits > 64)
            return A{static_cast<typename A::value_type>((static_cast<u128>(cell) << (A::bits - 64)) |
                                                         low_mask<u128>(A::bits - 64))};
        else
            return A::last();
    }
    // Deep cells side by side share one key interval: their inner ends follow one another anyway.
    static void append(key_intervals& keys, std::uint64_t end, std::uint32_t code) {
        if (!keys.codes.empty() && keys.codes.back() == code) {
            keys.ends.back() = end;
        } else {
            keys.ends.push_back(end);
            keys.codes.push_back(code);
        }
    }
    void push(A end, std::uint32_t code) {
        ends_.push_back(end);
        codes_.push_back(code);
    }

    std::vector<A> ends_;
    std::vector<std::uint32_t> codes_;
    std::uint32_t mark_ = 0;
    bool open_ = false; // while splitting: the last key interval is a deep cell still to be filled
};

} // namespace fingerpost
