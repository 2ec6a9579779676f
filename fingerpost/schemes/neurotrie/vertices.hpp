// The vertices of the binary trie at which nodes may start, and the content of a node for each stride.
//
// Only inner vertices, whose addresses have different answers, are listed. The order is post-order, so a pass
// from the first to the last works upwards.
//
// A node of stride s at vertex v has a slot for each vertex s bits below v. Slots of inner vertices have
// children, and the others have answers. Neighbouring slots with the same answer are a run, which continues
// across slots with children. The numbers of children and runs follow from those of the two sides at stride s
// - 1: both are sums, less one run if the last answer of the left side equals the first one of the right
// side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/net/route.hpp"

namespace fingerpost::neurotrie {

// The largest stride. A lower limit costs much: with 8, the average depth of full IPv6 tables never falls
// below 5.5 nodes; with 16, it is 3.3 in 4 MB.
inline constexpr unsigned widest_stride = 16;

// The bytes of a node's parts; a leaf takes 2 or 4. The header of a node is stored with those of its siblings
// and counted with the parent.
inline constexpr std::uint32_t header_bytes = 16;
inline constexpr std::uint32_t block_bytes = 24;
inline constexpr unsigned block_slots = 64;

constexpr std::uint32_t blocks_of(unsigned stride) noexcept {
    return stride <= 6 ? 1 : std::uint32_t{1} << (stride - 6);
}

// One side of a vertex: the number of an inner vertex, or the code of an answer.
struct side {
    bool is_inner = false;
    std::uint32_t number = 0;
};

struct vertex {
    std::array<side, 2> sides{};
    std::size_t at = 0;      // index of its first stride in the lists by stride
    std::uint32_t inner = 1; // number of inner vertices at and below this one
    std::uint8_t depth = 0;
    std::uint8_t height = 1;  // levels of inner vertices from here; a node of that stride has no child
    std::uint8_t strides = 1; // number of strides to choose from
    // The average number of routes whose addresses pass this vertex. A route below counts one; a route at or
    // above the vertex counts the fraction of its addresses below the vertex.
    double weight = 0;
};

class vertex_list {
  public:
    explicit vertex_list(unsigned leaf_bytes) noexcept : leaf_bytes_(leaf_bytes) {}

    // Called in post-order, after inner sides were closed. Throws std::bad_alloc, and std::length_error for
    // more than 2^32 - 1 vertices.
    std::uint32_t close(unsigned depth, const std::array<side, 2>& sides, double weight);

    std::size_t size() const noexcept { return all_.size(); }
    const vertex& operator[](std::size_t number) const noexcept { return all_[number]; }
    // The last vertex. The list must not be empty.
    std::uint32_t root() const noexcept { return last_; }
    // For each stride: the bytes of the node, without its header but with the headers of its children. Index
    // 0 is stride 1.
    std::span<const std::uint32_t> bytes(const vertex& of) const noexcept {
        return std::span(bytes_).subspan(of.at, of.strides);
    }
    // For each stride: the number of children of a node of that stride, and the sum of their weights. Index 0
    // is stride 1.
    std::span<const std::uint32_t> children(const vertex& of) const noexcept {
        return std::span(children_).subspan(of.at, of.strides);
    }
    std::span<const float> weights(const vertex& of) const noexcept {
        return std::span(weights_).subspan(of.at, of.strides);
    }

    // Calls child(slot, number) and answer(slot, slots, code) for the slots of a node, in order.
    template <class Child, class Answer>
    void for_each_slot(const vertex& of, unsigned stride, Child child, Answer answer) const {
        walk(of, stride, 0, child, answer);
    }

  private:
    static constexpr std::uint32_t no_answer = 0xffffffff; // not the code of an answer
    // For each stride: the content of a node at a vertex.
    struct profile {
        std::array<std::uint32_t, widest_stride + 1> children{}, runs{}, first{}, last{};
        std::array<float, widest_stride + 1> weights{};
    };

    profile profile_of(const side& on) noexcept;

    template <class Child, class Answer>
    void walk(const vertex& of, unsigned left, std::uint32_t slot, Child& child, Answer& answer) const {
        const std::uint32_t half = std::uint32_t{1} << (left - 1);
        for (const side& on : of.sides) {
            if (!on.is_inner)
                answer(slot, half, on.number);
            else if (left == 1)
                child(slot, on.number);
            else
                walk(all_[on.number], left - 1, slot, child, answer);
            slot += half;
        }
    }

    unsigned leaf_bytes_;
    std::uint32_t last_ = 0;
    std::vector<vertex> all_;
    std::vector<std::uint32_t> bytes_, children_;
    std::vector<float> weights_;
    std::vector<profile> open_; // profiles of vertices whose parents are not closed yet
};

// Reads the vertices of a table, or of the part of a table below a vertex.
template <class A>
class vertex_reader {
    using value = typename A::value_type;

  public:
    // `ends` and `codes` are the answers by intervals. The last interval ends at the last address, and
    // neighbours differ. `sorted` is all routes of these addresses in prefix order, for the weights. If it is
    // empty because only answers are available, each interval after the first counts as a route.
    vertex_reader(std::span<const A> ends, std::span<const std::uint32_t> codes,
                  std::span<const route<A>> sorted) noexcept
        : ends_(ends), codes_(codes), routes_(sorted) {}

    // Reads the vertices below the vertex of the first `depth` bits of `first`, which becomes the last of the
    // list. Returns the side of that vertex, which is not inner if it has only one answer.
    side read(vertex_list& into, A first, unsigned depth) { return read_side(into, first, depth, 0.0); }

  private:
    side read_side(vertex_list& into, A first, unsigned depth, double share) {
        const A last{static_cast<value>(first.value | low_mask<value>(A::bits - depth))};
        if (next_ < routes_.size() && routes_[next_].where.length == depth &&
            routes_[next_].where.base == first) {
            share += 1.0;
            ++next_;
        }
        const A end = ends_[at_];
        if (!(end < last)) {
            const std::uint32_t code = codes_[at_];
            while (next_ < routes_.size() && !(last < routes_[next_].where.base))
                ++next_;
            if (end == last)
                ++at_;
            return {.is_inner = false, .number = code};
        }
        const std::size_t route_before = next_, interval_before = at_;
        const auto half = static_cast<value>(shift_left(value{1}, A::bits - depth - 1));
        std::array<side, 2> sides;
        sides[0] = read_side(into, first, depth + 1, share / 2);
        sides[1] = read_side(into, A{static_cast<value>(first.value | half)}, depth + 1, share / 2);
        const double weight = routes_.empty() ? static_cast<double>(at_ - interval_before)
                                              : static_cast<double>(next_ - route_before) + share;
        return {.is_inner = true, .number = into.close(depth, sides, weight)};
    }

    std::span<const A> ends_;
    std::span<const std::uint32_t> codes_;
    std::span<const route<A>> routes_;
    std::size_t at_ = 0;   // number of the interval with the next address
    std::size_t next_ = 0; // index of the next route
};

} // namespace fingerpost::neurotrie
