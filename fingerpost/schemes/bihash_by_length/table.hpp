// The hash table of bihash_by_length: each bucket grows page by page, independently of the others.
//
//      buckets   [ place | log2 of pages, linear? | entries ] [ ... ]     8 bytes each
//                    |
//                    v
//      pages     [ 4 entries ] | [ 4 entries ][ 4 entries ] | ...         a bucket's pages side by side
//
//      entry     masked address | its length | next hop                   `none` if empty
//
// The first bits of a hash choose the bucket and the next ones a page of it, so a search reads one page. When
// a page is full, its bucket grows to twice or four times as many pages, until each entry fits into the page
// that its hash chooses. If that fails, the bucket becomes linear: it doubles, its entries may be anywhere in
// it, and searches read all of its pages. A bucket has at most 64 pages; a table that needs more is rejected.
// The hash is keyed (base/keyed_hash.hpp), so routes that cause this cannot be chosen without the key.
//
// The first page stays empty and is not part of any bucket. Buckets without entries point to it, so searches
// need no test.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/memory/block_pool.hpp"
#include "fingerpost/net/route.hpp"

namespace fingerpost::bihash_by_length {

template <class A>
class bihash {
    using value = typename A::value_type;

  public:
    static constexpr unsigned page_entries = 4;
    static constexpr unsigned most_log_pages = 6;
    static constexpr unsigned most_log_buckets = 32 - most_log_pages;

    struct alignas(A::bits <= 32 ? 16 : 32) entry {
        value key = 0;
        std::uint32_t length = ~std::uint32_t{0}; // initially invalid, so no search matches an empty entry
        next_hop hop = next_hop::none;
        std::uint32_t unused[A::bits <= 32 ? 1 : 2] = {}; // explicit, because files must not contain padding
    };
    static_assert(sizeof(entry) == (A::bits <= 32 ? 16 : 32));
    using page = std::array<entry, page_entries>;

    struct bucket {
        std::uint32_t place = 0; // the bucket's first page
        std::uint8_t log_pages = 0;
        std::uint8_t linear = 0; // 0 or 1
        std::uint16_t entries = 0;
    };
    static_assert(sizeof(bucket) == 8);

    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("buckets", of.buckets_);
        visit("pages", of.pool_);
        visit("key", of.key_);
    }
    // Required by fib/layout.hpp. Checks that every bucket has all of its pages.
    void check(const layout_check& in) {
        log_buckets_ = static_cast<unsigned>(std::bit_width(buckets_.size())) - 1;
        in.require(std::has_single_bit(buckets_.size()) && log_buckets_ <= most_log_buckets, buckets_.data(),
                   "wrong number of buckets");
        for (const bucket& b : buckets_.span()) {
            in.require(b.log_pages <= most_log_pages, &b, "a bucket has too many pages");
            in.leads_into(pool_, b.place, std::size_t{1} << b.log_pages, &b);
        }
        for_each([&](const entry& e) { in.require(e.length <= A::bits, &e, "a route is too long"); });
    }

    bihash() = default;
    // Makes a table for N routes with one to two routes a bucket. Throws std::length_error for more than 2^27
    // routes.
    static expected<bihash> make(const hash_key& key, std::size_t routes) {
        bihash table;
        table.key_ = key;
        table.log_buckets_ = log_buckets_for(routes);
        check_size(table.log_buckets_, most_log_buckets, "buckets");
        auto buckets = aligned_array<bucket>::make(std::size_t{1} << table.log_buckets_);
        if (!buckets)
            return unexpected{buckets.error()};
        table.buckets_ = std::move(*buckets);
        if (table.pool_.allocate(1) == pool_type::nil)
            return unexpected{table.pool_.shortage(1)};
        return table;
    }

