// The parts of an LC-trie that lookups read, and the steps of a lookup.
#pragma once

#include <cstdint>

#include "fingerpost/fib/plain_reads.hpp"
#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost::lc_trie {

// If `branch` is 0, `at` is the number of an entry of the base vector. Otherwise it is the number of the
// first of 2^branch children. The branch bits follow `skip` bits of the address, which are the same in all
// entries below.
struct trie_node {
    std::uint32_t at = 0;
    std::uint8_t branch = 0;
    std::uint8_t skip = 0;
    std::uint16_t unused = 0;
};
static_assert(sizeof(trie_node) == 8);

inline constexpr std::uint32_t no_prefix = 0xffffffff;

// A route that does not cover others. `chain` is the head of the list of its covers. `unused` makes the
// padding explicit, because files must not contain padding.
template <class A>
struct base_entry {
    A string;
    next_hop hop;
    std::uint32_t chain = no_prefix;
    std::uint8_t length = 0;
    std::uint8_t unused[A::bits > 32 ? 7 : 3] = {};
};
static_assert(sizeof(base_entry<ipv4_address>) == 16 && sizeof(base_entry<ipv6_address>) == 32);

// A route that covers others. Its bits are the first bits of all of these.
struct prefix_entry {
    next_hop hop;
    std::uint32_t shorter = no_prefix;
    std::uint8_t length = 0;
    std::uint8_t unused[3] = {};
};
static_assert(sizeof(prefix_entry) == 12);

template <class A>
struct lc_trie_view {
    const trie_node* trie;
    const base_entry<A>* base;
    const prefix_entry* prefixes;

    struct walk {
        A address;
        std::uint64_t high;     // the first bits, left-aligned
        unsigned done = 0;      // number of bits consumed
        std::uint32_t node = 0; // node number; at the end, the number of an entry
    };
    static walk start(A a) noexcept { return {a, top64(a)}; }
    // Descends to the next node. Returns false at a leaf. Prefetches the child, or the entry of a leaf. There
    // is no branch for leaves, because they are unpredictable: a leaf has a branch of 0 bits, which gives
    // child 0.
    template <class Read = const plain_reads>
    bool step(walk& w, Read&& read = {}) const {
        const trie_node& n = read(trie, w.node);
        const unsigned from = w.done + n.skip;
        const std::uint32_t number = number_at(w, from, n.branch);
        read.tell([&](auto& step) {
            step.looks_at(from, n.branch);
            step.key = number;
        });
        w.node = n.at + number;
        w.done = from + n.branch;
        // All ones at a leaf. Compilers would turn a comparison into a branch.
        const std::uint64_t is_leaf = (std::uint64_t{n.branch} - 1) >> 63;
        const auto child = reinterpret_cast<std::uintptr_t>(trie + w.node);
        const auto entry = reinterpret_cast<std::uintptr_t>(base + w.node);
        __builtin_prefetch(reinterpret_cast<const void*>(child ^ ((child ^ entry) & (0 - is_leaf))));
        return is_leaf == 0;
    }
    template <class Read = const plain_reads>
    next_hop answer(const walk& w, Read&& read = {}) const {
        const auto tell = [&read](unsigned length, bool is_match) {
            read.tell([&](auto& step) {
                step.looks_at(0, length);
                if (!is_match)
                    step.misses();
            });
        };
        const base_entry<A>& entry = read(base, w.node);
        const auto differing = w.address.value ^ entry.string.value;
        const bool is_found = shift_right(differing, A::bits - entry.length) == 0;
        tell(entry.length, is_found);
        if (is_found)
            return entry.hop;
        std::uint32_t at = entry.chain;
        for (const unsigned common = common_length(w.address, entry.string); at != no_prefix;) {
            const prefix_entry& cover = read(prefixes, at);
            tell(cover.length, cover.length <= common);
            if (cover.length <= common)
                return cover.hop;
            at = cover.shorter;
        }
        return next_hop::none;
    }

  private:
    // The `count` bits (at most 31) after the first `from` bits. Few descents read the second word.
    static std::uint32_t number_at(const walk& w, unsigned from, unsigned count) noexcept {
        if constexpr (A::bits > 64)
            if (from + count > 64) [[unlikely]]
                return static_cast<std::uint32_t>(slice(w.address, from, count));
        const std::uint64_t rest = w.high << (from % 64);
        return static_cast<std::uint32_t>(rest >> 1 >> (63 - count));
    }
};

} // namespace fingerpost::lc_trie
