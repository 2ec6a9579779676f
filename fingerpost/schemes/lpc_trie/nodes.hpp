// The nodes of the trie and their memory. See lpc_trie.hpp for the algorithms.
//
//      tnode  key | parent | empty, full | pos, bits, suffix ] slot slot ... slot    24 or 32 B + 8 B a slot
//      slot   offset | pos, bits, suffix, there                                       stored in the parent
//      of a node leaf   key | next hop | next alias | suffix                                   16 B, 32 B for
//      128 bits alias  next hop | next alias | suffix                                         12 B
//
// A tnode has 2^bits slots. Its index field is the `bits` bits of an address above the lowest `pos`; its key
// has the bits above the field and zeros below. A leaf has all routes whose base is its key. The *suffix* of
// a route is the number of free bits of its prefix. The suffix in a leaf's slot is the longest one of its
// routes. The suffix in a tnode's slot is the longest one below it, and at least `pos`.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/base/node_pool.hpp"
#include "fingerpost/fib/parts/memory/block_pool.hpp"
#include "fingerpost/net/route.hpp"

namespace fingerpost::lpc_trie {

inline constexpr std::uint32_t nil = 0xffffffff;

// The relation between a slot and its node.
enum class way : std::uint8_t {
    nowhere, // no node
    skips,   // bits are skipped, so an address must be compared with the node's key
    follows, // no bits are skipped: the node's field starts where the parent's ends
};

// All zeros without a node.
struct slot {
    std::uint32_t offset = 0; // a tnode's first word or a leaf's number
    std::uint8_t pos = 0;
    std::uint8_t bits = 0; // 0 for a leaf
    std::uint8_t suffix = 0;
    way to = way::nowhere;

    bool there() const noexcept { return to != way::nowhere; }
    bool is_leaf() const noexcept { return bits == 0; }
};
static_assert(sizeof(slot) == 8);

// `unused`, here and below, makes the padding explicit, because files must not contain padding.
template <class A>
struct header {
    typename A::value_type key = 0;
    std::uint32_t parent = nil;
    std::uint32_t empty = 0; // number of slots without a node
    std::uint32_t full = 0;  // number of slots with a tnode whose field follows directly
    std::uint8_t pos = 0;
    std::uint8_t bits = 0;
    std::uint8_t suffix = 0;
    std::uint8_t unused = 0;

    std::uint32_t slots() const noexcept { return std::uint32_t{1} << bits; }
    std::uint32_t used_slots() const noexcept { return slots() - empty; }
    bool is_full(const slot& s) const noexcept { return s.bits != 0 && s.pos + s.bits == pos; }
    // Requires an address whose bits above the field equal those of the key.
    std::uint32_t index_of(typename A::value_type a) const noexcept {
        return static_cast<std::uint32_t>(static_cast<typename A::value_type>(a ^ key) >> pos);
    }
};

template <class A>
struct nodes {
    using value = typename A::value_type;
    using head = header<A>;
    using word = std::uint64_t;

    static constexpr std::uint32_t head_words = (sizeof(head) + sizeof(word) - 1) / sizeof(word);
    // Limit for every node. Filling such a node takes 2^23 neighbours.
    static constexpr unsigned most_bits = std::min(A::bits, 24u);
    static constexpr std::uint32_t words_of(unsigned bits) noexcept {
        return head_words + (std::uint32_t{1} << bits);
    }

    struct leaf {
        value key = 0;
        next_hop hop = next_hop::none; // next hop of the route with the shortest suffix
        std::uint32_t next = nil;      // list of the other routes, with ascending suffixes
        std::uint8_t suffix = 0;
        std::uint8_t unused[A::bits > 32 ? 7 : 3] = {};
    };
    struct alias {
        next_hop hop = next_hop::none;
        std::uint32_t next = nil;
        std::uint8_t suffix = 0;
        std::uint8_t unused[3] = {};
    };
    static_assert(sizeof(leaf) == (A::bits <= 32 ? 16 : A::bits <= 64 ? 24 : 32) && sizeof(alias) == 12);

    // Block sizes for tnodes.
    struct tnode_sizes {
        static constexpr std::uint32_t count = most_bits;
        static constexpr bool can_cut = false;
        static constexpr std::size_t smallest_step = 64;
        static constexpr std::uint32_t number_of(std::uint32_t words) noexcept {
            return static_cast<std::uint32_t>(std::bit_width(words - head_words)) - 2;
        }
        static constexpr std::uint32_t elements_of(std::uint32_t number) noexcept {
            return words_of(number + 1);
        }
    };
    using tnode_pool = block_pool<word, words_of(most_bits), tnode_sizes>;
    static constexpr std::size_t most = node_pool<leaf>::most;