    std::uint32_t hash(value key, unsigned length) const noexcept {
        if constexpr (A::bits <= 32)
            return key_.hash(std::uint64_t{key} << 8 | length);
        else
            return key_.hash(u128{key}, length);
    }
    const bucket* bucket_of(std::uint32_t hash) const noexcept {
        return buckets_.data() + hash_key::bucket(hash, buckets_.size());
    }
    // The pages that a search reads.
    struct run {
        const page* first;
        std::size_t pages;
    };
    run pages_of(const bucket& b, std::uint32_t hash) const noexcept {
        if (b.linear != 0) [[unlikely]]
            return {pool_.at(b.place), std::size_t{1} << b.log_pages};
        return {pool_.at(b.place) + page_in(hash, b.log_pages), 1};
    }
    static next_hop find_in(const run& in, value key, unsigned length) noexcept {
        next_hop hop = next_hop::none;
        for (const page* p = in.first; p != in.first + in.pages; ++p)
            for (const entry& e : *p)
                hop = e.key == key && e.length == length ? e.hop : hop;
        return hop;
    }
    template <class Read>
    next_hop find(Read&& read, value key, unsigned length) const {
        const std::uint32_t h = hash(key, length);
        const bucket& b = read(buckets_, hash_key::bucket(h, buckets_.size()));
        read.tell([&](auto& step) {
            step.looks_at(0, length);
            step.key = h;
        });
        const run in = pages_of(b, h);
        read(pool_.data(), static_cast<std::size_t>(in.first - pool_.data()), in.pages);
        const next_hop hop = find_in(in, key, length);
        read.tell([&](auto& step) {
            step.looks_at(0, length);
            step.compares_keys(number_in_step(A{key}), {});
            for (std::size_t i = 0; i < in.pages; ++i)
                for (const entry& e : in.first[i])
                    if (e.hop != next_hop::none)
                        step.held.push_back(number_in_step(A{e.key}));
            if (hop == next_hop::none)
                step.misses();
        });
        return hop;
    }

    // Sets the next hop of a new or existing route. Returns errc::capacity if its bucket cannot grow.
    errc set(const prefix<A>& where, next_hop hop) {
        const std::uint32_t h = hash(where.base.value, where.length);
        bucket& b = buckets_[hash_key::bucket(h, buckets_.size())];
        if (entry* const known = find_entry(b, h, where); known != nullptr) {
            known->hop = hop;
            return errc::ok;
        }
        const entry more{where.base.value, where.length, hop};
        if (b.entries == 0) {
            const auto place = pool_.allocate(1);
            if (place == pool_type::nil)
                return pool_.shortage(1);
            b = {.place = place};
        }
        if (!put(pool_.at(b.place), b, h, more))
            if (const errc failure = grow(b, more); failure != errc::ok)
                return failure;
        ++b.entries;
        ++size_;
        return errc::ok;
    }
    // Removes a route if it exists.
    void remove(const prefix<A>& where) noexcept {
        const std::uint32_t h = hash(where.base.value, where.length);
        bucket& b = buckets_[hash_key::bucket(h, buckets_.size())];
        entry* const e = find_entry(b, h, where);
        if (e == nullptr)
            return;
        *e = entry{};
        --size_;
        if (--b.entries == 0) {
            pool_.release(b.place, 1U << b.log_pages);
            b = {};
        } else if (b.log_pages > 0) {
            shrink(b);
        }
    }

