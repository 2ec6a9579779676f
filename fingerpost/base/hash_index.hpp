// Finds items of a list by hash: a table of positions in the list. Open addressing, linear probing, at most
// half full, with a hash key of its own.
//
//     list      item | item | item | ...          the caller's, in the order that it likes
//     table     - | 2 | - | - | 0 | 1 | - | -     position of an item in the list, or none
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
        return slots_.empty() ? none : slots_[slot_of(hash, same)];
    }
    // Returns the place to store the position of such an item; it holds none if there is no such item yet.
    // Call grow() first.
    template <class Same>
    std::uint32_t& slot(std::uint32_t hash, Same same) noexcept {
        return slots_[slot_of(hash, same)];
    }
    // Makes room for one item more than the `count` present ones. hash_of(key, position) returns the hash of
    // any of them. Throws std::bad_alloc, or std::length_error when positions run out; the index is then
    // unchanged.
    template <class HashOf>
    void grow(std::size_t count, HashOf hash_of) {
        if (slots_.size() >= 2 * (count + 1))
            return;
        check_size(count, none - 1, "items of a list");
        std::vector<std::uint32_t> larger(slots_.empty() ? smallest : 2 * slots_.size(), none);
        // Where there are few, no search is long whatever they are, and many lists never have more.
        if (slots_.size() == smallest)
            key_ = hash_key::random();
        slots_.swap(larger);
        for (std::uint32_t position = 0; position < count; ++position)
            slot(hash_of(key_, position), [](std::uint32_t) { return false; }) = position;
    }
    void clear() noexcept { slots_.clear(); }

    // The number of slots that the longest search for a missing item reads.
    std::size_t longest_search() const noexcept {
        std::size_t longest = 0;
        std::size_t now = 0;
        for (std::size_t i = 0; i < 2 * slots_.size(); ++i) {
            now = slots_[i % slots_.size()] == none ? 0 : now + 1;
            longest = now > longest ? now : longest;
        }
        return longest + 1;
    }
    std::size_t memory_bytes() const noexcept { return slots_.size() * sizeof(std::uint32_t); }

  private:
    static constexpr std::size_t smallest = 64;

    // The loop ends because half of the slots are free.
    template <class Same>
    std::size_t slot_of(std::uint32_t hash, Same same) const noexcept {
        std::size_t at = hash_key::bucket(hash, slots_.size());
        while (slots_[at] != none && !same(slots_[at]))
            at = at + 1 == slots_.size() ? 0 : at + 1;
        return at;
    }

    hash_key key_;
    std::vector<std::uint32_t> slots_;
};

} // namespace fingerpost
