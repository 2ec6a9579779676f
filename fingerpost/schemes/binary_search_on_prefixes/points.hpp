// The end points of all routes in ascending order, each with two answers.
#pragma once

#include <cstdint>
#include <vector>

#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/rib/routes.hpp"

namespace fingerpost::binary_search_on_prefixes {

// A point is the first or the last address of at least one route. The last address of the space is always a
// point, so every address has a point that is not below it.
template <class A>
struct point_list {
    std::vector<A> keys;              // strictly ascending
    std::vector<std::uint32_t> below; // codes of the addresses between the previous point and this one
    std::vector<std::uint32_t> equal; // codes of the points themselves

    std::size_t size() const noexcept { return keys.size(); }
};

// One pass over the routes. A stack holds the routes that contain the current address, the longest on top.
template <class A>
class point_sweep {
  public:
    point_sweep(point_list<A>& out, const next_hop_codec& codec) : out_(out), codec_(codec) {}

    void add(const route<A>& r) {
        while (!open_.empty() && open_.back().last < r.where.first())
            close_top();
        point_at(r.where.first());
        open_.push_back({r.where.last(), codec_.encode(r.hop)});
        out_.equal.back() = open_.back().code; // the longest of several routes with this first address comes
                                               // last
    }
    void finish() {
        while (!open_.empty())
            close_top();
        point_at(A::last());
    }

  private:
    struct open_route {
        A last;
        std::uint32_t code;
    };

    std::uint32_t top_code() const noexcept { return open_.empty() ? 0 : open_.back().code; }
    void close_top() {
        point_at(open_.back().last);
        open_.pop_back();
    }
    // If the point exists, it belongs to a longer route or to one that ended earlier.
    void point_at(A key) {
        if (!out_.keys.empty() && out_.keys.back() == key)
            return;
        out_.keys.push_back(key);
        out_.below.push_back(top_code());
        out_.equal.push_back(top_code());
    }

    point_list<A>& out_;
    const next_hop_codec& codec_;
    std::vector<open_route> open_;
};

// O(routes). Throws std::bad_alloc.
template <class A>
point_list<A> end_points(std::span<const route<A>> sorted, const next_hop_codec& codec) {
    point_list<A> points;
    points.keys.reserve(2 * sorted.size() + 1);
    points.below.reserve(2 * sorted.size() + 1);
    points.equal.reserve(2 * sorted.size() + 1);
    point_sweep<A> sweep(points, codec);
    for (const route<A>& r : sorted)
        sweep.add(r);
    sweep.finish();
    return points;
}

} // namespace fingerpost::binary_search_on_prefixes