    // Sets the maximum number of leaves and of words of tnodes.
    explicit nodes(std::size_t most_nodes = most) noexcept
        : tnodes(most_nodes), leaves(most_nodes), aliases(most_nodes) {}

    head head_of(std::uint32_t tnode) const noexcept {
        head h;
        std::memcpy(static_cast<void*>(&h), tnodes.at(tnode), sizeof h);
        return h;
    }
    void set_head(std::uint32_t tnode, const head& h) noexcept {
        std::memcpy(tnodes.at(tnode), &h, sizeof h);
    }
    slot child(std::uint32_t tnode, std::uint32_t i) const noexcept {
        return std::bit_cast<slot>(*slot_at(tnode, i));
    }
    const word* slot_at(std::uint32_t tnode, std::uint32_t i) const noexcept {
        return tnodes.at(tnode) + head_words + i;
    }
    value key_of(const slot& s) const noexcept {
        return s.is_leaf() ? leaves[s.offset].key : head_of(s.offset).key;
    }
    static slot slot_of(std::uint32_t tnode, const head& h) noexcept {
        return {tnode, h.pos, h.bits, h.suffix, way::skips};
    }

    // Makes a tnode without children. `below` is any address below it. Returns nil if none is left.
    std::uint32_t make_tnode(value below, unsigned pos, unsigned bits, std::uint32_t parent) noexcept {
        const std::uint32_t number = tnodes.allocate(words_of(bits));
        if (number == nil)
            return nil;
        head h;
        h.key = static_cast<value>(below & ~low_mask<value>(pos + bits));
        h.parent = parent;
        h.empty = std::uint32_t{1} << bits;
        h.pos = h.suffix = static_cast<std::uint8_t>(pos);
        h.bits = static_cast<std::uint8_t>(bits);
        set_head(number, h);
        return number;
    }
    void release_tnode(std::uint32_t tnode, unsigned bits) noexcept { tnodes.release(tnode, words_of(bits)); }

    // Overwrites a slot without updating the counts, for a slot with the same node but another suffix.
    void write(std::uint32_t tnode, std::uint32_t i, const slot& s) noexcept {
        tnodes.at(tnode)[head_words + i] = std::bit_cast<word>(s);
    }
    // Puts a node, or none, into a slot of a tnode. The caller must store the header.
    void put(head& h, std::uint32_t tnode, std::uint32_t i, slot s) noexcept {
        const slot old = child(tnode, i);
        if (s.there())
            s.to = h.is_full(s) ? way::follows : way::skips;
        h.empty = h.empty + std::uint32_t{old.there()} - std::uint32_t{s.there()};
        h.full = h.full + std::uint32_t{h.is_full(s)} - std::uint32_t{h.is_full(old)};
        write(tnode, i, s);
        if (s.bits != 0) {
            head below = head_of(s.offset);
            below.parent = tnode;
            set_head(s.offset, below);
        }
    }
    // Fills an empty slot of a tnode under construction. The caller must store the header.
    void add(head& h, std::uint32_t tnode, std::uint32_t i, const slot& s) noexcept {
        put(h, tnode, i, s);
        h.suffix = std::max(h.suffix, s.suffix);
    }
    static way way_to_root(const slot& s) noexcept {
        return s.pos + s.bits == A::bits ? way::follows : way::skips;
    }
    // Overwrites the slot of a parent, or the root if there is no parent.
    void replace(std::uint32_t parent, std::uint32_t i, const slot& s) noexcept {
        if (parent != nil) {
            head h = head_of(parent);
            put(h, parent, i, s);
            set_head(parent, h);
            return;
        }
        root = s;
        if (s.bits != 0) {
            root.to = way_to_root(s);
            head h = head_of(s.offset);
            h.parent = nil;
            set_head(s.offset, h);
        }
    }
    std::uint32_t index_in_parent(const head& h) const noexcept {
        return h.parent == nil ? 0 : head_of(h.parent).index_of(h.key);
    }
    slot slot_in(std::uint32_t parent, std::uint32_t i) const noexcept {
        return parent == nil ? root : child(parent, i);
    }
    // Sets the suffix of the node in this slot.
    void set_slot_suffix(std::uint32_t parent, std::uint32_t i, unsigned suffix) noexcept {
        slot s = slot_in(parent, i);
        s.suffix = static_cast<std::uint8_t>(suffix);
        if (parent == nil)
            root = s;
        else
            write(parent, i, s);
    }

    void swap(nodes& other) noexcept {
        std::swap(tnodes, other.tnodes);
        std::swap(leaves, other.leaves);
        std::swap(aliases, other.aliases);
        std::swap(root, other.root);
    }

    tnode_pool tnodes;
    node_pool<leaf> leaves;
    node_pool<alias> aliases;
    slot root;
};

} // namespace fingerpost::lpc_trie
