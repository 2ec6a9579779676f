// A half-full hash table with open addressing and linear probing. The caller passes the hash key.
//
//     slots    [ key | value ][ - ][ key | value ][ key | value ][ - ] ...     two a key
//
// The table is resized when it is 6 % above or 5 % below half full.
//
// `Empty` is the value of a free slot, so no key may have this value. The slot is computed from the hash with
// a multiplication, so sizes need not be powers of two. A search for a missing key ends at the first free
// slot, after 2.5 slots on average.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/relocate.hpp"
#include "fingerpost/fib/layout.hpp"

namespace fingerpost::hash_by_length {

// The part of a slot after the key, without padding, which files must not contain.
template <class Value, Value Empty, bool Widened>
struct slot_value {
    Value value = Empty;
};
template <class Value, Value Empty>
struct slot_value<Value, Empty, true> {
    Value value = Empty;
    std::uint32_t unused = 0;
};

template <class Key, class Value, Value Empty>
class open_table {
    // Keys of 128 bits are stored as two words, so that a slot needs no alignment to 16 bytes.
    static constexpr bool is_wide = sizeof(Key) > 8;
    using word = std::conditional_t<is_wide || alignof(Value) == 8, std::uint64_t, Key>;
    using words = std::array<word, is_wide ? 2 : 1>;

  public:
    struct slot : slot_value<Value, Empty, is_wide> {
        words key{};

        bool is_free() const noexcept { return this->value == Empty; }
        bool holds(Key k) const noexcept { return key == words_of(k); }
        Key whole_key() const noexcept {
            if constexpr (is_wide)
                return std::bit_cast<Key>(key);
            else
                return static_cast<Key>(key[0]);
        }
    };

    template <class Self>
    static auto& slots_of(Self& table) noexcept {
        return table.slots_;
    }
    // Required by fib/layout.hpp. Checks that a free slot exists, which ends every search, and counts the
    // keys.
    void check(const layout_check& in) {
        keys_ = 0;
        for (const slot& s : slots_.span())
            keys_ += s.is_free() ? 0 : 1;
        in.require(slots_.size() == 0 || keys_ < slots_.size(), slots_.data(), "a table has no free slot");
    }

    // Removes all keys and reserves room for N keys.
    errc reset(std::size_t keys) noexcept {
        auto new_slots = make(keys);
        if (!new_slots)
            return new_slots.error();
        slots_ = std::move(*new_slots);
        keys_ = 0;
        return errc::ok;
    }

    std::size_t size() const noexcept { return keys_; }
    std::size_t memory_bytes() const noexcept { return slots_.memory_bytes(); }
    const aligned_array<slot>& slots() const noexcept { return slots_; }

    std::size_t bucket(const hash_key& secret, Key key) const noexcept {
        return hash_key::bucket(secret.hash(key), slots_.size());
    }
    void prefetch(std::size_t bucket) const noexcept { __builtin_prefetch(&slots_[bucket]); }
    // The slot with this key, or the free slot that ends the search from `at`. There must be slots, of which
    // one is always free.
    const slot& search(Key key, std::size_t at) const noexcept {
        for (;; at = after(at)) {
            const slot& s = slots_[at];
            if (s.is_free() || s.holds(key))
                return s;
        }
    }
    // The value of a key, or Empty if the key is missing.
    Value find(const hash_key& secret, Key key) const noexcept {
        return slots_.size() == 0 ? Empty : search(key, bucket(secret, key)).value;
    }
    Value* change(const hash_key& secret, Key key) noexcept {
        if (slots_.size() == 0)
            return nullptr;
        slot& s = slots_[index_of(search(key, bucket(secret, key)))];
        return s.is_free() ? nullptr : &s.value;
    }
    // Adds a new key. Nothing changes if this fails.
    errc add(const hash_key& secret, Key key, Value value) noexcept {
        if (slots_.size() * 53 < (keys_ + 1) * 100)
            if (const errc failure = resize(secret, keys_ + 1); failure != errc::ok)
                return failure;
        place(secret, key, value);
        return errc::ok;
    }
    // Returns false if the key is missing.
    bool remove(const hash_key& secret, Key key) noexcept {
        if (slots_.size() == 0)
            return false;
        const slot& target = search(key, bucket(secret, key));
        if (target.is_free())
            return false;
        close(secret, index_of(target));
        if (--keys_ == 0)
            slots_ = {};
        else if (slots_.size() * 10 > keys_ * 21 + 20)
            (void)resize(secret, keys_); // a failure only leaves the table too large
        return true;
    }

