// Why an address gets its answer: the prefixes that cover it, the steps in which schemes find the longest
// one, and the structures that they walk. `fingerpost explain` prints and draws this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/net/text.hpp"
#include "fingerpost/values/column_type.hpp"

namespace fingerpost::cli {

struct covering_prefix {
    std::string prefix{};
    std::vector<std::string> values{}; // one for each column; the first is the next hop, which may be empty
};

// One read of a FIB. Numbers that are whole parts of the address are written in the form of its text.
struct explained_step {
    std::string part{};
    std::optional<std::size_t> node{}; // number of the node that is read; none for reads outside the nodes
    std::string kind{};                // of this node; empty without one
    unsigned level = 0;
    std::string prefix{}; // of its addresses; empty if they are not a prefix
    std::string range{};  // of its addresses as text
    // Where the node compares its prefix with the address: how many bits, those of the address, and whether
    // they match.
    unsigned compared_bits = 0;
    std::string compared_text{};
    bool is_in_prefix = false;
    std::optional<unsigned> branch{}; // the bit after them, where it chooses a child
    unsigned skipped = 0;             // bits between those of the step before and the one of this step
    std::uint64_t offset = 0;         // within the part
    std::uint32_t bytes = 0;          // read
    std::uint32_t in_line = 0;        // offset of the first byte in its cache line
    std::vector<std::size_t> lines{}; // cache lines, numbered from 1 in the order of their first reads
    unsigned first_bit = 0;
    unsigned bits = 0;
    std::string address_bits{}; // these bits of the address; empty if there are none
    compared with = compared::nothing;
    std::uint64_t slot = 0;            // the index as a number; of keys, how many are smaller
    std::string key{};                 // the sought key, or the index; empty if it is not known
    std::vector<std::string> values{}; // keys, or words of a bitmap
    std::size_t below = 0;             // the number of keys smaller than the sought one
    bool is_ascending = true;          // whether the values ascend
    bool is_cut = false;               // key and values are the first 64 bits of longer ones
    bool is_key = false;               // the sought key is among them; of a bitmap, the bit is set
    std::size_t set_bits = 0;          // of the bitmap
    // The bit of the key is not set, and the count leads to the run that begins before it.
    bool is_in_run = false;
    bit_count counted{};
    std::string counted_in{}; // the name of this bitmap in the node; empty if it has none
    std::optional<matched_bit> matched{};
    std::string matched_in{};         // the name of its bitmap
    std::string matched_prefix{};     // for which the bit stands
    std::uint64_t matched_slot = 0;   // the bit, from the first one of its bitmap
    bool misses_prefixes = false;     // it looks at a bitmap of prefixes, none of which covers the address
    std::string unset_in{};           // the bitmap whose bit is not set, which is why another is counted
    std::uint64_t counted_before = 0; // the bit up to which bits are counted, from the first counted word
    std::vector<std::size_t> node_words{}; // of a bitmap: which words of the node the values are
    std::optional<std::string> best{};     // the answer so far, if the lookup has one in hand
    outcome result = outcome::goes_on;
    // The number of the entry that the next step reads, in entries of that size; none after the last step.
    std::optional<std::uint64_t> next_entry{};
    std::string next_part{}; // the part that the next step reads; empty after the last step
    bool turns_back = false; // the next step reads a node nearer to the root

    // Whether set bits are counted up to the matched one.
    bool counts_to_match() const;
};

struct explained_answer {
    std::uint64_t slot = 0; // and the following slots, up to the next that is listed
    std::string text{};     // the next hop; empty: no answer
};

struct explained_bitmap {
    std::string name{};
    bool has_slots = true; // not a bit for each prefix: see node_contents
};

struct explained_node {
    std::size_t number = 0; // in the order of the visit
    std::optional<std::size_t> parent{};
    std::uint64_t slot = 0; // of the parent
    unsigned level = 0;
    std::string kind{};
    std::string part{};
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::string first{}; // the addresses that it covers
    std::string last{};
    std::string prefix{}; // of these addresses; empty if they are not a prefix
    unsigned first_bit = 0;
    unsigned bits = 0;
    compared with = compared::nothing;
    std::vector<std::string> values{};       // keys, or words of a bitmap in hexadecimal
    std::vector<std::uint64_t> words{};      // of a bitmap
    std::vector<explained_bitmap> bitmaps{}; // if the words are several bitmaps, or one that has a name
    std::size_t padding = 0;                 // values at the end that only fill the node up
    std::vector<explained_answer> answers{};
    std::vector<std::pair<std::string, std::uint64_t>> numbers{};
    std::size_t children = 0; // of the whole structure; those that are not listed are left out
    bool is_on_path = false;  // covers the address, or is read by the lookup
    bool is_route = false;    // its prefix is one of the listed routes
};

// All nodes, or, of a large structure, those that cover the address and the nearest children of each.
struct explained_structure {
    std::size_t nodes = 0; // of the whole
    bool is_whole = true;
    std::vector<explained_node> listed{}; // depth first, as visit() promises
};

struct explained_lookup {
    std::string_view scheme{};
    std::string_view summary{};
    std::size_t memory_bytes = 0; // of the whole FIB
    bool shows_steps = false;
    std::vector<explained_step> steps{};
    explained_structure structure{};

    std::size_t lines() const;        // the number of different lines
    std::uint64_t bytes_read() const; // bytes that are read twice count twice
};

struct shown_route {
    std::string prefix{};
    std::string next_hop{}; // may be empty
    unsigned depth = 0;     // the number of listed routes that cover it
    // The listed intervals that it spans.
    std::size_t first_interval = 0;
    std::size_t last_interval = 0;
};
struct shown_interval {
    std::string first{};
    std::string last{};
    std::string prefix{}; // the longest match; empty without one
    std::string next_hop{};
    bool has_address = false;
};
// A small table, or, of a large one, the routes and intervals around the address.
struct shown_table {
    std::size_t routes = 0; // of the whole
    bool is_whole = true;
    std::vector<shown_route> listed{};       // in prefix order
    std::vector<shown_interval> intervals{}; // ascending, without gaps
};

struct explanation {
    std::string input{}; // the address as the user wrote it
    std::string address{};
    fingerpost::family family = family::ipv6;
    std::vector<std::string> columns{};    // of values; at least one
    std::vector<column_type> types{};      // of the columns
    std::vector<covering_prefix> covers{}; // shortest first; the last one wins
    std::string first{};                   // the range of addresses around it with the same answer
    std::string last{};
    shown_table table{};
    std::vector<explained_lookup> lookups{}; // one for each scheme

    // `no route`, `next hop eth0`, or `64500, CH` with several columns; an empty value is a dash.
    std::string answer() const;
};

// A step in words: what it reads and compares, and where the lookup goes.
std::string sentence_of(const explained_step& step, const explanation& e);

// With `color`, the answer and the headings are highlighted for a terminal. In lines of at most `width`
// characters, as far as words permit; 0: of any width.
std::string as_text(const explanation& e, bool color, std::size_t width);
// One object for one question, an array for several.
std::string as_json(std::span<const explanation> explanations, bool is_array);

} // namespace fingerpost::cli
