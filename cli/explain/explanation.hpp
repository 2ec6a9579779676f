// Why an address gets its answer: the prefixes that cover it, and the steps by which schemes find the longest
// of them. This is what `fingerpost explain` prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::cli {

struct covering_prefix {
    std::string prefix{};
    std::vector<std::string> values{}; // one for each column; the first is the next hop, which may be empty
};

// One read of a FIB. Numbers that are whole parts of the address are written in the form of its text.
struct explained_step {
    std::string part{};
    std::string kind{};               // of the node; empty if the scheme does not tell
    unsigned level = 0;               // of the node
    std::uint64_t offset = 0;         // within the part
    std::uint32_t bytes = 0;          // read
    std::vector<std::size_t> lines{}; // cache lines, numbered from 1 in the order of their first reads
    unsigned first_bit = 0;
    unsigned bits = 0;
    std::string seen{}; // these bits of the address; empty if there are none
    compared with = compared::nothing;
    std::string key{};                 // the sought key, or the index; empty if it is not known
    std::vector<std::string> values{}; // keys, or words of a bitmap
    std::size_t below = 0;             // the number of keys smaller than the sought one
    bool is_ascending = true;          // whether the values ascend
    bool is_cut = false;               // key and values are the first 64 bits of longer ones
    bool is_key = false;               // the sought key is among them
    std::size_t set_bits = 0;          // of the bitmap
    outcome result = outcome::goes_on;
    std::uint64_t found = 0;
};

struct explained_lookup {
    std::string_view scheme{};
    std::string_view summary{};
    std::size_t memory_bytes = 0; // of the whole FIB
    bool shows_steps = false;
    std::vector<explained_step> steps{};

    std::size_t lines() const;        // the number of different lines
    std::uint64_t bytes_read() const; // bytes that are read twice count twice
};

struct explanation {
    std::string asked{}; // as it was given
    std::string address{};
    fingerpost::family family = family::ipv6;
    std::vector<std::string> columns{};    // of values; at least one
    std::vector<covering_prefix> covers{}; // shortest first; the last one wins
    std::string first{};                   // the range of addresses around it with the same answer
    std::string last{};
    std::vector<explained_lookup> lookups{}; // one for each scheme

    // `no route`, `next hop eth0`, with several columns `64500, CH`; a dash stands for an empty value.
    std::string answer() const;
};

// With `color`, the answer and the headings are highlighted for a terminal.
std::string as_text(const explanation& e, bool color);
// One object for one question, an array for several.
std::string as_json(std::span<const explanation> all, bool is_array);

} // namespace fingerpost::cli
