// Chooses the strides of a multibit trie: the two dynamic programs of controlled prefix expansion.
//
// A multibit trie has an array of 2^stride slots at each vertex of the binary trie where a level begins and
// which has longer routes below. Larger strides mean fewer levels and more slots. Both programs minimise the
// number of slots for a number of levels or, without a limit on levels, the sum of slots and of the assumed
// cost of memory accesses in lookups.
//
//     fixed stride      all arrays of one level have the same stride: chosen from the lengths
//                       cost(b, r) = min over a of cost(a, r - 1) + inner(a) * 2^(b - a)
//     variable stride   each array has its own stride
//                       cost(v, r) = min over s of 2^s + sum of cost(u, r - 1), u at depth s below v
//
// Only inner vertices count, those with longer routes below. Other vertices need no array, because the slot
// above holds their route.
//
// The variable program also considers packed arrays, which have one slot for each run of equal slots. It
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

// Input of the fixed-stride program, by depth from 0 to the longest length minus one.
struct vertex_counts {
    std::vector<std::uint64_t> inner;  // vertices with longer routes below
    std::vector<std::uint64_t> longer; // routes longer than the depth

    unsigned longest() const noexcept { return static_cast<unsigned>(inner.size()); }
};

// Describes which arrays may be stored as runs of equal slots. The root's array may not.
struct packed_arrays {
    // Cost of an array of 2^stride slots with this many runs, in slots, or `impossible`. If null, no array is
    // packed.
    std::uint64_t (*cost)(unsigned stride, std::uint64_t runs) noexcept = nullptr;
    // If true, slots are equal if they lead to the same next hop, where a slot without a route has the next
    // hop of the route of length 0. If false (no leaf pushing), routes in the array must also have the same
    // length.
    bool pushed = true;
    next_hop everywhere = next_hop::none;
    std::uint64_t slot_cost = 1; // cost of a slot, in other units if needed
};

// Limits on the number of levels and on the bits of each, and the price in slots of one more access for one
// route. Without a limit on levels (0), this price makes strides larger than one worthwhile.
struct stride_choice {
    unsigned levels = 0;
    unsigned widest = 24;
    unsigned widest_root = 24; // for the first array instead of `widest`, if larger
    std::uint64_t access_price = 0;
    // If set, an array other than the root's may be below a path without branches and without routes.
    // Entering such an array costs this many slots for the bits of the path. Only for the variable program.
    std::optional<std::uint64_t> skip_price{};
    packed_arrays packed{}; // only for the variable program
};

struct fixed_plan {
    std::vector<std::uint8_t> strides; // their sum is the longest length
    std::uint64_t cost = 0;            // slots plus the price of accesses
};

// Number of slots of arrays with these strides, which cover the longest length.
std::uint64_t slots_of(const vertex_counts& of, std::span<const std::uint8_t> strides) noexcept;

// Returns nothing if no plan satisfies the limits. O(longest^2 * levels). Throws std::bad_alloc.
std::optional<fixed_plan> fixed_strides(const vertex_counts& of, const stride_choice& choice);

// Throws std::bad_alloc.
template <class A>
vertex_counts count_vertices(std::span<const route<A>> sorted);

// Strides that the variable program chooses, for each vertex where an array may begin.
class variable_plan {
  public:
    // Throws std::bad_alloc. O(vertices * widest * levels).
    template <class A>
    static variable_plan of(std::span<const route<A>> sorted, const stride_choice& choice);

    // Slots plus the price of accesses with at most this many levels, or `impossible` without such a plan.
    std::uint64_t cost(unsigned levels = 0) const noexcept { return costs_.empty() ? 0 : costs_[levels]; }
    // Stride of the vertex at `depth` with `first_route` as its first longer route, if this many levels
    // remain. 0 if the path below is skipped. If a path from above ends here, continuing it is free.
    unsigned stride(std::size_t first_route, unsigned depth, unsigned levels = 0,
                    bool behind_path = false) const noexcept {
        const unsigned stored = strides_[(starts_[first_route] + depth) * columns_ + levels];
        return behind_path && (stored & goes_on) != 0 ? 0 : stored & (goes_on - 1);
    }

  private:
    class program;
    static constexpr unsigned goes_on = 0x80; // added to a stride: a path from above continues here

    std::size_t columns_ = 1;           // one for each number of levels, from 0
    std::vector<std::uint64_t> costs_;  // of the root; empty without inner vertices
    std::vector<std::size_t> starts_;   // by route: number of its first vertex minus the vertex's depth
    std::vector<std::uint8_t> strides_; // by vertex and column
};

} // namespace fingerpost
