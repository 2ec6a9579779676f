// An array indexed by the first bits of the address, and chunks of slots for the bits after them, level by
// level. This is the memory of DIR-24-8 and SAIL_L, with building and patching, also while it is read.
//
//      root     [ 2^First slots ]          slot, chunk bit clear:  code of a next hop
//                     |                          chunk bit set:    number of a chunk
//                     v
//      chunks   [ 2^Stride | 2^Stride | ... ]    of all levels; slots of the last level have only codes
//
// A chunk is created when a boundary appears inside a slot, and freed when its slots have become equal.
//
// Patching while the table is read. A lookup reads one slot on each level, and each slot is written by one
// atomic store. A new chunk is filled, including the chunks below it, before a release store writes the slot
// that leads to it. Lookups load that slot with acquire. An unlinked chunk keeps its slots until all readers
// of that time have left, and nothing moves, because no array grows. So the result for each address changes
// at one moment, and every result was right at some moment during the lookup. The addresses of one route
// change one after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/base/atomic_word.hpp"
#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/parts/memory/retire_list.hpp"
#include "fingerpost/rib/change.hpp"
#include "fingerpost/rib/intervals.hpp"

namespace fingerpost {

// Content of a slot of type Word.
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
    // Acquire costs nothing on x86.
    static Word load(const Word& slot, std::memory_order order = std::memory_order_acquire) noexcept {
        return order == std::memory_order_relaxed ? load_relaxed(slot) : load_acquire(slot);
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
    static constexpr std::uint32_t most = slot::chunk_bit; // codes and numbers of chunks must be below this

    // A slot needs a chunk if an interval ends inside it.
    static std::size_t count_chunks(const interval_list<A>& intervals) noexcept {
        std::size_t chunks = 0;
        for (std::size_t i = 0; i < intervals.size(); ++i)
            for (unsigned level = 0; level < levels && !ends_slot(level, intervals.ends[i]); ++level)
                if (i == 0 ||
                    intervals.ends[i].value >> rest(level) != intervals.ends[i - 1].value >> rest(level))
                    ++chunks;
        return chunks;
    }

    // Makes room for `room` more chunks than the intervals need. Throws std::bad_alloc.
    template <class Code>
    static expected<chunked_table> fill(const interval_list<A>& intervals, std::size_t chunks,
                                        std::size_t room, Code code) {
        if (chunks + room > most)
            return unexpected{errc::capacity};
        chunked_table built;
        auto root = aligned_array<Word>::make(std::size_t{1} << First);
        // At least one chunk, so that loads for lanes without a chunk have a target.
        auto chunk_array = aligned_array<Word>::make(std::max<std::size_t>(chunks + room, 1) << Stride);
        if (!root || !chunk_array)
            return unexpected{errc::out_of_memory};
        built.root_ = std::move(*root);
        built.chunks_ = std::move(*chunk_array);
        built.unused_.free.reserve(built.capacity());
        if (room > 0)
            built.unused_.retired.reserve(chunks + room);
        A from = A::first();
        for (std::size_t i = 0; i < intervals.size(); ++i) {
            const auto word = static_cast<Word>(code(intervals.hops[i]));
            built.fill_run(built.root_.data(), 0, {from, intervals.ends[i]}, word);
            from = A{static_cast<value>(intervals.ends[i].value + 1)};
        }
        return built;
    }

    // See fib/layout.hpp. The names are those of the parts.
    template <class Self, class Visit>
    static void for_each_array(Self& of, std::string_view root, std::string_view chunks, Visit&& visit) {
        visit(root, of.root_);
        visit(chunks, of.chunks_);
    }
    // is_code(code, position) requires that a code is valid. A chunk belongs to one slot, so levels end and
    // each chunk is visited once.
    template <class Check, class IsCode>
    void check(const Check& in, IsCode is_code) const {
        in.require(root_.size() == std::size_t{1} << First, nullptr, "the first table has the wrong size");
        in.require(chunks_.size() > 0 && chunks_.size() % chunk_size == 0, nullptr, "a chunk is incomplete");
        std::vector<bool> is_reached(capacity());
        std::vector<std::uint32_t> reached; // level by level
        const auto check_slots = [&](std::span<const Word> slots, unsigned level) {
            for (const Word& word : slots) {
                if (!slot::is_chunk(word)) {
                    is_code(std::uint32_t{word}, &word);
                    continue;
                }
                const std::uint32_t number = slot::number_of(word);
                in.require(level < levels && number < capacity() && !is_reached[number], &word,
                           "a slot does not lead to its own chunk");
                is_reached[number] = true;
                reached.push_back(number);
            }
        };
        check_slots(root_.span(), 0);
        std::size_t at = 0;
        for (unsigned level = 1; level <= levels; ++level)
            for (const std::size_t end = reached.size(); at < end; ++at)
                check_slots({chunk(reached[at]), chunk_size}, level);
    }

    const Word* root() const noexcept { return root_.data(); }
    const Word* chunks() const noexcept { return chunks_.data(); }
    bool is_empty() const noexcept { return root_.size() == 0; }
    // Number of slots of all chunks.
    std::size_t chunk_slots() const noexcept { return chunks_.size(); }
    const auto& unused() const noexcept { return unused_; }
    std::size_t chunks_in_use() const noexcept { return used_ - unused_.free.size(); }
    // Number of chunks that can be created before the array must grow.
    std::size_t room() const noexcept { return capacity() - used_ + unused_.free.size(); }
    // Each end of a range needs at most one new chunk on each level.
    static std::size_t needs(const change<A>& c) noexcept { return c.affected_ranges.size() * 2 * levels; }

    // Sets the code of the ranges while no thread reads. On failure nothing has changed.
    errc patch(std::span<const range> ranges, Word code) noexcept {
        const std::size_t needed = chunks_needed(ranges, code);
        if (needed > room())
            if (const errc failure = grow(needed - room()); failure != errc::ok)
                return failure;
        const auto release = [this](std::uint32_t number) { unused_.free.push_back(number); };
        for (const range& r : ranges)
            write(root_.data(), 0, r, code, release);
        compact();
        return errc::ok;
    }
    // Sets the code of the ranges while the table is read. On failure nothing has changed.
    errc patch_in_place(std::span<const range> ranges, Word code, std::uint64_t version) noexcept {
        if (chunks_needed(ranges, code) > room())
            return errc::capacity;
        const auto release = [&](std::uint32_t number) { unused_.retired.push(number, version); };
        for (const range& r : ranges)
            write(root_.data(), 0, r, code, release);
        return errc::ok;
    }
    void reclaim(std::uint64_t version) noexcept {
        const auto release = [this](std::uint32_t number) { unused_.free.push_back(number); };
        unused_.retired.release_before(version, release);
    }

  private:
    struct unused_numbers {
        std::vector<std::uint32_t> free; // numbers that can be reused
        retire_list retired;             // numbers that readers may still use

        std::size_t memory_bytes() const noexcept {
            return free.capacity() * sizeof(std::uint32_t) + retired.memory_bytes();
        }
    };

    // Number of address bits after those that select a slot of this level.
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

    // Calls part(index, range) for each slot that the range covers partly, at most two, and whole(from, to)
    // for the slots between, in ascending order.
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

    // Runs are in order and without gaps: if a run does not start at a slot's first address, the slot already
    // has a chunk.
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

    // An upper bound: the number of slots without a chunk that a range changes partly.
    std::size_t chunks_needed(std::span<const range> ranges, Word code) const noexcept {
        std::size_t needed = 0;
        for (const range& r : ranges)
            needed += chunks_needed(root_.data(), 0, r, code);
        return needed;
    }
    // If the chunk does not exist yet, all its slots would have the value of the slot above.
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
    // Writes part of one slot. A chunk is complete before a slot leads to it, and is freed when all its slots
    // are equal.
    template <class Release>
    void write_part(Word& at, unsigned level, const range& inside, Word code,
                    const Release& release) noexcept {
        const Word old = at;
        if (!slot::is_chunk(old)) {
            if (old == code)
                return;
            const std::uint32_t number = take_chunk();
            Word* const words = chunk(number);
            // Atomic even here: lookups without a chunk read chunk 0.
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
        if (unused_.free.empty())
            return used_++;
        const std::uint32_t number = unused_.free.back();
        unused_.free.pop_back();
        return number;
    }

    // Makes room for chunks and in the list of unused chunks, so that releasing chunks cannot fail.
    errc grow(std::size_t more) noexcept try {
        const std::size_t needed = capacity() + more;
        if (needed > most)
            return errc::capacity;
        const std::size_t capacity_after = std::min<std::size_t>(needed + needed / 16, most);
        unused_.free.reserve(capacity_after);
        const std::size_t words = capacity_after << Stride;
        return chunks_.extend(words) || chunks_.move_to(words, words, chunks_.size()) ? errc::ok
                                                                                      : errc::out_of_memory;
    } catch (...) {
        return reason_of_exception();
    }
    // Frees memory when unused chunks exceed 1/12 of all memory, which growing by 1/16 does not reach. Does
    // nothing if there is no memory for a copy. Visits all slots of the root.
    void compact() noexcept try {
        const std::size_t unused = room();
        const std::size_t total = root_.memory_bytes() + chunks_.memory_bytes() + unused_.memory_bytes();
        if (unused * chunk_size * sizeof(Word) * 12 <= total)
            return;
        const std::size_t left = std::max<std::size_t>(capacity() - unused, 1);
        auto copy = aligned_array<Word>::make(left << Stride);
        std::vector<std::uint32_t> none;
        none.reserve(left);
        if (!copy)
            return;
        used_ = 0;
        move_chunks(root_.data(), root_.size(), 1, copy->data());
        chunks_ = std::move(*copy);
        unused_.free = std::move(none);
    } catch (...) {
        (void)reason_of_exception();
    }
    // Moves the chunks that these slots lead to, each before those below it.
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
    std::uint32_t used_ = 0; // numbers allocated at least once
    unused_numbers unused_;
};

} // namespace fingerpost
