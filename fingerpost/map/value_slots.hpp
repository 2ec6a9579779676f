// Numbered values of a map. Readers access them without a lock while the writer adds and removes values.
//
//      blocks    [ 64 values ] [ 128 values ] [ 256 values ] ...     a block never moves; a number stays a
//      blocks    [ 64 values ] [ 128 values ] [ 256 values ] ...     blocks and values never move
//      notes     for each number: its uses, and the versions in which readers may see it
// A value is constructed before the first version that uses it is published, and destroyed when no reader can
// be reading a version that uses it. It never changes in between. Numbers are reused, so they stay dense.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <optional> // std::hash
#include <type_traits>
#include <utility>
#include <vector>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/net/next_hop.hpp"

namespace fingerpost::detail {

// `shares`: equal values have one number. T then needs operator== and std::hash.
template <class T, bool shares>
class value_slots {
    static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();
    static constexpr unsigned first_block_bits = 6;
    static constexpr std::size_t most_blocks = 32 - first_block_bits + 1;

    union cell {
        cell() noexcept {}
        ~cell() {}
        T value;
    };
    // `next` links free numbers, numbers in one bucket, or retired numbers.
    struct note {
        std::uint32_t uses = 0;
        std::uint32_t next = nothing;
        std::uint64_t first = 0;        // first version that may use the value
        std::uint64_t hash_or_last = 0; // for a retired value, the last version that may use it; else its
                                        // hash
    };
    struct chain {
        std::uint32_t head = nothing;
        std::uint32_t tail = nothing;
        std::size_t size = 0;
    };

  public:
    value_slots() = default;
    value_slots(const value_slots&) = delete;
    value_slots& operator=(const value_slots&) = delete;
    // No readers exist at this point.
    ~value_slots() {
        for (const std::uint32_t head : {unpublished_.head, retired_.head})
            for (std::uint32_t id = head; id != nothing; id = notes_[id].next)
                notes_[id].uses = 1;
        for (std::uint32_t id = 0; id < notes_.size(); ++id)
            if (notes_[id].uses != 0)
                cell_of(id).value.~T();
        for (cell* const block : blocks_)
            delete[] block;
    }

    // Any reader may call this.
    const T* find(next_hop hop) const noexcept {
        // Not by &, which T may overload.
        return hop == next_hop::none ? nullptr : reinterpret_cast<const T*>(&cell_of(hop.id));
    }

    // Returns the number of T(parts...), or of an equal value that already exists, and counts one more use.
    // `first` is the first version that may use it. errc::out_of_memory, errc::capacity. Throws exceptions
    // from T and its hash. On a failure nothing has changed.
    template <class... Parts>
    expected<next_hop> take(std::uint64_t first, Parts&&... parts) {
        if constexpr (shares && sizeof...(Parts) == 1 &&
                      (std::same_as<std::remove_cvref_t<Parts>, T> && ...)) {
            const T& value = (parts, ...);
            if (const std::uint32_t known = find_equal(value, hash_of(value)); known != nothing)
                return use(known);
        }
        const expected<std::uint32_t> room = make_room();
        if (!room)
            return unexpected{room.error()};
        cell& place = cell_of(*room);
        ::new (static_cast<void*>(&place)) T(std::forward<Parts>(parts)...);
        std::uint64_t hash = 0;
        if constexpr (shares) {
            std::uint32_t known = nothing;
            try {
                hash = hash_of(place.value);
                known = find_equal(place.value, hash);
            } catch (...) {
                place.value.~T();
                throw;
            }
            if (known != nothing) {
                place.value.~T();
                return use(known);
            }
        }
        if (*room == notes_.size())
            notes_.emplace_back();
        else
            free_ = notes_[*room].next;
        ++used_;
        notes_[*room] = {1, nothing, first, hash};
        if constexpr (shares)
            link(*room);
        return next_hop{*room};
    }
    // Counts one more use of a value in use; errc::capacity.
    expected<next_hop> take_again(next_hop hop) noexcept { return use(hop.id); }
    // Counts one use less. After the last use the value is retired, because readers may still see it.
    void release(next_hop hop) noexcept {
        note& of = notes_[hop.id];
        if (--of.uses != 0)
            return;
        if constexpr (shares)
            unlink(hop.id);
        append(unpublished_, hop.id);
    }

    bool has_retired() const noexcept { return unpublished_.size + retired_.size != 0; }
    // Records that readers of versions after `last` do not see the values that are retired so far.
    void published(std::uint64_t last) noexcept {
        for (std::uint32_t id = unpublished_.head; id != nothing;) {
            const std::uint32_t next = notes_[id].next;
            notes_[id].hash_or_last = last;
            append(retired_, id);
            id = next;
        }
        unpublished_ = {};
    }
    // Destroys retired values that no reader sees. `oldest` is the oldest version that is read, and
    // is_read(first, last) returns whether one of these versions is read.
    template <class IsRead>
    void reclaim(std::uint64_t oldest, IsRead is_read) noexcept {
        while (retired_.head != nothing && notes_[retired_.head].hash_or_last < oldest) {
            const std::uint32_t id = retired_.head;
            retired_.head = notes_[id].next;
            --retired_.size;
            destroy(id);
        }
        if (retired_.head == nothing)
            retired_ = {};
        // Look closely, so that a stalled reader retains the values of one version, not of all later ones.
        if (retired_.size < look_closely_at_)
            return;
        chain remaining;
        for (std::uint32_t id = retired_.head; id != nothing;) {
            const std::uint32_t next = notes_[id].next;
            if (is_read(notes_[id].first, notes_[id].hash_or_last))
                append(remaining, id);
            else
                destroy(id);
            id = next;
        }
        retired_ = remaining;
        look_closely_at_ = 2 * remaining.size + few;
    }

