// The other form of packed leaves, for large IPv4 tables: a bit for each cell of 24 bits in which an interval
// ends, and the answers in address order.
//
//     word    32 bits, one a cell | where the word's answers start     one of 2^19
//     answers code | code | ... one for each interval that the word's cells share
//
// Two dependent loads: the word, and the answer that the number of bits before the cell leads to. A word
// without a bit shares its one answer with such a word beside it; how many do nobody knows, so the answer
// stays where it is when a word gives it up. Every other word has answers of its own, so that a change of its
// cells concerns nobody else.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <vector>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/written_units.hpp"
#include "fingerpost/fib/code_words.hpp"
#include "fingerpost/fib/coded_intervals.hpp"
#include "fingerpost/simd/packed.hpp"

namespace fingerpost {

// What runs out throws std::bad_alloc.
class ranked_cells {
    static constexpr unsigned cells = simd::ranked_word_cells;
    static constexpr std::size_t word_count = std::size_t{1} << simd::ranked_word_bits;

  public:
    ranked_cells() = default;
    // `intervals` cover the whole space, and end with cells.
    template <class A>
    ranked_cells(const coded_intervals<A>& intervals, unsigned answer_bytes) : answer_bytes_(answer_bytes) {
        auto words = aligned_array<simd::ranked_word>::make(word_count);
        if (!words)
            throw std::bad_alloc();
        words_ = std::move(*words);
        grow(intervals.size() * 5 / 4);
        std::size_t interval = 0;
        for (std::size_t w = 0; w < word_count; filled_ = ++w) {
            const auto last = static_cast<std::uint32_t>(w * cells + (cells - 1));
            const std::size_t first = interval;
            std::uint32_t inner_ends = 0;
            for (; cell_of(intervals.ends[interval]) < last; ++interval)
                inner_ends |= std::uint32_t{1} << (cell_of(intervals.ends[interval]) % cells);
            put(w, inner_ends, std::span(intervals.codes).subspan(first, interval + 1 - first));
            if (cell_of(intervals.ends[interval]) == last && interval + 1 < intervals.size())
                ++interval;
        }
        move_to(used_);
        made_alone_ = 0;
    }

    std::span<const simd::ranked_word> words() const noexcept { return words_.span(); }
    std::span<const std::byte> answers() const noexcept {
        return answers_.span().first(used_ * answer_bytes_);
    }
    std::size_t memory_bytes() const noexcept {
        return words_.memory_bytes() + answers_.memory_bytes() + written_.memory_bytes();
    }
    // What building anew may do without.
    std::size_t free_bytes() const noexcept {
        return (free_ + capacity() - used_ + made_alone_) * answer_bytes_;
    }

    // Gives the cells `low` to `high` this code. `forget` is called with those that had the code `escape`.
    template <class Forget>
    void assign(std::uint32_t low, std::uint32_t high, std::uint32_t code, std::uint32_t escape,
                Forget forget) {
        for (std::uint32_t w = low / cells; w <= high / cells; ++w) {
            const std::uint32_t first = w * cells;
            const std::uint32_t from = std::max(low, first) - first;
            const std::uint32_t to = std::min(high - first, cells - 1);
            each_with(words_[w], escape, from, to, [&](std::uint32_t part_low, std::uint32_t part_high) {
                forget(first + part_low, first + part_high);
            });
            assign_in_word(w, from, to, code);
        }
    }
    std::uint32_t code_of(std::uint32_t cell) const noexcept {
        const simd::ranked_word& word = words_[cell / cells];
        return code_at(word, intervals_before(word, cell % cells));
    }
    // As packed_trees::follow().
    void follow(ranked_cells& leader, bool were_same) {
        answer_bytes_ = leader.answer_bytes_;
        if (leader.words_.size() == 0)
            words_ = {};
        const bool in_part = were_same && leader.written_.are_known();
        if (!in_part)
            used_ = 0;
        if (words_.size() != leader.words_.size()) {
            auto words = aligned_array<simd::ranked_word>::make(leader.words_.size());
            if (!words)
                throw std::bad_alloc();
            words_ = std::move(*words);
        }
        if (answers_.size() != leader.answers_.size() &&
            !(used_ > 0 && answers_.extend(leader.answers_.size())))
            move_to(leader.capacity());
        if (in_part) {
            for (const std::uint32_t w : leader.written_.list()) {
                const simd::ranked_word& word = words_[w] = leader.words_[w];
                const auto count = static_cast<std::size_t>(std::popcount(word.ends)) + 1;
                std::memcpy(answer(word.start), leader.answer(word.start), count * answer_bytes_);
            }
        } else if (leader.used_ > 0) {
            std::memcpy(words_.data(), leader.words_.data(), words_.memory_bytes());
            std::memcpy(answers_.data(), leader.answers_.data(), leader.used_ * answer_bytes_);
        }
        filled_ = leader.filled_;
        used_ = leader.used_;
        free_ = leader.free_;
        made_alone_ = leader.made_alone_;
        std::swap(pieces_, leader.pieces_);
        written_.start(words_.memory_bytes());
    }

  private:
    template <class A>
    static std::uint32_t cell_of(A a) noexcept {
        return static_cast<std::uint32_t>(slice(a, 0, simd::ranked_cell_bits));
    }
    std::size_t capacity() const noexcept { return answers_.size() / answer_bytes_; }
    std::byte* answer(std::size_t number) noexcept { return answers_.data() + number * answer_bytes_; }
    const std::byte* answer(std::size_t number) const noexcept {
        return answers_.data() + number * answer_bytes_;
    }

