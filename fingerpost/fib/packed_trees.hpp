// The cache lines of packed leaves: small trees of nodes and leaves, side by side in one array.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/interval_run.hpp"
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
inline std::uint32_t get_code(const std::byte* at, unsigned bytes) {
    std::uint32_t value = 0;
    if constexpr (std::endian::native == std::endian::little)
        std::memcpy(&value, at, bytes);
    else
        std::memcpy(reinterpret_cast<std::byte*>(&value) + 4 - bytes, at, bytes);
    return value;
}

// Which parts of an array are free: pairs of place and size, ascending and apart.
class free_parts {
  public:
    // The smallest part that is large enough; false without one.
    bool take(std::size_t size, std::size_t& place) noexcept {
        std::size_t best = parts_.size();
        for (std::size_t i = 0; i < parts_.size(); ++i)
            if (parts_[i].size >= size && (best == parts_.size() || parts_[i].size < parts_[best].size))
                best = i;
        if (best == parts_.size())
            return false;
        place = parts_[best].place;
        total_ -= size;
        parts_[best].place += size;
        parts_[best].size -= size;
        if (parts_[best].size == 0)
            parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(best));
        return true;
    }
    void give(std::size_t place, std::size_t size) {
        auto next = std::lower_bound(parts_.begin(), parts_.end(), place,
                                     [](const part& p, std::size_t at) { return p.place < at; });
        const bool after = next != parts_.begin() && std::prev(next)->place + std::prev(next)->size == place;
        const bool before = next != parts_.end() && place + size == next->place;
        total_ += size;
        if (after && before) {
            std::prev(next)->size += size + next->size;
            parts_.erase(next);
        } else if (after) {
            std::prev(next)->size += size;
        } else if (before) {
            next->place = place;
            next->size += size;
        } else {
            parts_.insert(next, {place, size});
        }
    }
    std::size_t total() const noexcept { return total_; }

  private:
    struct part {
        std::size_t place;
        std::size_t size;
    };
    std::vector<part> parts_;
    std::size_t total_ = 0;
};

// A tree is named by the place of its first node, an offset in bytes, so that the array can be copied or
// mapped anywhere; the first node stays where it is while the tree is rewritten. The other nodes and the
// leaves of a tree lie in one piece. What runs out throws: std::bad_alloc, or std::length_error for places
// and for more intervals than a tree can hold.
class packed_trees {
  public:
    packed_trees() = default;
    // Every tree has so many levels of nodes. Reserves room for so many intervals in all.
    packed_trees(unsigned answer_bytes, unsigned levels, std::size_t intervals)
        : shape_(simd::packed_leaf_for(answer_bytes)), answer_bytes_(answer_bytes), levels_(levels) {
        grow(levels + 1 + intervals / shape_.intervals() * 9 / 8);
        // The way of lanes that are done, at the start: nodes without keys and a leaf with code 0.
        const std::uint32_t whole[] = {~std::uint32_t{0}};
        const std::uint32_t none[] = {0};
        (void)make(whole, none);
    }

    unsigned levels() const noexcept { return levels_; }
    const std::byte* data() const noexcept { return lines_.data(); }
    std::span<const std::byte> bytes() const noexcept { return lines_.span().first(used_ * line); }
    std::size_t memory_bytes() const noexcept { return lines_.memory_bytes(); }
    std::size_t used_lines() const noexcept { return used_ - free_.total(); }
    std::size_t free_lines() const noexcept { return lines_.size() / line - used_lines(); }
    // How many intervals a tree can hold.
    std::size_t capacity() const noexcept { return capacity(levels_, answer_bytes_); }
    static std::size_t capacity(unsigned levels, unsigned answer_bytes) noexcept {
        std::size_t most = simd::packed_leaf_for(answer_bytes).intervals();
        while (levels-- > 0)
            most *= simd::packed_node::children;
        return most;
    }

