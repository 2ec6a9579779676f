// Lets two FIBs that are published alternately share one array of words, so that only changed words are
// evicted from the caches of readers.
//
//      words      [ word | word | redirect mark | word | ... ]     read by both FIBs
//                                    |
//      log        number -> word before, word after                one for each FIB: its differences from the
//                                                                  other one
//
// Publication. The writer collects changed words in the log of the standby, the FIB without readers, and
// writes their answers to unused places. Then begin_publish() writes `redirect_mark` over each of these
// words, and the FIB is published. When the other FIB has no readers left, finish_publish() writes the new
// words.
//
// Readers. Every word is one atomic number. A redirect mark leads to an answer with the escape code, so
// kernels do not depend on versions: they pass the address to the code that resolves escapes. That code first
// looks into the log of the reader's own FIB, and takes the word after that publication. If the word is not
// there, the other FIB has changed it, and the word before that change, in the other log, is correct for this
// reader. So a reader sees the same state of all words for as long as it holds the FIB.
//
// Correctness:
//  - A FIB's own log is written while no thread reads that FIB, and is complete before it is published.
//  - The other log is complete before the first redirect mark is written: those stores release, and look()
//    loads with acquire before it reads that log. The log is not written again until the readers of this FIB
//    are gone, because this FIB is the standby by then.
//  - A log's hash key is part of it: it changes with the slots, when the log grows or is cleared.
//  - The escape code for redirect marks is written before the first of the FIBs is published.
//  - A reader of a FIB never sees a word that the FIB's own publication has replaced, because begin_publish()
//    comes first. It may see a redirect mark that has since been replaced by the new word; its own log has
//    that word.
//  - A reader of the older FIB never sees a new word, because finish_publish() runs after these readers are
//    gone.
//  - Answers are written before their words are published. Answers of the older FIB's words are reused only
//    after finish_publish().
//
// Readers never wait: look() is one load and at most two searches.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/atomic_word.hpp"
#include "fingerpost/base/hash_index.hpp"
#include "fingerpost/schemes/ranked_cells/view.hpp"

namespace fingerpost::ranked_cells {

// The words that one publication changes, indexed by number.
class word_log {
    auto is_of(std::uint32_t number) const noexcept {
        return [this, number](std::uint32_t position) { return list_[position].number == number; };
    }

  public:
    struct word_change {
        std::uint32_t number;
        bitmap_word before;
        bitmap_word after;
    };

    std::span<const word_change> list() const noexcept { return list_; }
    const word_change* find(std::uint32_t number) const noexcept {
        const std::uint32_t position = index_.find(index_.key().hash(number), is_of(number));
        return position != hash_index::none ? &list_[position] : nullptr;
    }
    // The word must not be in the list. Throws std::bad_alloc, without a change to the list.
    void add(const word_change& change) {
        const std::size_t bytes = index_.memory_bytes();
        index_.grow(list_.size(), [this](const hash_key& key, std::uint32_t position) {
            return key.hash(list_[position].number);
        });
        has_grown_ |= index_.memory_bytes() != bytes;
        list_.push_back(change);
        // There are only 2^19 words.
        slot(change.number) = static_cast<std::uint32_t>(list_.size() - 1);
    }
    void set(std::size_t position, bitmap_word after) noexcept { list_[position].after = after; }
    void clear() noexcept {
        // Clearing also frees the memory after an unusually large publication.
        constexpr std::size_t usual = 1 << 13;
        if (list_.size() > usual) {
            *this = {};
            return;
        }
        // Backwards, so that all entries that a search passes are still there. An index that has grown since
        // it was empty has them in another order.
        if (has_grown_)
            index_.remove_all();
        for (std::size_t i = has_grown_ ? 0 : list_.size(); i-- > 0;)
            slot(list_[i].number) = hash_index::none;
        has_grown_ = false;
        list_.clear();
    }
    const hash_index& index() const noexcept { return index_; }
    std::size_t memory_bytes() const noexcept {
        return list_.capacity() * sizeof(word_change) + index_.memory_bytes();
    }

  private:
    // The index slot with the word's position in the list.
    std::uint32_t& slot(std::uint32_t number) noexcept {
        return index_.slot(index_.key().hash(number), is_of(number));
    }

    std::vector<word_change> list_;
    hash_index index_;
    bool has_grown_ = false; // the index, since it was empty
};

// The logs that the readers of one FIB use.
struct word_versions {
    const word_log* own = nullptr;   // log of the publication of this FIB
    const word_log* other = nullptr; // log of the next publication

    static constexpr bitmap_word redirect_mark = bitmap_word::make(0, 0);

    bool empty() const noexcept { return own == nullptr; }
    // Loads the word, which may be the redirect mark.
    static bitmap_word load(const bitmap_word* words, std::uint32_t number) noexcept {
        return {load_acquire(words[number].both)};
    }
    // A word in the state that readers of this FIB must see.
    bitmap_word look(const bitmap_word* words, std::uint32_t number) const noexcept {
        const bitmap_word word = load(words, number);
        if (word != redirect_mark)
            return word;
        if (const word_log::word_change* const change = own->find(number))
            return change->after;
        return other->find(number)->before;
    }
};

} // namespace fingerpost::ranked_cells
