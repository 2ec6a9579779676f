// The cache lines of packed leaves: small trees of nodes and leaves, side by side in one array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <vector>

#include "fingerpost/base/fixed_list.hpp"
#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/written_units.hpp"
#include "fingerpost/fib/code_words.hpp"
#include "fingerpost/fib/free_parts.hpp"
#include "fingerpost/fib/interval_run.hpp"
#include "fingerpost/simd/packed.hpp"

namespace fingerpost {

// A tree is named by the place of its first node, an offset in bytes, so that the array can be copied or
// mapped anywhere; the first node stays where it is while the tree changes. What runs out throws:
// std::bad_alloc, or std::length_error for places and for more intervals than a tree can hold.
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
    std::size_t memory_bytes() const noexcept { return lines_.memory_bytes() + written_.memory_bytes(); }
    std::size_t used_lines() const noexcept { return used_ - free_.total(); }
    // What building anew may do without: lines that hold nothing, and what leaves hold less than they did.
    std::size_t idle_bytes() const noexcept {
        const std::size_t emptied = unused_ > built_unused_ ? unused_ - built_unused_ : 0;
        return lines_.memory_bytes() - used_lines() * line + emptied * line / shape_.intervals();
    }
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
        const std::uint32_t first = place_of(allocate(1));
        write(first, 0, ends, codes);
        return first;
    }
    void rewrite(std::uint32_t tree, std::span<const std::uint32_t> ends,
                 std::span<const std::uint32_t> codes) {
        free_below(tree, 0);
        write(tree, 0, ends, codes);
    }
    void erase(std::uint32_t tree) {
        free_below(tree, 0);
        free_.give(tree / line, 1);
    }
    // Gives the keys [low, high] of a tree this code, and writes no more of it than the leaf that these fall
    // into or, where that does not do, the nodes above the leaves. `first` and `last` are the tree's own; it
    // has two levels of nodes. `visit` is called with the parts of the keys that had the code `visited`.
    template <class Visit>
    void assign(std::uint32_t tree, std::uint32_t first, std::uint32_t last, std::uint32_t low,
                std::uint32_t high, std::uint32_t code, std::uint32_t visited, Visit visit) {
        if (assign_in_leaf({tree, first, last}, low, high, code, visited))
            return;
        const std::size_t children = children_of(tree);
        const auto end_of = [&](std::size_t i) {
            return i + 1 < children ? word(lines_.data() + tree, i) : last;
        };
        std::size_t from = 0;
        while (end_of(from) < low)
            ++from;
        std::size_t to = from;
        while (end_of(to) < high)
            ++to;
        interval_run<std::uint32_t>& run = changed_;
        run.clear();
        run.first = from > 0 ? end_of(from - 1) + 1 : first;
        for (std::size_t i = from; i <= to; ++i)
            read_level(child_of(tree, i), 1, end_of(i), run.ends, run.codes);
        run.each_with(visited, low, high, visit);
        run.assign(low, high, code);
        const std::size_t most = capacity(levels_ - 1, answer_bytes_);
        // A node that has come to be half empty is joined with its neighbour.
        if (run.size() < most / 2 && to + 1 < children) {
            ++to;
            read_level(child_of(tree, to), 1, end_of(to), run.ends, run.codes);
        } else if (run.size() < most / 2 && from > 0) {
            interval_run<std::uint32_t> joined;
            --from;
            read_level(child_of(tree, from), 1, end_of(from), joined.ends, joined.codes);
            append(joined, run);
            run = std::move(joined);
        }
        replace_children(tree, last, from, to + 1, run);
    }
    // Of one key of a tree.
    std::uint32_t code_of(std::uint32_t tree, std::uint32_t first, std::uint32_t last,
                          std::uint32_t key) const {
        part at{tree, first, last};
        for (unsigned level = 0; level < levels_; ++level)
            at = child_over(at, key);
        few_intervals run;
        read_leaf(lines_.data() + at.place, at.last, run.ends, run.codes);
        return run.code_of(key);
    }
    // Appends the intervals of a tree; `last` is the end of the last one.
    void read(std::uint32_t tree, std::uint32_t last, std::vector<std::uint32_t>& ends,
              std::vector<std::uint32_t>& codes) const {
        read_level(tree, 0, last, ends, codes);
    }

    // Becomes what `leader` is. What the leader knows of its free lines passes over to this one: only who has
    // followed last may be changed. `were_same`: when the leader followed, it was this one that it followed.
    void follow(packed_trees& leader, bool were_same) {
        const bool in_part = were_same && leader.written_.are_known();
        if (!in_part)
            used_ = 0;
        if (lines_.size() != leader.lines_.size() && !(used_ > 0 && lines_.extend(leader.lines_.size())))
            move_to(leader.lines_.size() / line);
        if (in_part)
            for (const std::uint32_t number : leader.written_.list())
                std::memcpy(at(number), leader.at(number), line);
        else if (leader.used_ > 0)
            std::memcpy(lines_.data(), leader.lines_.data(), leader.used_ * line);
        shape_ = leader.shape_;
        answer_bytes_ = leader.answer_bytes_;
        levels_ = leader.levels_;
        used_ = leader.used_;
        unused_ = leader.unused_;
        built_unused_ = leader.built_unused_;
        most_unused_ = leader.most_unused_;
        std::swap(free_, leader.free_);
        written_.start(used_ * line);
    }

    // A tree and where the last of its intervals ends.
    struct whole_tree {
        std::uint32_t tree;
        std::uint32_t last;
    };
    // Writes the trees anew, as tight as they were when built; `all` are all that there are, in any order.
    // Much cheaper than building from intervals, as the first nodes stay where they are, so the index does.
    void pack(std::vector<whole_tree> all) {
        std::sort(all.begin(), all.end(),
                  [](const whole_tree& a, const whole_tree& b) { return a.tree < b.tree; });
        packed_trees packed(answer_bytes_, levels_, 0);
        packed.move_to(used_);
        for (const auto& [tree, last] : all) {
            const std::size_t first = tree / line;
            if (packed.used_ < first)
                packed.free_.give(packed.used_, first - packed.used_);
            packed.used_ = first + 1;
        }
        for (const auto& [tree, last] : all) {
            changed_.clear();
            read(tree, last, changed_.ends, changed_.codes);
            packed.write(tree, 0, changed_.ends, changed_.codes);
        }
        packed.shrink();
        std::swap(changed_, packed.changed_);
        *this = std::move(packed);
    }

    // Keeps no more memory than the trees need.
    void shrink() {
        if (used_ * line < lines_.size())
            move_to(used_);
        built_unused_ = unused_;
        most_unused_ = unused_ + used_ * shape_.intervals() / 24;
    }

  private:
    static constexpr std::size_t line = simd::packed_line;

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
        auto memory = aligned_array<std::byte>::make(lines * line, lines / 4 * line);
        if (!memory)
            throw std::bad_alloc();
        if (used_ > 0)
            std::memcpy(memory->data(), lines_.data(), used_ * line);
        lines_ = std::move(*memory);
    }
    void grow(std::size_t needed) {
        if (needed * line <= lines_.size())
            return;
        // Little by little where nothing has to be copied.
        const std::size_t now = lines_.size() / line;
        if (!lines_.extend(std::max(needed, now * 129 / 128) * line))
            move_to(std::max(needed, now * 25 / 24));
    }
    // Being built or packed: filled as tight as it goes.
    bool is_new() const noexcept { return most_unused_ == 0; }
    std::size_t allocate(std::size_t count) {
        std::size_t place = 0;
        if (count == 0 || (is_new() ? free_.take_first(count, place) : free_.take(count, place)))
            return place;
        grow(used_ + count);
        place = used_;
        used_ += count;
        return place;
    }

    // Fills the node at `place` and everything below it. The children of a node lie side by side.
    void write(std::uint32_t place, unsigned level, std::span<const std::uint32_t> ends,
               std::span<const std::uint32_t> codes) {
        if (level == levels_)
            return write_leaf(place, ends, codes);
        const std::size_t reach = capacity(levels_ - level - 1, answer_bytes_);
        std::size_t children = (ends.size() + reach - 1) / reach;
        if (children > simd::packed_node::children)
            throw std::length_error("tree");
        // When a tree changes, one child more than it takes, for the changes to come.
        if (children < std::min<std::size_t>(simd::packed_node::children, ends.size()) &&
            unused_ + shape_.intervals() < most_unused_)
            ++children;
        // A new tree has its nodes filled one after the other, which takes the fewest lines. Leaves are
        // filled evenly, so that most have room for one more.
        const bool evenly = level + 1 == levels_ || !is_new();
        const std::size_t first = allocate(children);
        std::uint32_t keys[simd::packed_node::children];
        for (std::size_t child = 0; child < children; ++child) {
            const std::size_t begin = evenly ? child * ends.size() / children : child * reach;
            const std::size_t end =
                evenly ? (child + 1) * ends.size() / children : std::min(begin + reach, ends.size());
            write(place_of(first + child), level + 1, ends.subspan(begin, end - begin),
                  codes.subspan(begin, end - begin));
            keys[child] = ends[end - 1];
        }
        write_node(place, {keys, children}, first);
    }
    void write_node(std::uint32_t place, std::span<const std::uint32_t> child_ends, std::size_t first_child) {
        std::byte* to = lines_.data() + place;
        written_.add(place / line);
        std::memset(to, 0xff, simd::packed_node::keys * sizeof(std::uint32_t));
        std::memcpy(to, child_ends.data(), (child_ends.size() - 1) * sizeof(std::uint32_t));
        put_word(to, simd::packed_node::keys, place_of(first_child));
    }
    void write_leaf(std::uint32_t place, std::span<const std::uint32_t> ends,
                    std::span<const std::uint32_t> codes) {
        std::byte* const to = lines_.data() + place;
        written_.add(place / line);
        unused_ += shape_.intervals() - ends.size();
        // All ones is never below anything.
        std::memset(to, 0xff, shape_.keys * sizeof(std::uint32_t));
        std::memcpy(to, ends.data(), (ends.size() - 1) * sizeof(std::uint32_t));
        put_codes(to + shape_.answers_at, codes, answer_bytes_);
    }
    // Those of a leaf, at most 13, and two that a change adds.
    using few_items = fixed_list<std::uint32_t, 16>;
    using few_intervals = interval_run<std::uint32_t, few_items, few_items>;

    // What a part of a tree is asked for.
    struct part {
        std::uint32_t place;
        std::uint32_t first;
        std::uint32_t last;
    };
    part child_over(const part& node, std::uint32_t key) const noexcept {
        const std::byte* const at = lines_.data() + node.place;
        std::size_t i = 0;
        while (i < simd::packed_node::keys && word(at, i) < key)
            ++i;
        const bool is_last = i == simd::packed_node::keys || word(at, i) == no_key;
        return {child_of(node.place, i), i == 0 ? node.first : word(at, i - 1) + 1,
                is_last ? node.last : word(at, i)};
    }
    // Changes the one leaf that [low, high] falls into, and those beside it where that one has too much or
    // too little then. False, and nothing done, where there are several, where something has to be visited,
    // and where the node is due to be packed.
    bool assign_in_leaf(part at, std::uint32_t low, std::uint32_t high, std::uint32_t code,
                        std::uint32_t visited) {
        part node = at;
        for (unsigned level = 0; level < levels_; ++level) {
            node = at;
            at = child_over(at, low);
        }
        if (high > at.last)
            return false;
        few_intervals run;
        run.first = at.first;
        read_leaf(lines_.data() + at.place, at.last, run.ends, run.codes);
        if (std::find(run.codes.begin(), run.codes.end(), visited) != run.codes.end())
            return false;
        const std::size_t old = run.size();
        run.assign(low, high, code);
        const std::size_t most = shape_.intervals();
        if (run.size() > most) {
            siblings all = siblings_of(node, at.place);
            return share(all, run, old) || split(all, run, old);
        }
        if (run.size() < old && unused_ + old - run.size() > most_unused_) {
            siblings all = siblings_of(node, at.place);
            if (join(all, run, old))
                return true;
            if (room_in(all) + old - run.size() >= most)
                return false; // written again, the node takes a leaf less
        }
        unused_ -= most - old;
        write_leaf(at.place, run.ends, run.codes);
        return true;
    }

    // A leaf among the children of its node.
    struct siblings {
        std::uint32_t node;
        std::size_t first; // line of the first one
        std::size_t count;
        std::size_t at;
        std::uint32_t ends[simd::packed_node::children];
    };
    siblings siblings_of(const part& node, std::uint32_t leaf) const noexcept {
        siblings all{node.place, child_of(node.place, 0) / line, children_of(node.place), 0, {}};
        all.at = leaf / line - all.first;
        for (std::size_t i = 0; i < all.count; ++i)
            all.ends[i] = i + 1 < all.count ? word(lines_.data() + node.place, i) : node.last;
        return all;
    }
    std::size_t room_in(std::size_t number) const noexcept {
        return shape_.keys - keys_in(lines_.data() + place_of(number), shape_.keys);
    }
    std::size_t room_in(const siblings& all) const noexcept {
        std::size_t room = 0;
        for (std::size_t i = 0; i < all.count; ++i)
            room += room_in(all.first + i);
        return room;
    }
    using two_leaves = fixed_list<std::uint32_t, 32>;
    // The changed leaf and the one beside it, in order.
    void read_both(const siblings& all, std::size_t beside, const few_intervals& run, two_leaves& ends,
                   two_leaves& codes) const {
        const auto add_run = [&] {
            for (std::size_t i = 0; i < run.size(); ++i) {
                ends.push_back(run.ends[i]);
                codes.push_back(run.codes[i]);
            }
        };
        if (beside > all.at)
            add_run();
        read_leaf(lines_.data() + place_of(all.first + beside), all.ends[beside], ends, codes);
        if (beside < all.at)
            add_run();
    }
    // Two leaves side by side get half of these each.
    void write_both(siblings& all, std::size_t left, std::span<const std::uint32_t> ends,
                    std::span<const std::uint32_t> codes) {
        const std::size_t half = ends.size() / 2;
        write_leaf(place_of(all.first + left), ends.first(half), codes.first(half));
        write_leaf(place_of(all.first + left + 1), ends.subspan(half), codes.subspan(half));
        all.ends[left] = ends[half - 1];
        write_node(all.node, {all.ends, all.count}, all.first);
    }
    // What is too much for a leaf goes to the one beside it, if that has room for more than this.
    bool share(siblings& all, const few_intervals& run, std::size_t old) {
        const std::size_t most = shape_.intervals();
        for (const std::size_t beside : {all.at + 1, all.at - 1}) {
            const std::size_t room = beside < all.count ? room_in(all.first + beside) : 0;
            if (run.size() + 2 > most + room)
                continue;
            two_leaves ends, codes;
            read_both(all, beside, run, ends, codes);
            unused_ -= most - old + room;
            write_both(all, std::min(all.at, beside), ends, codes);
            return true;
        }
        return false;
    }
    // A leaf becomes two.
    bool split(siblings& all, const few_intervals& run, std::size_t old) {
        if (all.count == simd::packed_node::children || unused_ + shape_.intervals() > most_unused_)
            return false;
        const std::size_t made = allocate(all.count + 1);
        for (std::size_t i = 0; i < all.count; ++i)
            if (i != all.at)
                copy_line(made + i + (i > all.at ? 1 : 0), all.first + i);
        free_.give(all.first, all.count);
        all.first = made;
        for (std::size_t i = all.count++; i > all.at; --i)
            all.ends[i] = all.ends[i - 1];
        unused_ -= shape_.intervals() - old;
        write_both(all, all.at, run.ends, run.codes);
        return true;
    }
    // A leaf takes what is in the one beside it as well.
    bool join(siblings& all, const few_intervals& run, std::size_t old) {
        const std::size_t most = shape_.intervals();
        for (const std::size_t beside : {all.at + 1, all.at - 1}) {
            const std::size_t room = beside < all.count ? room_in(all.first + beside) : 0;
            if (run.size() > room)
                continue;
            two_leaves ends, codes;
            read_both(all, beside, run, ends, codes);
            unused_ -= most - old + room;
            const std::size_t left = std::min(all.at, beside);
            write_leaf(place_of(all.first + left), ends, codes);
            all.ends[left] = all.ends[left + 1];
            --all.count;
            for (std::size_t i = left + 1; i < all.count; ++i) {
                all.ends[i] = all.ends[i + 1];
                copy_line(all.first + i, all.first + i + 1);
            }
            write_node(all.node, {all.ends, all.count}, all.first);
            free_.give(all.first + all.count, 1);
            return true;
        }
        return false;
    }
    void copy_line(std::size_t to, std::size_t from) {
        written_.add(to);
        std::memcpy(at(to), at(from), line);
    }
    // Children [from, to) of a first node become as many as these intervals need.
    void replace_children(std::uint32_t tree, std::uint32_t last, std::size_t from, std::size_t to,
                          const interval_run<std::uint32_t>& run) {
        const std::size_t old = children_of(tree);
        const std::size_t most = capacity(levels_ - 1, answer_bytes_);
        const std::size_t needed = (run.size() + most - 1) / most;
        const std::size_t children = old - (to - from) + needed;
        if (children > simd::packed_node::children) {
            interval_run<std::uint32_t> all;
            for (std::size_t i = 0; i < old; ++i)
                if (i < from || i >= to)
                    read_level(child_of(tree, i), 1, i + 1 < old ? word(lines_.data() + tree, i) : last,
                               all.ends, all.codes);
                else if (i == from)
                    append(all, run);
            return rewrite(tree, all.ends, all.codes);
        }
        std::uint32_t keys[simd::packed_node::children];
        std::size_t first = child_of(tree, 0) / line;
        for (std::size_t i = from; i < to; ++i)
            free_below(child_of(tree, i), 1);
        const std::size_t moved = children == old ? first : allocate(children);
        for (std::size_t i = 0; i < old; ++i)
            if (i < from || i >= to) {
                const std::size_t at_now = i < from ? i : i - to + from + needed;
                keys[at_now] = i + 1 < old ? word(lines_.data() + tree, i) : last;
                if (moved != first)
                    copy_line(moved + at_now, first + i);
            }
        if (moved != first)
            free_.give(first, old);
        const std::size_t each = (run.size() + needed - 1) / needed;
        for (std::size_t n = 0; n < needed; ++n) {
            const std::size_t begin = n * each;
            const std::size_t count = std::min(each, run.size() - begin);
            write(place_of(moved + from + n), 1, std::span(run.ends).subspan(begin, count),
                  std::span(run.codes).subspan(begin, count));
            keys[from + n] = run.ends[begin + count - 1];
        }
        write_node(tree, {keys, children}, moved);
    }
    static void append(interval_run<std::uint32_t>& to, const interval_run<std::uint32_t>& more) {
        to.ends.insert(to.ends.end(), more.ends.begin(), more.ends.end());
        to.codes.insert(to.codes.end(), more.codes.begin(), more.codes.end());
    }

    // No stored end is all ones, as the last one is not stored.
    static constexpr std::uint32_t no_key = ~std::uint32_t{0};
    static std::size_t keys_in(const std::byte* from, std::size_t slots) noexcept {
        std::size_t count = 0;
        for (std::size_t i = 0; i < slots; ++i)
            count += word(from, i) != no_key ? 1 : 0;
        return count;
    }
    template <class List>
    void read_leaf(const std::byte* from, std::uint32_t last, List& ends, List& codes) const {
        const std::size_t count = keys_in(from, shape_.keys);
        append_words<std::uint32_t>(from, count, ends);
        ends.push_back(last);
        append_codes(from + shape_.answers_at, count + 1, answer_bytes_, codes);
    }
    void read_level(std::uint32_t place, unsigned level, std::uint32_t last, std::vector<std::uint32_t>& ends,
                    std::vector<std::uint32_t>& codes) const {
        const std::byte* from = lines_.data() + place;
        if (level == levels_)
            return read_leaf(from, last, ends, codes);
        const std::size_t count = keys_in(from, simd::packed_node::keys);
        for (std::size_t i = 0; i <= count; ++i)
            read_level(child_of(place, i), level + 1, i < count ? word(from, i) : last, ends, codes);
    }
    std::uint32_t child_of(std::uint32_t node, std::size_t i) const noexcept {
        return word(lines_.data() + node, simd::packed_node::keys) + static_cast<std::uint32_t>(i * line);
    }
    std::size_t children_of(std::uint32_t node) const noexcept {
        return keys_in(lines_.data() + node, simd::packed_node::keys) + 1;
    }
    void free_below(std::uint32_t node, unsigned level) {
        const std::size_t children = children_of(node);
        for (std::size_t i = 0; i < children; ++i)
            if (level + 1 < levels_)
                free_below(child_of(node, i), level + 1);
            else
                unused_ -= shape_.keys - keys_in(lines_.data() + child_of(node, i), shape_.keys);
        free_.give(child_of(node, 0) / line, children);
    }

    simd::packed_leaf shape_{};
    unsigned answer_bytes_ = 1;
    unsigned levels_ = 1;
    aligned_array<std::byte> lines_;
    std::size_t used_ = 0; // lines from the start that were ever taken
    free_parts free_;
    // Intervals for which written leaves have room: now, when built, and from how many on a change packs
    // leaves.
    std::size_t unused_ = 0;
    std::size_t built_unused_ = 0;
    std::size_t most_unused_ = 0;
    written_units written_;               // lines
    interval_run<std::uint32_t> changed_; // of assign(), to take no memory each time
};

} // namespace fingerpost
