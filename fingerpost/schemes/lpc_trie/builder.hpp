// Builds a trie from sorted routes, without the intermediate tnode sizes of single insertions.
//
// A tnode is doubled as long as an insertion would double it. To predict the number of slots in use, it is
// enough to count neighbouring keys that differ in the first n bits, where n is the end of the doubled field.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/schemes/lpc_trie/resize.hpp"

namespace fingerpost::lpc_trie {

template <class A>
class builder {
    using head = header<A>;
    using value = typename A::value_type;

  public:
    explicit builder(nodes<A>& trie_nodes) noexcept : nodes_(trie_nodes) {}

    // Fills an empty trie. Throws std::bad_alloc.
    errc fill(std::span<const route<A>> sorted) {
        if (const errc failure = make_leaves(sorted); failure != errc::ok)
            return failure;
        if (!keys_.empty())
            nodes_.replace(nil, 0, below(0, keys_.size(), nil));
        return failure_;
    }

  private:
    // Routes with the same base become one leaf. Of these, the one with the longest suffix comes first.
    errc make_leaves(std::span<const route<A>> sorted) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < sorted.size(); ++i)
            count += i == 0 || sorted[i].where.base != sorted[i - 1].where.base ? 1 : 0;
        keys_.reserve(count);
        suffixes_.reserve(count);
        shared_.reserve(count);
        if (!nodes_.leaves.reserve(count))
            return nodes_.leaves.shortage(count);
        if (!nodes_.aliases.reserve(sorted.size() - count))
            return nodes_.aliases.shortage(sorted.size() - count);
        for (const route<A>& r : sorted)
            if (const errc failure = add(r); failure != errc::ok)
                return failure;
        return errc::ok;
    }
    errc add(const route<A>& r) {
        const value key = r.where.base.value;
        const auto suffix = static_cast<std::uint8_t>(A::bits - r.where.length);
        if (!keys_.empty() && keys_.back() == key) {
            auto& last = nodes_.leaves[to_u32(keys_.size() - 1, "leaves")];
            const std::uint32_t longer = nodes_.aliases.allocate();
            if (longer == nil)
                return nodes_.aliases.shortage();
            nodes_.aliases[longer] = {last.hop, last.next, last.suffix};
            last = {key, r.hop, longer, suffix};
            return errc::ok;
        }
        const std::uint32_t leaf_number = nodes_.leaves.allocate();
        if (leaf_number == nil)
            return nodes_.leaves.shortage();
        nodes_.leaves[leaf_number] = {key, r.hop, nil, suffix};
        const unsigned shared = keys_.empty() ? 0 : common_length(A{keys_.back()}, A{key});
        keys_.push_back(key);
        suffixes_.push_back(suffix);
        shared_.push_back(static_cast<std::uint8_t>(shared));
        return errc::ok;
    }

    // Makes the node above the leaves `first` to `end` - 1, at least one leaf. If memory is short, returns an
    // empty slot and sets failure_.
    slot below(std::size_t first, std::size_t end, std::uint32_t parent) {
        if (end - first == 1)
            return {static_cast<std::uint32_t>(first), 0, 0, suffixes_[first], way::skips};
        const unsigned skipped = common_length(A{keys_[first]}, A{keys_[end - 1]});
        const unsigned bits = bits_for(first, end, skipped, parent == nil);
        const unsigned field_end = skipped + bits;
        const std::uint32_t tnode = nodes_.make_tnode(keys_[first], A::bits - field_end, bits, parent);
        if (tnode == nil) {
            failure_ = nodes_.tnodes.shortage(nodes_.words_of(bits));
            return {};
        }
        head h = nodes_.head_of(tnode);
        for (std::size_t from = first; from < end;) {
            std::size_t to = from + 1;
            while (to < end && shared_[to] >= field_end)
                ++to;
            const slot child = below(from, to, tnode);
            if (failure_ != errc::ok)
                return {};
            nodes_.add(h, tnode, h.index_of(keys_[from]), child);
            from = to;
        }
        nodes_.set_head(tnode, h);
        return nodes_.slot_of(tnode, h);
    }
    unsigned bits_for(std::size_t first, std::size_t end, unsigned skipped, bool is_root) const {
        unsigned bits = 1;
        while (skipped + bits < A::bits && bits < nodes<A>::most_bits &&
               resizer<A>::is_worth_doubling(slots_taken(first, end, skipped + bits + 1), bits, is_root))
            ++bits;
        return bits;
    }
    std::uint64_t slots_taken(std::size_t first, std::size_t end, unsigned field_end) const {
        const auto at = shared_.begin() + static_cast<std::ptrdiff_t>(first);
        const auto parted = std::count_if(at + 1, at + static_cast<std::ptrdiff_t>(end - first),
                                          [=](std::uint8_t shared) { return shared < field_end; });
        return static_cast<std::uint64_t>(parted) + 1;
    }

    nodes<A>& nodes_;
    // Indexed by leaf number: the key, the longest suffix, and the number of bits shared with the previous
    // leaf.
    std::vector<value> keys_;
    std::vector<std::uint8_t> suffixes_;
    std::vector<std::uint8_t> shared_;
    errc failure_ = errc::ok;
};

} // namespace fingerpost::lpc_trie