    // Number of slots that the longest search for a missing key reads. Scans the whole table.
    std::size_t longest_search() const noexcept {
        std::size_t longest = 0;
        std::size_t run = 0;
        for (std::size_t i = 0; i < 2 * slots_.size(); ++i) {
            run = slots_[i % slots_.size()].is_free() ? 0 : run + 1;
            longest = std::max(longest, run);
        }
        return longest + 1;
    }

  private:
    static expected<aligned_array<slot>> make(std::size_t keys) noexcept {
        auto new_slots = aligned_array<slot>::make(2 * keys);
        if (new_slots)
            std::fill(new_slots->begin(), new_slots->end(), slot{});
        return new_slots;
    }
    static words words_of(Key key) noexcept {
        if constexpr (is_wide)
            return std::bit_cast<words>(key);
        else
            return {key};
    }
    std::size_t index_of(const slot& s) const noexcept {
        return static_cast<std::size_t>(&s - slots_.data());
    }
    std::size_t after(std::size_t at) const noexcept { return at + 1 == slots_.size() ? 0 : at + 1; }
    void place(const hash_key& secret, Key key, Value value) noexcept {
        std::size_t at = bucket(secret, key);
        while (!slots_[at].is_free())
            at = after(at);
        slots_[at].key = words_of(key);
        slots_[at].value = value;
        ++keys_;
    }
    // Closes the gap at `hole`: moves later keys of the run so that no search ends before them.
    void close(const hash_key& secret, std::size_t hole) noexcept {
        for (std::size_t at = after(hole); !slots_[at].is_free(); at = after(at)) {
            const std::size_t home = bucket(secret, slots_[at].whole_key());
            const bool reaches = hole <= at ? home <= hole || home > at : home <= hole && home > at;
            if (reaches) {
                slots_[hole] = slots_[at];
                hole = at;
            }
        }
        slots_[hole].value = Empty;
    }
    errc resize(const hash_key& secret, std::size_t capacity) noexcept {
        auto other = make(capacity);
        if (!other)
            return other.error();
        std::swap(slots_, *other);
        keys_ = 0;
        for (const slot& s : *other)
            if (!s.is_free())
                place(secret, s.whole_key(), s.value);
        return errc::ok;
    }

    aligned_array<slot> slots_;
    std::size_t keys_ = 0;
};

// An array of tables. In a file, their slots are one array that starts with those of the last table.
template <class Table, std::size_t Count>
class table_row {
  public:
    using value_type = typename Table::slot;
    struct table_sizes {
        std::uint64_t slots[Count] = {};
    };

    table_sizes sizes;

    const Table& operator[](std::size_t i) const noexcept { return tables_[i]; }
    // Calls change(table) and returns its result.
    template <class Change>
    auto edit(std::size_t i, Change change) {
        const auto done = change(tables_[i]);
        sizes.slots[i] = tables_[i].slots().size();
        return done;
    }

    std::size_t memory_bytes() const noexcept { return bytes_from(0); }
    std::size_t bytes_from(std::size_t first) const noexcept {
        std::size_t sum = 0;
        for (std::size_t i = first; i < Count; ++i)
            sum += tables_[i].memory_bytes();
        return sum;
    }
    std::vector<std::span<const value_type>> chunks() const {
        std::vector<std::span<const value_type>> spans;
        for (std::size_t i = Count; i-- > 0;)
            spans.push_back(tables_[i].slots().span());
        return spans;
    }
    // The first table borrows all slots until check() divides them.
    static table_row borrow(std::span<const value_type> slots) noexcept {
        table_row row;
        Table::slots_of(row.tables_[0]) = aligned_array<value_type>::borrow(slots);
        return row;
    }
    bool is_borrowed() const noexcept {
        return std::all_of(tables_.begin(), tables_.end(),
                           [](const Table& t) { return t.slots().is_borrowed(); });
    }
    // See base/relocate.hpp.
    template <class Place>
    void relocate(Place& place) {
        for (Table& table : tables_)
            fingerpost::relocate(Table::slots_of(table), place);
    }
    // Required by fib/layout.hpp. Divides the slots among the tables by their sizes.
    void check(const layout_check& in) {
        std::span<const value_type> left = tables_[0].slots().span();
        for (std::size_t i = Count; i-- > 0;) {
            in.leads_into(left, 0, sizes.slots[i], nullptr);
            Table::slots_of(tables_[i]) = aligned_array<value_type>::borrow(left.first(sizes.slots[i]));
            tables_[i].check(in);
            left = left.subspan(sizes.slots[i]);
        }
    }

  private:
    std::array<Table, Count> tables_;
};

} // namespace fingerpost::hash_by_length
