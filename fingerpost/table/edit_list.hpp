// The changes of a transaction as they come: the last one for each prefix, found by prefix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fingerpost/net/prefix.hpp"
#include "fingerpost/table/update.hpp"

namespace fingerpost::detail {

// A list in the order of the first mention, with the places of prefixes in a hash table of open addressing: a
// map of nodes took an eighth of the time of a burst of changes.
template <class A>
class edit_list {
  public:
    std::size_t size() const noexcept { return edits_.size(); }
    const std::vector<edit<A>>& all() const noexcept { return edits_; }
    void clear() noexcept {
        edits_.clear();
        places_.clear();
    }

    // Null when the prefix has none.
    const edit<A>* find(const prefix<A>& p) const noexcept {
        const std::size_t slot = places_.empty() ? 0 : slot_of(p);
        return places_.empty() || places_[slot] == none ? nullptr : &edits_[places_[slot]];
    }
    // Throws std::bad_alloc and is then as before.
    void set(const prefix<A>& p, next_hop hop) {
        if (places_.size() < 2 * (edits_.size() + 1))
            grow();
        std::uint32_t& place = places_[slot_of(p)];
        if (place != none) {
            edits_[place].hop = hop;
            return;
        }
        edits_.push_back({p, hop});
        place = static_cast<std::uint32_t>(edits_.size() - 1);
    }

  private:
    static constexpr std::uint32_t none = 0xffffffff;

    // Where the prefix is or would be.
    std::size_t slot_of(const prefix<A>& p) const noexcept {
        const std::size_t mask = places_.size() - 1;
        std::size_t slot = hash(p) & mask;
        while (places_[slot] != none && edits_[places_[slot]].where != p)
            slot = (slot + 1) & mask;
        return slot;
    }
    static std::size_t hash(const prefix<A>& p) noexcept {
        constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
        auto mixed = static_cast<std::uint64_t>(p.base.value) + p.length;
        if constexpr (A::bits > 64)
            mixed = (mixed ^ mixed >> 32) * odd + static_cast<std::uint64_t>(p.base.value >> 64);
        mixed = (mixed ^ mixed >> 32) * odd;
        return static_cast<std::size_t>(mixed >> 32);
    }
    void grow() {
        std::vector<std::uint32_t> larger(places_.empty() ? 16 : 2 * places_.size(), none);
        places_.swap(larger);
        for (std::size_t i = 0; i < edits_.size(); ++i)
            places_[slot_of(edits_[i].where)] = static_cast<std::uint32_t>(i);
    }

    std::vector<edit<A>> edits_;
    std::vector<std::uint32_t> places_; // of edits; a power of two, at most half of them taken
};

} // namespace fingerpost::detail
