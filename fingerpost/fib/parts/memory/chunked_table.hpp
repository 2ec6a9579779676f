// An array by the first bits of the address, and chunks of slots for the bits after them, level by level: the
// memory of DIR-24-8 and of SAIL_L, how it is filled and how it is patched, also while it is read.
//
//      root     [ 2^First slots ]          slot, chunk bit clear:  code of the answer
//                     |                          chunk bit set:    number of a chunk
//                     v
//      chunks   [ 2^Stride | 2^Stride | ... ]    of all levels; slots of the last one have codes only
//
// A chunk begins where a boundary comes to lie inside a slot, and goes when its slots have become equal.
//
// Patched while it is read. What a lookup reads is one slot a level, and each slot is written by one atomic
// store. A new chunk is filled, with the chunks below it, before the slot that leads to it is stored with
// release and loaded with acquire. A chunk that was unlinked keeps its slots until no reader of its time is
// left, and nothing moves, as no array grows. So each address gets its answer at one moment, and every answer
// was right at some moment during the lookup. The addresses of one route change one after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/parts/memory/retire_list.hpp"
#include "fingerpost/rib/change.hpp"
#include "fingerpost/rib/intervals.hpp"

namespace fingerpost {

// What a slot of type Word holds.
template <class Word>
struct chunk_slot {
    static constexpr Word chunk_bit = static_cast<Word>(Word{1} << (sizeof(Word) * 8 - 1));

    static constexpr bool is_chunk(Word slot) noexcept { return (slot & chunk_bit) != 0; }
    // All ones for a slot that leads to a chunk, else zero.
    static constexpr std::size_t mask_of_chunk(Word slot) noexcept {
        return std::size_t{0} - static_cast<std::size_t>(slot >> (sizeof(Word) * 8 - 1));
    }
    static constexpr std::uint32_t number_of(Word slot) noexcept {
        return slot & static_cast<Word>(~chunk_bit);
    }
    static constexpr Word of(std::uint32_t number) noexcept {
        return static_cast<Word>(chunk_bit | static_cast<Word>(number));
    }
    // Orders nothing on x86 and costs nothing. C++20 has no atomic_ref of a const type.
    static Word load(const Word& slot, std::memory_order order = std::memory_order_acquire) noexcept {
        return std::atomic_ref(const_cast<Word&>(slot)).load(order);
    }
    static void store(Word& slot, Word value, std::memory_order order = std::memory_order_relaxed) noexcept {
        std::atomic_ref(slot).store(value, order);
    }
};

// Codes are below the chunk bit.
template <class A, class Word, unsigned First, unsigned Stride>
class chunked_table {
    static_assert(First >= 1 && First < A::bits && (A::bits - First) % Stride == 0);
    using value = typename A::value_type;
    using slot = chunk_slot<Word>;
    using range = address_range<A>;

  public:
    static constexpr unsigned levels = (A::bits - First) / Stride; // of chunks, below the root
    static constexpr std::size_t chunk_size = std::size_t{1} << Stride;
    static constexpr std::uint32_t most = slot::chunk_bit; // codes and chunks must be below

    // A slot needs a chunk when an interval ends inside it.
    static std::size_t count_chunks(const interval_list<A>& intervals) noexcept {
        std::size_t chunks = 0;
        for (std::size_t i = 0; i < intervals.size(); ++i)
            for (unsigned level = 0; level < levels && !ends_slot(level, intervals.ends[i]); ++level)
                if (i == 0 ||
                    intervals.ends[i].value >> rest(level) != intervals.ends[i - 1].value >> rest(level))
                    ++chunks;
        return chunks;
    }

    // With `room` chunks more than the intervals need. Throws std::bad_alloc.
    template <class Code>
    static expected<chunked_table> fill(const interval_list<A>& intervals, std::size_t chunks,
                                        std::size_t room, Code code) {
        if (chunks + room > most)
            return unexpected{errc::capacity};
        chunked_table built;
        auto root = aligned_array<Word>::make(std::size_t{1} << First);
        // One chunk at least, for loads that lead nowhere.
        auto made = aligned_array<Word>::make(std::max<std::size_t>(chunks + room, 1) << Stride);
        if (!root || !made)
            return unexpected{errc::out_of_memory};
        built.root_ = std::move(*root);
        built.chunks_ = std::move(*made);
        built.free_.reserve(built.capacity());
        if (room > 0)
            built.retired_.reserve(chunks + room);
        A from = A::first();
        for (std::size_t i = 0; i < intervals.size(); ++i) {
            const auto word = static_cast<Word>(code(intervals.hops[i]));
            built.fill_run(built.root_.data(), 0, {from, intervals.ends[i]}, word);
            from = A{static_cast<value>(intervals.ends[i].value + 1)};
        }
        return built;
    }

