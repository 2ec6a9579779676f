// Finds items of a list by hash: a table of positions in the list with open addressing and linear probing. It
// is at most half full and has its own hash key.
//
//     list      item | item | item | ...          owned by the caller, in any order
//     table     - | 2 | - | - | 0 | 1 | - | -     position of an item, or none, with its hash
//
// Each slot stores a 32-bit hash. A search therefore reads an item only if the whole hash matches, and a
// growing table neither reads nor hashes the items. Slots are in hash order, except for collisions, so a
// growing table is read and written sequentially.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/base/narrow.hpp"

namespace fingerpost {

// Threads may read concurrently while none changes the index. A change may replace the key and all slots.
class hash_index {
  public:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    const hash_key& key() const noexcept { return key_; }

    // Returns the position of the item with this hash (by key()) for which same(position) is true, or none.
    template <class Same>
    std::uint32_t find(std::uint32_t hash, Same same) const noexcept {
        return slots_.empty() ? none : slots_[slot_of(hash, same)].position;
    }
    // Returns the slot for such an item. It contains `none` if there is no such item yet. Call grow() first.
    template <class Same>
    std::uint32_t& slot(std::uint32_t hash, Same same) noexcept {
        one_slot& entry = slots_[slot_of(hash, same)];
        entry.hash = hash;
        return entry.position;
    }
    // Makes room for one item in addition to the existing `count`. hash_of(key, position) returns the hash of
    // any of them. It is called when the key changes, which happens while the list is short. Throws
    // std::bad_alloc, or std::length_error if positions run out. The index is then unchanged.
    template <class HashOf>
    void grow(std::size_t count, HashOf hash_of) {
        if (slots_.size() >= 2 * (count + 1))
            return;
        check_size(count, none - 1, "items of a list");
        std::vector<one_slot> old(slots_.empty() ? smallest : 2 * slots_.size());
        slots_.swap(old);
        const auto always_new = [](std::uint32_t) { return false; };
        // With few items every search is short, whatever the key, and many lists stay this short.
        if (old.size() == smallest) {
            key_ = hash_key::random();
            for (std::uint32_t position = 0; position < count; ++position)
                slot(hash_of(key_, position), always_new) = position;
            return;
        }
        for (const one_slot& from : old)
            if (from.position != none)
                slot(from.hash, always_new) = from.position;
    }
    void clear() noexcept { slots_.clear(); }
    // Removes all items, but keeps the slots.
    void remove_all() noexcept { slots_.assign(slots_.size(), {}); }

    // Returns the number of slots that the longest search for a missing item reads.
    std::size_t longest_search() const noexcept {
        std::size_t longest = 0;
        std::size_t length = 0;
        for (std::size_t i = 0; i < 2 * slots_.size(); ++i) {
            length = slots_[i % slots_.size()].position == none ? 0 : length + 1;
            longest = length > longest ? length : longest;
        }
        return longest + 1;
    }
    std::size_t memory_bytes() const noexcept { return slots_.size() * sizeof(one_slot); }

  private:
    static constexpr std::size_t smallest = 64;

    struct one_slot {
        std::uint32_t position = none;
        std::uint32_t hash = 0;
    };

    // The loop ends because half of the slots are free.
    template <class Same>
    std::size_t slot_of(std::uint32_t hash, Same same) const noexcept {
        std::size_t at = hash_key::bucket(hash, slots_.size());
        while (slots_[at].position != none && !(slots_[at].hash == hash && same(slots_[at].position)))
            at = at + 1 == slots_.size() ? 0 : at + 1;
        return at;
    }

    hash_key key_;
    std::vector<one_slot> slots_;
};

} // namespace fingerpost
