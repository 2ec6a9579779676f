// Edits a few neighbouring intervals, those of one tree or of one of its leaves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::cells {

// Inclusive ends and codes. After assign(), neighbours have different codes. Keys have a granularity, the
// step: the bits of a key below a step are ignored.
template <class Key, class Ends = std::vector<Key>, class Codes = std::vector<std::uint32_t>>
struct interval_editor {
    Key first{}; // of the first interval
    Key step{1};
    Ends ends;
    Codes codes;

    void clear() noexcept {
        ends.clear();
        codes.clear();
    }
    void push(Key end, std::uint32_t code) {
        ends.push_back(end);
        codes.push_back(code);
    }
    std::size_t size() const noexcept { return ends.size(); }
    Key last() const noexcept { return ends.back(); }

    std::size_t at(Key key) const noexcept { return at(key, 0); }
    std::uint32_t code_of(Key key) const noexcept { return codes[at(key)]; }

    // Calls visit(first, last) for the parts of [low, high] with this code.
    template <class Visit>
    void each_with(std::uint32_t code, Key low, Key high, Visit visit) const {
        for (std::size_t i = at(low, near_); i < size() && start_of(i) <= high; ++i)
            if (codes[i] == code)
                visit(std::max(low, start_of(i)), std::min(high, ends[i]));
    }

    // Sets the code of [low, high], which must be within the intervals.
    void assign(Key low, Key high, std::uint32_t code) {
        std::size_t from = at(low, near_);
        near_ = from;
        if (ends[from] == high && start_of(from) == low && !is_beside(from, code)) {
            codes[from] = code;
            return;
        }
        std::size_t to = at(high, from);
        Key pieces_end[3];
        std::uint32_t pieces_code[3];
        std::size_t pieces = 0;
        if (start_of(from) < low && codes[from] != code) {
            pieces_end[pieces] = static_cast<Key>(low - step);
            pieces_code[pieces++] = codes[from];
        } else if (start_of(from) == low && from > 0 && codes[from - 1] == code) {
            --from;
        }
        const bool remains = ends[to] > high;
        if (!remains && to + 1 < size() && codes[to + 1] == code)
            ++to;
        const bool joins = codes[to] == code;
        pieces_end[pieces] = joins ? ends[to] : high;
        pieces_code[pieces++] = code;
        if (remains && !joins) {
            pieces_end[pieces] = ends[to];
            pieces_code[pieces++] = codes[to];
        }
        replace(from, to - from + 1, pieces_end, pieces_code, pieces);
    }

  private:
    // Searches first at and after `near`, because changes often come in order.
    std::size_t at(Key key, std::size_t near) const noexcept {
        constexpr std::size_t few = 4;
        auto from = ends.begin();
        if (near < size() && (near == 0 || ends[near - 1] < key)) {
            from += static_cast<std::ptrdiff_t>(near);
            for (std::size_t i = near; i < size() && i < near + few; ++i, ++from)
                if (key <= ends[i])
                    return i;
        }
        return static_cast<std::size_t>(std::lower_bound(from, ends.end(), key) - ends.begin());
    }
    // True if an interval has a neighbour with this code.
    bool is_beside(std::size_t i, std::uint32_t code) const noexcept {
        return (i > 0 && codes[i - 1] == code) || (i + 1 < size() && codes[i + 1] == code);
    }
    Key start_of(std::size_t i) const noexcept {
        return i == 0 ? first : static_cast<Key>(ends[i - 1] + step);
    }
    void replace(std::size_t from, std::size_t old, const Key* new_ends, const std::uint32_t* new_codes,
                 std::size_t count) {
        replace_in(ends, from, old, new_ends, count);
        replace_in(codes, from, old, new_codes, count);
    }
    template <class List, class Item>
    static void replace_in(List& list, std::size_t from, std::size_t old, const Item* news,
                           std::size_t count) {
        if (count == old) {
            std::copy_n(news, count, list.data() + from);
            return;
        }
        const std::size_t size = list.size() - old + count;
        if (count > old)
            list.resize(size);
        Item* const at = list.data() + from;
        Item* const old_end = list.data() + size - count + old;
        if (count > old)
            std::copy_backward(at + old, old_end, list.data() + size);
        else
            std::copy(at + old, old_end, at + count);
        std::copy_n(news, count, at);
        list.resize(size);
    }

    std::size_t near_ = 0; // position of the last change
};

} // namespace fingerpost::cells
