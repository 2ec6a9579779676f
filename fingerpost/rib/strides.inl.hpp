// Templates of strides.hpp, for the sources that instantiate them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/rib/strides.hpp"

namespace fingerpost {

// Calls open(depth, route) for each inner vertex, with the first route below it, ends(length, route) for each
// route after the vertices above it, and close(depth) after everything below a vertex.
template <class A, class Open, class Ends, class Close>
void sweep_vertices(std::span<const route<A>> sorted, Open open, Ends ends, Close close) {
    unsigned path = 0; // open vertices, at depths 0 to path - 1
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

// Counts the runs of equal slots in arrays of all strides at the vertices of a path, from the leaves upwards.
//
// An array at a vertex consists of the slots of its two children. So its number of places where neighbours
// differ is the sum of theirs, plus one if the last slot on the left differs from the first slot on the
// right. A slot holds the longest route of the array. If there is none below the vertex, it has the content
// from above, which is the same on both sides.
class run_counts {
  public:
    run_counts(const packed_arrays& packed, unsigned bits, unsigned reach);

    // Each vertex except the root is on one side of its parent.
    void open(unsigned depth, bool right) noexcept;
    // Adds a route that is one bit longer than the vertex at `depth`.
    void ends(unsigned depth, bool right, next_hop hop) noexcept;
    // Called when the vertex has no more routes below. runs(depth, stride) are then valid until the next
    // vertex opens there.
    void count(unsigned depth) noexcept;
    // Adds a vertex to its parent.
    void close(unsigned depth) noexcept;

    std::uint64_t runs(unsigned depth, unsigned stride) const noexcept {
        return at(depth, stride).differences + 1;
    }

  private:
    using content = std::uint64_t;
    static constexpr content from_above = 0;
    static constexpr content child = ~content{0}; // no two of these are equal

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
        std::array<content, 2> route{}; // routes of the children
        content cover = from_above;     // pushed: from the route at or above the vertex
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

// Open vertices, one for each depth, with the sums of what is below them.
class variable_plan::program {
  public:
    program(variable_plan& plan, const stride_choice& choice, unsigned bits);

    void open(unsigned depth, std::size_t route, bool right);
    void ends(unsigned length, bool right, next_hop hop) noexcept;
    void close(unsigned depth);

  private:
    struct vertex {
        unsigned height = 0;      // distance to the longest route below
        unsigned children = 0;    // number of inner children
        bool route_below = false; // one bit longer than the vertex
        std::uint64_t routes = 0;
        std::size_t number = 0;
    };

    bool bounded() const noexcept { return choice_.levels > 0; }
    // Costs of all vertices `distance` below the open vertex at `depth`, one for each number of levels.
    std::uint64_t* sums(unsigned depth, unsigned distance) noexcept {
        return sums_.data() + (depth * (reach_ + 1) + distance) * plan_.columns_;
    }
    // Cost of everything below the path that begins at the child, without the price of the skip.
    std::uint64_t* skipped(unsigned depth) noexcept { return skipped_.data() + depth * plan_.columns_; }
    std::uint64_t array_cost(unsigned depth, unsigned stride) const noexcept;
    void choose(unsigned depth, std::size_t column) noexcept;

    variable_plan& plan_;
    const stride_choice& choice_;
    unsigned reach_; // maximum distance for which sums are stored
    std::vector<vertex> path_;
    std::vector<std::uint64_t> sums_;
    std::vector<std::uint64_t> skipped_;
    std::vector<std::uint64_t> own_;  // of the vertex that closes
    std::vector<std::uint64_t> tail_; // like own_, if a path above it is skipped
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