    // A tree over neighbouring intervals, the last of which reaches to the end of what the tree is asked for:
    // its end is not stored. `ends` are keys, the inclusive ends.
    std::uint32_t make(std::span<const std::uint32_t> ends, std::span<const std::uint32_t> codes) {
        const std::size_t first = allocate(1);
        write(first, ends, codes);
        return place_of(first);
    }
    void rewrite(std::uint32_t tree, std::span<const std::uint32_t> ends,
                 std::span<const std::uint32_t> codes) {
        if (ends.size() > capacity())
            throw std::length_error("tree");
        const part old = rest_of(tree);
        free_.give(old.first, old.count);
        write(tree / line, ends, codes);
    }
    void erase(std::uint32_t tree) {
        const part rest = rest_of(tree);
        free_.give(rest.first, rest.count);
        free_.give(tree / line, 1);
    }
    // Appends the intervals of a tree; `last` is the end of the last one.
    void read(std::uint32_t tree, std::uint32_t last, std::vector<std::uint32_t>& ends,
              std::vector<std::uint32_t>& codes) const {
        read_level(tree, 0, last, ends, codes);
    }

    // Keeps no more memory than the trees need.
    void shrink() {
        if (used_ * line < lines_.size())
            move_to(used_);
    }

  private:
    static constexpr std::size_t line = simd::packed_line;
    struct part {
        std::size_t first;
        std::size_t count;
    };

    static std::uint32_t place_of(std::size_t number) noexcept {
        return static_cast<std::uint32_t>(number * line);
    }
    std::byte* at(std::size_t number) noexcept { return lines_.data() + number * line; }
    static std::uint32_t word(const std::byte* from, std::size_t slot) noexcept {
        std::uint32_t value;
        std::memcpy(&value, from + slot * sizeof value, sizeof value);
        return value;
    }
    static void put_word(std::byte* to, std::size_t slot, std::uint32_t value) noexcept {
        std::memcpy(to + slot * sizeof value, &value, sizeof value);
    }

    void move_to(std::size_t lines) {
        if (lines > std::numeric_limits<std::uint32_t>::max() / line)
            throw std::length_error("places of lines");
        auto memory = aligned_array<std::byte>::make(lines * line);
        if (!memory)
            throw std::bad_alloc();
        if (used_ > 0)
            std::memcpy(memory->data(), lines_.data(), used_ * line);
        lines_ = std::move(*memory);
    }
    void grow(std::size_t needed) {
        if (needed * line > lines_.size())
            move_to(std::max(needed, lines_.size() / line * 17 / 16));
    }
    std::size_t allocate(std::size_t count) {
        std::size_t place = 0;
        if (count == 0 || free_.take(count, place))
            return place;
        grow(used_ + count);
        place = used_;
        used_ += count;
        return place;
    }

