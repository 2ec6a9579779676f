// Elementary intervals with codes, and their division into intervals that a short key distinguishes and finer
// ones.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/rib/intervals.hpp"

namespace fingerpost {

// Neighbouring intervals with inclusive ends. They cover the whole address space or complete cells.
template <class A>
struct coded_intervals {
    std::vector<A> ends;
    std::vector<std::uint32_t> codes;

    std::size_t size() const noexcept { return ends.size(); }
    bool empty() const noexcept { return ends.empty(); }
    void reserve(std::size_t count) {
        ends.reserve(count);
        codes.reserve(count);
    }
    void push(A end, std::uint32_t code) {
        ends.push_back(end);
        codes.push_back(code);
    }
    std::size_t memory_bytes() const noexcept { return size() * (sizeof(A) + sizeof(std::uint32_t)); }

    static coded_intervals make(const interval_list<A>& intervals, const next_hop_codec& codec) {
        coded_intervals coded;
        coded.ends = intervals.ends;
        coded.codes.reserve(intervals.size());
        for (next_hop hop : intervals.hops)
            coded.codes.push_back(codec.encode(hop));
        return coded;
    }
};

// First and last address of the cell of `bits` bits that contains `a`.
template <class A>
constexpr A cell_first(A a, unsigned bits) noexcept {
    return prefix<A>::make(a, bits).first();
}
template <class A>
constexpr A cell_last(A a, unsigned bits) noexcept {
    return prefix<A>::make(a, bits).last();
}

// A cell is an aligned block of addresses that share their first `inner` bits. Cells without a boundary
// inside are added to `whole` and merged with their neighbours. A cell with a boundary inside becomes an
// interval with the code `escape` in `whole` (neighbouring ones share an interval), and its content is added
// to `finer`.
template <class A>
struct split_intervals {
    coded_intervals<A> whole;
    coded_intervals<A> finer;
};

namespace detail {

template <class A>
class interval_splitter {
  public:
    interval_splitter(unsigned outer, unsigned inner, std::uint32_t escape)
        : outer_(outer), inner_(inner), escape_(escape) {}

    void add(A end, std::uint32_t code) {
        const bool new_block = !any_ || cell_last(previous_, outer_) < end;
        A start = new_block ? cell_first(end, outer_) : next(previous_);
        any_ = true;
        previous_ = end;
        if (open_) {
            const A open_last = cell_last(out.finer.ends.back(), inner_);
            const bool beyond = open_last < end;
            out.finer.push(beyond ? open_last : end, code);
            open_ = end < open_last;
            if (!beyond)
                return;
            start = next(open_last);
        }
        if (end == cell_last(end, inner_))
            return out.whole.push(end, code);
        const A cell = cell_first(end, inner_);
        if (start < cell)
            out.whole.push(A{static_cast<typename A::value_type>(cell.value - 1)}, code);
        push_escape(cell_last(end, inner_));
        out.finer.push(end, code);
        open_ = true;
    }

    split_intervals<A> out;

  private:
    static A next(A a) noexcept { return A{static_cast<typename A::value_type>(a.value + 1)}; }
    void push_escape(A end) {
        const bool joins = !out.whole.empty() && out.whole.codes.back() == escape_ &&
                           !(cell_last(out.whole.ends.back(), outer_) < end);
        if (joins)
            out.whole.ends.back() = end;
        else
            out.whole.push(end, escape_);
    }

    unsigned outer_;
    unsigned inner_;
    std::uint32_t escape_;
    A previous_{};
    bool any_ = false;
    bool open_ = false; // the last cell of `finer` is not complete yet
};

} // namespace detail

// `in` covers complete cells of `outer` bits (0 bits: the whole space). None of its codes is `escape`.
template <class A>
split_intervals<A> split_at_depth(coded_intervals<A> in, unsigned outer, unsigned inner,
                                  std::uint32_t escape) {
    if (inner >= A::bits)
        return {std::move(in), {}};
    detail::interval_splitter<A> splitter(outer, inner, escape);
    splitter.out.whole.reserve(in.size());
    for (std::size_t i = 0; i < in.size(); ++i)
        splitter.add(in.ends[i], in.codes[i]);
    return std::move(splitter.out);
}

} // namespace fingerpost
