// Chooses the root and the strides according to the density of intervals, then writes tables and trees.
#include "fingerpost/schemes/packed_leaves/index_builder.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <utility>
#include <vector>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/fib/parts/cells/proportions.hpp"

namespace fingerpost::packed_leaves {

class index_builder {
  public:
    index_builder(std::span<const std::uint64_t> ends, std::span<const std::uint32_t> codes,
                  tree_store& trees, std::size_t most_entries)
        : ends_(ends), codes_(codes), trees_(trees), capacity_(built_tree.of(trees.capacity())),
          index_(most_entries) {
        find_divided();
        find_dense_blocks();
        choose_root();
    }

    index_tables build() {
        const unsigned root_bits = index_.root_bits_;
        index_.root_.resize(std::size_t{1} << root_bits);
        index_.root_codes_.resize(index_.root_.size(), no_root_code);
        std::size_t interval = 0;
        for (std::size_t i = 0; i < index_.root_.size(); ++i) {
            const cell whole{std::uint64_t{i} << (bits - root_bits), root_bits};
            const std::size_t last = interval_of(whole.last(), interval);
            if (last == interval) {
                const std::uint64_t final = last_entry::answer(codes_[interval]);
                index_.root_[i] = index_.entry_leading_to(final, 0, whole.first);
                index_.root_codes_[i] = index_tables::root_code_of(final);
            } else if (const unsigned stride = best_stride(whole).stride; stride > 0)
                index_.root_[i] = table(whole, stride, interval, 1);
            else
                index_.root_[i] =
                    index_.entry_leading_to(tree(interval, last, whole.first, whole.last()), 0, whole.first);
            interval = after(last, whole.last());
        }
        index_.pages_.shrink_to_fit();
        index_.built_entries_ = index_.pages_.capacity();
        return std::move(index_);
    }

  private:
    static constexpr unsigned bits = index_tables::bits;
    static constexpr unsigned block_bits = index_tables::block_bits;
    static constexpr unsigned most_stride = index_tables::most_stride;

    struct cell {
        std::uint64_t first;
        unsigned length; // number of bits that its addresses share
        std::uint64_t last() const { return first | low_mask<std::uint64_t>(bits - length); }
    };
    // A tree cannot hold the intervals of a cell that shares `apart` - 1 bits with `first`, but it can with
    // `apart` bits.
    struct dense_block {
        std::uint64_t first;
        unsigned apart;
        friend auto operator<=>(const dense_block&, const dense_block&) = default;
    };
    struct choice {
        unsigned stride = 0; // 0 for no table
        std::size_t entries = 0;
    };

    static std::uint64_t head(std::uint64_t value, unsigned length) {
        return value & ~low_mask<std::uint64_t>(bits - length);
    }

    // Collects the blocks that contain an end, which may be their last address.
    void find_divided() {
        std::uint64_t previous = ~std::uint64_t{0};
        for (const std::uint64_t end : ends_) {
            const std::uint64_t number = end >> (bits - block_bits);
            if (number != previous)
                blocks_.push_back({head(end, block_bits), end});
            previous = number;
        }
    }
    void find_dense_blocks() {
        for (std::size_t i = 0; i + capacity_ <= ends_.size(); ++i) {
            const std::uint64_t differ = ends_[i] ^ ends_[i + capacity_ - 1];
            const unsigned apart = static_cast<unsigned>(std::countl_zero(differ << (64 - bits))) + 1;
            const dense_block dense{head(ends_[i], apart - 1), apart};
            if (dense_blocks_.empty() || dense_blocks_.back() != dense)
                dense_blocks_.push_back(dense);
        }
        std::sort(dense_blocks_.begin(), dense_blocks_.end());
        dense_blocks_.erase(std::unique(dense_blocks_.begin(), dense_blocks_.end()), dense_blocks_.end());
    }

    // Chooses the root size with the fewest entries in total, including the tables below.
    void choose_root() {
        std::size_t fewest = ~std::size_t{0};
        for (unsigned candidate = 8; candidate <= block_bits; candidate += 2) {
            std::size_t entries = std::size_t{1} << candidate;
            for (std::size_t i = 0; i < blocks_.size() && entries < fewest;) {
                const cell whole{head(blocks_[i].first, candidate), candidate};
                const bool divided = blocks_[i].first_end != whole.last();
                if (divided)
                    entries += best_stride(whole).entries;
                while (i < blocks_.size() && blocks_[i].first <= whole.last())
                    ++i;
            }
            if (entries < fewest) {
                fewest = entries;
                index_.root_bits_ = candidate;
            }
        }
    }