    const Word* root() const noexcept { return root_.data(); }
    const Word* chunks() const noexcept { return chunks_.data(); }
    std::size_t memory_bytes() const noexcept { return root_bytes() + chunk_bytes() + unused_list_bytes(); }
    std::size_t root_bytes() const noexcept { return root_.memory_bytes(); }
    std::size_t chunk_bytes() const noexcept { return chunks_.memory_bytes(); }
    // Of the lists of chunks that are not in use.
    std::size_t unused_list_bytes() const noexcept {
        return free_.capacity() * sizeof(std::uint32_t) + retired_.memory_bytes();
    }
    std::size_t chunks_in_use() const noexcept { return used_ - free_.size(); }
    // Chunks that can be begun before their array has to grow.
    std::size_t room() const noexcept { return capacity() - used_ + free_.size(); }
    // Each end of a range begins at most one chunk a level.
    static std::size_t needs(const change<A>& c) noexcept { return c.affected_ranges.size() * 2 * levels; }

    // The ranges get `code` while nobody reads. When it fails, nothing has changed.
    errc patch(std::span<const range> ranges, Word code) noexcept {
        const std::size_t needed = chunks_needed(ranges, code);
        if (needed > room())
            if (const errc failure = grow(needed - room()); failure != errc::ok)
                return failure;
        const auto release = [this](std::uint32_t number) { free_.push_back(number); };
        for (const range& r : ranges)
            write(root_.data(), 0, r, code, release);
        compact();
        return errc::ok;
    }
    // The same while it is read.
    errc patch_in_place(std::span<const range> ranges, Word code, std::uint64_t version) noexcept {
        if (chunks_needed(ranges, code) > room())
            return errc::capacity;
        const auto release = [&](std::uint32_t number) { retired_.push(number, version); };
        for (const range& r : ranges)
            write(root_.data(), 0, r, code, release);
        return errc::ok;
    }
    void reclaim(std::uint64_t version) noexcept {
        retired_.release_before(version, [this](std::uint32_t number) { free_.push_back(number); });
    }

  private:
    // Bits of an address behind those that choose a slot of a level.
    static constexpr unsigned rest(unsigned level) noexcept { return A::bits - First - level * Stride; }
    static constexpr bool ends_slot(unsigned level, A last) noexcept {
        const value low = low_mask<value>(rest(level));
        return (last.value & low) == low;
    }
    static constexpr std::size_t index_in(unsigned level, A a) noexcept {
        const auto above = static_cast<std::size_t>(a.value >> rest(level));
        return level == 0 ? above : above & (chunk_size - 1);
    }
    std::size_t capacity() const noexcept { return chunks_.size() >> Stride; }
    Word* chunk(std::uint32_t number) noexcept {
        return chunks_.data() + (static_cast<std::size_t>(number) << Stride);
    }
    const Word* chunk(std::uint32_t number) const noexcept {
        return chunks_.data() + (static_cast<std::size_t>(number) << Stride);
    }

    // Calls part(index, range) for a slot of which the range has a part, at most two of them, and whole(from,
    // to) for the slots between, in ascending order.
    template <class Part, class Whole>
    static void split(unsigned level, const range& r, Part part, Whole whole) {
        const value low = low_mask<value>(rest(level));
        std::size_t from = index_in(level, r.first);
        const std::size_t to = index_in(level, r.last);
        const bool cut_first = (r.first.value & low) != 0;
        const bool cut_last = !ends_slot(level, r.last);
        if (from == to && (cut_first || cut_last))
            return part(from, r);
        if (cut_first)
            part(from++, range{r.first, A{static_cast<value>(r.first.value | low)}});
        if (const std::size_t end = cut_last ? to : to + 1; from < end)
            whole(from, end);
        if (cut_last)
            part(to, range{A{static_cast<value>(r.last.value & ~low)}, r.last});
    }

    // Runs come in order and without gaps: one that does not start a slot finds its chunk begun.
    void fill_run(Word* slots, unsigned level, const range& r, Word code) noexcept {
        split(
            level, r,
            [&](std::size_t at, const range& inside) {
                if ((inside.first.value & low_mask<value>(rest(level))) == 0)
                    slots[at] = slot::of(used_++);
                fill_run(chunk(slot::number_of(slots[at])), level + 1, inside, code);
            },
            [&](std::size_t from, std::size_t to) { std::fill(slots + from, slots + to, code); });
    }

