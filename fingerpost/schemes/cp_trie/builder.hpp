// Builds the bitmaps from the routes, as a leaf-pushed trie level by level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/parts/multibit/expanded_slots.hpp"
#include "fingerpost/schemes/cp_trie/view.hpp"

namespace fingerpost::cp_trie {

// The bits of all blocks in order, and the codes of the leaves. With runs, the bit of a leaf is set if its
// code differs from that of the leaf before it, and slots without a route are leaves with code 0. Without
// runs, each slot that a route covers is a leaf, and code 0 precedes the other codes.
struct built_blocks {
    std::vector<std::uint64_t> children;
    std::vector<std::uint64_t> leaves;
    std::vector<std::uint32_t> codes;
    std::vector<std::size_t> level_nodes; // nodes of each level below the root
};

template <class A, unsigned First, unsigned Stride>
class block_builder {
  public:
    block_builder(const next_hop_codec& codec, bool runs) : codec_(codec), runs_(runs) {
        if (!runs)
            out_.codes.push_back(0);
    }

    // Throws std::bad_alloc.
    built_blocks build(std::span<const route<A>> sorted) {
        const bool has_default = !sorted.empty() && sorted.front().where.length == 0;
        std::vector<pending> level{
            {sorted.subspan(has_default ? 1 : 0), has_default ? codec_.encode(sorted.front().hop) : 0}};
        add_nodes(level, 0, First);
        for (unsigned length = First; !next_.empty(); length += Stride) {
            level.swap(next_);
            next_.clear();
            out_.level_nodes.push_back(level.size());
            add_nodes(level, length, Stride);
        }
        return std::move(out_);
    }

    // The root occupies this many node numbers.
    static constexpr std::size_t root_nodes =
        First > slot_bits ? std::size_t{1} << (First - slot_bits) : std::size_t{1};

  private:
    // A node to be built: the routes below it, and the answer of its own prefix.
    struct pending {
        std::span<const route<A>> inside;
        std::uint32_t code;
    };

    void add_nodes(std::span<const pending> level, unsigned length, unsigned stride) {
        const std::size_t slots = (length == 0 ? root_nodes : 1) << slot_bits;
        for (const pending& node : level) {
            const std::size_t from = out_.children.size() * block_slots;
            out_.children.resize((from + slots) / block_slots);
            out_.leaves.resize((from + slots) / block_slots);
            slots_.expand(node.inside, length, stride, [&](const slot_run<A>& run) {
                const std::uint32_t code = run.best != nullptr ? codec_.encode(run.best->hop) : node.code;
                if (!run.longer.empty()) {
                    set(out_.children, from + run.first);
                    next_.push_back({run.longer, code});
                } else if (runs_) {
                    add_run(from + run.first, code);
                } else if (code != 0) {
                    for (std::uint32_t i = 0; i < run.count; ++i)
                        set(out_.leaves, from + run.first + i);
                    out_.codes.insert(out_.codes.end(), run.count, code);
                }
            });
        }
    }
    void add_run(std::size_t slot, std::uint32_t code) {
        if (!out_.codes.empty() && out_.codes.back() == code)
            return;
        set(out_.leaves, slot);
        out_.codes.push_back(code);
    }
    static void set(std::vector<std::uint64_t>& bits, std::size_t slot) {
        bits[slot / block_slots] |= std::uint64_t{1} << slot % block_slots;
    }

    const next_hop_codec& codec_;
    bool runs_;
    built_blocks out_;
    std::vector<pending> next_;
    slot_expander<A> slots_;
};

} // namespace fingerpost::cp_trie
