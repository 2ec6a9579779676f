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

// Throws std::bad_alloc.
template <class A>
vertex_counts count_vertices(std::span<const route<A>> sorted);

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

} // namespace fingerpost
