// The programs behind strides.hpp, for the sources that run them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/rib/strides.hpp"

namespace fingerpost {

// Calls open(depth, route) for each inner vertex, where `route` is the first of the table that lies below it,
// ends(length, route) for each route behind the vertices above it, and close(depth) once all below a vertex
// is done.
template <class A, class Open, class Ends, class Close>
void sweep_vertices(std::span<const route<A>> sorted, Open open, Ends ends, Close close) {
    unsigned path = 0; // the vertices that are open, at depths 0 to path - 1
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const prefix<A>& where = sorted[i].where;
        const unsigned shared = i == 0 ? 0 : common_length(sorted[i - 1].where.base, where.base) + 1;
        while (path > shared)
            close(--path);
        for (; path < where.length; ++path)
            open(path, i);
        ends(where.length, i);
    }
    while (path > 0)
        close(--path);
}

template <class A>
vertex_counts count_vertices(std::span<const route<A>> sorted) {
    vertex_counts counts;
    counts.inner.resize(A::bits);
    counts.longer.resize(A::bits);
    unsigned longest = 0;
    sweep_vertices(
        sorted, [&](unsigned depth, std::size_t) { ++counts.inner[depth]; },
        [&](unsigned length, std::size_t) {
            longest = std::max(longest, length);
            if (length > 0)
                ++counts.longer[length - 1];
        },
        [](unsigned) {});
    for (unsigned depth = A::bits - 1; depth > 0; --depth)
        counts.longer[depth - 1] += counts.longer[depth];
    counts.inner.resize(longest);
    counts.longer.resize(longest);
    return counts;
}

// The runs of equal slots in the arrays of all strides at the vertices of a path, from the leaves upwards.
//
// An array at a vertex has the slots of its two children behind each other. So it has as many places where
// neighbours differ as they have, and one more when the last slot of the left one differs from the first slot
// of the right one. A slot takes the longest route of the array; where that is none below the vertex, it has
// what comes from above, which is the same on both sides.
class run_counts {
  public:
    run_counts(const packed_arrays& packed, unsigned bits, unsigned reach);

    // Each vertex but the root is on one side of the one above it.
    void open(unsigned depth, bool right) noexcept;
    // A route that is one bit longer than the vertex at `depth`.
    void ends(unsigned depth, bool right, next_hop hop) noexcept;
    // The vertex has no more routes below. Then runs(depth, stride) are right, until the next one opens
    // there.
    void count(unsigned depth) noexcept;
    // Hands a vertex over to the one above.
    void close(unsigned depth) noexcept;

    std::uint64_t runs(unsigned depth, unsigned stride) const noexcept {
        return at(depth, stride).differences + 1;
    }

  private:
    using content = std::uint64_t;
    static constexpr content from_above = 0;
    static constexpr content child = ~content{0}; // of which no two are equal

    struct edges {
        content first = from_above;
        content last = from_above;
    };
    struct array {
        std::array<edges, 2> halves{};
        std::uint64_t differences = 0;
    };
    struct vertex {
        bool right = false;
        std::array<content, 2> route{}; // of the children
        content cover = from_above;     // pushed: what the route at it or above it gives
    };

    array& at(unsigned depth, unsigned stride) noexcept { return arrays_[depth * (reach_ + 1) + stride]; }
    const array& at(unsigned depth, unsigned stride) const noexcept {
        return arrays_[depth * (reach_ + 1) + stride];
    }

    unsigned reach_;
    bool pushed_;
    content everywhere_;
    std::vector<vertex> path_;
    std::vector<array> arrays_; // by depth and stride
};

// The open vertices, one a depth, with the sums of what lies below them.
class variable_plan::program {
  public:
    program(variable_plan& plan, const stride_choice& choice, unsigned bits);

    void open(unsigned depth, std::size_t route, bool right);
    void ends(unsigned length, bool right, next_hop hop) noexcept;
    void close(unsigned depth);

  private:
    struct vertex {
        unsigned height = 0;      // to the longest route below
        unsigned children = 0;    // inner ones
        bool route_below = false; // one bit longer than the vertex
        std::uint64_t routes = 0;
        std::size_t number = 0;
    };

    bool bounded() const noexcept { return choice_.levels > 0; }
    // The costs of all vertices `distance` below the open vertex at `depth`, one for each number of levels.
    std::uint64_t* sums(unsigned depth, unsigned distance) noexcept {
        return sums_.data() + (depth * (reach_ + 1) + distance) * plan_.columns_;
    }
    // The cost of what lies below the path that begins at the child, before the price of the skip.
    std::uint64_t* skipped(unsigned depth) noexcept { return skipped_.data() + depth * plan_.columns_; }
    std::uint64_t array_cost(unsigned depth, unsigned stride) const noexcept;
    void choose(unsigned depth, std::size_t column) noexcept;

    variable_plan& plan_;
    const stride_choice& choice_;
    unsigned reach_; // how far below a vertex sums are kept
    std::vector<vertex> path_;
    std::vector<std::uint64_t> sums_;
    std::vector<std::uint64_t> skipped_;
    std::vector<std::uint64_t> own_;  // of the vertex that closes
    std::vector<std::uint64_t> tail_; // the same when a path above it is skipped
    run_counts runs_;                 // where arrays may be packed
};

template <class A>
variable_plan variable_plan::of(std::span<const route<A>> sorted, const stride_choice& choice) {
    variable_plan plan;
    plan.columns_ = choice.levels + 1;
    plan.starts_.resize(sorted.size());
    program run(plan, choice, A::bits);
    const auto on_right = [&](std::size_t route, unsigned length) {
        return length > 0 && slice(sorted[route].where.base, length - 1, 1) != 0;
    };
    sweep_vertices(
        sorted, [&](unsigned depth, std::size_t route) { run.open(depth, route, on_right(route, depth)); },
        [&](unsigned length, std::size_t route) {
            run.ends(length, on_right(route, length), sorted[route].hop);
        },
        [&](unsigned depth) { run.close(depth); });
    return plan;
}

} // namespace fingerpost
