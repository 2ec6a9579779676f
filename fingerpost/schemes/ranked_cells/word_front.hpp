// The front of ranked cells: words and their answers, for lookups and for changes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "fingerpost/fib/parts/answers/coded_intervals.hpp"
#include "fingerpost/fib/parts/cells/cell_check.hpp"
#include "fingerpost/fib/parts/cells/cell_image.hpp"
#include "fingerpost/fib/parts/cells/find.hpp"
#include "fingerpost/schemes/ranked_cells/bitmap_rank_table.hpp"
#include "fingerpost/schemes/ranked_cells/structure.hpp"
#include "fingerpost/schemes/ranked_cells/view.hpp"

namespace fingerpost::ranked_cells {

struct word_arrays {
    std::span<const bitmap_word> words;
    std::span<const std::byte> answers;
    word_versions versions; // versions of a FIB in memory, where words may change; empty in an image
    bool is_counted = true; // false if another FIB shares and counts the words

    template <class Self, class Visit>
    static void for_each_section(Self& of, Visit visit) {
        using enum section_kind;
        visit(bitmap_words, of.words);
        visit(bitmap_answers, of.answers);
    }
    // Calls add(part, items, may_have_grown, offset in the part) for each part.
    template <class Add>
    void each_piece(Add add) const {
        add(part::bitmap_words, words);
        add(part::bitmap_answers, answers, true);
        if (versions.empty())
            return;
        add(part::changed_words, versions.own->list());
        add(part::changed_words, versions.other->list(), true, versions.own->memory_bytes());
    }
    template <class Add>
    void each_part(Add add) const {
        add(part::bitmap_words, is_counted ? words.size_bytes() : 0);
        add(part::bitmap_answers, is_counted ? answers.size_bytes() : 0);
        if (!versions.empty())
            add(part::changed_words,
                is_counted ? versions.own->memory_bytes() + versions.other->memory_bytes() : 0);
    }
    // Kernels read the whole aligned 32-bit word around an answer.
    std::optional<array_fault> check(unsigned code_bytes, const code_rule& rule) const {
        if (words.size() != std::size_t{1} << word_index_bits)
            return array_fault{words.data(), "there must be 2^19 words"};
        const std::size_t count = answers.size() / code_bytes;
        for (const bitmap_word& word : words)
            if (word.start() + std::uint64_t{word_cells} >= count &&
                word.start() + static_cast<std::uint64_t>(std::popcount(word.ends())) >= count)
                return array_fault{&word, "the answers of a word are out of bounds"};
        if (const auto* bad = rule.first_bad(answers.data(), count, code_bytes))
            return array_fault{bad, "an answer is invalid"};
        return std::nullopt;
    }
    template <class Visit>
    void visit(const Visit& nodes) const {
        word_visit(*this, nodes).run();
    }

    // Lookups that support versions read the word and the answer again if the cell is divided or the word is
    // a redirect mark. Reads of the same bytes are one step here.
    template <class Read, class A>
    std::uint32_t find(Read& read, A a, unsigned code_bytes) const {
        const auto cell = static_cast<std::uint32_t>(slice(a, 0, cell_bits));
        const std::uint32_t number = cell / word_cells;
        const bitmap_word& there = read(words, number);
        const bitmap_word word = versions.empty() ? there : word_versions::load(words.data(), number);
        const bool is_marked = !versions.empty() && word == word_versions::redirect_mark;
        read.tell([&](auto& step) {
            step.looks_at(0, cell_bits);
            step.tests_bitmaps(cell % word_cells, {shown_ends(word)});
            if (!is_marked)
                step.counted = {0, 1, word.start(), word.intervals_before(cell % word_cells), code_bytes};
        });
        if (!is_marked)
            return answer_at(read, word.slot_of(cell % word_cells), code_bytes);
        (void)read(answers.data(), 0, code_bytes); // the escape code of all redirect marks
        return answer_at(read, changed_word(read, number).slot_of(cell % word_cells), code_bytes);
    }

  private:
    template <class Read>
    std::uint32_t answer_at(Read& read, std::size_t slot, unsigned code_bytes) const {
        const std::byte* const code = read(answers.data(), slot * code_bytes, code_bytes);
        read.tell([=](auto& step) { step.key = slot; });
        return get_code(code, code_bytes);
    }
    template <class Read>
    bitmap_word changed_word(Read& read, std::uint32_t number) const {
        const word_log::word_change* const change = find_change(read, *versions.own, number);
        return change != nullptr ? change->after : find_change(read, *versions.other, number)->before;
    }
    template <class Read>
    static const word_log::word_change* find_change(Read& read, const word_log& log, std::uint32_t number) {
        const word_log::word_change* change = nullptr;
        const auto compare = [&](std::uint32_t position) {
            const word_log::word_change& there = read(log.list(), position);
            read.tell([&](auto& step) {
                step.looks_at(0, word_index_bits);
                step.compares_keys(number, {there.number});
                if (there.number != number)
                    step.misses();
            });
            change = there.number == number ? &there : nullptr;
            return change != nullptr;
        };
        (void)log.index().find(log.index().key().hash(number), compare);
        return change;
    }
};

// The kernels for these arrays.
template <class A>
class word_lookups {
  public:
    static constexpr bool takes_addresses = true;

