// The lines of one tier of packed leaves, the builder that fills them, and the map from cells to their
// blocks.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/coded_intervals.hpp"
#include "fingerpost/simd/packed.hpp"

namespace fingerpost {

// A block: the intervals of one cell (the addresses that share the bits before the key), under one first
// node.
template <class A>
struct block_place {
    A cell;
    const std::byte* node;
};

struct packed_lines {
    aligned_array<std::byte> nodes;
    aligned_array<std::byte> leaves;
    unsigned key_bytes = 1;
    unsigned levels = 1;

    // Where an address goes that needs no block: through nodes without keys to a leaf with code 0.
    const std::byte* done() const noexcept { return nodes.data() + simd::packed_done_bit; }
    std::size_t memory_bytes() const noexcept { return nodes.memory_bytes() + leaves.memory_bytes(); }
};

namespace detail {

// A number of one, two or four bytes in host order.
inline void put_number(std::byte* at, std::uint32_t value, unsigned bytes) {
    if (bytes == 1) {
        const auto narrow = static_cast<std::uint8_t>(value);
        std::memcpy(at, &narrow, 1);
    } else if (bytes == 2) {
        const auto narrow = static_cast<std::uint16_t>(value);
        std::memcpy(at, &narrow, 2);
    } else {
        std::memcpy(at, &value, 4);
    }
}

// Counts the lines of all blocks first and then writes them, so that each array is allocated once.
class line_writer {
  public:
    line_writer(unsigned key_bytes, unsigned answer_bytes, bool signed_keys)
        : shape_(simd::shape_of(key_bytes, answer_bytes)), key_bytes_(key_bytes), answer_bytes_(answer_bytes),
          flip_(signed_keys ? std::uint32_t{1} << (8 * key_bytes - 1) : 0) {}

    std::size_t leaves_of(std::size_t intervals) const {
        return (intervals + shape_.leaf_intervals() - 1) / shape_.leaf_intervals();
    }
    unsigned levels_of(std::size_t leaves) const {
        unsigned levels = 1;
        for (std::size_t reach = shape_.node_children(); reach < leaves; reach *= shape_.node_children())
            ++levels;
        return levels;
    }
    std::size_t nodes_of(std::size_t leaves, unsigned levels) const {
        std::size_t nodes = 0;
        for (std::size_t below = leaves; levels > 0; --levels)
            nodes += below = parents_of(below);
        return nodes;
    }

    // Before the first block's nodes lies the way of lanes that are done: a node without keys for each level,
    // the first of them half a node off, and before the first leaf one with code 0.
    errc allocate(packed_lines& lines, std::size_t leaves, std::size_t nodes) {
        const std::size_t done_nodes = lines.levels + 1;
        auto leaf_memory = aligned_array<std::byte>::make((leaves + 1) * simd::packed_line);
        auto node_memory = aligned_array<std::byte>::make((nodes + done_nodes) * simd::packed_line);
        if (!leaf_memory || !node_memory)
            return errc::out_of_memory;
        lines.leaves = std::move(*leaf_memory);
        lines.nodes = std::move(*node_memory);
        no_keys(lines.leaves.data(), shape_.leaf_keys, 0);
        std::byte* node = lines.nodes.data() + simd::packed_done_bit;
        for (unsigned level = 0; level < lines.levels; ++level, node += simd::packed_line) {
            no_keys(node, shape_.node_keys, 0);
            const bool last = level + 1 == lines.levels;
            put_address(node + simd::packed_shape::base_at,
                        last ? lines.leaves.data() : node + simd::packed_line);
        }
        next_leaf_ = lines.leaves.data() + simd::packed_line;
        next_node_ = lines.nodes.data() + done_nodes * simd::packed_line;
        return errc::ok;
    }

    // Returns the block's first node.
    const std::byte* write(unsigned levels, std::span<const std::uint32_t> ends,
                           std::span<const std::uint32_t> codes) {
        children_.clear();
        const std::byte* first_child = next_leaf_;
        for (std::size_t i = 0; i < ends.size(); i += shape_.leaf_intervals()) {
            const std::size_t count = std::min<std::size_t>(shape_.leaf_intervals(), ends.size() - i);
            put_keys(next_leaf_, ends.subspan(i, count - 1), shape_.leaf_keys);
            for (std::size_t k = 0; k < count; ++k)
                put_number(next_leaf_ + shape_.answers_at + k * answer_bytes_, codes[i + k], answer_bytes_);
            children_.push_back(ends[i + count - 1]);
            next_leaf_ += simd::packed_line;
        }
        for (unsigned level = 0; level < levels; ++level)
            first_child = write_parents(first_child);
        return first_child;
    }

  private:
    std::size_t parents_of(std::size_t children) const {
        return (children + shape_.node_children() - 1) / shape_.node_children();
    }

    // One level of nodes over children_, which is replaced by the nodes' own ends.
    const std::byte* write_parents(const std::byte* first_child) {
        const std::byte* const first = next_node_;
        std::vector<std::uint32_t> parents;
        for (std::size_t i = 0; i < children_.size(); i += shape_.node_children()) {
            const std::size_t count = std::min<std::size_t>(shape_.node_children(), children_.size() - i);
            put_keys(next_node_, std::span(children_).subspan(i, count - 1), shape_.node_keys);
            put_address(next_node_ + simd::packed_shape::base_at, first_child + i * simd::packed_line);
            parents.push_back(children_[i + count - 1]);
            next_node_ += simd::packed_line;
        }
        children_ = std::move(parents);
        return first;
    }

