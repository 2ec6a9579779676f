// One node of a multibit trie: the best route of each of its 2^stride slots, and the routes below each slot.
//
// Every trie with more than one bit for each level is built by this sweep. Controlled prefix expansion with
// and without leaf pushing, Poptrie, SAIL, tree bitmaps and similar tries differ only in what they store for
// a slot.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/net/route.hpp"

namespace fingerpost {

// Prefix of slot `index` in a node.
template <class A>
constexpr prefix<A> prefix_of_slot(const prefix<A>& node, std::uint64_t index, unsigned stride) noexcept {
    using value = typename A::value_type;
    const unsigned border = node.length + stride;
    const value bits = shift_left(static_cast<value>(index), A::bits - border);
    return prefix<A>::make(A{static_cast<value>(node.base.value | bits)}, border);
}

// Neighbouring slots with equal contents. A slot is a value of the `stride` bits after the node's prefix. If
// the address ends before them, the missing bits read as zero: only slots with zeros there correspond to
// addresses, and the other slots of an address get the same contents.
template <class A>
struct slot_run {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    // Longest route that covers the whole run and is longer than the node's prefix, by at most `stride` bits.
    // Null if there is none; then the best route of the node's own prefix applies.
    const route<A>* best = nullptr;
    // Routes inside the slot that are longer than the slot. Only a run of one slot can have any.
    std::span<const route<A>> longer{};
};

// The sweep and its working memory, so that a builder allocates once and not for every node.
template <class A>
class slot_expander {
  public:
    // `inside` has routes in prefix order, all longer than `length` and with the same first `length` bits.
    // Calls each(slot_run) in ascending order. The runs cover all 2^stride slots; `stride` is at most 31.
    // Neighbouring runs may have equal contents. `each` must not use this expander. Throws std::bad_alloc and
    // exceptions from `each`. O(inside + runs).
    template <class Each>
    void expand(std::span<const route<A>> inside, unsigned length, unsigned stride, Each each) {
        open_.clear();
        next_ = 0;
        const unsigned border = length + stride;
        for (std::size_t i = 0; i < inside.size();) {
            const prefix<A> where = inside[i].where;
            const auto slot = static_cast<std::uint32_t>(slice(where.first(), length, stride));
            close_before(slot, each);
            if (where.length <= border) {
                const std::uint32_t wide = std::uint32_t{1} << (border - where.length);
                open_.push_back({slot + wide, &inside[i]});
                ++i;
                continue;
            }
            const A last = prefix<A>::make(where.first(), border).last();
            const auto beyond =
                std::partition_point(inside.begin() + static_cast<std::ptrdiff_t>(i), inside.end(),
                                     [&](const route<A>& r) { return r.where.first() <= last; });
            const auto end = static_cast<std::size_t>(beyond - inside.begin());
            each(slot_run<A>{slot, 1, best(), inside.subspan(i, end - i)});
            next_ = slot + 1;
            i = end;
        }
        close_before(std::uint32_t{1} << stride, each);
    }

  private:
    struct open_route {
        std::uint32_t end; // one past its last slot
        const route<A>* covers;
    };

    const route<A>* best() const noexcept { return open_.empty() ? nullptr : open_.back().covers; }
    // Emits all slots before `slot`, and closes the routes that end there.
    template <class Each>
    void close_before(std::uint32_t slot, Each& each) {
        for (; !open_.empty() && open_.back().end <= slot; open_.pop_back())
            give_until(open_.back().end, each);
        give_until(slot, each);
    }
    template <class Each>
    void give_until(std::uint32_t slot, Each& each) {
        if (next_ >= slot)
            return;
        each(slot_run<A>{next_, slot - next_, best(), {}});
        next_ = slot;
    }

    std::vector<open_route> open_; // routes that cover the next slot, the longest last
    std::uint32_t next_ = 0;       // first slot not emitted yet
};

} // namespace fingerpost