    void move_to(std::size_t count) {
        if (!answers_.move_to(count * answer_bytes_, count / 4 * answer_bytes_, used_ * answer_bytes_))
            throw std::bad_alloc();
    }
    void grow(std::size_t count) {
        if (count <= capacity())
            return;
        // Little by little where nothing has to be copied.
        if (!answers_.extend(std::max(count, capacity() * 129 / 128) * answer_bytes_))
            move_to(std::max(count, capacity() * 17 / 16));
    }
    // Room for `count` answers: a piece of that size, a part of a larger one, or new.
    std::uint32_t allocate(std::size_t count) {
        for (std::size_t size = count; free_ > 0 && size <= cells; ++size) {
            if (pieces_[size].empty())
                continue;
            const std::uint32_t start = pieces_[size].back();
            if (size > count)
                pieces_[size - count].push_back(start + static_cast<std::uint32_t>(count));
            pieces_[size].pop_back();
            free_ -= count;
            return start;
        }
        grow(used_ + count);
        used_ += count;
        return static_cast<std::uint32_t>(used_ - count);
    }
    void release(std::size_t w) {
        if (words_[w].ends == 0)
            return;
        const auto count = static_cast<std::size_t>(std::popcount(words_[w].ends)) + 1;
        pieces_[count].push_back(words_[w].start);
        free_ += count;
    }
    // One code more than the word has ends in it.
    void put(std::size_t w, std::uint32_t inner_ends, std::span<const std::uint32_t> codes) {
        written_.add(w);
        if (inner_ends == 0) {
            for (const std::size_t beside : {w - 1, w + 1})
                if (is_uniform(beside, codes[0])) {
                    words_[w] = words_[beside];
                    return;
                }
            ++made_alone_;
        }
        const std::uint32_t start = allocate(codes.size());
        put_codes(answer(start), codes, answer_bytes_);
        words_[w] = {inner_ends, start};
    }
    bool is_uniform(std::size_t w, std::uint32_t code) const noexcept {
        return w < filled_ && words_[w].ends == 0 && get_code(answer(words_[w].start), answer_bytes_) == code;
    }

    // How many of a word's intervals end before this one of its cells: the number of the one that it is in.
    static unsigned intervals_before(const simd::ranked_word& word, std::uint32_t cell) noexcept {
        return static_cast<unsigned>(std::popcount(word.ends & low_mask<std::uint32_t>(cell)));
    }
    static bool ends_with(const simd::ranked_word& word, std::uint32_t cell) noexcept {
        return (word.ends >> cell & 1) != 0;
    }
    std::uint32_t code_at(const simd::ranked_word& word, std::size_t interval) const noexcept {
        return get_code(answer(word.start + interval), answer_bytes_);
    }
    // Calls visit(first, last) for the parts of the cells `from` to `to` that have this code.
    template <class Visit>
    void each_with(const simd::ranked_word& word, std::uint32_t code, std::uint32_t from, std::uint32_t to,
                   Visit visit) const {
        for (unsigned i = intervals_before(word, from); from <= to; ++i) {
            const auto end = static_cast<std::uint32_t>(std::countr_zero(word.ends >> from)) + from;
            const std::uint32_t last = std::min(end, to);
            if (code_at(word, i) == code)
                visit(from, last);
            from = last + 1;
        }
    }
    // The new interval takes the place of the whole ones among these cells and joins those beside it that
    // have its code; the codes before and behind stay.
    void assign_in_word(std::size_t w, std::uint32_t from, std::uint32_t to, std::uint32_t code) {
        const simd::ranked_word old = words_[w];
        const auto count = static_cast<std::size_t>(std::popcount(old.ends)) + 1;
        std::size_t before = intervals_before(old, from); // codes that stay in front
        std::size_t behind = intervals_before(old, to);   // the first of those that stay after it
        std::uint32_t ends = old.ends & ~(low_mask<std::uint32_t>(to + 1) & ~low_mask<std::uint32_t>(from));
        if (from > 0) {
            before += !ends_with(old, from - 1); // the interval that it cuts stays in part
            const bool parts = code_at(old, before - 1) != code;
            before -= !parts;
            ends = (ends & ~(std::uint32_t{1} << (from - 1))) | std::uint32_t{parts} << (from - 1);
        }
        if (to < cells - 1) {
            behind += ends_with(old, to);
            const bool parts = code_at(old, behind) != code;
            behind += !parts;
            ends |= std::uint32_t{parts} << to;
        } else {
            behind = count;
        }
        if (ends == old.ends && code_at(old, before) == code)
            return;
        if (old.ends != 0 && ends != 0 && before + 1 == behind) {
            written_.add(w);
            put_code(answer(old.start + before), code, answer_bytes_);
            words_[w].ends = ends;
            return;
        }
        std::array<std::uint32_t, cells + 2> codes; // a cell in the middle makes three of one
        std::size_t size = 0;
        for (std::size_t i = 0; i < before; ++i)
            codes[size++] = code_at(old, i);
        codes[size++] = code;
        for (std::size_t i = behind; i < count; ++i)
            codes[size++] = code_at(old, i);
        release(w);
        put(w, ends, std::span(codes).first(size));
    }

    unsigned answer_bytes_ = 1;
    aligned_array<simd::ranked_word> words_;
    std::size_t filled_ = 0; // words that say something; all of them once it is built
    aligned_array<std::byte> answers_;
    std::size_t used_ = 0;                                     // answers from the start that were ever taken
    std::size_t free_ = 0;                                     // of these, the ones in pieces_
    std::array<std::vector<std::uint32_t>, cells + 1> pieces_; // by size
    std::size_t made_alone_ = 0; // answers of words without ends, since building
    written_units written_;      // words
};

} // namespace fingerpost