    // How to divide a cell of the root that has more than one interval.
    choice best_stride(const cell& whole) const {
        const auto first = dense_from(whole.first);
        const auto last = dense_from(whole.last() + 1);
        const bool is_dense =
            std::any_of(first, last, [&](const dense_block& c) { return c.apart > whole.length; });
        if (whole.length >= block_bits && !is_dense)
            return {};
        choice best{0, ~std::size_t{0}};
        const unsigned least = whole.length < block_bits ? block_bits - whole.length : 1;
        for (unsigned stride = least; stride <= most_stride; ++stride) {
            const std::size_t entries =
                (std::size_t{1} << stride) + entries_below(whole.length + stride, first, last);
            if (entries < best.entries)
                best = {stride, entries};
        }
        return best;
    }
    using dense_iterator = std::vector<dense_block>::const_iterator;
    dense_iterator dense_from(std::uint64_t first) const {
        return std::lower_bound(dense_blocks_.begin(), dense_blocks_.end(), first,
                                [](const dense_block& c, std::uint64_t at) { return c.first < at; });
    }
    // Number of entries in the tables that cells of `length` bits with dense blocks need.
    std::size_t entries_below(unsigned length, dense_iterator first, dense_iterator last) const {
        std::size_t entries = 0;
        while (first != last) {
            const std::uint64_t at = head(first->first, length);
            unsigned apart = 0;
            for (; first != last && head(first->first, length) == at; ++first)
                apart = std::max(apart, first->apart);
            if (apart > length)
                entries += std::size_t{1} << (apart - length);
        }
        return entries;
    }
    unsigned stride_to_part(const cell& whole) const {
        unsigned apart = whole.length + 1;
        for (auto c = dense_from(whole.first); c != dense_blocks_.end() && c->first <= whole.last(); ++c)
            apart = std::max(apart, c->apart);
        return apart - whole.length;
    }

    // The interval with an address; it is not before `from`.
    std::size_t interval_of(std::uint64_t address, std::size_t from) const {
        while (ends_[from] < address)
            ++from;
        return from;
    }
    // The interval of the address after `last`.
    std::size_t after(std::size_t interval, std::uint64_t last) const {
        return ends_[interval] == last && interval + 1 < ends_.size() ? interval + 1 : interval;
    }

    // Writes a table of 2^stride entries for a cell that starts in `interval`. Step `step` reads it.
    std::uint64_t table(const cell& whole, unsigned stride, std::size_t interval, unsigned step) {
        const std::size_t base = index_.pages_.size();
        const std::size_t size = std::size_t{1} << stride;
        index_.check_pages(size);
        index_.pages_.resize(base + size);
        const auto part = [&](std::size_t i) {
            const unsigned length = whole.length + stride;
            return cell{whole.first + (std::uint64_t{i} << (bits - length)), length};
        };
        for (std::size_t i = 0; i < size;) {
            const cell child = part(i);
            const std::size_t last = interval_of(child.last(), interval);
            if (last - interval >=
                capacity_) { // not in the last step, where the stride divides all dense blocks
                const std::uint64_t entry = table(child, stride_to_part(child), interval, step + 1);
                index_.pages_[base + i++] = entry;
                interval = after(last, child.last());
                continue;
            }
            std::size_t run = i;
            interval = share_tree(part, size, run, interval, base, step);
            i = run;
        }
        return index_tables::entry_of(base, stride, whole.first, whole.length);
    }

    // Takes as many cells, starting at `i`, as fit into one tree. Sets `i` to the first cell that does not
    // fit, and returns the interval of that cell.
    template <class Part>
    std::size_t share_tree(Part part, std::size_t size, std::size_t& i, std::size_t interval,
                           std::size_t base, unsigned step) {
        const std::uint64_t number = part(i).first >> (bits - block_bits);
        const std::size_t first = interval;
        const std::uint64_t start = part(i).first;
        std::uint64_t reach = 0;
        std::size_t reached = interval;
        std::vector<std::size_t> cut; // cells that the index alone does not answer
        std::size_t at = i;
        for (; at < size; ++at) {
            const cell next_cell = part(at);
            const std::size_t last = interval_of(next_cell.last(), interval);
            if (last - first >= capacity_ || next_cell.first >> (bits - block_bits) != number)
                break;
            if (last != interval)
                cut.push_back(at);
            else
                index_.pages_[base + at] =
                    index_.entry_leading_to(last_entry::answer(codes_[interval]), step, next_cell.first);
            reach = next_cell.last();
            reached = last;
            interval = after(last, reach);
        }
        if (!cut.empty()) {
            const std::uint64_t entry =
                index_.entry_leading_to(tree(first, reached, start, reach), step, start);
            for (const std::size_t slot : cut)
                index_.pages_[base + slot] = entry;
        }
        i = at;
        return interval;
    }

    // Writes the tree of the intervals `first` to `last`, from `start` to `reach`.
    std::uint64_t tree(std::size_t first, std::size_t last, std::uint64_t start, std::uint64_t reach) {
        keys_.clear();
        for (std::size_t i = first; i <= last; ++i)
            keys_.push_back(static_cast<std::uint32_t>(std::min(ends_[i], reach)));
        const std::uint32_t offset = trees_.make(keys_, codes_.subspan(first, last - first + 1));
        index_.spans_.push_back({start, reach, offset});
        return last_entry::tree(offset);
    }
    struct block {
        std::uint64_t first;
        std::uint64_t first_end; // the first end inside
    };

    std::span<const std::uint64_t> ends_;
    std::span<const std::uint32_t> codes_;
    tree_store& trees_;
    std::size_t capacity_;
    index_tables index_;
    std::vector<block> blocks_;             // blocks that contain an end
    std::vector<dense_block> dense_blocks_; // blocks in ascending order
    std::vector<std::uint32_t> keys_;
};

index_tables build_index(std::span<const std::uint64_t> ends, std::span<const std::uint32_t> codes,
                         tree_store& trees, std::size_t most_entries) {
    return index_builder(ends, codes, trees, most_entries).build();
}

} // namespace fingerpost::packed_leaves
