// Schemes that expose their lookup steps and their structure, for explanations, pictures and the depth
// figures of papers, never for forwarding.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fingerpost/base/function_ref.hpp"
#include "fingerpost/fib/scheme.hpp"

namespace fingerpost {

// Kind of data that a step compares with the address bits that it reads.
enum class compared : std::uint8_t {
    nothing, // the bits are an index
    keys,    // numbers in ascending order, or one number
    bitmap,  // words whose set bits are counted
};
// Result of a step.
enum class outcome : std::uint8_t {
    goes_on,  // continues with the next step
    answered, // ends with a next hop or none
    missed,   // nothing here; the lookup continues with its current result or backtracks
};

// The bits of a bitmap that a step counts to find the next entry.
struct bit_count {
    unsigned first_word = 0; // among the step's values; words: size of the bitmap, 0 if none is counted
    unsigned words = 0;
    std::uint64_t base = 0; // base + rank is the number of the entry that the next step reads
    std::uint64_t rank = 0; // number of set bits before the one for the next entry
    std::uint32_t unit = 0; // bytes between two entries: the next step reads from (base + rank) * unit
};

// The bit in a bitmap of prefixes for the longest prefix that covers the address.
struct matched_bit {
    unsigned bit = 0;    // among the step's values, 64 to a word
    unsigned length = 0; // number of the step's bits that belong to the prefix
    // Part and number of the entry with the next hop, if the lookup only records its position. Otherwise the
    // part is empty.
    std::string_view part{};
    std::uint64_t entry = 0;
};

// One read in one part of the FIB: a node, a run of slots, or an entry. Reads of the FIB object and of its
// lists of arrays (pointers, sizes, masks) are not steps, because they are the same for all addresses.
struct trace_step {
    std::string_view part;    // a name of memory_parts()
    const void* at = nullptr; // the first byte read, which determines the cache line
    std::uint64_t offset = 0; // of this byte in the part
    std::uint32_t bytes = 0;  // number of bytes read
    unsigned first_bit = 0;   // in the address, from its top; bits: number of bits that this step reads
    unsigned bits = 0;
    compared with = compared::nothing;
    std::uint64_t key = 0;                   // the number sought among `values`, or the index
    std::span<const std::uint64_t> values{}; // keys or bitmap words; valid during the call of the visitor
    outcome result = outcome::goes_on;
    bit_count counted{}; // for a bitmap that leads to the next step
    // For a bitmap of prefixes, if one of them covers the address. Its next hop is `best`, or the result of
    // the step that `counted` leads to.
    std::optional<matched_bit> matched{};
    next_hop best = next_hop::none; // result so far, including this step; none in schemes that do not keep
                                    // one
};
using step_visitor = function_ref<void(const trace_step&)>;

// An address, or a key of the same length, as the number in a step: at most its first 64 bits.
template <unsigned Bits>
constexpr std::uint64_t number_in_step(address<Bits> a) noexcept {
    if constexpr (Bits > 64)
        return top64(a);
    else
        return a.value;
}

// Calls the visitor for each step of a lookup, in order, and returns the result of lookup(). Only the last
// step may have the outcome `answered`, and it leads nowhere. Throws exceptions from the visitor, and
// std::bad_alloc. The FIB must not change meanwhile.
template <class S, class A>
concept traceable = scheme<S, A> && requires(const S s, A a, step_visitor each) {
    { s.trace(a, each) } -> std::same_as<next_hop>;
};

// A part of a FIB's memory: an array, or another part with a name.
struct memory_part {
    std::string_view name;
    std::size_t bytes = 0;
};
template <class Parts>
constexpr std::size_t total_bytes(const Parts& parts) noexcept {
    std::size_t sum = 0;
    for (const memory_part& part : parts)
        sum += part.bytes;
    return sum;
}

// Contents of a node.
struct node_contents {
    // Next hop of a slot and of the slots after it, up to the next one in the list, or none. In a node
    // without slots, slot 0 is the node itself.
    struct answer {
        std::uint64_t slot = 0;
        next_hop hop = next_hop::none;
    };
    struct number {
        std::string_view name{}; // "base", "skip", ...
        std::uint64_t value = 0;
    };

    struct bitmap {
        std::string_view name{}; // "children", ...
        // True if there is one bit for each slot. Otherwise there is one for each prefix shorter than the
        // node's bits: a prefix of l bits with value v has bit 2^l + v.
        bool has_slots = true;
    };

    compared with = compared::nothing;
    // If the values are bitmaps, their descriptions. All have the same number of words.
    std::vector<bitmap> bitmaps{};
    // Keys, each a number with the node's number of bits (the first 64 if there are more), or bitmap words.
    std::vector<std::uint64_t> values{};
    std::size_t padding = 0;       // number of values at the end that only fill the node
    std::vector<answer> answers{}; // in ascending order of slots
    std::vector<number> numbers{}; // other contents
};
using contents_reader = function_ref<void(node_contents&)>;
inline constexpr auto no_contents = [](node_contents&) {};

// A node of the structure, with the addresses that it covers.
template <class A>
struct structure_node {
    A first{};
    A last{};
    unsigned level = 0;       // 0 at the root
    std::string_view kind;    // "node", "leaf", ...
    std::string_view part;    // a name of memory_parts()
    std::uint64_t bytes = 0;  // size of this node in the part
    std::size_t children = 0; // number of nodes that are visited one level below it
    std::uint64_t offset = 0; // of its first byte in the part; steps that read the node read there
    std::uint64_t slot = 0;   // slot of the parent that leads to this node; 0 if parents have no slots
    unsigned first_bit = 0;   // first address bit that it reads; bits: number of bits
    unsigned bits = 0;
    contents_reader contents = no_contents; // fills in the contents; valid during the call of the visitor
};
template <class A>
using node_visitor = function_ref<void(const structure_node<A>&)>;

// memory_parts() add up to memory_bytes(). visit() calls the visitor once for every node, depth first: a node
// is followed by its children in ascending order of slots, each followed by its own children. So the parent
// of a node is the most recent one of the level above. A node covers no address that its parent does not
// cover, and the roots cover all addresses with a next hop. Nodes of one part do not overlap. A step of
// trace() that reads a node reads bytes in it. The node covers the address, or this or a later step misses,
// because schemes that skip bits compare them later. Both functions throw std::bad_alloc. The FIB must not
// change meanwhile.
template <class S, class A>
concept visitable = scheme<S, A> && requires(const S s, node_visitor<A> each) {
    { s.memory_parts() } -> std::same_as<std::vector<memory_part>>;
    { s.visit(each) };
};

} // namespace fingerpost
