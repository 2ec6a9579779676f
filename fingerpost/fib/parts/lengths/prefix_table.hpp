// A hash table of prefixes of many lengths, in cache lines, for schemes that search by length.
//
//      bucket, 64 bytes    [ key | key | key | key | word | word | word | word ]      keys of 64 bits
//                          [ key     | key     | word | word |  -   |  -   ]          keys of 128 bits
//      word, 64 bits       [ length 8 | passed 1 | user bits 55 ]                     length 0: no entry
//
// A key has the first bits of an address, left aligned and padded with zeros. A search compares key and
// length together, so one table serves all lengths. An entry whose bucket is full goes to the next bucket
// with room, and each bucket that it passed records this in its first word. A search ends at the first bucket
// that no entry has passed. At most 3/4 of the slots are in use.
//
// The hash has a key (base/keyed_hash.hpp), so an attacker who chooses the prefixes cannot choose which of
// them collide. No entry may pass more than `most_passed` buckets. When that happens, the table tries other
// keys several times, finally with twice the buckets, and then fails with errc::capacity. So even an attacker
// who knows the first key cannot make a build or a search take forever.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/base/memory.hpp"

namespace fingerpost {

// Mask of the first `length` bits, at most 64 or 128, of a left-aligned address.
template <class Key>
constexpr Key leading_mask(unsigned length) noexcept {
    return static_cast<Key>(~low_mask<Key>(static_cast<unsigned>(sizeof(Key) * 8) - length));
}

template <class Key>
struct alignas(64) prefix_bucket {
    static_assert(sizeof(Key) == 8 || sizeof(Key) == 16);
    static constexpr unsigned slots = sizeof(Key) == 8 ? 4 : 2;
    static constexpr unsigned length_shift = 56;
    static constexpr std::uint64_t passed_bit = std::uint64_t{1} << 55;
    static constexpr std::uint64_t user_mask = passed_bit - 1;

    std::array<Key, slots> keys;
    std::array<std::uint64_t, 4> words; // the first `slots` words are in use

    static constexpr std::uint64_t tag(unsigned length) noexcept {
        return std::uint64_t{length} << length_shift;
    }
    unsigned length(unsigned slot) const noexcept {
        return static_cast<unsigned>(words[slot] >> length_shift);
    }
    bool is_passed() const noexcept { return (words[0] & passed_bit) != 0; }
    // Slot of this entry, or `slots`.
    unsigned slot_of(Key key, unsigned sought) const noexcept {
        unsigned at = slots;
        for (unsigned slot = slots; slot-- > 0;)
            at = keys[slot] == key && length(slot) == sought ? slot : at;
        return at;
    }
};

template <class Key>
class prefix_table {
  public:
    using bucket = prefix_bucket<Key>;
    static constexpr std::size_t most_passed = 256;

    // An empty table without memory. Nothing fits in it.
    prefix_table() = default;
    // Makes room for this many entries. With a given seed, the same insertions create the same table. Tests
    // pass a lower `most_passed`.
    static expected<prefix_table> make(std::size_t entries, std::optional<std::uint64_t> seed,
                                       std::size_t passed_at_most = most_passed) noexcept {
        prefix_table table;
        table.passed_at_most_ = passed_at_most;
        table.is_seeded_ = seed.has_value();
        table.key_ = seed ? hash_key(*seed) : hash_key::random();
        auto buckets = new_buckets(buckets_for(entries));
        if (!buckets)
            return unexpected{buckets.error()};
        table.buckets_ = std::move(*buckets);
        return table;
    }

    template <class Self, class Visit>
    static void for_each_array(Self& of, std::string_view name, Visit&& visit) {
        visit(name, of.buckets_);
        visit("key", of.key_);
    }
    // See fib/layout.hpp. Every search ends at a bucket that no entry has passed. Counts the entries.
    template <class Check>
    void check(const Check& in) {
        size_ = 0;
        for_each([this](const Key&, unsigned, std::uint64_t&) { ++size_; });
        const std::span<const bucket> buckets = buckets_.span();
        in.require(!std::ranges::all_of(buckets, &bucket::is_passed), buckets.data(),
                   "a search does not end");
    }

    const hash_key& key() const noexcept { return key_; }
    const bucket* buckets() const noexcept { return buckets_.data(); }
    std::size_t bucket_count() const noexcept { return buckets_.size(); }
    std::size_t size() const noexcept { return size_; }
    std::size_t memory_bytes() const noexcept { return buckets_.memory_bytes(); }

