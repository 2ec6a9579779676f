// Measured sizes and probabilities of real tables for the clustered model, one set for each address family.
#pragma once

#include <cstdint>
#include <span>

#include "bench/workloads/generate/size_curve.hpp"

namespace fingerpost::bench {

// A block of the top level (an IPv6 /16, an IPv4 /8), and how many routes of the measured table start in it.
struct top_block {
    std::uint16_t number;
    std::uint16_t routes;
};

// For the blocks with up to `largest` routes, per mille: those with a route for the whole block (`whole`),
// those with a shorter route that starts there (`wider`), those with both.
struct head_chance {
    std::uint32_t largest;
    std::uint16_t whole;
    std::uint16_t wider;
    std::uint16_t both;
};

// The share, per mille, of runs of adjacent equal-length prefixes that have `shortest` to `longest` prefixes.
struct run_length {
    std::uint16_t permille;
    std::uint16_t shortest;
    std::uint16_t longest;
};

// Space is divided at three lengths: top blocks contain middle blocks (without a middle level both lengths
// are the same), middle blocks contain blocks, blocks contain sites. An IPv6 block is a /32, an IPv4 block a
// /16.
struct cluster_shape {
    std::uint8_t top_length;
    std::uint8_t middle_length;
    std::uint8_t block_length;
    std::uint8_t dominant_length; // the most frequent length, placed last in the remaining space
    std::uint32_t measured_routes;
    std::uint32_t blocks_per_head; // blocks for each 1000 prefixes between the middle and the block length
    std::uint32_t largest_block;   // a limit on the routes of one block
    std::span<const top_block> tops;
    std::span<const std::uint16_t> growing_tops; // registries' blocks that new top blocks follow
    std::span<const rank_size> middles;          // routes of a middle block; empty without a middle level
    std::span<const rank_size> blocks;           // routes of a block
    std::span<const head_chance> heads;
    std::span<const run_length> runs;
    std::span<const run_length> dominant_runs;
    std::uint32_t beside;        // a block lies right after another of its middle block, per mille
    std::uint32_t aligned_eight; // otherwise it starts at a multiple of eight blocks,
    std::uint32_t aligned_four;  // otherwise at a multiple of four, per mille of the rest
    std::uint32_t under_wider;   // a block that would be under a wider route of its middle block stays there
    std::uint32_t busy_wide; // a route wider than a middle block covers a random route, else a random middle
    std::uint32_t fills_block; // a group of one length takes the rest of a block
    std::uint32_t under_inner; // a run is placed under a longer-than-block route if its block has one
    std::uint32_t stays_inner; // a run with a random start that is under one by chance stays there
    std::uint32_t same_inner;  // the next run of that length lies under the same one
    std::uint32_t space_taken; // maximum share of a block's unused space that a group takes
    std::uint32_t full_sets;   // halves and quarters of a block come in full sets
    std::uint32_t follows;     // otherwise it starts where an earlier prefix of the block ends
    std::uint32_t at_base;     // a run that does not follow another starts where its cover or block starts
};

// Shapes for 128 and 32 bits.
const cluster_shape& shape_of(unsigned address_bits);

} // namespace fingerpost::bench