    std::size_t size() const noexcept { return size_; }
    // Whether the table should be rebuilt: the number of buckets does not suit the routes, or 1/12 of the
    // pages is unused.
    bool ill_sized() const noexcept {
        const std::size_t buckets = buckets_.size();
        return size_ * 10 > buckets * 22 || (buckets > 1 && size_ <= buckets) || pool_.sparse();
    }
    void trim() noexcept { pool_.trim(); }
    const hash_key& key() const noexcept { return key_; }
    std::size_t bucket_bytes() const noexcept { return buckets_.memory_bytes(); }
    std::size_t page_bytes() const noexcept { return pool_.memory_bytes(); }
    const page* pages() const noexcept { return pool_.data(); }
    std::size_t linear_buckets() const noexcept {
        return static_cast<std::size_t>(std::count_if(buckets_.data(), buckets_.data() + buckets_.size(),
                                                      [](const bucket& b) { return b.linear != 0; }));
    }
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t i = 0; i < buckets_.size(); ++i)
            for_each_of(buckets_[i], visit);
    }

  private:
    using pool_type = block_pool<page, 1U << most_log_pages, powers_of_two<page, 1U << most_log_pages>>;

    static unsigned log_buckets_for(std::size_t routes) noexcept {
        return static_cast<unsigned>(std::bit_width(routes == 0 ? 0 : (routes - 1) / 2));
    }
    std::size_t page_in(std::uint32_t hash, unsigned log_pages) const noexcept {
        // The hash bits after those that choose the bucket.
        const auto rest = std::uint64_t{hash} << 32 << log_buckets_;
        return log_pages == 0 ? 0 : static_cast<std::size_t>(rest >> (64 - log_pages));
    }
    template <class Visit>
    void for_each_of(const bucket& b, Visit visit) const {
        if (b.entries == 0)
            return;
        for (const page* p = pool_.at(b.place); p != pool_.at(b.place) + (std::size_t{1} << b.log_pages); ++p)
            for (const entry& e : *p)
                if (e.hop != next_hop::none)
                    visit(e);
    }
    entry* find_entry(const bucket& b, std::uint32_t h, const prefix<A>& where) noexcept {
        const run in = pages_of(b, h);
        for (std::size_t i = 0; i < in.pages; ++i)
            for (entry& e : const_cast<page*>(in.first)[i])
                if (e.hop != next_hop::none && e.key == where.base.value && e.length == where.length)
                    return &e;
        return nullptr;
    }
    // Writes an entry to the first empty place. Returns false if its page, or every page of a linear bucket,
    // is full.
    bool put(page* pages, const bucket& b, std::uint32_t h, const entry& new_entry) const noexcept {
        const std::size_t from = b.linear != 0 ? 0 : page_in(h, b.log_pages);
        const std::size_t to = b.linear != 0 ? std::size_t{1} << b.log_pages : from + 1;
        for (std::size_t i = from; i < to; ++i)
            for (entry& e : pages[i])
                if (e.hop == next_hop::none) {
                    e = new_entry;
                    return true;
                }
        return false;
    }
    // Moves the entries of a bucket, and `more` unless it is null, to a block with another number of pages.
    // Returns false, without a change, if an entry does not fit.
    expected<bool> move_to(bucket& b, unsigned log_pages, bool linear, const entry* more) noexcept {
        const auto place = pool_.allocate(1U << log_pages);
        if (place == pool_type::nil)
            return unexpected{pool_.shortage(1U << log_pages)};
        const bucket moved{.place = place,
                           .log_pages = static_cast<std::uint8_t>(log_pages),
                           .linear = std::uint8_t{linear},
                           .entries = b.entries};
        page* const pages = pool_.at(place);
        bool all_fit = true;
        const auto add = [&](const entry& e) {
            all_fit = all_fit && put(pages, moved, hash(e.key, e.length), e);
        };
        for_each_of(b, add);
        if (more != nullptr)
            add(*more);
        if (!all_fit) {
            pool_.release(place, 1U << log_pages);
            return false;
        }
        pool_.release(b.place, 1U << b.log_pages);
        b = moved;
        return true;
    }
    errc grow(bucket& b, const entry& more) noexcept {
        const unsigned log_pages = b.log_pages;
        for (unsigned step = 1; step <= 3; ++step) {
            const bool linear = b.linear != 0 || step == 3;
            const unsigned new_log_pages = linear ? log_pages + 1 : log_pages + step;
            if (new_log_pages > most_log_pages) {
                if (linear)
                    return errc::capacity;
                continue;
            }
            const auto moved = move_to(b, new_log_pages, linear, &more);
            if (!moved)
                return moved.error();
            if (*moved)
                return errc::ok;
        }
        return errc::capacity;
    }
    // Moves a bucket to the smallest block that holds its entries. Does nothing if memory is short.
    void shrink(bucket& b) noexcept {
        for (unsigned log_pages = 0; log_pages < b.log_pages; ++log_pages) {
            if (b.entries > page_entries << log_pages)
                continue;
            const auto moved = move_to(b, log_pages, false, nullptr);
            if (!moved || *moved)
                return;
        }
    }

    hash_key key_;
    unsigned log_buckets_ = 0;
    aligned_array<bucket> buckets_;
    pool_type pool_;
    std::size_t size_ = 0;
};

} // namespace fingerpost::bihash_by_length
