// The words and answers of ranked cells, and their changes. A word has a bit for each 24-bit cell at the end
// of an interval; the answers are the codes of a word's intervals in address order.
//
//     word    32 bits, one a cell | start of the word's answers         one of 2^19
//     answers redirect   | code | code | ... one for each interval in the word's cells
//
// A lookup takes two dependent loads: the word, and the answer selected by the number of bits before the
// cell. A word without a set bit shares its one answer with neighbouring words of the same kind. Sharers are
// not counted, so this answer is never freed. Every other word has its own answers, so that a change of its
// cells does not affect other words.
//
// Two FIBs that are published alternately share these arrays. word_versions.hpp explains this, and why
// readers see only the changes of their own FIB. The first answer is for redirect marks.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/parts/answers/coded_intervals.hpp"
#include "fingerpost/fib/parts/cells/codes.hpp"
#include "fingerpost/schemes/ranked_cells/view.hpp"
#include "fingerpost/schemes/ranked_cells/word_versions.hpp"

namespace fingerpost::ranked_cells {

// Throws std::bad_alloc if memory runs out, and std::length_error if numbers of answers run out. After that,
// the words must not be changed again.
class bitmap_rank_table {
    static constexpr unsigned cells = word_cells;
    static constexpr std::uint32_t word_count = std::uint32_t{1} << word_index_bits;

  public:
    // Vector kernels treat the numbers of answers as signed.
    static constexpr std::size_t most = std::size_t{1} << 31;

    // `intervals` cover the whole space and end at the ends of cells. Tests pass a lower limit of answers to
    // reach it.
    template <class A>
    bitmap_rank_table(const coded_intervals<A>& intervals, unsigned code_bytes,
                      std::size_t most_answers = most)
        : bitmap_rank_table(code_bytes, intervals.size(), most_answers) {
        std::size_t interval = 0;
        for (std::uint32_t w = 0; w < word_count; ++w) {
            const std::uint32_t last = w * cells + (cells - 1);
            const std::size_t first = interval;
            std::uint32_t inner_ends = 0;
            for (; cell_of(intervals.ends[interval]) < last; ++interval)
                inner_ends |= std::uint32_t{1} << (cell_of(intervals.ends[interval]) % cells);
            fill(w, inner_ends, std::span(intervals.codes).subspan(first, interval + 1 - first));
            if (cell_of(intervals.ends[interval]) == last && interval + 1 < intervals.size())
                ++interval;
        }
        move_to(used_);
    }

    std::span<const bitmap_word> words() const noexcept { return words_.span(); }
    std::span<const std::byte> answers() const noexcept { return answers_.span().first(used_ * code_bytes_); }
    std::size_t memory_bytes() const noexcept {
        return words_.memory_bytes() + answers_.memory_bytes() + older_answers_.memory_bytes() +
               changes_[0].memory_bytes() + changes_[1].memory_bytes();
    }
    // Memory that a rebuild would save.
    std::size_t free_bytes() const noexcept {
        return (free_ + capacity() - used_ + made_alone_) * code_bytes_;
    }

    // Writes `code` to the cells `low` to `high`. Calls `forget` for those that had the code `escape`.
    template <class Forget>
    void assign(std::uint32_t low, std::uint32_t high, std::uint32_t code, std::uint32_t escape,
                Forget forget) {
        for (std::uint32_t w = low / cells; w <= high / cells; ++w) {
            const std::uint32_t first = w * cells;
            const std::uint32_t from = std::max(low, first) - first;
            const std::uint32_t to = std::min(high - first, cells - 1);
            const word_ref at = find(w);
            each_with(at.word, escape, from, to, [&](std::uint32_t part_low, std::uint32_t part_high) {
                forget(first + part_low, first + part_high);
            });
            assign_in_word(at, from, to, code);
        }
    }
    // Replaces the code `from` by `to` in the cells `low` to `high`.
    void recode(std::uint32_t low, std::uint32_t high, std::uint32_t from, std::uint32_t to);
    // The code in the state of the standby FIB.
    std::uint32_t code_of(std::uint32_t cell) const noexcept {
        const bitmap_word word = find(cell / cells).word;
        return code_at(word, word.intervals_before(cell % cells));
    }

