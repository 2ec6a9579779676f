// Which strides a multibit trie should have: the two dynamic programs of controlled prefix expansion.
//
// A trie of several bits a level has an array of 2^stride slots at each vertex of the binary trie that a
// level begins at and below which longer routes lie. Larger strides mean fewer levels and more slots. Both
// programs find the fewest slots for a number of levels, exactly; or, without a bound, the least sum of slots
// and of what the accesses of lookups are taken to cost.
//
//      fixed stride      all arrays of one level have the same stride: cut points among the lengths
//                        cost(b, r) = min over a of cost(a, r - 1) + inner(a) * 2^(b - a)
//      variable stride   every array has its own
//                        cost(v, r) = min over s of 2^s + sum of cost(u, r - 1), u at depth s below v
//
// Only inner vertices count: those with longer routes below. A vertex at which the last route of its path
// ends needs no array, as the slot above has the route.
//
// The variable program also knows packed arrays, which have one slot for each run of equal ones: it counts
// the runs of every array that may be, and takes the cheaper form of each.
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

// Costs are in slots. What cannot be has this cost, and no sum exceeds it.
inline constexpr std::uint64_t impossible = std::uint64_t{1} << 62;

// What the fixed-stride program has to know of a table, by depth from 0 to the longest length less one.
struct vertex_counts {
    std::vector<std::uint64_t> inner;  // vertices with longer routes below
    std::vector<std::uint64_t> longer; // routes that are longer than the depth

    unsigned longest() const noexcept { return static_cast<unsigned>(inner.size()); }
};

// Arrays, but for the root's, that may be kept as runs of equal slots.
struct packed_arrays {
    // Of an array of 2^stride slots, in slots, or `impossible`. Without it none is packed.
    std::uint64_t (*cost)(unsigned stride, std::uint64_t runs) noexcept = nullptr;
    // Slots are equal when they lead to one next hop, with that of the route of length 0 where no route is.
    // Otherwise, without leaf pushing, when their routes of the array also have one length.
    bool pushed = true;
    next_hop everywhere = next_hop::none;
    std::uint64_t slot_cost = 1; // costs can be in other units than slots
};

// How many levels there may be, how many bits one may have, and how many slots an access more of one route is
// worth. Without a bound of levels (0) it is the price of accesses that makes strides larger than one.
struct stride_choice {
    unsigned levels = 0;
    unsigned widest = 24;
    unsigned widest_root = 24; // instead of `widest` for the first array, if that is more
    std::uint64_t access_price = 0;
    // With it an array, but for the root's, may stand below a path on which nothing branches and no route
    // ends; entering it costs these many slots for the bits of the path. For the variable program only.
    std::optional<std::uint64_t> skip_price{};
    packed_arrays packed{}; // for the variable program only
};

struct fixed_plan {
    std::vector<std::uint8_t> strides; // they add up to the longest length
    std::uint64_t cost = 0;            // slots, and the price of accesses
};

// Of arrays with these strides, which cover the longest length.
std::uint64_t slots_of(const vertex_counts& of, std::span<const std::uint8_t> strides) noexcept;

// Nothing when the bounds leave no plan. O(longest^2 * levels); throws std::bad_alloc.
std::optional<fixed_plan> fixed_strides(const vertex_counts& of, const stride_choice& choice);

// Throws std::bad_alloc.
template <class A>
vertex_counts count_vertices(std::span<const route<A>> sorted);

// The strides of the variable program, for each vertex that may begin an array.
class variable_plan {
  public:
    // Throws std::bad_alloc. O(vertices * widest * levels).
    template <class A>
    static variable_plan of(std::span<const route<A>> sorted, const stride_choice& choice);

    // Slots, and the price of accesses, with at most so many levels; `impossible` when there is no such plan.
    std::uint64_t cost(unsigned levels = 0) const noexcept { return costs_.empty() ? 0 : costs_[levels]; }
    // Of the vertex at `depth` whose first longer route is the one with this number, when so many levels are
    // left; 0 where the path below is skipped. A path that comes from above costs no more when it goes on.
    unsigned stride(std::size_t first_route, unsigned depth, unsigned levels = 0,
                    bool behind_path = false) const noexcept {
        const unsigned stored = strides_[(starts_[first_route] + depth) * columns_ + levels];
        return behind_path && (stored & goes_on) != 0 ? 0 : stored & (goes_on - 1);
    }

  private:
    class program;
    static constexpr unsigned goes_on = 0x80; // beside a stride: of a path that comes from above

    std::size_t columns_ = 1;           // for each number of levels one, from 0 on
    std::vector<std::uint64_t> costs_;  // of the root; empty without an inner vertex
    std::vector<std::size_t> starts_;   // by route: the number of its first vertex less that one's depth
    std::vector<std::uint8_t> strides_; // by vertex and column
};

} // namespace fingerpost