    word_lookups() = default;
    word_lookups(const word_arrays& in, unsigned code_bytes, simd::isa isa, const simd::tuning& how) noexcept
        : batch_(kernels_of(isa).batch[std::countr_zero(code_bytes)]),
          single_(kernels_of(isa).single[std::countr_zero(code_bytes)]),
          words_{in.words.data(), in.answers.data(), how}, versions_(in.versions), code_bytes_(code_bytes) {}

    std::uint32_t code(A a) const noexcept { return single_(words_, a.value); }
    void batch(const code_rules& rules, const A* in, std::uint32_t* out, std::size_t count) const noexcept {
        batch_(words_, rules, in, out, count);
    }

    // An escape may be due to a redirect mark. This then gives the address its answer.
    bool may_answer_escapes() const noexcept { return !versions_.empty(); }
    std::uint32_t code_of_escaped(A a) const noexcept {
        const auto cell = static_cast<std::uint32_t>(slice(a, 0, cell_bits));
        const bitmap_word word = versions_.look(words_.words, cell / word_cells);
        return get_code(words_.answers + word.slot_of(cell % word_cells) * std::size_t{code_bytes_},
                        code_bytes_);
    }

  private:
    batch_kernel batch_ = nullptr;
    single_kernel single_ = nullptr;
    bitmap_view words_;
    word_versions versions_;
    unsigned code_bytes_ = 1;
};

class word_front {
  public:
    static constexpr unsigned bits = cell_bits;
    static constexpr std::uint32_t form = 1;
    struct limits {
        std::size_t answers = bitmap_rank_table::most;
    };
    using arrays = word_arrays;
    template <class A>
    using lookups = word_lookups<A>;

    // Every change costs at most a word, so there is no slack.
    template <class A>
    static word_front build(const coded_intervals<A>& intervals, unsigned code_bytes, unsigned,
                            const limits& most) {
        word_front front;
        front.table_ = std::make_shared<bitmap_rank_table>(intervals, code_bytes, most.answers);
        return front;
    }
    arrays read_arrays() const noexcept {
        return {table_->words(), table_->answers(), table_->versions(side_), counts_shared()};
    }
    // The addresses of the arrays that a change may move.
    std::array<const void*, 1> places() const noexcept { return {table_->answers().data()}; }

    // Changes cells by their numbers.
    template <class Forget>
    void assign(std::uint64_t low, std::uint64_t high, std::uint32_t code, std::uint32_t escape,
                Forget forget) {
        table_->assign(cell(low), cell(high), code, escape, forget);
    }
    void recode(std::uint64_t low, std::uint64_t high, std::uint32_t from, std::uint32_t to, std::uint32_t) {
        table_->recode(cell(low), cell(high), from, to);
    }
    std::uint32_t code_of(std::uint64_t number) const { return table_->code_of(cell(number)); }
    void flush() noexcept {}

    bool may_change() const noexcept { return table_->may_change(); }
    // At most two FIBs share words.
    bool may_follow(const word_front& active) const noexcept {
        return active.table_ == table_ || active.table_.use_count() == 1;
    }
    void sync_from(word_front& active, bool) {
        if (table_ != active.table_) {
            table_ = active.table_;
            side_ = 1 - active.side_;
        }
        table_->begin_version(side_);
    }
    void begin_publish() noexcept { table_->begin_publish(); }
    bool is_publish_finished() const noexcept { return !table_->has_redirects(); }
    void finish_publish() noexcept { table_->finish_publish(); }

    // Whether this FIB counts the shared memory.
    bool counts_shared() const noexcept { return table_.use_count() == 1 || table_->newer_side() == side_; }
    std::size_t memory_bytes() const noexcept { return counts_shared() ? all_bytes() : 0; }
    std::size_t all_bytes() const noexcept { return table_->memory_bytes(); }
    std::size_t idle_bytes() const noexcept { return table_->free_bytes(); }
    bool pack(std::size_t) noexcept { return false; }

  private:
    static std::uint32_t cell(std::uint64_t number) noexcept { return static_cast<std::uint32_t>(number); }

    std::shared_ptr<bitmap_rank_table> table_; // shared by two FIBs
    unsigned side_ = 0;                        // 0 or 1: the number of this FIB
};

} // namespace fingerpost::ranked_cells
