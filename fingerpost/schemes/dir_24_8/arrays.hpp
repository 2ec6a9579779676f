// The arrays of a direct table: what lookup reads of them, how they are filled and how they are patched.
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
#include "fingerpost/fib/parts/retire_list.hpp"
#include "fingerpost/rib/change.hpp"
#include "fingerpost/rib/intervals.hpp"

namespace fingerpost::dir_24_8 {

// What lookup reads; Word is the entry. `values` is null while codes are ids plus one.
template <class A, class Word, unsigned Rest>
struct direct_view {
    static constexpr Word extended = static_cast<Word>(Word{1} << (sizeof(Word) * 8 - 1));
    static constexpr std::uint32_t rest_mask = low_mask<std::uint32_t>(Rest);
    // How far before its use an entry is asked for: 32 and 64 were equally good, 0 and whole blocks worse.
    static constexpr std::size_t ahead = 64;

    const Word* table;
    const Word* spill;
    const next_hop* values;

    // Orders nothing on x86 and costs nothing; see the top of dir_24_8.hpp. C++20 has no atomic_ref of a
    // const type.
    static Word load(const Word& word, std::memory_order order) noexcept {
        return std::atomic_ref(const_cast<Word&>(word)).load(order);
    }
    // The slot in the spill array that an entry leads to; 0, which is always there, when it leads nowhere.
    static std::size_t spill_slot(Word entry, A a) noexcept {
        const std::size_t group = entry & static_cast<Word>(~extended);
        const std::size_t slot = (group << Rest) | (a.value & rest_mask);
        return (entry & extended) != 0 ? slot : 0;
    }
    next_hop decode(Word code) const noexcept {
        return values != nullptr ? values[code] : next_hop{static_cast<std::uint32_t>(code) - 1};
    }

    next_hop lookup(A a) const noexcept {
        Word entry = load(table[a.value >> Rest], std::memory_order_acquire);
        if ((entry & extended) != 0)
            entry = load(spill[spill_slot(entry, a)], std::memory_order_relaxed);
        return decode(entry);
    }

    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        std::size_t i = 0;
        for (; i + ahead < in.size(); ++i) {
            __builtin_prefetch(&table[in[i + ahead].value >> Rest]);
            out[i] = lookup_branch_free(in[i]);
        }
        for (; i < in.size(); ++i)
            out[i] = lookup_branch_free(in[i]);
    }

  private:
    next_hop lookup_branch_free(A a) const noexcept {
        const Word entry = load(table[a.value >> Rest], std::memory_order_acquire);
        const Word spilled = load(spill[spill_slot(entry, a)], std::memory_order_relaxed);
        return decode((entry & extended) != 0 ? spilled : entry);
    }
};

// What lookup needs to own, how it is filled and how it is patched; codes are below the extended bit.
template <class A, class Word, unsigned First, unsigned Rest>
class dir_24_8_arrays {
    using view_type = direct_view<A, Word, Rest>;
    static constexpr std::uint64_t rest_mask = view_type::rest_mask;
    static constexpr std::size_t group_size = std::size_t{1} << Rest;

  public:
    static constexpr std::uint32_t most = view_type::extended; // codes and groups must be below

    // With `room` groups more than the intervals need. Throws std::bad_alloc.
    template <class Code>
    static expected<dir_24_8_arrays> fill(const interval_list<A>& intervals, std::size_t groups,
                                          std::size_t room, Code code) {
        dir_24_8_arrays built;
        auto table = aligned_array<Word>::make(std::size_t{1} << First);
        if (!table)
            return unexpected{errc::out_of_memory};
        built.table_ = std::move(*table);
        // One group at least, for the load that leads nowhere.
        if (!built.resize_spill(std::max<std::size_t>(groups + room, 1)))
            return unexpected{errc::out_of_memory};
        if (room > 0)
            built.retired_.reserve(groups + room);
        std::uint64_t from = 0;
        for (std::size_t i = 0; i < intervals.size(); ++i) {
            const std::uint64_t end = std::uint64_t{intervals.ends[i].value} + 1;
            built.fill_run(from, end, static_cast<Word>(code(intervals.hops[i])));
            from = end;
        }
        return built;
    }