    void put_keys(std::byte* line, std::span<const std::uint32_t> keys, unsigned slots) {
        for (std::size_t k = 0; k < keys.size(); ++k)
            put_number(line + k * key_bytes_, keys[k] ^ flip_, key_bytes_);
        no_keys(line, slots, static_cast<unsigned>(keys.size()));
    }
    // All ones is never below anything.
    void no_keys(std::byte* line, unsigned slots, unsigned from) {
        for (unsigned k = from; k < slots; ++k)
            put_number(line + k * key_bytes_, ~std::uint32_t{0} ^ flip_, key_bytes_);
    }

    static void put_address(std::byte* at, const std::byte* address) {
        std::memcpy(at, &address, sizeof address);
    }

    simd::packed_shape shape_;
    unsigned key_bytes_;
    unsigned answer_bytes_;
    std::uint32_t flip_;
    std::byte* next_leaf_ = nullptr;
    std::byte* next_node_ = nullptr;
    std::vector<std::uint32_t> children_; // the last key of each child of the level being built
};

// Where each block of `intervals` ends: one past its last interval. Blocks are cells of `outer` bits.
template <class A>
std::vector<std::size_t> block_ends(const coded_intervals<A>& intervals, unsigned outer) {
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < intervals.size(); ++i)
        if (intervals.ends[i] == cell_last(intervals.ends[i], outer))
            ends.push_back(i + 1);
    return ends;
}

} // namespace detail

// Fills the lines of one tier. `intervals` covers cells of `outer` bits, each wholly, with ends that the
// key_bytes after those bits tell apart. `places` becomes the list of blocks, in address order.
template <class A>
expected<packed_lines> pack_lines(const coded_intervals<A>& intervals, unsigned outer, unsigned key_bytes,
                                  unsigned answer_bytes, bool signed_keys,
                                  std::vector<block_place<A>>& places) {
    const auto blocks = detail::block_ends(intervals, outer);
    detail::line_writer writer(key_bytes, answer_bytes, signed_keys);
    packed_lines lines;
    lines.key_bytes = key_bytes;
    std::size_t leaves = 0;
    std::size_t begin = 0;
    for (std::size_t end : blocks) {
        leaves += writer.leaves_of(end - begin);
        lines.levels = std::max(lines.levels, writer.levels_of(writer.leaves_of(end - begin)));
        begin = end;
    }
    if (lines.levels > simd::packed_kernels::most_levels)
        return unexpected{errc::capacity};
    std::size_t nodes = 0;
    begin = 0;
    for (std::size_t end : blocks) {
        nodes += writer.nodes_of(writer.leaves_of(end - begin), lines.levels);
        begin = end;
    }
    if (errc failure = writer.allocate(lines, leaves, nodes); failure != errc::ok)
        return unexpected{failure};

    places.clear();
    places.reserve(blocks.size());
    std::vector<std::uint32_t> keys;
    begin = 0;
    for (std::size_t end : blocks) {
        keys.clear();
        for (std::size_t i = begin; i < end; ++i)
            keys.push_back(static_cast<std::uint32_t>(slice(intervals.ends[i], outer, 8 * key_bytes)));
        const auto codes = std::span(intervals.codes).subspan(begin, end - begin);
        places.push_back({cell_first(intervals.ends[begin], outer), writer.write(lines.levels, keys, codes)});
        begin = end;
    }
    return lines;
}

// From the first bits of an address to the block of its cell: open addressing, at most half full.
template <class A>
class cell_map {
  public:
    cell_map() = default;
    cell_map(std::span<const block_place<A>> places, unsigned bits) : bits_(bits) {
        std::size_t size = 2;
        while (size < 2 * places.size())
            size *= 2;
        slots_.resize(size);
        for (const auto& place : places) {
            std::size_t at = home(place.cell);
            while (slots_[at].node != nullptr)
                at = (at + 1) & (slots_.size() - 1);
            slots_[at] = place;
        }
    }

    // The first node of the block; `a` must be of a cell that has one.
    const std::byte* find(A a) const noexcept {
        const A cell = cell_first(a, bits_);
        std::size_t at = home(cell);
        while (slots_[at].cell != cell || slots_[at].node == nullptr)
            at = (at + 1) & (slots_.size() - 1);
        return slots_[at].node;
    }
    std::size_t memory_bytes() const noexcept { return slots_.size() * sizeof(block_place<A>); }

  private:
    std::size_t home(A cell) const noexcept {
        // Multiply-shift over both halves; the odd constants are 2^64 divided by the golden ratio and by pi.
        const std::uint64_t mixed =
            (top64(cell) ^ bottom64(cell) * 0x517cc1b727220a95u) * 0x9e3779b97f4a7c15u;
        return static_cast<std::size_t>(mixed >> 32) & (slots_.size() - 1);
    }

    std::vector<block_place<A>> slots_; // free ones have no node
    unsigned bits_ = 0;
};

} // namespace fingerpost
