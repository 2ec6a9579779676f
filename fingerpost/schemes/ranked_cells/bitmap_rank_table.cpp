// Changes words, and manages the memory of their answers.
#include "fingerpost/schemes/ranked_cells/bitmap_rank_table.hpp"

#include <cstring>
#include <new>
#include <utility>

#include "fingerpost/base/inline_vector.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/parts/cells/proportions.hpp"

namespace fingerpost::ranked_cells {

bitmap_rank_table::bitmap_rank_table(unsigned code_bytes, std::size_t intervals, std::size_t most_answers)
    : code_bytes_(code_bytes), most_(most_answers) {
    auto words = aligned_array<bitmap_word>::make(word_count);
    if (!words)
        throw std::bad_alloc();
    words_ = std::move(*words);
    grow(std::min(intervals * 5 / 4 + 1, most_));
    // The answer of redirect marks, which is "no route" until there are any.
    put_code(answer(allocate(1)), 0, code_bytes_);
}
void bitmap_rank_table::fill(std::uint32_t w, std::uint32_t inner_ends,
                             std::span<const std::uint32_t> codes) {
    if (inner_ends == 0 && w > 0 && is_uniform(words_[w - 1], codes[0])) {
        words_[w] = words_[w - 1];
        return;
    }
    const std::uint32_t start = allocate(codes.size());
    put_codes(answer(start), codes, code_bytes_);
    words_[w] = bitmap_word::make(inner_ends, start);
}

bitmap_rank_table::word_ref bitmap_rank_table::find(std::uint32_t w) const noexcept {
    if (state_ == version_state::open)
        if (const word_log::word_change* const changed = log().find(w))
            return {w, static_cast<std::size_t>(changed - log().list().data()), changed->after};
    return {w, word_ref::none, words_[w]};
}
void bitmap_rank_table::write(std::uint32_t w, bitmap_word word) noexcept {
    std::atomic_ref(words_[w].both).store(word.both, std::memory_order_release);
}

// Writes only the first time. begin_publish() of a newly built FIB ensures that this is before any reader.
void bitmap_rank_table::expect_sharing() noexcept {
    const std::uint32_t escape = next_hop_codec::escape_of(code_bytes_);
    if (code_at(word_versions::redirect_mark, 0) != escape)
        put_code(answer(word_versions::redirect_mark.start()), escape, code_bytes_);
}
void bitmap_rank_table::begin_version(unsigned side) {
    expect_sharing();
    finish_publish();
    side_ = side;
    log().clear();
    state_ = version_state::open;
}
void bitmap_rank_table::begin_publish() noexcept {
    expect_sharing();
    if (state_ != version_state::open)
        return;
    for (const word_log::word_change& change : log().list())
        write(change.number, word_versions::redirect_mark);
    state_ = version_state::being_published;
}
void bitmap_rank_table::finish_publish() noexcept {
    if (state_ != version_state::open && state_ != version_state::being_published)
        return;
    for (const word_log::word_change& change : log().list()) {
        write(change.number, change.after);
        if (change.before.ends() != 0) {
            const std::size_t size = answers_of(change.before);
            --leaving_[size];
            pieces_[size].push_back(change.before.start()); // expect_piece() has reserved room
            free_ += size;
        }
    }
    older_answers_ = {};
    state_ = version_state::finished;
}

void bitmap_rank_table::move_to(std::size_t count) {
    auto moved = aligned_array<std::byte>::make(count * code_bytes_, count / 4 * code_bytes_);
    if (!moved)
        throw std::bad_alloc();
    if (used_ > 0)
        std::memcpy(moved->data(), answers_.data(), used_ * code_bytes_);
    // If there are several moves in one version, only the first leaves memory that readers use.
    if (state_ == version_state::open && older_answers_.size() == 0)
        older_answers_ = std::move(answers_);
    answers_ = std::move(*moved);
}
void bitmap_rank_table::grow(std::size_t count) {
    if (count <= capacity())
        return;
    check_size(count, most_, "answers of words");
    // Grows in small steps if this needs no copy.
    if (!answers_.extend(std::clamp(grown_without_copy.of(capacity()), count, most_) * code_bytes_))
        move_to(std::clamp(grown_answers.of(capacity()), count, most_));
}
// Finds room for `count` answers: a free piece of that size, a part of a larger piece, or new room.
std::uint32_t bitmap_rank_table::allocate(std::size_t count) {
    for (std::size_t size = count; free_ > 0 && size <= cells; ++size) {
        if (pieces_[size].empty())
            continue;
        const std::uint32_t start = pieces_[size].back();
        if (size > count)
            free_piece(size - count, start + static_cast<std::uint32_t>(count));
        pieces_[size].pop_back();
        free_ -= size;
        return start;
    }
    grow(used_ + count);
    used_ += count;
    return static_cast<std::uint32_t>(used_ - count);
}
// Reserves room in the list for a piece of this size, besides those that finish_publish() will free.
void bitmap_rank_table::expect_piece(std::size_t size) {
    std::vector<std::uint32_t>& list = pieces_[size];
    const std::size_t capacity = list.size() + leaving_[size] + 1;
    if (capacity > list.capacity())
        list.reserve(std::max(capacity, 2 * list.capacity()));
}
void bitmap_rank_table::free_piece(std::size_t size, std::uint32_t start) {
    expect_piece(size);
    pieces_[size].push_back(start);
    free_ += size;
}

void bitmap_rank_table::put_uniform(const word_ref& at, std::uint32_t code) {
    for (const std::uint32_t beside : {at.number - 1, at.number + 1})
        if (beside < word_count)
            if (const word_ref there = find(beside); is_uniform(there.word, code))
                return replace(at, there.word);
    ++made_alone_;
    const std::uint32_t start = allocate(1);
    put_code(answer(start), code, code_bytes_);
    replace(at, bitmap_word::make(0, start));
}
// Stores a word. Frees its old answers immediately if readers cannot see them.
void bitmap_rank_table::replace(const word_ref& at, bitmap_word word) {
    const bool leaves_answers = at.word.ends() != 0 && at.word.start() != word.start();
    const std::size_t size = answers_of(at.word);
    if (is_read(at)) {
        if (leaves_answers)
            expect_piece(size);
        log().add({at.number, at.word, word});
        leaving_[size] += leaves_answers ? 1 : 0;
        return;
    }
    if (leaves_answers)
        free_piece(size, at.word.start());
    if (at.collected != word_ref::none)
        log().set(at.collected, word);
    else
        words_[at.number] = word;
}

// Writes a new interval to the cells of a word. It replaces the intervals that are entirely among them, and
// merges with neighbours that have the same code.
void bitmap_rank_table::assign_in_word(const word_ref& at, std::uint32_t from, std::uint32_t to,
                                       std::uint32_t code) {
    const bitmap_word old = at.word;
    const std::size_t count = answers_of(old);
    const auto ends_with = [&](std::uint32_t cell) { return (old.ends() >> cell & 1) != 0; };
    std::size_t before = old.intervals_before(from); // number of leading codes that stay
    std::size_t behind = old.intervals_before(to);   // index of the first trailing code that stays
    std::uint32_t ends = old.ends() & ~(low_mask<std::uint32_t>(to + 1) & ~low_mask<std::uint32_t>(from));
    if (from > 0) {
        before += !ends_with(from - 1); // the first part of the interval stays
        const bool parts = code_at(old, before - 1) != code;
        before -= !parts;
        ends = (ends & ~(std::uint32_t{1} << (from - 1))) | std::uint32_t{parts} << (from - 1);
    }
    if (to < cells - 1) {
        behind += ends_with(to);
        const bool parts = code_at(old, behind) != code;
        behind += !parts;
        ends |= std::uint32_t{parts} << to;
    } else {
        behind = count;
    }
    if (ends == old.ends() && code_at(old, before) == code)
        return;
    if (ends == 0)
        return put_uniform(at, code);
    std::uint32_t start = old.start();
    if (is_read(at) || old.ends() == 0 || before + 1 != behind) {
        start = allocate(before + 1 + (count - behind));
        std::memcpy(answer(start), answer(old.start()), before * code_bytes_);
        std::memcpy(answer(start + before + 1), answer(old.start() + behind), (count - behind) * code_bytes_);
    }
    put_code(answer(start + before), code, code_bytes_);
    replace(at, bitmap_word::make(ends, start));
}

void bitmap_rank_table::recode(std::uint32_t low, std::uint32_t high, std::uint32_t from, std::uint32_t to) {
    inline_vector<std::pair<std::uint32_t, std::uint32_t>, cells> parts;
    for (std::uint32_t w = low / cells; w <= high / cells; ++w) {
        const std::uint32_t first = w * cells;
        parts.clear();
        each_with(find(w).word, from, std::max(low, first) - first, std::min(high - first, cells - 1),
                  [&](std::uint32_t begin, std::uint32_t end) {
                      parts.push_back({begin, end});
                  });
        for (const auto& [begin, end] : parts)
            assign_in_word(find(w), begin, end, to);
    }
}

} // namespace fingerpost::ranked_cells