    // Everything below the first node. Nodes come before what they lead to.
    void write(std::size_t first, std::span<const std::uint32_t> ends, std::span<const std::uint32_t> codes) {
        std::size_t sizes[max_levels + 1];
        std::size_t starts[max_levels + 1];
        const std::size_t per_leaf = shape_.intervals();
        sizes[levels_] = (ends.size() + per_leaf - 1) / per_leaf;
        for (unsigned level = levels_; level-- > 0;)
            sizes[level] = parents_of(sizes[level + 1]);
        if (sizes[0] != 1)
            throw std::length_error("tree");
        std::size_t rest = 0;
        for (unsigned level = 1; level <= levels_; ++level)
            rest += sizes[level];
        std::size_t next = allocate(rest);
        starts[0] = first;
        for (unsigned level = 1; level <= levels_; ++level) {
            starts[level] = next;
            next += sizes[level];
        }
        for (std::size_t leaf = 0; leaf < sizes[levels_]; ++leaf)
            write_leaf(at(starts[levels_] + leaf), ends, codes, leaf * per_leaf);
        std::size_t reach = per_leaf; // intervals under one child
        for (unsigned level = levels_; level-- > 0; reach *= simd::packed_node::children)
            for (std::size_t node = 0; node < sizes[level]; ++node)
                write_node(at(starts[level] + node), node, sizes[level + 1], starts[level + 1], ends, reach);
    }
    static std::size_t parents_of(std::size_t children) {
        return (children + simd::packed_node::children - 1) / simd::packed_node::children;
    }
    void write_leaf(std::byte* to, std::span<const std::uint32_t> ends, std::span<const std::uint32_t> codes,
                    std::size_t first) {
        const std::size_t count = std::min<std::size_t>(shape_.intervals(), ends.size() - first);
        // All ones is never below anything.
        std::memset(to, 0xff, shape_.keys * sizeof(std::uint32_t));
        std::memcpy(to, ends.data() + first, (count - 1) * sizeof(std::uint32_t));
        for (std::size_t i = 0; i < count; ++i)
            put_code(to + shape_.answers_at + i * answer_bytes_, codes[first + i], answer_bytes_);
    }
    static void write_node(std::byte* to, std::size_t node, std::size_t children, std::size_t first_child,
                           std::span<const std::uint32_t> ends, std::size_t reach) {
        constexpr std::size_t most = simd::packed_node::children;
        std::memset(to, 0xff, simd::packed_node::keys * sizeof(std::uint32_t));
        const std::size_t count = std::min(most, children - node * most);
        for (std::size_t child = 0; child + 1 < count; ++child)
            put_word(to, child, ends[(node * most + child + 1) * reach - 1]);
        put_word(to, simd::packed_node::keys, place_of(first_child + node * most));
    }

    // No stored end is all ones, as the last one is not stored.
    static std::size_t keys_in(const std::byte* from, std::size_t slots) noexcept {
        std::size_t count = 0;
        while (count < slots && word(from, count) != ~std::uint32_t{0})
            ++count;
        return count;
    }
    void read_level(std::uint32_t place, unsigned level, std::uint32_t last, std::vector<std::uint32_t>& ends,
                    std::vector<std::uint32_t>& codes) const {
        const std::byte* from = lines_.data() + place;
        const bool is_leaf = level == levels_;
        const std::size_t count = keys_in(from, is_leaf ? shape_.keys : simd::packed_node::keys);
        for (std::size_t i = 0; i <= count; ++i) {
            const std::uint32_t end = i < count ? word(from, i) : last;
            if (is_leaf) {
                ends.push_back(end);
                codes.push_back(get_code(from + shape_.answers_at + i * answer_bytes_, answer_bytes_));
            } else {
                read_level(child_of(from, i), level + 1, end, ends, codes);
            }
        }
    }
    static std::uint32_t child_of(const std::byte* node, std::size_t i) noexcept {
        return word(node, simd::packed_node::keys) + static_cast<std::uint32_t>(i * line);
    }
    // The lines of a tree but its first: a level is as long as the nodes above say.
    part rest_of(std::uint32_t tree) const noexcept {
        const std::byte* node = lines_.data() + tree;
        const std::uint32_t first = child_of(node, 0);
        std::size_t lines = 0;
        std::size_t on_level = 1;
        std::uint32_t level_at = tree;
        for (unsigned level = 0; level < levels_; ++level) {
            std::size_t below = 0;
            for (std::size_t i = 0; i < on_level; ++i)
                below += keys_in(lines_.data() + level_at + i * line, simd::packed_node::keys) + 1;
            level_at = child_of(lines_.data() + level_at, 0);
            lines += below;
            on_level = below;
        }
        return {first / line, lines};
    }

    static constexpr unsigned max_levels = 8; // 16^8 leaves are more than places reach
    simd::packed_leaf shape_{};
    unsigned answer_bytes_ = 1;
    unsigned levels_ = 1;
    aligned_array<std::byte> lines_;
    std::size_t used_ = 0; // lines from the start that were ever taken
    free_parts free_;
};

} // namespace fingerpost
