// Chooses the tree of lengths in which the search with origins needs the fewest probes for a sample of
// addresses.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/fib/parts/lengths/length_entries.hpp"
#include "fingerpost/fib/parts/lengths/length_tree.hpp"

namespace fingerpost::hbs {

// After a hit at one length and a miss at another, the remaining lengths are those between them that occur
// among the routes that share the bits of the longest hit. The root of a range of lengths is probed if it is
// between the smallest and the greatest remaining length (inclusive), and skipped otherwise. So the number of
// probes of a sample in a range depends only on its ends and its root, and a dynamic program over ranges
// gives the best tree.
template <class A>
class probe_tree {
    using numbers = length_set<A>; // one bit for each length in use, by its number

  public:
    // With this many addresses, the error in a comparison of trees is far below the gain of the best tree.
    static constexpr std::size_t most_samples = 8000;

    static length_tree<A> make(std::span<const route<A>> sorted, std::span<const std::uint8_t> lengths) {
        if (lengths.empty())
            return {};
        if (sorted[0].where.length == 0)
            sorted = sorted.subspan(1);
        const probe_tree samples(sorted, lengths);
        return cheapest_tree<A>(lengths, [&](std::size_t i, std::size_t j) {
            return [probes = samples.probes_of_roots(i, j), i](std::size_t r) { return probes[r - i]; };
        });
    }

  private:
    probe_tree(std::span<const route<A>> sorted, std::span<const std::uint8_t> lengths)
        : sorted_(sorted), lengths_(lengths) {
        make_unions();
        const std::size_t count = std::min(most_samples, 2 * sorted.size());
        below_.reserve(count * lengths.size());
        for (std::size_t i = 0; i < count; ++i) {
            const prefix<A>& where = sorted[i * sorted.size() / count].where;
            const A any = from_halves<A>(detail::mix64(2 * i), detail::mix64(2 * i + 1));
            const A inside{static_cast<typename A::value_type>(
                where.base.value | (any.value & ~network_mask<A>(where.length) & A::last().value))};
            add_sample(inside);
        }
        group_samples();
    }

    // Computes a segment tree of the sets of lengths of adjacent routes, with the leaves last.
    void make_unions() {
        std::vector<std::uint8_t> number_of(A::bits + 1);
        for (std::size_t k = 0; k < lengths_.size(); ++k)
            number_of[lengths_[k]] = static_cast<std::uint8_t>(k);
        const std::size_t count = sorted_.size();
        unions_.resize(2 * count);
        for (std::size_t i = 0; i < count; ++i)
            unions_[count + i] = static_cast<numbers>(numbers{1} << number_of[sorted_[i].where.length]);
        for (std::size_t i = count - 1; i > 0; --i)
            unions_[i] = unions_[2 * i] | unions_[2 * i + 1];
    }
    numbers union_of(std::size_t first, std::size_t end) const noexcept {
        numbers result = 0;
        for (first += sorted_.size(), end += sorted_.size(); first < end; first /= 2, end /= 2) {
            if (first % 2 == 1)
                result |= unions_[first++];
            if (end % 2 == 1)
                result |= unions_[--end];
        }
        return result;
    }
    // For each length L, stores the lengths of the routes that share L bits with the address and have at
    // least L bits.
    void add_sample(A a) {
        auto first = sorted_.begin();
        auto end = sorted_.end();
        for (const std::uint8_t length : lengths_) {
            const auto block = prefix<A>::make(a, length);
            first = std::partition_point(first, end, [&](const route<A>& r) { return r.where < block; });
            end = std::partition_point(first, end,
                                       [&](const route<A>& r) { return block.contains(r.where.base); });
            below_.push_back(union_of(static_cast<std::size_t>(first - sorted_.begin()),
                                      static_cast<std::size_t>(end - sorted_.begin())));
        }
    }

    // Groups the samples by the lengths that remain after a hit at the previous length. There are few groups,
    // so the costs of all ranges take little time.
    void group_samples() {
        const std::size_t count = lengths_.size();
        groups_.resize(count);
        const numbers all_lengths = low_mask<numbers>(static_cast<unsigned>(count));
        std::vector<group> of_length;
        for (std::size_t i = 0; i < count; ++i) {
            const numbers from =
                all_lengths & static_cast<numbers>(~low_mask<numbers>(static_cast<unsigned>(i)));
            of_length.clear();
            for (std::size_t at = 0; at < below_.size(); at += count) {
                const numbers left = (i == 0 ? all_lengths : below_[at + i - 1]) & from;
                if (left == 0)
                    continue;
                std::size_t last = 0; // the sets of a sample shrink as the length grows
                while (last + 1 < count && below_[at + last + 1] != 0)
                    ++last;
                of_length.push_back({left, last, 1});
            }
            std::sort(of_length.begin(), of_length.end());
            for (const group& g : of_length)
                if (groups_[i].empty() || groups_[i].back() < g)
                    groups_[i].push_back(g);
                else
                    ++groups_[i].back().samples;
        }
        below_ = {};
    }

    // For each length from i to j: the number of samples, of those that still have lengths i to j, that would
    // probe it as the root.
    std::vector<std::uint64_t> probes_of_roots(std::size_t i, std::size_t j) const {
        std::vector<std::uint64_t> probes(j - i + 2);
        const numbers up_to = low_mask<numbers>(static_cast<unsigned>(j + 1));
        for (const group& g : groups_[i]) {
            const numbers left = g.left & up_to;
            if (g.last > j || left == 0)
                continue;
            probes[lowest_of(left) - i] += g.samples;
            probes[longest_of<A>(left) - i] -= g.samples; // longest_of() is one more than its number
        }
        for (std::size_t r = 1; r < probes.size(); ++r)
            probes[r] += probes[r - 1];
        return probes;
    }
    static unsigned lowest_of(numbers set) noexcept {
        return longest_of<A>(static_cast<numbers>(set & (~set + 1))) - 1;
    }

    std::span<const route<A>> sorted_; // routes without /0
    std::span<const std::uint8_t> lengths_;
    std::vector<numbers> unions_;
    std::vector<numbers> below_; // sets by sample and length, until grouped

    // Samples with the same remaining lengths and the same longest hit.
    struct group {
        numbers left;
        std::size_t last;
        std::uint64_t samples;
        friend bool operator<(const group& a, const group& b) noexcept {
            return a.left < b.left || (a.left == b.left && a.last < b.last);
        }
    };
    std::vector<std::vector<group>> groups_; // one vector for each smallest length of a range
};

} // namespace fingerpost::hbs
