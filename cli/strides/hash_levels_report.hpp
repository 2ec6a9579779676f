// The output of `fingerpost lab strides --hash`: the best levels for a binary search on lengths, as in Table
// 11 of Srinivasan and Varghese.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fingerpost/net/route.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::cli {

struct hashed_levels {
    unsigned levels = 0;
    bool first_is_array = false; // the first level is a table of all addresses, not a hash table
    bool is_given = false;       // the user chose the lengths
    bool is_possible = false;
    bool is_bound = false; // upper bound: the true number of keys may be smaller
    std::vector<std::uint8_t> lengths{};
    double keys = 0; // including markers; number of slots for an array
    double markers = 0;
    double bytes = 0;
    double milliseconds = 0; // running time of this dynamic program
};
struct family_levels {
    family kind = family::ipv6;
    std::size_t routes = 0;
    std::size_t longer = 0;        // routes beyond /64, which no level serves
    double count_milliseconds = 0; // running time of counting, which all programs share
    std::vector<hashed_levels> plans{};
};

struct level_choice {
    unsigned first = 2; // number of levels
    unsigned last = 7;
    unsigned widest_array = 24;          // in bits
    std::vector<std::uint8_t> lengths{}; // lengths of one additional plan, if any
};

// Computes plans with all levels hashed, and with an array. Throws std::bad_alloc.
template <class A>
family_levels measure_levels(const std::vector<route<A>>& routes, const level_choice& choice);

std::string levels_text(const std::vector<family_levels>& families);
std::string levels_csv(const std::vector<family_levels>& families);
std::string levels_json(const std::vector<family_levels>& families);

} // namespace fingerpost::cli
