// The arrays of a direct table as lookups read them. fib/parts/memory/chunked_table.hpp owns and changes
// them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/fib/parts/memory/chunked_table.hpp"
#include "fingerpost/net/next_hop.hpp"

namespace fingerpost::dir_24_8 {

// The arrays that a lookup reads. Word is the type of the entries. `values` is null if codes are ids plus
// one.
template <class A, class Word, unsigned Rest>
struct direct_view {
    static constexpr Word extended = chunk_slot<Word>::chunk_bit;
    static constexpr std::uint32_t rest_mask = low_mask<std::uint32_t>(Rest);
    // The number of addresses by which prefetching runs ahead. 32 and 64 were equally good, 0 and whole
    // blocks worse.
    static constexpr std::size_t ahead = 64;

    const Word* table;
    const Word* spill;
    const next_hop* values;

    static Word load(const Word& word, std::memory_order order) noexcept {
        return chunk_slot<Word>::load(word, order);
    }
    // The slot in the spill array for an entry with a group. For other entries it is 0, which always exists.
    static std::size_t spill_slot(Word entry, A a) noexcept {
        const std::size_t group = entry & static_cast<Word>(~extended);
        const std::size_t slot = (group << Rest) | (a.value & rest_mask);
        return (entry & extended) != 0 ? slot : 0;
    }
    next_hop decode(Word code) const noexcept {
        return values != nullptr ? values[code] : next_hop{static_cast<std::uint32_t>(code) - 1};
    }

    template <class Read>
    next_hop find(Read&& read, A a) const {
        Word entry = load(read(table, a.value >> Rest), std::memory_order_acquire);
        read.tell([](auto& step) { step.looks_at(0, A::bits - Rest); });
        if ((entry & extended) != 0) {
            entry = load(read(spill, spill_slot(entry, a)), std::memory_order_relaxed);
            read.tell([](auto& step) { step.looks_at(A::bits - Rest, Rest); });
        }
        return values != nullptr ? read(values, entry) : decode(entry);
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

} // namespace fingerpost::dir_24_8
