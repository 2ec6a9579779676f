// The two splits of SAIL, for its variants with a bitmap for each of several prefix lengths.
//
// First split: a lookup first finds the length of the longest match in bitmaps, and only then reads its next
// hop. Second split: lengths up to a pivot (24 bits for IPv4) are separated from longer ones. Variants differ
// in the distance between the lengths that have a bitmap, the levels. With a step of 1, every length is a
// level. With a step of 6, the levels are 6, 12, 18 and 24, and a route is pushed to the next level, where it
// takes at most 2^6 bits of one word.
//
//     bitmap   [ 2^24 bits | 2^18 | 2^12 | 2^6 ]        a bit is set where a route of this level is
//     entries  [ 2^24 words | 2^18 | 2^12 | 2^6 | 0 ]   length within the level:3 | next hop code:28
//                   |  top bit set: a chunk
//                   v
//     chunks   [ solid | routes | cell | 2^8 codes ]    routes longer than the pivot, expanded
//
// Pivot pushing: a cell of the pivot with longer routes below also has its bit set, and the next hops of
// shorter routes are pushed into its chunk. So one probe of the pivot's bitmap decides whether the lookup
// ends at the pivot or below. `solid` is the entry that the cell would have without the chunk; `routes`
// counts the routes that keep the chunk alive.
//
// A change up to the pivot needs only the prefix and its cover. An entry stores the length of its route, so
// an announcement replaces the entries of shorter routes, and a withdrawal gives its entries to the cover if
// that belongs to the same level. Chunks are updated by affected ranges.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/parts/lengths/length_kernels.hpp"
#include "fingerpost/fib/parts/lengths/length_levels.hpp"
#include "fingerpost/fib/parts/memory/block_pool.hpp"
#include "fingerpost/fib/patchable.hpp"

namespace fingerpost {

template <class A, unsigned Step>
class length_bitmaps : public laid_out<length_bitmaps<A, Step>, A>, private length_kernels::entry_layout {
    friend laid_out<length_bitmaps, A>;
    static_assert(A::bits <= 32, "the bitmap of the pivot has 2^24 bits for 32");
    using levels = length_levels<A, Step>;
    using entry = std::uint32_t;

  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("bitmap", of.bitmap_);
        visit("entries", of.entries_);
        visit("chunks", of.chunks_);
        visit("next hops", of.codec_);
    }
    template <class Read>
    next_hop find(Read&& read, A a) const {
        const std::uint32_t cell = levels::cell_of(a);
        for (unsigned i = 0; i < levels::count; ++i) {
            const std::size_t place = levels::place(i, cell);
            const bool is_set = (read(bitmap_, place / 64) >> (place % 64) & 1) != 0;
            read.tell([&](auto& step) {
                step.looks_at(0, levels::lengths[i]);
                step.key = place;
                if (!is_set)
                    step.misses();
            });
            if (is_set)
                return find_at(read, place, a);
        }
        return next_hop::none;
    }

    static expected<length_bitmaps> build(const routes<A>& table, const build_options& options = {}) {
        length_bitmaps built;
        built.ready(options);
        if (const errc failure = built.allocate(table); failure != errc::ok)
            return unexpected{failure};
        // Covers precede the prefixes that they cover, so later writes are longer routes.
        for (const route<A>& r : table.sorted()) {
            const entry code = built.codec_.encode(r.hop);
            if (r.where.length <= levels::pivot) {
                built.announce(r.where, code);
                continue;
            }
            const entry chunk = built.enter_chunk(levels::cell_of(r.where.base));
            if (chunk == pool::nil)
                return unexpected{built.chunks_.shortage(chunk_words)};
            const std::uint32_t first = r.where.base.value & levels::rest_mask;
            std::fill_n(built.codes_of(chunk) + first, levels::slots_in_chunk(r.where.length), code);
        }
        return built;
    }

