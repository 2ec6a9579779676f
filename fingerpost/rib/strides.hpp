// Chooses the strides of a multibit trie: the two dynamic programs of controlled prefix expansion.
//
// A multibit trie has an array of 2^stride slots at each vertex of the binary trie where a level begins and
// below which longer routes lie. Larger strides mean fewer levels and more slots. Both programs find exactly
// the fewest slots for a number of levels or, without a bound on levels, the smallest sum of slots and of the
// assumed cost of lookups' accesses.
//
//     fixed stride      all arrays of one level have the same stride: cut points among the lengths
//                       cost(b, r) = min over a of cost(a, r - 1) + inner(a) * 2^(b - a)
//     variable stride   every array has its own
//                       cost(v, r) = min over s of 2^s + sum of cost(u, r - 1), u at depth s below v
//
// Only inner vertices count: those with longer routes below. A vertex without longer routes below needs no
// array, because the slot above holds its route.
//
// The variable program also considers packed arrays, which have one slot for each run of equal slots: it
// counts the runs of every possible array and takes the cheaper form.
//
// Source: V. Srinivasan, G. Varghese, Fast address lookups using controlled prefix expansion, ACM TOCS 17(1),
// 1999.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost {

// Costs are in slots. An impossible plan has this cost, and no sum exceeds it.
inline constexpr std::uint64_t impossible = std::uint64_t{1} << 62;

// The input of the fixed-stride program, by depth from 0 to the longest length less one.
struct vertex_counts {
    std::vector<std::uint64_t> inner;  // vertices with longer routes below
    std::vector<std::uint64_t> longer; // routes that are longer than the depth

    unsigned longest() const noexcept { return static_cast<unsigned>(inner.size()); }
};

// Arrays, except the root's, that may be stored as runs of equal slots.
struct packed_arrays {
    // The cost in slots of an array of 2^stride slots with this many runs, or `impossible`. If null, no array
    // is packed.
    std::uint64_t (*cost)(unsigned stride, std::uint64_t runs) noexcept = nullptr;
    // If set, slots are equal if they lead to the same next hop, where slots without a route count as having
    // that of the route of length 0. If not (no leaf pushing), routes that the array holds must also have the
    // same length.
    bool pushed = true;
    next_hop everywhere = next_hop::none;
    std::uint64_t slot_cost = 1; // costs can be in units other than slots
};

// How many levels there may be, how many bits each may have, and how many slots one more access of one route
// may cost. Without a bound on levels (0), this price is what makes strides larger than one.
struct stride_choice {
    unsigned levels = 0;
    unsigned widest = 24;
    unsigned widest_root = 24; // for the first array instead of `widest`, if larger
    std::uint64_t access_price = 0;
    // If set, an array other than the root's may lie below a path on which nothing branches and no route
    // ends. Entering such an array costs this many slots for the bits of the path. For the variable program
    // only.
    std::optional<std::uint64_t> skip_price{};
    packed_arrays packed{}; // for the variable program only
};

struct fixed_plan {
    std::vector<std::uint8_t> strides; // their sum is the longest length
    std::uint64_t cost = 0;            // slots plus the price of accesses
};

// The slots of arrays with these strides, which cover the longest length.
std::uint64_t slots_of(const vertex_counts& of, std::span<const std::uint8_t> strides) noexcept;

// Nothing if the bounds allow no plan. O(longest^2 * levels); throws std::bad_alloc.
std::optional<fixed_plan> fixed_strides(const vertex_counts& of, const stride_choice& choice);

// Calls open(depth, route) for each inner vertex, where `route` is the first route of the table below it;
// ends(length, route) for each route behind the vertices above it; and close(depth) once everything below a
// vertex is done.
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

// Throws std::bad_alloc.
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

// The strides that the variable program chooses, for each vertex where an array may begin.
class variable_plan {
  public:
    // Throws std::bad_alloc. O(vertices * widest * levels).
    template <class A>
    static variable_plan of(std::span<const route<A>> sorted, const stride_choice& choice);

