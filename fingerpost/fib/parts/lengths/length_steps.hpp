// Tables that select the next length of a binary search without a branch, from the result of the last probe
// and from the lengths that longer routes may still have.
//
// An entry may store the lengths of its longer routes, its origins. After a hit there, the search skips a
// length if no origin is below it in the tree, or if all of these origins are on one side. A length that is
// not an origin is still probed if there are origins on both sides, because a marker there decides which
// side. Each set of origins has a number. The set of all lengths has number 0; if every number is 0, this is
// the plain search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/base/relocate.hpp"
#include "fingerpost/fib/parts/lengths/length_tree.hpp"

namespace fingerpost {

// Makes room for `more` items in a list that grows by 1/16, to limit its unused memory.
template <class T>
void make_room(std::vector<T>& list, std::size_t more) {
    if (list.size() + more > list.capacity())
        list.reserve(list.size() + more + list.size() / 16);
}

// Sets of origins by number. A set that is too large never makes a lookup wrong. So when numbers run out, all
// other sets get number 0.
template <class A>
class origin_sets {
  public:
    static constexpr std::uint32_t most = 1 << 12;

    std::size_t size() const noexcept { return sets_.size(); }
    length_set<A> operator[](std::size_t number) const noexcept { return sets_[number]; }
    // Returns the number of a set, and adds the set if it is new.
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
    std::vector<std::uint16_t> ascending_{0}; // numbers, sorted by their sets
};

// One row for each set of origins: the first node, and for each node the next one after a miss and after a
// hit.
template <class A>
class length_steps {
  public:
    static constexpr std::uint8_t stop = length_tree<A>::none;

    // Creates rows for all current sets.
    length_steps() = default;
    length_steps(const length_tree<A>& tree, const origin_sets<A>& sets)
        : row_(to_u32(2 * (tree.size() + 1), "lengths")) {
        add_rows(tree, sets);
    }
    // Adds rows for new sets.
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
    // Keeps only the rows of these sets, which get the numbers 0, 1, ... in this order.
    void keep_rows(std::span<const std::uint32_t> numbers) {
        std::vector<std::uint8_t> rows;
        rows.reserve(row_ * numbers.size());
        for (const std::uint32_t number : numbers) {
            const auto row = rows_.begin() + static_cast<std::ptrdiff_t>(std::size_t{row_} * number);
            rows.insert(rows.end(), row, row + row_);
        }
        rows_ = std::move(rows);
    }
    // The members of an array; see fib/layout.hpp.
    using value_type = std::uint8_t;
    const std::uint8_t* data() const noexcept { return rows_.data(); }
    std::size_t size() const noexcept { return rows_.size(); }
    void assign(auto first, auto last) { rows_.assign(first, last); }
    // See base/relocate.hpp.
    template <class Place>
    void relocate(Place& place) {
        fingerpost::relocate(rows_, place);
    }
    // Checks the rows and the tree: in the row of all lengths, every node leads to its children. Each step
    // goes down in the tree, so searches end.
    void check(const layout_check& in, length_tree<A>& tree) {
        row_ = to_u32(2 * (tree.size() + 1), "lengths");
        in.require(!rows_.empty() && rows_.size() % row_ == 0, data(), "steps have the wrong size");
        const auto leads = [&](std::size_t at, std::size_t first, std::size_t end) {
            for (; at < rows_.size(); at += row_)
                in.require(rows_[at] == stop || (rows_[at] >= first && rows_[at] < end), &rows_[at],
                           "a step leads up");
        };
        leads(row_ - 2, 0, tree.size());
        tree.check(in, rows_[row_ - 2], [&](std::size_t node, std::size_t first, std::size_t end) {
            leads(2 * node, first, node);
            leads(2 * node + 1, node + 1, end);
        });
    }
    std::size_t rows() const noexcept { return rows_.size() / row_; }
    std::uint32_t row_bytes() const noexcept { return row_; }
    std::size_t memory_bytes() const noexcept { return rows_.capacity(); }

  private:
    // Returns the first node to probe, `at` or one below it.
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