    next_hop lookup(A a) const noexcept {
        const entry match = entries_[levels::find(bitmap_.data(), levels::cell_of(a))];
        return decode(*code_at(match, &match, a));
    }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        const std::size_t done = groups_ != nullptr ? look_up_groups(in, out) : 0;
        look_up_blocks(in.subspan(done), out.subspan(done));
    }

    errc apply(const change<A>& c) noexcept try {
        if (c.before == c.after)
            return errc::ok;
        if (!codec_.can_encode(c.answer()) && !codec_.add(c.answer()))
            return errc::capacity;
        const entry code = codec_.encode(c.answer());
        if (c.where.length > levels::pivot)
            return change_chunk(c, code);
        if (c.after != next_hop::none)
            announce(c.where, code);
        else
            withdraw(c, code);
        push_to_chunks(c, code);
        return errc::ok;
    } catch (...) {
        return reason_of_exception();
    }

    // Each level has a bitmap and an array of entries; chunks are below the pivot's entries. The bitmaps of
    // the shortest levels share one word, which is counted with the first of them.
    void visit(node_visitor<A> each) const {
        std::vector<std::pair<std::uint32_t, entry>> chunks; // by their cells
        for_each_chunk([&](entry chunk, std::uint32_t cell) { chunks.emplace_back(cell, chunk); });
        std::sort(chunks.begin(), chunks.end());
        const auto show_answers = [&](const entry* from, std::size_t count, node_contents& to) {
            for (std::size_t i = 0; i < count; ++i)
                add_answer(to, i, leads_to_chunk(from[i]) ? next_hop::none : decode(from[i]));
        };
        const auto visit_chunk = [&](std::uint32_t cell, entry chunk) {
            const auto where = prefix<A>::make(A{cell << levels::rest}, levels::pivot);
            const entry* const words_of = chunks_.at(chunk);
            each({.first = where.first(),
                  .last = where.last(),
                  .level = 1,
                  .kind = "chunk",
                  .part = "chunks",
                  .bytes = chunk_words * sizeof(entry),
                  .offset = chunk * sizeof(entry),
                  .slot = cell,
                  .first_bit = levels::pivot,
                  .bits = levels::rest,
                  .contents = [&](node_contents& to) {
                      show_answers(words_of + head_words, chunk_words - head_words, to);
                      to.numbers.push_back({"routes", words_of[routes_word]});
                  }});
        };
        for (unsigned i = 0; i < levels::count; ++i) {
            const std::size_t begin = levels::begins[i], slots = std::size_t{1} << levels::lengths[i];
            const std::size_t words = slots >= 64 ? slots / 64 : begin % 64 == 0 ? 1 : 0;
            each({.first = A::first(),
                  .last = A::last(),
                  .kind = "bitmap",
                  .part = "bitmap",
                  .bytes = words * sizeof bitmap_[0],
                  .offset = words > 0 ? begin / 8 : 0,
                  .bits = levels::lengths[i],
                  .contents = [&](node_contents& to) {
                      to.with = compared::bitmap;
                      to.bitmaps = {{"prefixes"}};
                      const std::uint64_t mask = low_mask<std::uint64_t>(slots < 64 ? unsigned(slots) : 64);
                      for (std::size_t at = begin; at < begin + slots; at += 64)
                          to.values.push_back(bitmap_[at / 64] >> (at % 64) & mask);
                  }});
            each({.first = A::first(),
                  .last = A::last(),
                  .kind = "array",
                  .part = "entries",
                  .bytes = slots * sizeof(entry),
                  .children = i == 0 ? chunks.size() : 0,
                  .offset = begin * sizeof(entry),
                  .bits = levels::lengths[i],
                  .contents = [&](node_contents& to) { show_answers(&entries_[begin], slots, to); }});
            if (i == 0)
                for (const auto& [cell, chunk] : chunks)
                    visit_chunk(cell, chunk);
        }
    }

    void check(const layout_check& in) const {
        in.require(bitmap_.size() == (levels::slots + 63) / 64 && entries_.size() == levels::slots + 1,
                   nullptr, "a bitmap or its entries have the wrong size");
        in.require(chunks_.size() <= pool::most, nullptr, "there are too many chunks");
        const auto require_code = [&](const entry& e) { in.is_code(codec_, e & code_mask, &e); };
        for (const entry& e : entries_.span()) {
            if (!leads_to_chunk(e)) {
                require_code(e);
                continue;
            }
            in.require((e & ~chunk_tag) % chunk_words == 0, &e, "a chunk begins inside another");
            in.leads_into(chunks_, e & ~chunk_tag, chunk_words, &e);
        }
        for (std::size_t i = 0; i < chunks_.size(); ++i)
            if (i % chunk_words >= head_words)
                require_code(chunks_.data()[i]);
    }
    void ready(const build_options& options) noexcept {
        if constexpr (A::bits == 32)
            groups_ = kernel_of(length_kernels::kernels_of(options.isa));
    }

    // For tests of how much of the bitmap a change writes.
    std::span<const std::uint64_t> bitmap() const noexcept { return bitmap_.span(); }

  private:
    static constexpr std::uint32_t chunk_words = head_words + (std::uint32_t{1} << levels::rest);
    using pool = block_pool<entry, chunk_words>;

    // Looks up as many addresses as fill complete groups.
    std::size_t look_up_groups(std::span<const A> in, std::span<next_hop> out) const noexcept {
        const length_kernels::arrays from{bitmap_.data(), entries_.data(), chunks_.data()};
        auto* const codes = reinterpret_cast<std::uint32_t*>(out.data());
        std::size_t done = 0;
        for (; in.size() - done >= length_kernels::group_lanes; done += length_kernels::group_lanes)
            groups_(from, &in[done], codes + done);
        codec_.decode(out.first(done));
        return done;
    }
    // In each pass, the loads of all addresses of a block overlap.
    void look_up_blocks(std::span<const A> in, std::span<next_hop> out) const noexcept {
        constexpr std::size_t block = 32;
        std::array<std::size_t, block> places;
        std::array<const entry*, block> codes;
        for (std::size_t from = 0; from < in.size(); from += block) {
            const std::size_t count = std::min(block, in.size() - from);
            for (std::size_t i = 0; i < count; ++i)
                levels::prefetch(bitmap_.data(), levels::cell_of(in[from + i]));
            for (std::size_t i = 0; i < count; ++i) {
                places[i] = levels::find(bitmap_.data(), levels::cell_of(in[from + i]));
                __builtin_prefetch(&entries_[places[i]]);
            }
            for (std::size_t i = 0; i < count; ++i) {
                const entry* const at = &entries_[places[i]];
                codes[i] = code_at(*at, at, in[from + i]);
                __builtin_prefetch(codes[i]);
            }
            for (std::size_t i = 0; i < count; ++i)
                out[from + i] = decode(*codes[i]);
        }
    }
    static length_kernels::group_kernel kernel_of(const length_kernels::kernel_set& kernels) noexcept {
        return Step == 1 ? kernels.by_one : Step == 6 ? kernels.by_six : nullptr;
    }
    static bool leads_to_chunk(entry e) noexcept { return (e & chunk_tag) != 0; }
    next_hop decode(entry e) const noexcept { return codec_.decode((e & code_mask) - 1); }
    entry* codes_of(entry chunk) noexcept { return chunks_.at(chunk) + head_words; }
    // Position of the code of an address: in a chunk, or in the entry itself, which is at `own`.
    const entry* code_at(entry e, const entry* own, A a) const noexcept {
        return leads_to_chunk(e) ? chunks_.data() + slot_of(e, a) : own;
    }
    static std::size_t slot_of(entry e, A a) noexcept {
        return std::size_t{e & ~chunk_tag} + head_words + (a.value & levels::rest_mask);
    }
    template <class Read>
    next_hop find_at(Read&& read, std::size_t place, A a) const {
        entry e = read(entries_, place);
        read.tell([](auto& step) { step.looks_at(0, levels::pivot); });
        if (leads_to_chunk(e)) {
            e = read(chunks_.data(), slot_of(e, a));
            read.tell([](auto& step) { step.looks_at(levels::pivot, levels::rest); });
        }
        return read.answer(codec_.decoder(), (e & code_mask) - 1);
    }

    errc allocate(const routes<A>& table) {
        auto bitmap = aligned_array<std::uint64_t>::make((levels::slots + 63) / 64);
        auto entries = aligned_array<entry>::make(levels::slots + 1); // the last one means no match
        std::vector<next_hop> hops;
        hops.reserve(table.size());
        std::size_t cells = 0;
        std::uint64_t last = ~std::uint64_t{0};
        for (const route<A>& r : table.sorted()) {
            hops.push_back(r.hop);
            if (r.where.length <= levels::pivot || levels::cell_of(r.where.base) == last)
                continue;
            last = levels::cell_of(r.where.base);
            ++cells;
        }
        codec_ = next_hop_codec::choose_below(hops, std::uint32_t{1} << length_shift);
        if (!bitmap || !entries)
            return errc::out_of_memory;
        bitmap_ = std::move(*bitmap);
        entries_ = std::move(*entries);
        return chunks_.reserve(cells * chunk_words) ? errc::ok : chunks_.shortage(cells * chunk_words);
    }

    // Calls each(entry&) for the entries that a prefix is pushed to; in a cell with a chunk, for its `solid`.
    // Then sets the bits of those that are not empty. All these bits are in one word.
    template <class Each>
    void edit(const prefix<A>& where, Each each) noexcept {
        const auto run = levels::run_of(where);
        std::uint64_t bits = 0;
        for (std::uint32_t i = 0; i < run.count; ++i) {
            entry& there = entries_[run.first + i];
            const bool is_chunk = leads_to_chunk(there);
            entry& solid = is_chunk ? chunks_.at(there & ~chunk_tag)[solid_word] : there;
            each(solid);
            bits |= std::uint64_t{is_chunk || solid != 0} << i;
        }
        const unsigned shift = run.first % 64;
        const std::uint64_t mask = low_mask<std::uint64_t>(run.count) << shift;
        std::uint64_t& word = bitmap_[run.first / 64];
        if (const std::uint64_t bits_after = (word & ~mask) | bits << shift; bits_after != word)
            word = bits_after;
    }
    void announce(const prefix<A>& where, entry code) noexcept {
        const entry pushed = levels::length_in_level(where.length) << length_shift | code;
        edit(where, [pushed](entry& e) {
            if (e >> length_shift <= pushed >> length_shift)
                e = pushed;
        });
    }
    void withdraw(const change<A>& c, entry cover) noexcept {
        const bool stays =
            c.cover != next_hop::none && levels::level_of(c.cover_length) == levels::level_of(c.where.length);
        const entry old_length = levels::length_in_level(c.where.length);
        const entry replacement = stays ? levels::length_in_level(c.cover_length) << length_shift | cover : 0;
        edit(c.where, [&](entry& e) {
            if (e != 0 && e >> length_shift == old_length)
                e = replacement;
        });
    }

    // Returns the chunk of a cell that gets one more route. A new chunk is filled with the cell's entry.
    // Returns nil if out of memory.
    entry enter_chunk(std::uint32_t cell) noexcept {
        entry& there = entries_[cell];
        if (!leads_to_chunk(there)) {
            const entry code = entries_[levels::find(bitmap_.data(), cell)] & code_mask;
            const entry chunk = chunks_.allocate(chunk_words);
            if (chunk == pool::nil)
                return chunk;
            entry* const words = chunks_.at(chunk);
            words[solid_word] = there;
            words[cell_word] = cell;
            std::fill_n(codes_of(chunk), std::size_t{1} << levels::rest, code);
            there = chunk_tag | chunk;
            bitmap_[cell / 64] |= std::uint64_t{1} << (cell % 64);
        }
        ++chunks_.at(there & ~chunk_tag)[routes_word];
        return there & ~chunk_tag;
    }
    void leave_chunk(std::uint32_t cell) noexcept {
        entry& there = entries_[cell];
        const entry chunk = there & ~chunk_tag;
        if (--chunks_.at(chunk)[routes_word] > 0)
            return;
        there = chunks_.at(chunk)[solid_word];
        if (there == 0)
            bitmap_[cell / 64] &= ~(std::uint64_t{1} << (cell % 64));
        chunks_.release(chunk, chunk_words);
        compact();
    }
    errc change_chunk(const change<A>& c, entry code) noexcept {
        const std::uint32_t cell = levels::cell_of(c.where.base);
        if (c.before == next_hop::none && enter_chunk(cell) == pool::nil)
            return chunks_.shortage(chunk_words);
        write_ranges(c, cell, code);
        if (c.after == next_hop::none)
            leave_chunk(cell);
        return errc::ok;
    }
    // Writes the affected ranges that are within one cell with a chunk.
    void write_ranges(const change<A>& c, std::uint32_t cell, entry code) noexcept {
        const std::uint32_t first = cell << levels::rest, last = first | levels::rest_mask;
        auto range = std::lower_bound(c.affected_ranges.begin(), c.affected_ranges.end(), A{first},
                                      [](const address_range<A>& r, A at) { return r.last < at; });
        entry* const codes = codes_of(entries_[cell] & ~chunk_tag);
        for (; range != c.affected_ranges.end() && range->first.value <= last; ++range) {
            const std::uint32_t from = std::max(range->first.value, first) - first;
            const std::uint32_t to = std::min(range->last.value, last) - first;
            std::fill(codes + from, codes + to + 1, code);
        }
    }
    // Applies a change up to the pivot to the chunks. Visits the cells of the prefix, or all chunks if these
    // are fewer.
    void push_to_chunks(const change<A>& c, entry code) noexcept {
        const std::uint32_t first = levels::cell_of(c.where.first()), last = levels::cell_of(c.where.last());
        if (last - first < chunk_places()) {
            for (std::uint32_t cell = first; cell <= last; ++cell)
                if (leads_to_chunk(entries_[cell]))
                    write_ranges(c, cell, code);
            return;
        }
        for_each_chunk([&](entry, std::uint32_t cell) {
            if (cell >= first && cell <= last)
                write_ranges(c, cell, code);
        });
    }

    std::size_t chunk_places() const noexcept { return chunks_.memory_bytes() / sizeof(entry) / chunk_words; }
    // A chunk without routes is free.
    template <class Each>
    void for_each_chunk(Each each) const {
        for (std::size_t i = 0; i < chunk_places(); ++i) {
            const auto chunk = static_cast<entry>(i * chunk_words);
            if (chunks_.at(chunk)[routes_word] > 0)
                each(chunk, chunks_.at(chunk)[cell_word]);
        }
    }
    // Copies the chunks if many are unused. Does nothing if there is no memory for the copy.
    void compact() noexcept {
        if (!chunks_.sparse())
            return;
        pool copy;
        if (!copy.reserve(chunks_.live_elements()))
            return;
        for_each_chunk([&](entry chunk, std::uint32_t cell) {
            const entry target = copy.allocate(chunk_words);
            std::copy_n(chunks_.at(chunk), chunk_words, copy.at(target));
            entries_[cell] = chunk_tag | target;
        });
        chunks_ = std::move(copy);
    }

    aligned_array<std::uint64_t> bitmap_;
    aligned_array<entry> entries_;
    pool chunks_;
    next_hop_codec codec_;
    length_kernels::group_kernel groups_ = nullptr; // null if there is none
};

} // namespace fingerpost
