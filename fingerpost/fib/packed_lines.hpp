// The cache lines of packed leaves: small trees of nodes and leaves, written side by side into one array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/coded_intervals.hpp"
#include "fingerpost/simd/packed.hpp"

namespace fingerpost {

// A number of one, two or four bytes in host order.
inline void put_code(std::byte* at, std::uint32_t value, unsigned bytes) {
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

// Places in the array are offsets in bytes, so that the array can be copied or mapped anywhere.
class line_writer {
  public:
    // `levels` is how many levels of nodes every tree will have. Reserves room for so many intervals.
    line_writer(unsigned answer_bytes, unsigned levels, std::size_t intervals)
        : shape_(simd::packed_leaf_for(answer_bytes)), answer_bytes_(answer_bytes), levels_(levels) {
        lines_.reserve(levels + 1 + intervals / shape_.intervals() * 9 / 8);
        // The way of lanes that are done, at the start: nodes without keys and a leaf with code 0.
        const std::uint32_t whole[] = {~std::uint32_t{0}};
        const std::uint32_t none[] = {0};
        (void)write(whole, none);
    }

    // How many intervals a tree can hold.
    std::size_t capacity() const noexcept { return capacity(levels_); }
    std::size_t capacity(unsigned levels) const noexcept {
        std::size_t most = shape_.intervals();
        while (levels-- > 0)
            most *= simd::packed_node::children;
        return most;
    }
    // Offsets have 32 bits; once they do not reach, what was written is of no use.
    bool full() const noexcept {
        return lines_.size() > std::numeric_limits<std::uint32_t>::max() / simd::packed_line;
    }

    // A tree over neighbouring intervals, the last of which reaches to the end of what the tree is asked for:
    // its end is not stored. `ends` are keys, the inclusive ends. Returns the place of its first node.
    std::uint32_t write(std::span<const std::uint32_t> ends, std::span<const std::uint32_t> codes) {
        const std::size_t per_leaf = shape_.intervals();
        const std::size_t leaves = (ends.size() + per_leaf - 1) / per_leaf;
        // Nodes come before what they lead to: first where each level starts, then the lines themselves.
        level_starts_.assign(levels_ + 1, 0);
        level_sizes_.assign(levels_ + 1, leaves);
        for (unsigned level = levels_; level-- > 0;)
            level_sizes_[level] = parents_of(level_sizes_[level + 1]);
        std::size_t next = lines_.size();
        for (unsigned level = 0; level <= levels_; ++level) {
            level_starts_[level] = next;
            next += level_sizes_[level];
        }
        lines_.resize(next);
        for (std::size_t leaf = 0; leaf < leaves; ++leaf)
            write_leaf(lines_[level_starts_[levels_] + leaf], ends, codes, leaf * per_leaf);
        std::size_t reach = per_leaf; // intervals under one child
        for (unsigned level = levels_; level-- > 0; reach *= simd::packed_node::children)
            for (std::size_t node = 0; node < level_sizes_[level]; ++node)
                write_node(level, node, ends, reach);
        return place_of(level_starts_[0]);
    }

    expected<aligned_array<std::byte>> finish() const {
        if (full())
            return unexpected{errc::capacity};
        auto memory = aligned_array<std::byte>::make(lines_.size() * simd::packed_line);
        if (memory)
            std::memcpy(memory->data(), lines_.data(), memory->size());
        return memory;
    }

  private:
    struct alignas(simd::packed_line) line {
        std::byte bytes[simd::packed_line];
    };

    static std::size_t parents_of(std::size_t children) {
        return (children + simd::packed_node::children - 1) / simd::packed_node::children;
    }
    static std::uint32_t place_of(std::size_t line) {
        return static_cast<std::uint32_t>(line * simd::packed_line);
    }
    static void put_key(line& to, std::size_t slot, std::uint32_t key) {
        std::memcpy(to.bytes + slot * sizeof key, &key, sizeof key);
    }

    void write_leaf(line& to, std::span<const std::uint32_t> ends, std::span<const std::uint32_t> codes,
                    std::size_t first) {
        const std::size_t count = std::min<std::size_t>(shape_.intervals(), ends.size() - first);
        // All ones is never below anything.
        std::memset(to.bytes, 0xff, shape_.keys * sizeof(std::uint32_t));
        std::memcpy(to.bytes, ends.data() + first, (count - 1) * sizeof(std::uint32_t));
        for (std::size_t i = 0; i < count; ++i)
            put_code(to.bytes + shape_.answers_at + i * answer_bytes_, codes[first + i], answer_bytes_);
    }
    void write_node(unsigned level, std::size_t node, std::span<const std::uint32_t> ends,
                    std::size_t reach) {
        constexpr std::size_t children = simd::packed_node::children;
        line& to = lines_[level_starts_[level] + node];
        std::memset(to.bytes, 0xff, simd::packed_node::keys * sizeof(std::uint32_t));
        const std::size_t count = std::min(children, level_sizes_[level + 1] - node * children);
        for (std::size_t child = 0; child + 1 < count; ++child)
            put_key(to, child, ends[(node * children + child + 1) * reach - 1]);
        put_key(to, simd::packed_node::keys, place_of(level_starts_[level + 1] + node * children));
    }

    simd::packed_leaf shape_;
    unsigned answer_bytes_;
    unsigned levels_;
    std::vector<line> lines_;
    std::vector<std::size_t> level_starts_; // of the tree being written, the leaves last
    std::vector<std::size_t> level_sizes_;
};

// From the first bits of an address to the tree of its cell: open addressing, at most half full.
template <class A>
class cell_map {
  public:
    struct slot {
        A cell;
        std::uint32_t node = 0; // 0 in a free slot: no tree lies there
    };

    cell_map() = default;
    cell_map(std::span<const slot> cells, unsigned bits) : bits_(bits) {
        std::size_t size = 2;
        while (size < 2 * cells.size())
            size *= 2;
        slots_.resize(size);
        for (const slot& one : cells)
            slots_[find_slot(one.cell)] = one;
    }

    // The first node of the cell's tree; `a` must be of a cell that has one.
    std::uint32_t find(A a) const noexcept {
        const A cell = cell_first(a, bits_);
        std::size_t at = home(cell);
        while (slots_[at].cell != cell || slots_[at].node == 0)
            at = (at + 1) & (slots_.size() - 1);
        return slots_[at].node;
    }
    void prefetch(A a) const noexcept { __builtin_prefetch(&slots_[home(cell_first(a, bits_))]); }
    std::size_t memory_bytes() const noexcept { return slots_.size() * sizeof(slot); }

  private:
    std::size_t find_slot(A cell) const noexcept {
        std::size_t at = home(cell);
        while (slots_[at].node != 0)
            at = (at + 1) & (slots_.size() - 1);
        return at;
    }
    std::size_t home(A cell) const noexcept {
        // Multiply-shift over both halves; the odd constants are 2^64 divided by the golden ratio and by pi.
        const std::uint64_t mixed =
            (top64(cell) ^ bottom64(cell) * 0x517cc1b727220a95u) * 0x9e3779b97f4a7c15u;
        return static_cast<std::size_t>(mixed >> 32) & (slots_.size() - 1);
    }

    std::vector<slot> slots_;
    unsigned bits_ = 0;
};

// A tier below the first: the cells of `outer` bits that finer boundaries cut, each with a tree over the 32
// bits that follow.
template <class A>
class packed_tier {
  public:
    static expected<packed_tier> make(const coded_intervals<A>& intervals, unsigned outer,
                                      unsigned answer_bytes) {
        packed_tier tier;
        tier.outer_ = outer;
        const auto ends = block_ends(intervals, outer);
        std::size_t largest = 0;
        std::size_t begin = 0;
        for (const std::size_t end : ends) {
            largest = std::max(largest, end - begin);
            begin = end;
        }
        tier.levels_ = 1;
        while (line_writer(answer_bytes, 0, 0).capacity(tier.levels_) < largest)
            ++tier.levels_;
        line_writer writer(answer_bytes, tier.levels_, intervals.size());
        std::vector<typename cell_map<A>::slot> cells;
        std::vector<std::uint32_t> keys;
        begin = 0;
        for (const std::size_t end : ends) {
            keys.clear();
            for (std::size_t i = begin; i < end; ++i)
                keys.push_back(tier.key_of(intervals.ends[i]));
            const auto codes = std::span(intervals.codes).subspan(begin, end - begin);
            cells.push_back({cell_first(intervals.ends[begin], outer), writer.write(keys, codes)});
            begin = end;
        }
        auto lines = writer.finish();
        if (!lines)
            return unexpected{lines.error()};
        tier.lines_ = std::move(*lines);
        tier.cells_ = cell_map<A>(cells, outer);
        return tier;
    }

    // The code minus one of an address whose cell is here.
    std::uint32_t find(A a, simd::packed_walk walk) const noexcept {
        return walk(lines_.data(), cells_.find(a), levels_, key_of(a));
    }
    void prefetch(A a) const noexcept { cells_.prefetch(a); }
    std::size_t memory_bytes() const noexcept { return lines_.memory_bytes() + cells_.memory_bytes(); }

  private:
    std::uint32_t key_of(A a) const noexcept {
        return static_cast<std::uint32_t>(slice(a, outer_, simd::packed_key_bits));
    }
    // One past the last interval of each cell.
    static std::vector<std::size_t> block_ends(const coded_intervals<A>& intervals, unsigned outer) {
        std::vector<std::size_t> ends;
        for (std::size_t i = 0; i < intervals.size(); ++i)
            if (intervals.ends[i] == cell_last(intervals.ends[i], outer))
                ends.push_back(i + 1);
        return ends;
    }

    unsigned outer_ = 0;
    unsigned levels_ = 1;
    aligned_array<std::byte> lines_;
    cell_map<A> cells_;
};

} // namespace fingerpost
