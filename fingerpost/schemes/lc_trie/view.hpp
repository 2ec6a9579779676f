// What lookups read of an LC-trie, and the steps that they take.
#pragma once

#include <cstdint>

#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost::lc_trie {

// Where `branch` is 0, `at` is the number of an entry of the base vector, else of the first of 2^branch
// children. `skip` bits of the address, which are the same for all that is below, come before them.
struct trie_node {
    std::uint32_t at = 0;
    std::uint8_t branch = 0;
    std::uint8_t skip = 0;
    std::uint16_t unused = 0;
};
static_assert(sizeof(trie_node) == 8);

inline constexpr std::uint32_t no_prefix = 0xffffffff;

// A route that covers no other one. `chain` begins the list of the routes that cover it.
template <class A>
struct base_entry {
    A string;
    next_hop hop;
    std::uint32_t chain = no_prefix;
    std::uint8_t length = 0;
};
static_assert(sizeof(base_entry<ipv4_address>) == 16 && sizeof(base_entry<ipv6_address>) == 32);

// A route that covers others; its bits are the first ones of each of these.
struct prefix_entry {
    next_hop hop;
    std::uint32_t shorter = no_prefix;
    std::uint8_t length = 0;
};
static_assert(sizeof(prefix_entry) == 12);

template <class A>
struct lc_trie_view {
    using value = typename A::value_type;

    const trie_node* trie;
    const base_entry<A>* base;
    const prefix_entry* prefixes;

    struct walk {
        A address;
        value rest; // the bits not looked at, from the top of the word
        std::uint32_t node = 0;
    };
    walk start(A a) const noexcept {
        constexpr unsigned unused = sizeof(value) * 8 - A::bits;
        return {a, static_cast<value>(a.value << unused)};
    }
    // One node down; false at a leaf. The entry of a leaf is asked for, as are children.
    bool step(walk& w) const noexcept {
        const trie_node here = trie[w.node];
        if (here.branch == 0) {
            __builtin_prefetch(&base[here.at]);
            return false;
        }
        w.rest = static_cast<value>(w.rest << here.skip);
        w.node = here.at + child(w.rest, here.branch);
        w.rest = static_cast<value>(w.rest << here.branch);
        __builtin_prefetch(&trie[w.node]);
        return true;
    }
    next_hop answer(const walk& w) const noexcept {
        const base_entry<A>& found = base[trie[w.node].at];
        const value differing = w.address.value ^ found.string.value;
        if (shift_right(differing, A::bits - found.length) == 0)
            return found.hop;
        std::uint32_t at = found.chain;
        for (const unsigned common = common_length(w.address, found.string); at != no_prefix;
             at = prefixes[at].shorter)
            if (prefixes[at].length <= common)
                return prefixes[at].hop;
        return next_hop::none;
    }

  private:
    // At least one bit and at most 31.
    static std::uint32_t child(value rest, unsigned branch) noexcept {
        if constexpr (sizeof(value) > 8)
            return static_cast<std::uint32_t>(static_cast<std::uint64_t>(rest >> 64) >> (64 - branch));
        else
            return static_cast<std::uint32_t>(rest >> (sizeof(value) * 8 - branch));
    }
};

} // namespace fingerpost::lc_trie
