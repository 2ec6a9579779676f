// The ranges of all chunks in one array of words. Equal chunks are stored once; a changed chunk is written to
// another place.
//
//     ranges   [ - | chunk | chunk | free | chunk | ... ]     format.hpp defines the words of a chunk
//     index    entries of chunks, found by a hash of their words; one bit marks those that several entries
//     share
//
// The index has 1/3 more places than there are chunks. A chunk is in one of the 32 places that start at its
// hash, so a search reads at most 32 places. If all of them are occupied, the chunk is stored but not shared.
// The hash is keyed (base/keyed_hash.hpp), so an attacker who chooses the routes cannot choose these chunks.
//
// The entries that share a chunk are not counted. A chunk that was ever shared stays until compact() examines
// the direct entries, which happens when that may free 1/12 of the words.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/memory/block_pool.hpp"
#include "fingerpost/schemes/dxr/format.hpp"

namespace fingerpost::dxr {

// The addresses of a chunk from `start` up to the next range.
struct chunk_range {
    word start;
    word code;

    friend bool operator==(const chunk_range&, const chunk_range&) noexcept = default;
};

// Blocks of up to 256 words have the requested length; longer blocks are up to 1/16 longer.
template <std::uint32_t Longest>
struct chunk_sizes {
    static constexpr std::uint32_t exact = 256;
    static constexpr std::uint32_t steps = 16; // steps in each doubling
    static constexpr bool can_cut = true;
    static constexpr std::size_t smallest_step = 16;

    static constexpr std::uint32_t number_of(std::uint32_t words) noexcept {
        if (words <= exact)
            return words - 1;
        const auto doubling = static_cast<std::uint32_t>(std::bit_width(words - 1)) - 1;
        const std::uint32_t within = (words - 1 - (std::uint32_t{1} << doubling)) >> (doubling - 4);
        return exact + (doubling - 8) * steps + within;
    }
    static constexpr std::uint32_t elements_of(std::uint32_t number) noexcept {
        if (number < exact)
            return number + 1;
        const std::uint32_t doubling = 8 + (number - exact) / steps;
        return (std::uint32_t{1} << doubling) + ((number - exact) % steps + 1) * (1U << (doubling - 4));
    }
    static constexpr std::uint32_t first_piece(std::uint32_t rest) noexcept {
        const std::uint32_t number = number_of(rest);
        return elements_of(number) <= rest ? rest : elements_of(number - 1);
    }
    static constexpr std::uint32_t count = number_of(Longest) + 1;
};

template <class A, unsigned X>
class chunk_store {
    using form = format<A, X>;
    static constexpr std::uint32_t longest = (std::uint32_t{1} << form::rest) + 1;
    using pool_type = block_pool<word, longest, chunk_sizes<longest>>;
    static constexpr std::size_t window = 32; // number of index places that a search reads

  public:
    static constexpr std::size_t most = form::most_words;

    // Tests pass a lower limit of words to reach it.
    explicit chunk_store(hash_key key = {}, std::size_t most_words = most) noexcept
        : key_(key), pool_(most_words + 1), most_(most_words) {}

    // Called before the first chunk is added. Word 0 is not part of any chunk, and does not count towards the
    // limit of bases.
    errc begin() {
        if (pool_.allocate(1) == pool_type::nil)
            return pool_.shortage(1);
        resize_index(0);
        return errc::ok;
    }

    const word* words() const noexcept { return pool_.data(); }
    std::size_t range_bytes() const noexcept { return pool_.memory_bytes(); }
    pool_type& pool() noexcept { return pool_; }
    const pool_type& pool() const noexcept { return pool_; }
    // The memory that only changes need.
    struct index_size {
        std::size_t bytes;
        std::size_t memory_bytes() const noexcept { return bytes; }
    };
    index_size index() const noexcept {
        return {index_.capacity() * sizeof(word) + shared_.capacity() / 8 +
                scratch_.capacity() * sizeof(word)};
    }

