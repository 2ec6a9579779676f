// Finds the items of a list by a hash: a table of their positions in it. Open addressing, linear probing, at
// most half full, a key of its own.
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

// As many readers at once as like, while nobody changes it: the key changes with the slots only.
class hash_index {
  public:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    const hash_key& key() const noexcept { return key_; }

    // The position of the item with this hash, under key(), for which same(position) holds; none without it.
    template <class Same>
    std::uint32_t find(std::uint32_t hash, Same same) const noexcept {
        return slots_.empty() ? none : slots_[slot_of(hash, same)];
    }
    // Where to note the position of such an item: none when there is none yet. After grow() for it.
    template <class Same>
    std::uint32_t& slot(std::uint32_t hash, Same same) noexcept {
        return slots_[slot_of(hash, same)];
    }
    // Room for one more than the `count` that are there. hash_of(key, position) of any of them. Throws
    // std::bad_alloc, or std::length_error when positions run out, and is then as before.
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

    // Slots that the longest search for an item that is not there looks at.
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

    // Ends, as half of the slots are free.
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
