// Where a binary search on lengths goes next, as tables: what came of a probe and which longer routes there
// can still be choose the next length to probe, without a branch.
//
// An entry may say which lengths its longer routes have, its origins. A search that has come there passes
// over lengths without probing them when no origin is below them in the tree, or when all origins that are
// lie on one side; a length that is no origin is probed when origins lie on both, as a marker there still
// tells which side. A set of origins has a number, 0 for the set of all lengths: with 0 everywhere the search
// is the plain one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/fib/parts/lengths/length_tree.hpp"

namespace fingerpost {

// Room for `more` in a list that grows by a sixteenth, so that it never takes much more than it needs.
template <class T>
void make_room(std::vector<T>& list, std::size_t more) {
    if (list.size() + more > list.capacity())
        list.reserve(list.size() + more + list.size() / 16);
}

// The sets of origins by number. A set that is too large never makes a lookup wrong, so where numbers run out
// the rest of the sets have number 0.
template <class A>
class origin_sets {
  public:
    static constexpr std::uint32_t most = 1 << 12;

    std::size_t size() const noexcept { return sets_.size(); }
    length_set<A> operator[](std::size_t number) const noexcept { return sets_[number]; }
    // The number of a set, a new one when it has none yet.
    std::uint32_t number_of(length_set<A> set) {
        const auto at = std::lower_bound(
            ascending_.begin(), ascending_.end(), set,
            [this](std::uint16_t number, length_set<A> sought) { return sets_[number] < sought; });
        if (at != ascending_.end() && sets_[*at] == set)
            return *at;
        if (sets_.size() == most)
            return 0;
        const auto number = static_cast<std::uint16_t>(to_u32(sets_.size(), "sets of origins"));
        const auto place = at - ascending_.begin();
        make_room(ascending_, 1);
        ascending_.insert(ascending_.begin() + place, number);
        make_room(sets_, 1);
        sets_.push_back(set);
        return number;
    }
    std::size_t memory_bytes() const noexcept {
        return sets_.capacity() * sizeof(length_set<A>) + ascending_.capacity() * sizeof(std::uint16_t);
    }

  private:
    std::vector<length_set<A>> sets_{lengths_up_to<A>(A::bits)};
    std::vector<std::uint16_t> ascending_{0}; // numbers, by their sets
};

// A row for each set of origins: where to go after a miss and after a hit at each node, and where to begin.
template <class A>
class length_steps {
  public:
    static constexpr std::uint8_t stop = length_tree<A>::none;

    // With rows for all sets that there are.
    length_steps() = default;
    length_steps(const length_tree<A>& tree, const origin_sets<A>& sets)
        : row_(to_u32(2 * (tree.size() + 1), "lengths")) {
        add_rows(tree, sets);
    }
    // Rows of sets that came later.
    void add_rows(const length_tree<A>& tree, const origin_sets<A>& sets) {
        const std::size_t known = rows_.size() / row_;
        if (known < sets.size())
            make_room(rows_, row_ * (sets.size() - known));
        for (std::size_t number = known; number < sets.size(); ++number) {
            for (const auto& node : tree.nodes()) {
                rows_.push_back(next(tree, node.left, sets[number]));
                rows_.push_back(next(tree, node.right, sets[number]));
            }
            rows_.push_back(next(tree, tree.root(), sets[number]));
            rows_.push_back(stop);
        }
    }
    // Only the rows of these sets, which get the numbers 0, 1, ... in this order.
    void keep_rows(std::span<const std::uint32_t> numbers) {
        std::vector<std::uint8_t> kept;
        kept.reserve(row_ * numbers.size());
        for (const std::uint32_t number : numbers) {
            const auto row = rows_.begin() + static_cast<std::ptrdiff_t>(std::size_t{row_} * number);
            kept.insert(kept.end(), row, row + row_);
        }
        rows_ = std::move(kept);
    }
    const std::uint8_t* data() const noexcept { return rows_.data(); }
    std::uint32_t row_bytes() const noexcept { return row_; }
    std::size_t memory_bytes() const noexcept { return rows_.capacity(); }

  private:
    // The first node to probe at or below this one.
    static std::uint8_t next(const length_tree<A>& tree, std::uint8_t at, length_set<A> origins) noexcept {
        while (at != length_tree<A>::none) {
            const auto& node = tree[at];
            const length_set<A> left = tree.below(node.left) & origins;
            const length_set<A> right = tree.below(node.right) & origins;
            if (has_length<A>(origins, node.length) || (left != 0 && right != 0))
                return at;
            at = left != 0 ? node.left : right != 0 ? node.right : length_tree<A>::none;
        }
        return stop;
    }

    std::uint32_t row_ = 0;
    std::vector<std::uint8_t> rows_;
};

} // namespace fingerpost