    view_type view(const next_hop* values) const noexcept { return {table_.data(), spill_.data(), values}; }
    std::size_t memory_bytes() const noexcept { return table_bytes() + spill_bytes() + unused_list_bytes(); }
    std::size_t table_bytes() const noexcept { return table_.memory_bytes(); }
    std::size_t spill_bytes() const noexcept { return spill_.memory_bytes(); }
    // Of the lists of groups that are not in use.
    std::size_t unused_list_bytes() const noexcept {
        return free_.capacity() * sizeof(std::uint32_t) + retired_.memory_bytes();
    }
    // Groups that can be begun before the spill array has to grow.
    std::size_t room() const noexcept { return capacity() - groups_ + free_.size(); }

    // The ranges get `code` while nobody reads. When it fails, nothing has changed.
    errc patch(std::span<const address_range<A>> ranges, Word code) noexcept {
        const std::size_t needed = groups_needed(ranges, code);
        if (needed > room())
            if (const errc failure = grow(needed - room()); failure != errc::ok)
                return failure;
        for (const address_range<A>& range : ranges)
            write(range, code, [this](std::uint32_t group) { free_.push_back(group); });
        compact();
        return errc::ok;
    }
    // The same while it is read.
    errc patch_in_place(std::span<const address_range<A>> ranges, Word code, std::uint64_t version) noexcept {
        if (groups_needed(ranges, code) > room())
            return errc::capacity;
        for (const address_range<A>& range : ranges)
            write(range, code, [&](std::uint32_t group) { retired_.push(group, version); });
        return errc::ok;
    }
    void reclaim(std::uint64_t version) noexcept {
        retired_.release_before(version, [this](std::uint32_t group) { free_.push_back(group); });
    }

  private:
    std::size_t capacity() const noexcept { return spill_.size() >> Rest; }
    static bool is_group(Word entry) noexcept { return (entry & view_type::extended) != 0; }
    static std::uint32_t group_of(Word entry) noexcept {
        return entry & static_cast<Word>(~view_type::extended);
    }
    static Word entry_of(std::uint32_t group) noexcept {
        return static_cast<Word>(view_type::extended | static_cast<Word>(group));
    }

    // Runs come in order and without gaps: one that starts inside an entry finds its group begun.
    void fill_run(std::uint64_t from, std::uint64_t end, Word code) noexcept {
        const std::uint64_t whole = std::min((from + rest_mask) & ~rest_mask, end);
        fill_part(from, whole, code);
        const std::uint64_t whole_end = std::max(end & ~rest_mask, whole);
        std::fill(table_.data() + (whole >> Rest), table_.data() + (whole_end >> Rest), code);
        fill_part(whole_end, end, code);
    }
    void fill_part(std::uint64_t from, std::uint64_t end, Word code) noexcept {
        if (from == end)
            return;
        if ((from & rest_mask) == 0)
            table_[from >> Rest] = entry_of(groups_++);
        const std::size_t group = static_cast<std::size_t>(groups_ - 1) << Rest;
        const std::size_t first = group + (from & rest_mask);
        std::fill_n(spill_.data() + first, end - from, code);
    }

    // An upper bound: entries without a group of which a range covers a part and changes it.
    std::size_t groups_needed(std::span<const address_range<A>> ranges, Word code) const noexcept {
        std::size_t needed = 0;
        for (const auto& [first, last] : ranges) {
            const std::size_t from = first.value >> Rest, to = last.value >> Rest;
            const bool cut_first = (first.value & rest_mask) != 0;
            const bool cut_last = (last.value & rest_mask) != rest_mask;
            const auto grows = [&](std::size_t at) { return !is_group(table_[at]) && table_[at] != code; };
            if (from == to) {
                needed += (cut_first || cut_last) && grows(from) ? 1 : 0;
                continue;
            }
            needed += (cut_first && grows(from) ? 1 : 0) + (cut_last && grows(to) ? 1 : 0);
        }
        return needed;
    }