    // Slots plus the price of accesses with at most this many levels; `impossible` if there is no such plan.
    std::uint64_t cost(unsigned levels = 0) const noexcept { return costs_.empty() ? 0 : costs_[levels]; }
    // The stride of the vertex at `depth` whose first longer route is `first_route`, if this many levels are
    // left; 0 where the path below is skipped. If a path from above continues here, continuing it costs no
    // more.
    unsigned stride(std::size_t first_route, unsigned depth, unsigned levels = 0,
                    bool behind_path = false) const noexcept {
        const unsigned stored = strides_[(starts_[first_route] + depth) * columns_ + levels];
        return behind_path && (stored & goes_on) != 0 ? 0 : stored & (goes_on - 1);
    }

  private:
    class program;
    static constexpr unsigned goes_on = 0x80; // added to a stride: a path from above continues here

    std::size_t columns_ = 1;           // one for each number of levels, from 0 on
    std::vector<std::uint64_t> costs_;  // of the root; empty if there is no inner vertex
    std::vector<std::size_t> starts_;   // by route: the number of its first vertex minus the vertex's depth
    std::vector<std::uint8_t> strides_; // by vertex and column
};

// Counts the runs of equal slots in the arrays of all strides at the vertices of a path, from the leaves
// upwards.
//
// An array at a vertex consists of the slots of its two children, one after the other. So it has all places
// of both where neighbours differ, and one more if the last slot of the left child differs from the first
// slot of the right one. A slot takes the longest route of the array. If there is none below the vertex, the
// slot takes what comes from above, which is the same on both sides.
class run_counts {
  public:
    run_counts(const packed_arrays& packed, unsigned bits, unsigned reach);

    // Each vertex but the root is the left or the right child of the one above it.
    void open(unsigned depth, bool right) noexcept;
    // Reports a route that is one bit longer than the vertex at `depth`.
    void ends(unsigned depth, bool right, next_hop hop) noexcept;
    // The vertex has no more routes below. From then on runs(depth, stride) is right, until the next vertex
    // opens at this depth.
    void count(unsigned depth) noexcept;
    // Adds a vertex to the one above.
    void close(unsigned depth) noexcept;

    std::uint64_t runs(unsigned depth, unsigned stride) const noexcept {
        return at(depth, stride).differences + 1;
    }

  private:
    using content = std::uint64_t;
    static constexpr content from_above = 0;
    static constexpr content child = ~content{0}; // no two children are equal

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
        std::array<content, 2> route{}; // of the two children
        content cover = from_above;     // if pushed: what the route at or above it gives
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

// The open vertices, one for each depth, with the sums over what lies below them.
class variable_plan::program {
  public:
    program(variable_plan& plan, const stride_choice& choice, unsigned bits);

    void open(unsigned depth, std::size_t route, bool right);
    void ends(unsigned length, bool right, next_hop hop) noexcept;
    void close(unsigned depth);

  private:
    struct vertex {
        unsigned height = 0;      // levels down to the longest route below
        unsigned children = 0;    // inner children
        bool route_below = false; // a route below is one bit longer than the vertex
        std::uint64_t routes = 0;
        std::size_t number = 0;
    };

    bool bounded() const noexcept { return choice_.levels > 0; }
    // The costs of all vertices `distance` below the open vertex at `depth`, summed, for each number of
    // levels.
    std::uint64_t* sums(unsigned depth, unsigned distance) noexcept {
        return sums_.data() + (depth * (reach_ + 1) + distance) * plan_.columns_;
    }
    // The cost of what lies below the path that begins at the child, without the price of the skip.
    std::uint64_t* skipped(unsigned depth) noexcept { return skipped_.data() + depth * plan_.columns_; }
    std::uint64_t array_cost(unsigned depth, unsigned stride) const noexcept;
    void choose(unsigned depth, std::size_t column) noexcept;

    variable_plan& plan_;
    const stride_choice& choice_;
    unsigned reach_; // how far below a vertex sums are kept
    std::vector<vertex> path_;
    std::vector<std::uint64_t> sums_;
    std::vector<std::uint64_t> skipped_;
    std::vector<std::uint64_t> own_;  // of the vertex that is being closed
    std::vector<std::uint64_t> tail_; // the same if a path above it is skipped
    run_counts runs_;                 // if arrays may be packed
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