    // Returns the direct entry for these ranges. The first range starts at 0, and neighbours have different
    // codes. Throws std::bad_alloc. Fails with errc::capacity if bases run out.
    expected<word> add(std::span<const chunk_range> ranges) {
        if (ranges.size() == 1)
            return form::answer_entry(ranges[0].code);
        const word fragments = encode(ranges); // writes scratch_
        return store(scratch_, fragments);
    }
    // Called when a direct entry is no longer used.
    void release(word entry) noexcept {
        if (form::is_hit(entry))
            return;
        const std::span<const word> old = words_of(entry);
        const std::size_t at = place_of(old, entry);
        // A chunk without a place in the index may have been shared before the index grew.
        if (at == index_.size() || shared_[at]) {
            wasted_ += pool_type::rounded(size_of(entry));
            return;
        }
        index_[at] = 0;
        --indexed_;
        pool_.release(form::base_of(entry), size_of(entry));
    }
    // Replaces `out` by the ranges of an entry.
    void read(word entry, std::vector<chunk_range>& out) const {
        out.clear();
        if (form::is_hit(entry)) {
            out.push_back({0, form::code_of(entry)});
            return;
        }
        const std::span<const word> words = words_of(entry);
        if (!form::is_short(entry)) {
            for (const word w : words.subspan(form::is_xl(entry) ? 1 : 0))
                out.push_back({w >> form::long_code, w & form::long_mask});
            return;
        }
        for (const word w : words)
            for (const word half : {w & form::half, w >> 16})
                out.push_back({half >> form::short_code << form::low, half & form::short_code_mask});
        if (out.back() == out[out.size() - 2])
            out.pop_back();
    }
    std::span<const word> words_of(word entry) const noexcept {
        return {pool_.at(form::base_of(entry)), size_of(entry)};
    }

    // Required by fib/layout.hpp. Entries may overlap, so invalid codes are counted once for all words before
    // the entries are checked. This keeps the time linear.
    void check(const layout_check& in, const next_hop_codec& codec, std::span<const word> direct) const {
        const std::size_t words = pool_.size();
        in.require(words > 0, nullptr, "the pool of ranges is empty");
        // For each i, the number of words before word i that are not a long entry, or not two short ones.
        std::vector<word> not_long(words + 1), not_short(words + 1);
        for (std::size_t i = 0; i < words; ++i) {
            const word w = *pool_.at(static_cast<word>(i));
            const bool is_short =
                codec.has_code(w & form::short_code_mask) && codec.has_code(w >> 16 & form::short_code_mask);
            not_long[i + 1] = not_long[i] + (codec.has_code(w & form::long_mask) ? 0 : 1);
            not_short[i + 1] = not_short[i] + (is_short ? 0 : 1);
        }
        for (const word& entry : direct) {
            if (form::is_hit(entry)) {
                in.is_code(codec, form::code_of(entry), &entry);
                continue;
            }
            const std::size_t base = form::base_of(entry);
            in.require(base > 0 && base < words, &entry, "an entry has invalid ranges");
            const std::size_t first = base + (form::is_xl(entry) ? 1 : 0);
            const std::size_t end =
                form::is_xl(entry) ? first + 1 + *pool_.at(static_cast<word>(base)) : first + size_of(entry);
            in.require(end <= words, &entry, "the ranges of an entry are out of bounds");
            const std::vector<word>& wrong = form::is_short(entry) ? not_short : not_long;
            in.require(wrong[end] == wrong[first], &entry, "a range has an invalid code");
        }
    }

    // Restores the state after a build: no room after the last chunk, and an index of the right size. Throws
    // std::bad_alloc.
    void trim() {
        pool_.trim();
        resize_index(indexed_);
        std::vector<word>().swap(scratch_);
    }
    // Frees the index, which tables without changes do not need.
    void forget_index() noexcept {
        std::vector<word>().swap(index_);
        std::vector<bool>().swap(shared_);
    }
    bool sparse() const noexcept {
        return pool_.sparse() || wasted_ * 12 > pool_.size() + 12 * chunk_sizes<longest>::smallest_step ||
               index_.size() * 2 > (indexed_ + 4 * window) * 3;
    }
    // Copies the chunks in use to new memory without gaps, and rewrites the entries. Does nothing if memory
    // is short.
    void compact(std::span<word> direct) noexcept try {
        chunk_store anew(key_, most_);
        if (anew.begin() != errc::ok)
            return;
        std::vector<word> moved(pool_.size(), 0); // new entry for each old base
        for (const word entry : direct) {
            if (form::is_hit(entry))
                continue;
            word& to = moved[form::base_of(entry)];
            if (to != 0) {
                if (const std::size_t at = anew.place_of(anew.words_of(to), to); at < anew.index_.size())
                    anew.shared_[at] = true;
                continue;
            }
            const auto new_entry = anew.store(words_of(entry), form::fragments_of(entry));
            if (!new_entry)
                return;
            to = *new_entry;
        }
        anew.trim();
        for (word& entry : direct)
            if (!form::is_hit(entry))
                entry = moved[form::base_of(entry)];
        *this = std::move(anew);
    } catch (...) {
        (void)reason_of_exception();
    }

