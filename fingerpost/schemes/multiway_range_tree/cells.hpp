// Makes the cells for building a tree from sorted routes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/net/route.hpp"
#include "fingerpost/schemes/multiway_range_tree/tree.hpp"

namespace fingerpost::multiway_range_tree {

// One pass over the routes. A stack holds the routes that contain the current address, the longest on top.
template <class W>
class cell_sweep {
  public:
    void add(const prefix<W>& p, std::uint32_t code) {
        while (!open_.empty() && open_.back().last < p.first())
            close_top();
        if (p.first() != W::first())
            end_at(W{static_cast<typename W::value_type>(p.first().value - 1)});
        open_.push_back({p.last(), word_of(p.length, code)});
    }
    std::vector<cell<W>> finish() {
        while (!open_.empty() && open_.back().last != W::last())
            close_top();
        end_at(W::last());
        cells_.back().count = 0; // the last address is an end without a count
        return std::move(cells_);
    }
    void reserve(std::size_t routes) { cells_.reserve(routes + routes / 2 + 1); }

  private:
    struct open_route {
        W last;
        std::uint32_t word;
    };

    void close_top() {
        end_at(open_.back().last);
        open_.pop_back();
    }
    void end_at(W end) {
        if (cells_.empty() || cells_.back().end != end)
            cells_.push_back({end, 0, open_.empty() ? 0 : open_.back().word});
        ++cells_.back().count;
    }

    std::vector<cell<W>> cells_;
    std::vector<open_route> open_;
};

// O(routes). Throws std::bad_alloc.
template <class A>
std::vector<cell<wide_address<A>>> cells_of(std::span<const route<A>> sorted, const next_hop_codec& codec) {
    cell_sweep<wide_address<A>> sweep;
    sweep.reserve(sorted.size());
    for (const route<A>& r : sorted)
        sweep.add(widen(r.where), codec.encode(r.hop));
    return sweep.finish();
}

} // namespace fingerpost::multiway_range_tree