    // An upper bound: slots without a chunk of which a range covers a part and changes it.
    std::size_t chunks_needed(std::span<const range> ranges, Word code) const noexcept {
        std::size_t needed = 0;
        for (const range& r : ranges)
            needed += chunks_needed(root_.data(), 0, r, code);
        return needed;
    }
    // In slots that all hold the same, which are not there yet, when there is none.
    std::size_t chunks_needed(const Word* slots, unsigned level, const range& r, Word code) const noexcept {
        std::size_t needed = 0;
        split(
            level, r,
            [&](std::size_t at, const range& inside) {
                if (slots != nullptr && slot::is_chunk(slots[at]))
                    needed += chunks_needed(chunk(slot::number_of(slots[at])), level + 1, inside, code);
                else if (slots == nullptr || slots[at] != code)
                    needed += 1 + chunks_needed(nullptr, level + 1, inside, code);
            },
            [](std::size_t, std::size_t) {});
        return needed;
    }

    template <class Release>
    void write(Word* slots, unsigned level, const range& r, Word code, const Release& release) noexcept {
        split(
            level, r,
            [&](std::size_t at, const range& inside) { write_part(slots[at], level, inside, code, release); },
            [&](std::size_t from, std::size_t to) {
                for (std::size_t at = from; at < to; ++at) {
                    const Word old = slots[at];
                    slot::store(slots[at], code);
                    if (slot::is_chunk(old))
                        release_tree(slot::number_of(old), level + 1, release);
                }
            });
    }
    // Part of one slot. A chunk is complete before a slot leads to it, and goes once it is all the same.
    template <class Release>
    void write_part(Word& at, unsigned level, const range& inside, Word code,
                    const Release& release) noexcept {
        const Word old = at;
        if (!slot::is_chunk(old)) {
            if (old == code)
                return;
            const std::uint32_t number = take_chunk();
            Word* const words = chunk(number);
            // Atomic even here: the first chunk is where lookups read that lead nowhere.
            for (std::size_t i = 0; i < chunk_size; ++i)
                slot::store(words[i], old);
            write(words, level + 1, inside, code, release);
            slot::store(at, slot::of(number), std::memory_order_release);
            return;
        }
        Word* const words = chunk(slot::number_of(old));
        write(words, level + 1, inside, code, release);
        if (std::all_of(words, words + chunk_size, [code](Word w) { return w == code; })) {
            slot::store(at, code);
            release(slot::number_of(old));
        }
    }
    template <class Release>
    void release_tree(std::uint32_t number, unsigned level, const Release& release) noexcept {
        if (level < levels) {
            const Word* const words = chunk(number);
            for (std::size_t i = 0; i < chunk_size; ++i)
                if (slot::is_chunk(words[i]))
                    release_tree(slot::number_of(words[i]), level + 1, release);
        }
        release(number);
    }
    std::uint32_t take_chunk() noexcept {
        if (free_.empty())
            return used_++;
        const std::uint32_t number = free_.back();
        free_.pop_back();
        return number;
    }

    // Room in `free_` too, so that giving chunks back cannot fail.
    errc grow(std::size_t more) noexcept try {
        const std::size_t needed = capacity() + more;
        if (needed > most)
            return errc::capacity;
        const std::size_t wanted = std::min<std::size_t>(needed + needed / 16, most);
        free_.reserve(wanted);
        const std::size_t words = wanted << Stride;
        return chunks_.extend(words) || chunks_.move_to(words, words, chunks_.size()) ? errc::ok
                                                                                      : errc::out_of_memory;
    } catch (...) {
        return reason_of_exception();
    }
    // Gives memory back once unused chunks are more than a twelfth of everything, which growing by a
    // sixteenth does not come to; without memory for a copy, all stays. Looks at all slots of the root.
    void compact() noexcept try {
        const std::size_t unused = room();
        if (unused * chunk_size * sizeof(Word) * 12 <= memory_bytes())
            return;
        const std::size_t left = std::max<std::size_t>(capacity() - unused, 1);
        auto kept = aligned_array<Word>::make(left << Stride);
        std::vector<std::uint32_t> none;
        none.reserve(left);
        if (!kept)
            return;
        used_ = 0;
        move_chunks(root_.data(), root_.size(), 1, kept->data());
        chunks_ = std::move(*kept);
        free_ = std::move(none);
    } catch (...) {
        (void)reason_of_exception();
    }
    // The chunks that these slots lead to, each before those below it.
    void move_chunks(Word* slots, std::size_t count, unsigned level, Word* to) noexcept {
        for (std::size_t i = 0; i < count; ++i) {
            if (!slot::is_chunk(slots[i]))
                continue;
            Word* const moved = to + (static_cast<std::size_t>(used_) << Stride);
            std::copy_n(chunk(slot::number_of(slots[i])), chunk_size, moved);
            slots[i] = slot::of(used_++);
            if (level < levels)
                move_chunks(moved, chunk_size, level + 1, to);
        }
    }

    aligned_array<Word> root_;
    aligned_array<Word> chunks_;
    std::uint32_t used_ = 0;          // numbers ever handed out
    std::vector<std::uint32_t> free_; // of those, what can be handed out again
    retire_list retired_;             // and what readers may still look at
};

} // namespace fingerpost
