// Finds items of a list by hash: a table of positions in the list. Open addressing, linear probing, at most
// half full, with a hash key of its own.
//
//     list      item | item | item | ...          the caller's, in the order that it likes
//     table     - | 2 | - | - | 0 | 1 | - | -     position of an item in the list, or none, with its hash
//
// Hashes are kept, so that a search reads an item only if all 32 bits of its hash are as wanted, and a table
// that grows neither reads nor hashes the items. Slots are in the order of hashes, apart from collisions. So
// a table that grows is read and written from front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/base/narrow.hpp"

namespace fingerpost {

// Any number of threads may read at the same time while no thread changes the index. A change may replace the
// key along with the slots.
class hash_index {
  public:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    const hash_key& key() const noexcept { return key_; }

    // Returns the position of the item with this hash (under key()) for which same(position) holds, or none.
    template <class Same>
    std::uint32_t find(std::uint32_t hash, Same same) const noexcept {
        return slots_.empty() ? none : slots_[slot_of(hash, same)].position;
    }
    // Returns the place to store the position of such an item; it holds none if there is no such item yet.
    // Call grow() first.
    template <class Same>
    std::uint32_t& slot(std::uint32_t hash, Same same) noexcept {
        one_slot& found = slots_[slot_of(hash, same)];
        found.hash = hash;
        return found.position;
    }
    // Makes room for one item more than the `count` present ones. hash_of(key, position) returns the hash of
    // any of them; it is called when the key changes, which it does while the list is short. Throws
    // std::bad_alloc, or std::length_error when positions run out; the index is then unchanged.
    template <class HashOf>
    void grow(std::size_t count, HashOf hash_of) {
        if (slots_.size() >= 2 * (count + 1))
            return;
        check_size(count, none - 1, "items of a list");
        std::vector<one_slot> old(slots_.empty() ? smallest : 2 * slots_.size());
        slots_.swap(old);
        const auto always_new = [](std::uint32_t) { return false; };
        // Where there are few, no search is long whatever they are, and many lists never have more.
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

    // The number of slots that the longest search for a missing item reads.
    std::size_t longest_search() const noexcept {
        std::size_t longest = 0;
        std::size_t now = 0;
        for (std::size_t i = 0; i < 2 * slots_.size(); ++i) {
            now = slots_[i % slots_.size()].position == none ? 0 : now + 1;
            longest = now > longest ? now : longest;
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