    template <class Release>
    void write(const address_range<A>& range, Word code, Release release) noexcept {
        const std::uint64_t from = range.first.value, end = std::uint64_t{range.last.value} + 1;
        const std::uint64_t whole = std::min((from + rest_mask) & ~rest_mask, end);
        if (from < whole)
            write_part(from, whole, code, release);
        const std::uint64_t whole_end = std::max(end & ~rest_mask, whole);
        for (std::uint64_t at = whole >> Rest; at < whole_end >> Rest; ++at) {
            const Word old = table_[at];
            store(table_[at], code, std::memory_order_relaxed);
            if (is_group(old))
                release(group_of(old));
        }
        if (whole_end < end)
            write_part(whole_end, end, code, release);
    }
    // Part of one entry. A group is complete before an entry leads to it, and goes once it is all the same.
    template <class Release>
    void write_part(std::uint64_t from, std::uint64_t end, Word code, Release release) noexcept {
        const std::uint64_t at = from >> Rest;
        const Word entry = table_[at];
        if (!is_group(entry)) {
            if (entry == code)
                return;
            const std::uint32_t group = take_group();
            Word* const words = spill_.data() + (static_cast<std::size_t>(group) << Rest);
            // Atomic even here: the first group is where lookups read that lead nowhere.
            for (std::uint64_t i = 0; i < group_size; ++i) {
                const bool inside = i - (from & rest_mask) < end - from;
                store(words[i], inside ? code : entry, std::memory_order_relaxed);
            }
            store(table_[at], entry_of(group), std::memory_order_release);
            return;
        }
        Word* const words = spill_.data() + (static_cast<std::size_t>(group_of(entry)) << Rest);
        for (std::uint64_t i = from; i < end; ++i)
            store(words[i & rest_mask], code, std::memory_order_relaxed);
        if (std::all_of(words, words + group_size, [code](Word w) { return w == code; })) {
            store(table_[at], code, std::memory_order_relaxed);
            release(group_of(entry));
        }
    }
    static void store(Word& word, Word value, std::memory_order order) noexcept {
        std::atomic_ref(word).store(value, order);
    }
    std::uint32_t take_group() noexcept {
        if (free_.empty())
            return groups_++;
        const std::uint32_t group = free_.back();
        free_.pop_back();
        return group;
    }

    errc grow(std::size_t more) noexcept try {
        const std::size_t needed = capacity() + more;
        if (needed > most)
            return errc::capacity;
        const std::size_t wanted = std::min<std::size_t>(needed + needed / 16, most);
        return resize_spill(wanted) ? errc::ok : errc::out_of_memory;
    } catch (...) {
        return reason_of_exception();
    }
    // Room in `free_` too, so that giving groups back cannot fail. Throws std::bad_alloc.
    bool resize_spill(std::size_t groups) {
        auto spill = aligned_array<Word>::make(groups << Rest);
        if (!spill)
            return false;
        free_.reserve(groups);
        std::copy_n(spill_.data(), std::min(spill_.size(), spill->size()), spill->data());
        spill_ = std::move(*spill);
        return true;
    }
    // Gives memory back once unused groups are a twentieth of everything; without memory for a copy, all
    // stays. Looks at the whole table, O(2^First).
    void compact() noexcept try {
        const std::size_t unused = room();
        if ((unused * group_size * sizeof(Word)) * 20 < memory_bytes() || unused < 16)
            return;
        const std::size_t used = capacity() - unused;
        auto spill = aligned_array<Word>::make(std::max<std::size_t>(used, 1) << Rest);
        std::vector<std::uint32_t> none;
        none.reserve(std::max<std::size_t>(used, 1));
        if (!spill)
            return;
        groups_ = 0;
        for (Word& entry : table_)
            if (is_group(entry)) {
                std::copy_n(spill_.data() + (static_cast<std::size_t>(group_of(entry)) << Rest), group_size,
                            spill->data() + (static_cast<std::size_t>(groups_) << Rest));
                entry = entry_of(groups_++);
            }
        spill_ = std::move(*spill);
        free_ = std::move(none);
    } catch (...) {
        (void)reason_of_exception();
    }

    aligned_array<Word> table_;
    aligned_array<Word> spill_;
    std::uint32_t groups_ = 0;        // numbers ever handed out
    std::vector<std::uint32_t> free_; // of those, what can be handed out again
    retire_list retired_;             // and what readers may still look at
};

} // namespace fingerpost::dir_24_8