    // Number of different stored values, including retired ones.
    std::size_t size() const noexcept { return used_; }
    // Excludes memory that values point to.
    std::size_t memory_bytes() const noexcept {
        std::size_t bytes = notes_.capacity() * sizeof(note) + buckets_.capacity() * sizeof buckets_[0];
        for (std::size_t b = 0; b < most_blocks; ++b)
            bytes += blocks_[b] == nullptr ? 0 : sizeof(cell) << (b + first_block_bits);
        return bytes;
    }

  private:
    static constexpr std::size_t few = 64;

    // Number i is in block b, which has 2^(b + 6) values, if i + 64 has b + 7 bits.
    static constexpr std::uint64_t shifted(std::uint32_t id) noexcept {
        return id + (std::uint64_t{1} << first_block_bits);
    }
    static constexpr unsigned block_of(std::uint32_t id) noexcept {
        return static_cast<unsigned>(std::bit_width(shifted(id))) - 1 - first_block_bits;
    }
    cell& cell_of(std::uint32_t id) const noexcept {
        const unsigned block = block_of(id);
        return blocks_[block][shifted(id) - (std::uint64_t{1} << (block + first_block_bits))];
    }

    // Returns a number with allocated and free memory. It stays free until it is taken.
    expected<std::uint32_t> make_room() noexcept {
        if (free_ != nothing)
            return free_;
        if (notes_.size() >= nothing)
            return unexpected{errc::capacity};
        std::uint32_t id = nothing;
        const errc reserved = or_reason([&] {
            id = to_u32(notes_.size(), "values of a map");
            if (notes_.capacity() == notes_.size())
                notes_.reserve(2 * notes_.size() + few);
            if (shares && buckets_.size() <= used_)
                rehash(2 * used_ + few);
            return errc::ok;
        });
        if (reserved != errc::ok)
            return unexpected{reserved};
        cell*& block = blocks_[block_of(id)];
        if (block == nullptr)
            block = new (std::nothrow) cell[std::size_t{1} << (block_of(id) + first_block_bits)];
        if (block == nullptr)
            return unexpected{errc::out_of_memory};
        return id;
    }
    expected<next_hop> use(std::uint32_t id) noexcept {
        if (notes_[id].uses == std::numeric_limits<std::uint32_t>::max())
            return unexpected{errc::capacity};
        ++notes_[id].uses;
        return next_hop{id};
    }
    void append(chain& to, std::uint32_t id) noexcept {
        notes_[id].next = nothing;
        (to.tail == nothing ? to.head : notes_[to.tail].next) = id;
        to.tail = id;
        ++to.size;
    }
    void destroy(std::uint32_t id) noexcept {
        cell_of(id).value.~T();
        notes_[id] = {0, free_, 0, 0};
        free_ = id;
        --used_;
    }

    std::uint64_t hash_of(const T& value) const { return std::hash<T>{}(value); }
    // With a random key, so that chosen values collide only if their std::hash does.
    std::uint32_t& bucket(std::uint64_t hash) noexcept {
        return buckets_[hash_key::bucket(key_.hash(hash), buckets_.size())];
    }
    std::uint32_t find_equal(const T& value, std::uint64_t hash) {
        if (buckets_.empty())
            return nothing;
        std::uint32_t id = bucket(hash);
        while (id != nothing && (notes_[id].hash_or_last != hash || !(cell_of(id).value == value)))
            id = notes_[id].next;
        return id;
    }
    void link(std::uint32_t id) noexcept {
        std::uint32_t& head = bucket(notes_[id].hash_or_last);
        notes_[id].next = head;
        head = id;
    }
    void unlink(std::uint32_t id) noexcept {
        std::uint32_t* at = &bucket(notes_[id].hash_or_last);
        while (*at != id)
            at = &notes_[*at].next;
        *at = notes_[id].next;
    }
    void rehash(std::size_t count) {
        std::vector<std::uint32_t> before(count, nothing);
        if (buckets_.empty())
            key_ = hash_key::random();
        before.swap(buckets_);
        for (std::uint32_t head : before)
            while (head != nothing) {
                const std::uint32_t id = head;
                head = notes_[id].next;
                link(id);
            }
    }

    std::array<cell*, most_blocks> blocks_{};
    std::vector<note> notes_;
    std::uint32_t free_ = nothing;
    std::size_t used_ = 0;
    chain unpublished_; // retired values that the newest published version may use
    chain retired_;     // in the order of their last versions
    std::size_t look_closely_at_ = few;
    std::vector<std::uint32_t> buckets_; // values in use, if they are shared
    hash_key key_;
};

} // namespace fingerpost::detail