  private:
    // Writes the words of these ranges to scratch_ and returns their fragments.
    word encode(std::span<const chunk_range> ranges) {
        scratch_.clear();
        const bool is_short = std::all_of(ranges.begin(), ranges.end(), [](const chunk_range& r) {
            return (r.start & low_mask<word>(form::low)) == 0 && r.code <= form::short_code_mask;
        });
        if (is_short) {
            const auto half = [&](std::size_t i) {
                const chunk_range& r = ranges[std::min(i, ranges.size() - 1)];
                return r.start >> form::low << form::short_code | r.code;
            };
            for (std::size_t i = 0; i < ranges.size(); i += 2)
                scratch_.push_back(half(i) | half(i + 1) << 16);
            return form::shortest | (static_cast<word>(scratch_.size()) - 1);
        }
        const auto last = static_cast<word>(ranges.size() - 1);
        const bool is_xl = ranges.size() > form::most_long;
        if (is_xl)
            scratch_.push_back(last);
        for (const chunk_range& r : ranges)
            scratch_.push_back(r.start << form::long_code | r.code);
        return is_xl ? form::xl : last;
    }
    // Number of words.
    std::uint32_t size_of(word entry) const noexcept {
        const word f = form::fragments_of(entry);
        if (f >= form::shortest)
            return (f & form::short_mask) + 1;
        return f == form::xl ? *pool_.at(form::base_of(entry)) + 2 : f + 1;
    }
    expected<word> store(std::span<const word> words, word fragments) {
        if (indexed_ * 5 >= index_.size() * 4)
            resize_index(indexed_ + indexed_ / 16 + window);
        const std::size_t home = home_of(words);
        std::size_t empty = index_.size();
        for (std::size_t i = 0; i < window; ++i) {
            const std::size_t at = (home + i) % index_.size();
            const word known = index_[at];
            if (known == 0) {
                empty = empty == index_.size() ? at : empty;
            } else if (form::fragments_of(known) == fragments &&
                       std::ranges::equal(words, words_of(known))) { // the lengths of XL chunks may differ
                shared_[at] = true;
                return known;
            }
        }
        const std::uint32_t size = to_u32(words.size(), "words of a chunk");
        const auto base = pool_.allocate(size);
        if (base == pool_type::nil)
            return unexpected{pool_.shortage(size)};
        std::copy(words.begin(), words.end(), pool_.at(base));
        const word entry = base << form::fragment_bits | fragments;
        if (empty < index_.size())
            note(empty, entry, false);
        return entry;
    }
    void note(std::size_t at, word entry, bool is_shared) {
        index_[at] = entry;
        shared_[at] = is_shared;
        ++indexed_;
    }
    std::size_t home_of(std::span<const word> words) const noexcept {
        std::uint32_t hash = 0;
        for (const word w : words)
            hash = key_.hash(std::uint64_t{hash} << 32 | w);
        return hash_key::bucket(hash, index_.size());
    }
    // The place of this entry in the index, or index_.size().
    std::size_t place_of(std::span<const word> words, word entry) const noexcept {
        const std::size_t home = home_of(words);
        for (std::size_t i = 0; i < window; ++i)
            if (const std::size_t at = (home + i) % index_.size(); index_[at] == entry)
                return at;
        return index_.size();
    }
    void resize_index(std::size_t chunks) {
        std::vector<word> old_index(chunks + chunks / 3 + window, 0);
        std::vector<bool> old_shared(old_index.size(), false);
        old_index.swap(index_);
        old_shared.swap(shared_);
        indexed_ = 0;
        for (std::size_t i = 0; i < old_index.size(); ++i) {
            if (old_index[i] == 0)
                continue;
            const std::size_t home = home_of(words_of(old_index[i]));
            for (std::size_t step = 0; step < window; ++step)
                if (const std::size_t at = (home + step) % index_.size(); index_[at] == 0) {
                    note(at, old_index[i], old_shared[i]);
                    break;
                }
        }
    }
    hash_key key_;
    pool_type pool_;
    std::size_t most_;
    std::vector<word> index_; // entries; 0 marks a free place
    std::vector<bool> shared_;
    std::size_t indexed_ = 0;
    std::size_t wasted_ = 0; // words of once-shared chunks with an unused reference
    std::vector<word> scratch_;
};

} // namespace fingerpost::dxr
