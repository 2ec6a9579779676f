// Building of tries with packed nodes: the part of packed_trie.hpp that runs once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace fingerpost {

// A node to be written or, after its path, currently being written.
template <class A, class Strides, template <unsigned> class SlotOf>
struct packed_trie<A, Strides, SlotOf>::new_node {
    std::size_t above;
    unsigned depth;
    unsigned level;
    slot covered;
    std::span<const route<A>> inside;
    node_path path{};
    unsigned stride = 0;
};

template <class A, class Strides, template <unsigned> class SlotOf>
class packed_trie<A, Strides, SlotOf>::builder {
  public:
    builder(std::size_t most, slot none, std::span<const route<A>> sorted)
        : most_(most), nodes_{{0, 0, 0, none, sorted}} {}
    builder(std::size_t most, std::span<const root> roots) : most_(most), made_((roots.size() + 1) / 2 * 2) {
        for (std::size_t i = 0; i < roots.size(); ++i)
            nodes_.push_back({i, roots[i].depth, 1, roots[i].covered, roots[i].inside});
    }

    // Stride of the root, if there is one.
    template <class StrideOf, class Set>
    errc write_all(unsigned root_stride, StrideOf stride_of, Set set) {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            new_node added = nodes_[i];
            if (made_.empty())
                added.stride = root_stride;
            else
                follow_path(added, stride_of);
            find_runs(added, set);
            if (!write(added))
                return errc::capacity;
        }
        return errc::ok;
    }
    const std::vector<slot>& written() const noexcept { return made_; }

  private:
    template <class StrideOf>
    static void follow_path(new_node& added, StrideOf stride_of) {
        const unsigned begin = added.depth;
        added.stride = stride_of(added.inside, added.depth, added.level);
        while (added.stride == 0 && added.depth - begin < node_path::longest)
            added.stride = stride_of(added.inside, ++added.depth, added.level, true);
        if (added.stride == 0) // the path is longer than a word: add a node of one bit, then another path
            added.stride = 1;
        if (added.depth > begin)
            added.path = node_path::of(slice(added.inside.front().where.base, begin, added.depth - begin),
                                       added.depth - begin);
    }
    template <class Set>
    void find_runs(const new_node& added, Set& set) {
        runs_.clear();
        expander_.expand(added.inside, added.depth, added.stride, [&](const slot_run<A>& r) {
            slot content = added.covered;
            if (r.best != nullptr)
                set(content, *r.best, added.depth);
            const std::uint32_t last = r.first + r.count - 1;
            const bool joins = !runs_.empty() && r.longer.empty() && runs_.back().longer.empty() &&
                               runs_.back().content.word == content.word;
            if (joins)
                runs_.back().last = last;
            else
                runs_.push_back({last, content, r.longer});
        });
    }
    // Returns the position for a node of this many slots, which is even. A small node must be in one cache
    // line: a gap at the end of a line is kept for a later node that fits.
    std::size_t offset_for(std::size_t count, bool in_line) {
        if (!in_line) {
            const std::size_t offset = made_.size();
            made_.resize(offset + count);
            return offset;
        }
        std::size_t length = count;
        while (length < line && gaps_[length].empty())
            length += 2;
        std::size_t offset = made_.size();
        if (length < line) {
            offset = gaps_[length].back();
            gaps_[length].pop_back();
            if (length > count)
                gaps_[length - count].push_back(offset + count);
        } else if (const std::size_t left = line - offset % line; left < count) {
            gaps_[left].push_back(offset);
            offset += left;
        }
        made_.resize(std::max(made_.size(), offset + count));
        return offset;
    }
    bool write(const new_node& added) {
        const std::size_t path = added.path.length() > 0 ? layout::head : 0;
        const std::size_t plain = std::size_t{1} << added.stride;
        const std::size_t small = layout::slots(added.stride, runs_.size(), plain);
        const bool is_root = made_.empty();
        const bool packed = !is_root && small < plain;
        const std::size_t size = path + (packed ? small : plain);
        const std::size_t even = (size + 1) / 2 * 2;
        const std::size_t offset = offset_for(even, packed && even <= line);
        if (made_.size() > most_)
            return false;
        if (!is_root)
            made_[added.above].set_child(static_cast<std::uint32_t>(offset), added.stride,
                                         (packed ? slot::packed_mark : 0) | (path > 0 ? slot::path_mark : 0));
        if (path > 0) {
            made_[offset].word = added.path.word;
            if constexpr (pushed)
                made_[offset + 1] = added.covered;
        }
        write_runs(added, offset + path, packed);
        return true;
    }
    void write_runs(const new_node& added, std::size_t node, bool packed) {
        if (packed) {
            std::uint64_t ends = ~std::uint64_t{0};
            for (std::size_t r = 0; r + 1 < runs_.size(); ++r)
                ends ^= static_cast<std::uint64_t>(0xff ^ runs_[r].last) << (8 * r);
            std::memcpy(static_cast<void*>(&made_[node]), &ends, sizeof ends);
        }
        std::uint32_t first = 0;
        for (std::size_t r = 0; r < runs_.size(); ++r) {
            const std::size_t at = node + (packed ? layout::head + r : first);
            const std::size_t count = packed ? 1 : runs_[r].last + 1 - first;
            std::fill_n(made_.begin() + static_cast<std::ptrdiff_t>(at), count, runs_[r].content);
            first = runs_[r].last + 1;
            if (!runs_[r].longer.empty())
                nodes_.push_back({at, added.depth + added.stride, added.level + 1,
                                  pushed ? runs_[r].content : slot{}, runs_[r].longer});
        }
    }

    static constexpr std::size_t line = cache_line_bytes / sizeof(slot);

    std::size_t most_;
    std::array<std::vector<std::size_t>, line + 1> gaps_; // by length
    std::vector<new_node> nodes_;
    std::vector<slot> made_;
    std::vector<run> runs_;
    slot_expander<A> expander_;
};

template <class A, class Strides, template <unsigned> class SlotOf>
template <class StrideOf, class Set>
errc packed_trie<A, Strides, SlotOf>::build(const Strides& strides, std::span<const route<A>> sorted,
                                            slot none, StrideOf stride_of, Set set) {
    strides_ = strides;
    builder nodes(most_, none, sorted);
    const errc failure = nodes.write_all(strides_.root(), stride_of, set);
    return failure != errc::ok ? failure : take(nodes.written());
}

template <class A, class Strides, template <unsigned> class SlotOf>
template <class StrideOf, class Set>
errc packed_trie<A, Strides, SlotOf>::build_below(const Strides& strides, std::span<root> roots,
                                                  StrideOf stride_of, Set set) {
    strides_ = strides;
    builder nodes(most_, roots);
    if (const errc failure = nodes.write_all(0, stride_of, set); failure != errc::ok)
        return failure;
    for (std::size_t i = 0; i < roots.size(); ++i)
        roots[i].covered = nodes.written()[i];
    return take(nodes.written());
}

template <class A, class Strides, template <unsigned> class SlotOf>
errc packed_trie<A, Strides, SlotOf>::take(std::span<const slot> written) {
    auto array = aligned_array<slot>::make(written.size());
    if (!array)
        return array.error();
    slots_ = std::move(*array);
    std::copy(written.begin(), written.end(), slots_.begin());
    return errc::ok;
}

} // namespace fingerpost