    std::size_t home(Key key, unsigned length) const noexcept {
        return hash_key::bucket(key_.hash(key, length), buckets_.size());
    }
    std::size_t after(std::size_t at) const noexcept { return at + 1 == buckets_.size() ? 0 : at + 1; }

    // Word of an entry, or null. Only the user bits may be written, with keep().
    std::uint64_t* find(Key key, unsigned length) noexcept {
        return const_cast<std::uint64_t*>(std::as_const(*this).find(key, length));
    }
    const std::uint64_t* find(Key key, unsigned length) const noexcept {
        return size_ == 0 ? nullptr : find_from(home(key, length), key, length);
    }
    // Starts from the result of an earlier home(). The table must not be empty.
    const std::uint64_t* find_from(std::size_t at, Key key, unsigned length) const noexcept {
        for (;; at = after(at)) {
            const bucket& b = buckets_[at];
            if (const unsigned slot = b.slot_of(key, length); slot < bucket::slots)
                return &b.words[slot];
            if (!b.is_passed())
                return nullptr;
        }
    }
    // Byte offset of the bucket that contains this word of an entry.
    std::uint64_t offset_of(const std::uint64_t& word) const noexcept {
        const auto offset = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&word) -
                                                       reinterpret_cast<const std::byte*>(buckets_.data()));
        return offset / sizeof(bucket) * sizeof(bucket);
    }
    static void keep(std::uint64_t& word, std::uint64_t user) noexcept {
        word = (word & ~bucket::user_mask) | user;
    }

    // Adds a new entry. Invalidates pointers to words. After errc::capacity or errc::out_of_memory the table
    // is unchanged.
    errc insert(Key key, unsigned length, std::uint64_t user) noexcept {
        assert(length > 0 && length < 256 && user <= bucket::user_mask);
        const std::size_t count = buckets_for(size_ + 1);
        if (buckets_.size() + buckets_.size() / 16 < count || is_full()) {
            // If there is no memory for a better size, the old size may still be sufficient.
            if (const errc failure = move_to(count); failure != errc::ok && is_full())
                return failure;
        }
        if (place(key, length, user))
            return errc::ok;
        const errc failure = move_elsewhere();
        return failure != errc::ok || place(key, length, user) ? failure : errc::capacity;
    }
    // Returns false if there is no such entry.
    bool erase(Key key, unsigned length) noexcept {
        const std::uint64_t* word = std::as_const(*this).find(key, length);
        if (word == nullptr)
            return false;
        const std::size_t at = offset_of(*word) / sizeof(bucket);
        clear(home(key, length), at, static_cast<unsigned>(word - buckets_[at].words.data()));
        --size_;
        const std::size_t count = buckets_for(size_);
        if (buckets_.size() > count + count / 16 + 8)
            (void)move_to(count); // a table that remains too large is not an error
        return true;
    }
    // Calls each(key, length, word) for every entry, in any order. It may write the user bits.
    template <class F>
    void for_each(F each) {
        for (bucket& b : buckets_)
            for (unsigned slot = 0; slot < bucket::slots; ++slot)
                if (const unsigned length = b.length(slot); length != 0)
                    each(b.keys[slot], length, b.words[slot]);
    }
    template <class F>
    void for_each(F each) const {
        for (const bucket& b : buckets_.span())
            for (unsigned slot = 0; slot < bucket::slots; ++slot)
                if (const unsigned length = b.length(slot); length != 0)
                    each(b.keys[slot], length, b.words[slot]);
    }

    // Number of keys after the first one, and maximum number of buckets that a search reads.
    std::size_t redraws() const noexcept { return redraws_; }
    std::size_t longest_search() const noexcept {
        std::size_t longest = 0;
        std::size_t run = 0;
        for (std::size_t i = 0; i < 2 * buckets_.size(); ++i) {
            run = buckets_[i % buckets_.size()].is_passed() ? run + 1 : 0;
            longest = std::max(longest, run);
        }
        return longest + 1;
    }

  private:
    static constexpr std::size_t buckets_for(std::size_t entries) noexcept {
        return entries * 4 / (3 * bucket::slots) + 1; // 3/4 full, and never completely full
    }
    // Limited, because the hash has 32 bits.
    static expected<aligned_array<bucket>> new_buckets(std::size_t count) noexcept {
        constexpr std::size_t most = std::size_t{1} << 32;
        if (count > most)
            return unexpected{errc::capacity};
        return aligned_array<bucket>::make(count);
    }
    bool is_full() const noexcept { return size_ + 1 >= buckets_.size() * bucket::slots; }

    bool place(Key key, unsigned length, std::uint64_t user) noexcept {
        const std::size_t first = home(key, length);
        std::size_t at = first;
        for (std::size_t passed = 0; passed <= passed_at_most_; ++passed, at = after(at)) {
            bucket& b = buckets_[at];
            for (unsigned slot = 0; slot < bucket::slots; ++slot) {
                if (b.length(slot) != 0)
                    continue;
                b.keys[slot] = key;
                b.words[slot] = bucket::tag(length) | (b.words[slot] & bucket::passed_bit) | user;
                for (std::size_t over = first; over != at; over = after(over))
                    buckets_[over].words[0] |= bucket::passed_bit;
                ++size_;
                return true;
            }
        }
        return false;
    }
    // Moves an entry that has passed this bucket into the free slot, so that no bucket with room is passed.
    // `first` is the home bucket of the removed entry.
    void clear(std::size_t first, std::size_t at, unsigned slot) noexcept {
        buckets_[at].words[slot] &= bucket::passed_bit;
        std::size_t last = at;
        while (buckets_[last].is_passed()) {
            const auto [from, which] = find_passing(last);
            if (from == last)
                break;
            bucket& source = buckets_[from];
            bucket& hole = buckets_[last];
            hole.keys[slot] = source.keys[which];
            hole.words[slot] =
                (source.words[which] & ~bucket::passed_bit) | (hole.words[slot] & bucket::passed_bit);
            source.words[which] &= bucket::passed_bit;
            last = from;
            slot = which;
        }
        // Backwards, because find_passing() needs valid buckets after this one.
        for (std::size_t over = last;; over = over == 0 ? buckets_.size() - 1 : over - 1) {
            if (buckets_[over].is_passed() && find_passing(over).first == over)
                buckets_[over].words[0] &= ~bucket::passed_bit;
            if (over == first)
                break;
        }
    }
    // Returns bucket and slot of the nearest entry that has passed this bucket, or the bucket itself if there
    // is none.
    std::pair<std::size_t, unsigned> find_passing(std::size_t over) const noexcept {
        std::size_t at = over;
        for (std::size_t distance = 1; buckets_[at].is_passed() && distance <= passed_at_most_; ++distance) {
            at = after(at);
            if (at == over)
                break;
            const bucket& b = buckets_[at];
            for (unsigned slot = 0; slot < bucket::slots; ++slot) {
                if (b.length(slot) == 0)
                    continue;
                const std::size_t from = home(b.keys[slot], b.length(slot));
                const std::size_t passed = at >= from ? at - from : at + buckets_.size() - from;
                if (passed >= distance)
                    return {at, slot};
            }
        }
        return {over, 0};
    }

    // Moves all entries to this many buckets, with the current key or, if necessary, with new ones.
    errc move_to(std::size_t count) noexcept {
        const errc done = refill(count, key_);
        return done == errc::capacity ? move_elsewhere() : done;
    }
    errc move_elsewhere() noexcept {
        constexpr unsigned attempts = 8;
        errc done = errc::capacity;
        for (unsigned attempt = 0; attempt < attempts && done == errc::capacity; ++attempt) {
            const std::size_t count = buckets_for(size_ + 1);
            ++redraws_;
            done = refill(attempt < attempts / 2 ? count : 2 * count, another_key());
        }
        return done;
    }
    hash_key another_key() const noexcept {
        return is_seeded_ ? hash_key(detail::mix64(key_.seed() + redraws_ * detail::mix64_step))
                          : hash_key::random();
    }
    errc refill(std::size_t count, const hash_key& key) noexcept {
        auto buckets = new_buckets(count);
        if (!buckets)
            return buckets.error();
        prefix_table moved;
        moved.buckets_ = std::move(*buckets);
        moved.key_ = key;
        moved.passed_at_most_ = passed_at_most_;
        bool fits = true;
        std::as_const(*this).for_each([&](Key k, unsigned length, std::uint64_t word) {
            fits = fits && moved.place(k, length, word & bucket::user_mask);
        });
        if (!fits)
            return errc::capacity;
        std::swap(buckets_, moved.buckets_);
        key_ = key;
        return errc::ok;
    }

    aligned_array<bucket> buckets_;
    hash_key key_;
    std::size_t size_ = 0;
    std::size_t redraws_ = 0;
    std::size_t passed_at_most_ = most_passed;
    bool is_seeded_ = false;
};

} // namespace fingerpost