    // Starts collecting changes for FIB `side`, 0 or 1, which has no readers. First completes the changes of
    // the other FIB.
    void begin_version(unsigned side);
    // Called right before the standby, or a newly built FIB, is published. After this, nothing may change
    // until the next version begins.
    void begin_publish() noexcept;
    // Called when the previous FIB has no readers left.
    void finish_publish() noexcept;
    bool has_redirects() const noexcept { return state_ == version_state::being_published; }
    // Without versions, changes are immediate, and no thread may read.
    bool may_change() const noexcept { return state_ <= version_state::open; }
    // The newer of the FIBs that readers may use.
    unsigned newer_side() const noexcept { return state_ == version_state::open ? 1 - side_ : side_; }
    word_versions versions(unsigned side) const noexcept { return {&changes_[side], &changes_[1 - side]}; }

  private:
    enum class version_state : std::uint8_t { none, open, being_published, finished };

    // Makes words without ends and answers, with room for N intervals.
    bitmap_rank_table(unsigned code_bytes, std::size_t intervals, std::size_t most_answers);
    // Fills one word. Called once for each word, in order.
    void fill(std::uint32_t w, std::uint32_t inner_ends, std::span<const std::uint32_t> codes);

    template <class A>
    static std::uint32_t cell_of(A a) noexcept {
        return static_cast<std::uint32_t>(slice(a, 0, cell_bits));
    }
    std::size_t capacity() const noexcept { return answers_.size() / code_bytes_; }
    std::byte* answer(std::size_t number) noexcept { return answers_.data() + number * code_bytes_; }
    const std::byte* answer(std::size_t number) const noexcept {
        return answers_.data() + number * code_bytes_;
    }

    word_log& log() noexcept { return changes_[side_]; }
    const word_log& log() const noexcept { return changes_[side_]; }
    // A word in the state of the standby FIB. `collected` is its number in the log. If that is `none`,
    // readers have the word too, and its answers must not be written.
    struct word_ref {
        static constexpr std::size_t none = ~std::size_t{0};
        std::uint32_t number;
        std::size_t collected;
        bitmap_word word;
    };
    word_ref find(std::uint32_t w) const noexcept;
    bool is_read(const word_ref& at) const noexcept {
        return state_ == version_state::open && at.collected == word_ref::none;
    }
    void write(std::uint32_t w, bitmap_word word) noexcept;
    void expect_sharing() noexcept;

    void move_to(std::size_t count);
    void grow(std::size_t count);
    std::uint32_t allocate(std::size_t count);
    void expect_piece(std::size_t size);
    void free_piece(std::size_t size, std::uint32_t start);
    static std::size_t answers_of(const bitmap_word& word) noexcept {
        return static_cast<std::size_t>(std::popcount(word.ends())) + 1;
    }

    void put_uniform(const word_ref& at, std::uint32_t code);
    void replace(const word_ref& at, bitmap_word word);
    bool is_uniform(const bitmap_word& word, std::uint32_t code) const noexcept {
        return word.ends() == 0 && code_at(word, 0) == code;
    }
    void assign_in_word(const word_ref& at, std::uint32_t from, std::uint32_t to, std::uint32_t code);

    std::uint32_t code_at(const bitmap_word& word, std::size_t interval) const noexcept {
        return get_code(answer(word.start() + interval), code_bytes_);
    }
    // Calls visit(first, last) for each part of the cells `from` to `to` that has this code.
    template <class Visit>
    void each_with(const bitmap_word& word, std::uint32_t code, std::uint32_t from, std::uint32_t to,
                   Visit visit) const {
        for (unsigned i = word.intervals_before(from); from <= to; ++i) {
            const auto end = static_cast<std::uint32_t>(std::countr_zero(word.ends() >> from)) + from;
            const std::uint32_t last = std::min(end, to);
            if (code_at(word, i) == code)
                visit(from, last);
            from = last + 1;
        }
    }

    unsigned code_bytes_;
    std::size_t most_;
    aligned_array<bitmap_word> words_;
    aligned_array<std::byte> answers_;
    aligned_array<std::byte> older_answers_; // used by readers of the older FIB
    // number of answers at the start that were ever allocated
    std::size_t used_ = 0;
    std::size_t free_ = 0;                                     // number of these in pieces_
    std::array<std::vector<std::uint32_t>, cells + 1> pieces_; // free pieces by size
    // number of pieces of each size that finish_publish() will free
    std::array<std::uint32_t, cells + 1> leaving_{};
    std::size_t made_alone_ = 0; // answers of words without ends, added since the build

    std::array<word_log, 2> changes_;
    version_state state_ = version_state::none;
    unsigned side_ = 0; // side of the current or the last standby
};

} // namespace fingerpost::ranked_cells
