// Schemes that show how they answer and what they consist of: for explanations, pictures and the depth
// figures of the papers, never for forwarding.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fingerpost/base/function_ref.hpp"
#include "fingerpost/fib/scheme.hpp"

namespace fingerpost {

// What a step compares with the bits of the address that it looks at.
enum class compared : std::uint8_t {
    nothing, // the bits are an index
    keys,    // numbers in ascending order, or one number
    bitmap,  // words whose set bits are counted
};
// What comes of a step.
enum class outcome : std::uint8_t {
    goes_on,  // to the next step
    answered, // with a next hop, or with none
    missed,   // nothing here; the lookup goes on with what it has or turns back
};

// The bits of a bitmap that a step counts to find what it reads next.
struct bit_count {
    unsigned first_word = 0; // of the step's values, and how many words the bitmap has; 0: none is counted
    unsigned words = 0;
    std::uint64_t base = 0; // base + rank is the number of the entry that the next step reads,
    std::uint64_t rank = 0; // where rank is how many set bits come before the one that leads there
    std::uint32_t unit = 0; // bytes between two entries: the next step reads within (base + rank) * unit on
};

// The bit of a bitmap of prefixes that stands for the longest one that covers the address.
struct matched_bit {
    unsigned bit = 0;    // of the step's values, 64 to a word
    unsigned length = 0; // how many of the bits that the step looks at belong to the prefix
    // The entry that holds its next hop, of a part, where the lookup only remembers it; else the part is
    // empty.
    std::string_view part{};
    std::uint64_t entry = 0;
};

// One read of one part of the FIB: a node, a run of slots, an entry. What a lookup reads of the FIB's own
// object and of its lists of arrays (pointers, sizes, masks) is no step; it is the same for all addresses.
struct trace_step {
    std::string_view part;    // as memory_parts() names it
    const void* at = nullptr; // the first byte that is read: tells cache lines apart
    std::uint64_t offset = 0; // of that byte within the part
    std::uint32_t bytes = 0;  // read
    unsigned first_bit = 0;   // of the address, from its top; and how many bits this step looks at
    unsigned bits = 0;
    compared with = compared::nothing;
    std::uint64_t key = 0;                   // what is sought among `values`, or the index
    std::span<const std::uint64_t> values{}; // keys or bitmap words; while the visitor is called
    outcome result = outcome::goes_on;
    bit_count counted{}; // where a bitmap leads on
    // Of bitmaps of prefixes, if one of them covers the address. Its next hop is `best`, or the answer of the
    // step to which `counted` leads.
    std::optional<matched_bit> matched{};
    next_hop best = next_hop::none; // the answer so far, after this step; none in schemes that keep none
};
using step_visitor = function_ref<void(const trace_step&)>;

// An address, or a key that is as long, as the number in a step: of more than 64 bits the first 64.
template <unsigned Bits>
constexpr std::uint64_t number_in_step(address<Bits> a) noexcept {
    if constexpr (Bits > 64)
        return top64(a);
    else
        return a.value;
}

// Calls the visitor for each step of a lookup, in order, and returns the answer of lookup(). Only the last
// step may have answered, and none leads on from there. Throws what the visitor throws, and std::bad_alloc.
// The FIB must not change meanwhile.
template <class S, class A>
concept traceable = scheme<S, A> && requires(const S s, A a, step_visitor each) {
    { s.trace(a, each) } -> std::same_as<next_hop>;
};

// A part of a FIB's memory: an array, or another part that has a name.
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

// What a node holds.
struct node_contents {
    // The next hop of a slot and of those behind it, up to the next that is listed; none where there is no
    // answer. Of a node without slots, the one in slot 0 is its own.
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
        // A bit for each slot; if not, for each prefix that is shorter than the node's bits: with v as the
        // number in its l bits it is bit 2^l + v.
        bool has_slots = true;
    };

    compared with = compared::nothing;
    // If the values are bitmaps of as many words each; none if they are not.
    std::vector<bitmap> bitmaps{};
    // Keys, each a number of as many bits as the node looks at (of more than 64 the first 64), or bitmap
    // words.
    std::vector<std::uint64_t> values{};
    std::size_t padding = 0;       // how many values, at the end, only fill the node up
    std::vector<answer> answers{}; // slots ascend
    std::vector<number> numbers{}; // what else it holds
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
    std::string_view part;    // as memory_parts() names it
    std::uint64_t bytes = 0;  // of the part that this node takes
    std::size_t children = 0; // nodes that are visited one level below it
    std::uint64_t offset = 0; // of its first byte within the part: steps that read the node read there
    std::uint64_t slot = 0;   // of the parent, that leads to this node; 0 where parents have no slots
    unsigned first_bit = 0;   // of addresses, that it looks at, and how many
    unsigned bits = 0;
    contents_reader contents = no_contents; // adds what the node holds; while the visitor is called
};
template <class A>
using node_visitor = function_ref<void(const structure_node<A>&)>;

// memory_parts() adds up to memory_bytes(). visit() calls the visitor for every node, each of them once,
// depth first: behind a node come its children, slots ascending, each followed by its own. So the parent of a
// node is the latest one of the level above. A node covers no address that its parent does not cover, and
// those at the root cover all that have an answer. Nodes of one part do not overlap. A step of trace() that
// reads a node reads bytes of it. The node covers the address, or this step or a later one misses: schemes
// that skip bits compare them later. Both throw std::bad_alloc. The FIB must not change meanwhile.
template <class S, class A>
concept visitable = scheme<S, A> && requires(const S s, node_visitor<A> each) {
    { s.memory_parts() } -> std::same_as<std::vector<memory_part>>;
    { s.visit(each) };
};

} // namespace fingerpost
