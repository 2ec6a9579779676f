// Lets two FIBs that are published alternately share one array of words, so that their readers' caches lose
// only the words that change.
//
//      words      [ word | word | redirect mark | word | ... ]     read by both FIBs
//                                    |
//      log        number -> word before, word after                one for each FIB: what made it differ from
//                                                                  the other one
//
// A publication. The writer collects changed words in the log of the standby, the FIB without readers, and
// puts their answers where no word leads. Then begin_publish() writes `redirect_mark` over each of these
// words, and the FIB is published. Once no reader is left in the other FIB, finish_publish() writes the new
// words.
//
// What a reader sees. Every word is one atomic number. A redirect mark leads to an answer with the escape
// code, so kernels need not know about versions: they pass the address on to the code that resolves escapes.
// There, a reader looks into its own FIB's log first, and takes the word after that publication. If it is
// not there, the other FIB has changed it: the word before, in the other log, is this reader's. So every
// reader of a FIB sees one state of all words for as long as it holds the FIB.
//
// Why this is so.
//  - A FIB's own log is written while no thread reads that FIB, and is complete before it is published.
//  - The other log is complete before the first redirect mark is written: those stores release, and look()
//    loads with acquire before it reads that log. The log is not written again before the readers of this FIB
//    have gone, as this FIB is the standby by then.
//  - A log's hash key is part of it: it changes with the slots, when the log grows or is cleared.
//  - The escape code that redirect marks lead to is written before the first of the FIBs is published.
//  - A reader of a FIB never sees a word that its own publication has replaced: begin_publish() comes before
//    it. The reader may see a redirect mark where the new word has been written since; its own log has that
//    word.
//  - A reader of the older FIB never sees a new word: finish_publish() comes when these readers have gone.
//  - Answers are written before the words that lead to them are published. Answers that words of the older
//    FIB lead to are used again only after finish_publish().
// No thread waits: look() is one load and at most two searches.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/hash_index.hpp"
#include "fingerpost/schemes/ranked_cells/view.hpp"

namespace fingerpost::ranked_cells {

// The words that one publication changes, found by their numbers.
class word_log {
    auto is_of(std::uint32_t number) const noexcept {
        return [this, number](std::uint32_t position) { return list_[position].number == number; };
    }

  public:
    struct one {
        std::uint32_t number;
        bitmap_word before;
        bitmap_word after;
    };

    std::span<const one> list() const noexcept { return list_; }
    const one* find(std::uint32_t number) const noexcept {
        const std::uint32_t position = index_.find(index_.key().hash(number), is_of(number));
        return position != hash_index::none ? &list_[position] : nullptr;
    }
    // The word must not be in the list. Throws std::bad_alloc; the list is then unchanged.
    void add(const one& change) {
        index_.grow(list_.size(), [this](const hash_key& key, std::uint32_t position) {
            return key.hash(list_[position].number);
        });
        list_.push_back(change);
        // There are only 2^19 words.
        slot(change.number) = static_cast<std::uint32_t>(list_.size() - 1);
    }
    void set(std::size_t position, bitmap_word after) noexcept { list_[position].after = after; }
    void clear() noexcept {
        // Also frees the memory of a publication that was much larger than usual.
        constexpr std::size_t usual = 1 << 13;
        if (list_.size() > usual) {
            *this = {};
            return;
        }
        // Backwards, so that all that a search passes on its way is still there.
        for (std::size_t i = list_.size(); i-- > 0;)
            slot(list_[i].number) = hash_index::none;
        list_.clear();
    }
    const hash_index& index() const noexcept { return index_; }
    std::size_t memory_bytes() const noexcept {
        return list_.capacity() * sizeof(one) + index_.memory_bytes();
    }

  private:
    // The place of the word's position in the list.
    std::uint32_t& slot(std::uint32_t number) noexcept {
        return index_.slot(index_.key().hash(number), is_of(number));
    }

    std::vector<one> list_;
    hash_index index_;
};

// The parts of both logs that the readers of one FIB use.
struct word_versions {
    const word_log* own = nullptr;   // of the publication that made this FIB
    const word_log* other = nullptr; // of the publication after it

    static constexpr bitmap_word redirect_mark = bitmap_word::make(0, 0);

    bool empty() const noexcept { return own == nullptr; }
    // Loads the word, which may be the mark.
    static bitmap_word load(const bitmap_word* words, std::uint32_t number) noexcept {
        // C++20 has no atomic_ref of a const type.
        auto& both = const_cast<std::uint64_t&>(words[number].both);
        return {std::atomic_ref(both).load(std::memory_order_acquire)};
    }
    // A word in the state that readers of this FIB must see.
    bitmap_word look(const bitmap_word* words, std::uint32_t number) const noexcept {
        const bitmap_word now = load(words, number);
        if (now != redirect_mark)
            return now;
        if (const word_log::one* const made = own->find(number))
            return made->after;
        return other->find(number)->before;
    }
};

} // namespace fingerpost::ranked_cells
